//! Quantities as people write them: `"2 Mb/s"`, `"250 m"`, `"20 ms"`. The table of units is closed.
//!
//! A value is read digit by digit, so that writing and reading give the same bits again; only dBm pass a logarithm.

use crate::kernel::{Bytes, Hertz, Metres, Rate, Span, Speed, Time, Watts};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Something measured, and the units it may be given in.
#[derive(Debug)]
pub struct Kind {
    /// What it is, in a sentence.
    pub name: &'static str,
    /// The same with its article.
    pub a_name: &'static str,
    /// Added to keys of results in SI units; empty for counts.
    pub suffix: &'static str,
    /// Units, the most common first.
    pub units: &'static [Unit],
    /// A typical value.
    pub example: &'static str,
    /// Largest value, in the SI unit.
    max: f64,
    max_text: &'static str,
    canonical: fn(&str) -> Result<String, Unreadable>,
    si: fn(&str) -> Result<f64, Unreadable>,
}

/// One unit of a [`Kind`].
#[derive(Debug, PartialEq)]
pub struct Unit {
    /// As it is written.
    pub symbol: &'static str,
    scale: Scale,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Scale {
    /// Powers of ten of the SI unit.
    Ten(i32),
    /// A whole number of SI units.
    Times(u32),
    /// A part of the SI unit: this many of the second number.
    Ratio(u32, u32),
    /// Decibels over a milliwatt.
    Decibel,
}

/// Why a text is no quantity of the kind asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Unreadable {
    /// What is wrong with it; follows the value in a sentence.
    pub what: String,
    /// What to write, if that can be guessed.
    pub hint: Option<String>,
}

const fn ten(symbol: &'static str, exponent: i32) -> Unit {
    Unit { symbol, scale: Scale::Ten(exponent) }
}

/// Times; kept in whole nanoseconds.
pub static TIME: Kind = Kind {
    name: "time",
    a_name: "a time",
    suffix: "_s",
    units: &[
        ten("s", 0),
        ten("ms", -3),
        ten("us", -6),
        ten("ns", -9),
        Unit { symbol: "min", scale: Scale::Times(60) },
        Unit { symbol: "h", scale: Scale::Times(3600) },
    ],
    example: "20 ms",
    max: 1e9,
    max_text: "1e9 s",
    canonical: canonical::<Span>,
    si: si::<Span>,
};

/// Bits per second; a kilobit has 1000 bits.
pub static RATE: Kind = Kind {
    name: "rate",
    a_name: "a rate",
    suffix: "_bps",
    units: &[ten("Mb/s", 6), ten("kb/s", 3), ten("b/s", 0), ten("Gb/s", 9)],
    example: "2 Mb/s",
    max: 1e15,
    max_text: "1e6 Gb/s",
    canonical: canonical::<Rate>,
    si: si::<Rate>,
};

/// Lengths.
pub static LENGTH: Kind = Kind {
    name: "length",
    a_name: "a length",
    suffix: "_m",
    units: &[ten("m", 0), ten("km", 3), ten("cm", -2)],
    example: "250 m",
    max: 1e9,
    max_text: "1e6 km",
    canonical: canonical::<Metres>,
    si: si::<Metres>,
};

/// Powers.
pub static POWER: Kind = Kind {
    name: "power",
    a_name: "a power",
    suffix: "_w",
    units: &[
        Unit { symbol: "dBm", scale: Scale::Decibel },
        ten("mW", -3),
        ten("W", 0),
        ten("uW", -6),
        ten("nW", -9),
        ten("pW", -12),
    ],
    example: "15 dBm",
    max: 1e9,
    max_text: "1e9 W",
    canonical: canonical::<Watts>,
    si: si::<Watts>,
};

/// Frequencies.
pub static FREQUENCY: Kind = Kind {
    name: "frequency",
    a_name: "a frequency",
    suffix: "_hz",
    units: &[ten("MHz", 6), ten("GHz", 9), ten("kHz", 3), ten("Hz", 0)],
    example: "914 MHz",
    max: 1e15,
    max_text: "1e6 GHz",
    canonical: canonical::<Hertz>,
    si: si::<Hertz>,
};

/// Speeds.
pub static SPEED: Kind = Kind {
    name: "speed",
    a_name: "a speed",
    suffix: "_mps",
    units: &[ten("m/s", 0), Unit { symbol: "km/h", scale: Scale::Ratio(5, 18) }],
    example: "10 m/s",
    max: 3e8,
    max_text: "3e8 m/s",
    canonical: canonical::<Speed>,
    si: si::<Speed>,
};

/// Counts of bytes; a bare whole number is one too.
pub static BYTES: Kind = Kind {
    name: "number of bytes",
    a_name: "a number of bytes",
    suffix: "",
    units: &[ten("B", 0), ten("kB", 3), Unit { symbol: "KiB", scale: Scale::Times(1024) }],
    example: "1460 B",
    max: u32::MAX as f64,
    max_text: "4294967295 B",
    canonical: canonical::<Bytes>,
    si: si::<Bytes>,
};

impl PartialEq for Kind {
    fn eq(&self, other: &Kind) -> bool {
        self.name == other.name
    }
}

static KINDS: [&Kind; 7] = [&TIME, &RATE, &LENGTH, &POWER, &FREQUENCY, &SPEED, &BYTES];

/// Spellings seen elsewhere, and ours.
const ALIASES: &[(&str, &str)] = &[
    ("sec", "s"),
    ("secs", "s"),
    ("second", "s"),
    ("seconds", "s"),
    ("msec", "ms"),
    ("millisecond", "ms"),
    ("milliseconds", "ms"),
    ("usec", "us"),
    ("\u{b5}s", "us"),
    ("\u{3bc}s", "us"),
    ("microsecond", "us"),
    ("microseconds", "us"),
    ("nsec", "ns"),
    ("minute", "min"),
    ("minutes", "min"),
    ("mins", "min"),
    ("hour", "h"),
    ("hours", "h"),
    ("hr", "h"),
    ("bps", "b/s"),
    ("bit/s", "b/s"),
    ("bits/s", "b/s"),
    ("kbps", "kb/s"),
    ("kbit/s", "kb/s"),
    ("kbits/s", "kb/s"),
    ("mbps", "Mb/s"),
    ("mbit/s", "Mb/s"),
    ("mbits/s", "Mb/s"),
    ("gbps", "Gb/s"),
    ("gbit/s", "Gb/s"),
    ("metre", "m"),
    ("metres", "m"),
    ("meter", "m"),
    ("meters", "m"),
    ("kilometers", "km"),
    ("kilometres", "km"),
    ("mps", "m/s"),
    ("kmh", "km/h"),
    ("kph", "km/h"),
    ("db", "dBm"),
    ("watt", "W"),
    ("watts", "W"),
    ("\u{b5}w", "uW"),
    ("\u{3bc}w", "uW"),
    ("hertz", "Hz"),
    ("byte", "B"),
    ("bytes", "B"),
    ("octets", "B"),
    ("kib", "KiB"),
];

impl Kind {
    /// What a value of this kind looks like, for messages.
    pub fn expected(&self) -> String {
        format!("{} with its unit, such as \"{}\"", self.a_name, self.example)
    }

    /// The units, for messages.
    pub fn unit_list(&self) -> String {
        self.units.iter().map(|unit| unit.symbol).collect::<Vec<_>>().join(", ")
    }

    /// The kind that a schema's `x-quantity` names.
    pub fn named(name: &str) -> Option<&'static Kind> {
        KINDS.into_iter().find(|kind| kind.name == name)
    }

    /// What somebody who wrote the bare number `number` may have meant.
    pub fn likely(&self, number: &str) -> String {
        if number.starts_with('-') {
            let decibel = self.units.iter().find(|unit| unit.scale == Scale::Decibel);
            return match decibel {
                Some(unit) => format!("write \"{number} {}\"", unit.symbol),
                None => format!("write {} such as \"{}\"", self.a_name, self.example),
            };
        }
        let mut spellings: Vec<String> =
            self.units.iter().take(2).map(|unit| format!("{number} {}", unit.symbol)).collect();
        if let Some(si) = number.parse().ok().filter(|si: &f64| *si <= self.max).and_then(|si| self.write_si(si)) {
            // Large and small numbers have been converted by who wrote them.
            let is_converted = number.parse().is_ok_and(|value: f64| !(1.0..1000.0).contains(&value));
            spellings.insert(if is_converted { 0 } else { spellings.len() }, si);
        }
        let mut quoted: Vec<String> = Vec::new();
        for spelling in spellings.iter().map(|spelling| format!("\"{spelling}\"")) {
            if !quoted.contains(&spelling) {
                quoted.push(spelling);
            }
        }
        match quoted.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("write {} or {last}", rest.join(", ")),
            _ => format!("write {}", quoted.concat()),
        }
    }

    /// A number of SI units as this kind is written.
    fn write_si(&self, si: f64) -> Option<String> {
        let positive = si.is_finite() && si > 0.0;
        let written = match self.suffix {
            "_s" => Span::from_secs(si).write(),
            "_bps" => Rate(si).write(),
            "_m" => Metres(si).write(),
            "_w" => Watts(si).write(),
            "_hz" => Hertz(si).write(),
            "_mps" => Speed(si).write(),
            _ => return None,
        };
        positive.then_some(written)
    }

    /// A quantity of this kind as its type writes it.
    pub fn canonical(&self, text: &str) -> Result<String, Unreadable> {
        (self.canonical)(text)
    }

    /// A quantity of this kind in its SI unit.
    pub fn si(&self, text: &str) -> Result<f64, Unreadable> {
        (self.si)(text)
    }

    fn unit(&self, symbol: &str) -> Option<&Unit> {
        self.units.iter().find(|unit| unit.symbol == symbol)
    }

    /// The unit somebody meant who wrote `symbol`.
    fn meant(&self, symbol: &str) -> Option<&Unit> {
        let lower = symbol.to_lowercase();
        let alias = ALIASES.iter().find(|(alias, _)| *alias == lower).map_or(lower.as_str(), |&(_, ours)| ours);
        self.units.iter().find(|unit| unit.symbol.to_lowercase() == alias.to_lowercase())
    }
}

/// A decimal number as written: `digits` times ten to the `exponent`.
struct Decimal {
    is_negative: bool,
    digits: String,
    exponent: i32,
}

/// More digits than this change nothing.
const MAX_DIGITS: usize = 400;

impl Decimal {
    /// Splits `text` into a number at its start and the rest, with the number as it was written.
    fn split(text: &str) -> Option<(Decimal, &str, &str)> {
        let bytes = text.as_bytes();
        let mut at = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
        let is_negative = bytes.first() == Some(&b'-');
        let (mut digits, mut exponent, mut seen_point) = (String::new(), 0, false);
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'0'..=b'9' => {
                    digits.push(byte as char);
                    exponent -= i32::from(seen_point);
                }
                b'.' if !seen_point => seen_point = true,
                _ => break,
            }
            at += 1;
        }
        if digits.is_empty() || digits.len() > MAX_DIGITS {
            return None;
        }
        // An exponent is a digit after `e` and its sign; anything else belongs to the unit.
        if matches!(bytes.get(at), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
            let first = at + 1 + sign;
            let last = first + bytes[first.min(bytes.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            if last > first {
                exponent += text[at + 1..last].parse::<i32>().ok().filter(|e| e.abs() < 10_000)?;
                at = last;
            }
        }
        let digits = digits.trim_start_matches('0').to_owned();
        Some((Decimal { is_negative, digits, exponent }, &text[..at], &text[at..]))
    }

    fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// The nearest real number to this, times ten to the `shift`.
    fn to_f64(&self, shift: i32) -> f64 {
        let sign = if self.is_negative { "-" } else { "" };
        // A text of digits and an exponent always is a number.
        format!("{sign}0{}e{}", self.digits, self.exponent + shift).parse().unwrap_or(f64::NAN)
    }

    /// This times `factor` times ten to the `shift`, rounded half up; `None` if it is too large.
    fn to_whole(&self, factor: u32, shift: i32) -> Option<u64> {
        let exponent = self.exponent + shift;
        let mut digits = self.digits.clone();
        if exponent >= 0 {
            if !self.is_zero() && digits.len() + exponent as usize > 20 {
                return None;
            }
            digits.extend(std::iter::repeat_n('0', exponent as usize));
            let whole: u128 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
            return u64::try_from(whole * u128::from(factor)).ok();
        }
        // The digits that count, without those that cannot change the rounding.
        let mut below = exponent.unsigned_abs() as usize;
        if digits.len() > below + 20 {
            return None;
        }
        if digits.len() + 18 < below {
            return Some(0);
        }
        while below > 15 {
            digits.pop();
            below -= 1;
        }
        let value: u128 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
        let unit = 10u128.pow(below as u32);
        u64::try_from((value * u128::from(factor) + unit / 2) / unit).ok()
    }
}

/// A quantity read from text: its number, and the unit that scales it.
struct Reading {
    number: Decimal,
    scale: Scale,
}

fn read(kind: &Kind, text: &str) -> Result<Reading, Unreadable> {
    let trouble = |what: String, hint: Option<String>| Unreadable { what, hint };
    let trimmed = text.trim();
    let Some((number, spelled, rest)) = Decimal::split(trimmed) else {
        let lower = trimmed.trim_start_matches(['+', '-']).to_lowercase();
        let what = if lower.starts_with("nan") || lower.starts_with("inf") {
            "is not a finite number".to_owned()
        } else {
            format!("is not {}", kind.a_name)
        };
        return Err(trouble(what, None));
    };
    let symbol = rest.trim();
    let Some(unit) = kind.unit(symbol) else {
        if symbol.is_empty() {
            return Err(trouble("has no unit".to_owned(), Some(kind.likely(spelled))));
        }
        if let Some(meant) = kind.meant(symbol) {
            let hint = format!("did you mean \"{spelled} {}\"?", meant.symbol);
            return Err(trouble(format!("has the unknown unit {}", quoted(symbol)), Some(hint)));
        }
        let units = format!("units of {}: {}", kind.name, kind.unit_list());
        if let Some(other) = KINDS.iter().find(|other| other.unit(symbol).is_some()) {
            return Err(trouble(format!("is {}, not {}", other.a_name, kind.a_name), Some(units)));
        }
        return Err(trouble(format!("has the unknown unit {}", quoted(symbol)), Some(units)));
    };
    if number.is_negative && !number.is_zero() && unit.scale != Scale::Decibel {
        return Err(trouble("is negative".to_owned(), None));
    }
    Ok(Reading { number, scale: unit.scale })
}

fn quoted(symbol: &str) -> String {
    let short: String = symbol.chars().take(20).collect();
    format!("{short:?}")
}

fn too_large(kind: &Kind) -> Unreadable {
    Unreadable { what: "is too large".to_owned(), hint: Some(format!("at most {}", kind.max_text)) }
}

/// Reads a quantity of `kind` in its SI unit.
fn read_real(kind: &Kind, text: &str) -> Result<f64, Unreadable> {
    let Reading { number, scale } = read(kind, text)?;
    let value = match scale {
        Scale::Ten(exponent) => number.to_f64(exponent),
        Scale::Times(factor) => number.to_f64(0) * f64::from(factor),
        Scale::Ratio(part, whole) => number.to_f64(0) * f64::from(part) / f64::from(whole),
        Scale::Decibel => Watts::from_dbm(number.to_f64(0)).0,
    };
    let is_lost = value == 0.0 && (scale == Scale::Decibel || !number.is_zero());
    if is_lost {
        return Err(Unreadable { what: "is too small".to_owned(), hint: None });
    }
    if value <= kind.max { Ok(value) } else { Err(too_large(kind)) }
}

/// Reads a quantity that is kept in whole units of ten to the `-shift` of the SI unit.
fn read_whole(kind: &Kind, text: &str, shift: i32) -> Result<u64, Unreadable> {
    let Reading { number, scale } = read(kind, text)?;
    let (factor, exponent) = match scale {
        Scale::Ten(exponent) => (1, exponent),
        Scale::Times(factor) => (factor, 0),
        Scale::Ratio(..) | Scale::Decibel => unreachable!("decibels and speeds are real numbers"),
    };
    let value = number.to_whole(factor, exponent + shift).ok_or_else(|| too_large(kind))?;
    if value == 0 && !number.is_zero() {
        let what = if shift == 0 { "is less than one" } else { "is shorter than a nanosecond" };
        return Err(Unreadable { what: what.to_owned(), hint: None });
    }
    let limit = kind.max * number_of_units(shift);
    if value as f64 <= limit { Ok(value) } else { Err(too_large(kind)) }
}

fn canonical<T: Quantity>(text: &str) -> Result<String, Unreadable> {
    T::read(text).map(|quantity| quantity.write())
}

fn si<T: Quantity>(text: &str) -> Result<f64, Unreadable> {
    T::read(text).map(|quantity| quantity.si())
}

fn number_of_units(shift: i32) -> f64 {
    if shift == 9 { 1e9 } else { 1.0 }
}

/// A kernel type that people write with a unit.
pub trait Quantity: Sized {
    /// What it measures.
    const KIND: &'static Kind;

    /// Reads `"250 m"`.
    fn read(text: &str) -> Result<Self, Unreadable>;

    /// Writes what [`Quantity::read`] reads as the same value.
    fn write(&self) -> String;

    /// Value in the SI unit.
    fn si(&self) -> f64;

    /// The value of a bare whole number, where the kind allows one.
    fn from_bare(_number: u64) -> Option<Self> {
        None
    }
}

impl Quantity for Span {
    const KIND: &'static Kind = &TIME;
    fn read(text: &str) -> Result<Span, Unreadable> {
        read_whole(&TIME, text, 9).map(Span)
    }
    fn write(&self) -> String {
        let (symbol, exponent) = match self.0 {
            1..1_000 => ("ns", 0),
            1_000..1_000_000 => ("us", 3),
            1_000_000..1_000_000_000 => ("ms", 6),
            0 | 1_000_000_000.. => ("s", 9),
        };
        format!("{} {symbol}", shifted(&self.0.to_string(), -exponent))
    }
    fn si(&self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl Quantity for Time {
    const KIND: &'static Kind = &TIME;
    fn read(text: &str) -> Result<Time, Unreadable> {
        Span::read(text).map(|span| Time(span.0))
    }
    fn write(&self) -> String {
        Span(self.0).write()
    }
    fn si(&self) -> f64 {
        Span(self.0).si()
    }
}

impl Quantity for Bytes {
    const KIND: &'static Kind = &BYTES;
    fn read(text: &str) -> Result<Bytes, Unreadable> {
        read_whole(&BYTES, text, 0).map(|bytes| Bytes(bytes as u32))
    }
    fn write(&self) -> String {
        format!("{} B", self.0)
    }
    fn si(&self) -> f64 {
        f64::from(self.0)
    }
    fn from_bare(number: u64) -> Option<Bytes> {
        u32::try_from(number).ok().map(Bytes)
    }
}

macro_rules! real_quantity {
    ($type:ident, $kind:ident, $units:expr) => {
        impl Quantity for $type {
            const KIND: &'static Kind = &$kind;
            fn read(text: &str) -> Result<$type, Unreadable> {
                read_real(&$kind, text).map($type)
            }
            fn write(&self) -> String {
                write_real(self.0, &$units)
            }
            fn si(&self) -> f64 {
                self.0
            }
        }
    };
}

real_quantity!(Rate, RATE, [("Gb/s", 9), ("Mb/s", 6), ("kb/s", 3), ("b/s", 0)]);
real_quantity!(Metres, LENGTH, [("m", 0)]);
// Powers are written in watts, as the thresholds of ns-2's scripts are.
real_quantity!(Watts, POWER, [("W", 0)]);
real_quantity!(Speed, SPEED, [("m/s", 0)]);
real_quantity!(Hertz, FREQUENCY, [("GHz", 9), ("MHz", 6), ("kHz", 3), ("Hz", 0)]);

/// Writes `value` in the largest of `units` that it is at least one of, or in the last.
fn write_real(value: f64, units: &[(&str, i32)]) -> String {
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let magnitude: i32 = exponent.parse().unwrap_or(0);
    let (symbol, unit) = units.iter().find(|(_, unit)| magnitude >= *unit).or(units.last()).unwrap_or(&("", 0));
    let number = if (-4..=15).contains(&(magnitude - unit)) {
        let places = digits.find('.').map_or(0, |at| digits[at + 1..].chars().fold(0, |count, _| count + 1));
        shifted(&digits.replace('.', ""), magnitude - unit - places)
    } else {
        format!("{digits}e{}", magnitude - unit)
    };
    format!("{number} {symbol}")
}

/// Whole `digits` times ten to the `exponent`, without superfluous zeros.
fn shifted(digits: &str, exponent: i32) -> String {
    if exponent >= 0 {
        return if digits == "0" { digits.to_owned() } else { digits.to_owned() + &"0".repeat(exponent as usize) };
    }
    let places = exponent.unsigned_abs() as usize;
    let padded = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = padded.split_at(padded.len() - places);
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

struct QuantityVisitor<T>(std::marker::PhantomData<T>);

impl<T: Quantity> Visitor<'_> for QuantityVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&T::KIND.expected())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        T::read(text).map_err(|trouble| {
            let hint = trouble.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
            E::custom(format!("{text:?} {}: expected {}{hint}", trouble.what, T::KIND.expected()))
        })
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<T, E> {
        T::from_bare(number).ok_or_else(|| bare::<T, E>(&number.to_string()))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<T, E> {
        u64::try_from(number).ok().and_then(T::from_bare).ok_or_else(|| bare::<T, E>(&number.to_string()))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<T, E> {
        Err(bare::<T, E>(&number.to_string()))
    }
}

fn bare<T: Quantity, E: de::Error>(number: &str) -> E {
    E::custom(format!("{number} has no unit: expected {}; {}", T::KIND.expected(), T::KIND.likely(number)))
}

/// Schema of a quantity; `x-quantity` carries its kind to [`super::section`].
fn schema_of(kind: &Kind) -> Schema {
    let units: Vec<String> = kind.units.iter().map(|unit| unit.symbol.replace('/', "\\/")).collect();
    let pattern = format!("^\\s*[+-]?[0-9]*\\.?[0-9]*([eE][+-]?[0-9]+)?\\s*({})\\s*$", units.join("|"));
    let type_ = if kind == &BYTES { serde_json::json!(["string", "integer"]) } else { "string".into() };
    json_schema!({
        "type": type_,
        "pattern": pattern,
        "minimum": 0,
        "maximum": kind.max,
        "examples": [kind.example],
        "x-quantity": kind.name,
        "x-units": kind.units.iter().map(|unit| unit.symbol).collect::<Vec<_>>(),
    })
}

macro_rules! serde_quantity {
    ($($type:ident)*) => { $(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.write())
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                deserializer.deserialize_any(QuantityVisitor(std::marker::PhantomData))
            }
        }

        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }
            fn inline_schema() -> bool {
                true
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                schema_of($type::KIND)
            }
        }
    )* };
}

serde_quantity!(Span Time Rate Metres Watts Hertz Speed Bytes);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn what<T: Quantity + fmt::Debug>(text: &str) -> String {
        let trouble = T::read(text).expect_err("an unreadable quantity");
        format!("{} / {}", trouble.what, trouble.hint.unwrap_or_default())
    }

    #[test]
    fn reads_what_people_write() {
        assert_eq!(Span::read("20 ms"), Ok(Span::from_millis(20)));
        assert_eq!(Span::read(" 1.5min "), Ok(Span(90_000_000_000)));
        assert_eq!(Span::read("2 h"), Ok(Span(7_200_000_000_000)));
        assert_eq!(Span::read("0.1 ms"), Ok(Span(100_000)));
        assert_eq!(Span::read("1.0000000005 s"), Ok(Span(1_000_000_001)));
        assert_eq!(Span::read("0 s"), Ok(Span::ZERO));
        assert_eq!(Span::read("-0 s"), Ok(Span::ZERO));
        assert_eq!(Time::read("25 us"), Ok(Time(25_000)));
        assert_eq!(Rate::read("2 Mb/s"), Ok(Rate(2e6)));
        assert_eq!(Rate::read("5.5Mb/s"), Ok(Rate(5.5e6)));
        assert_eq!(Metres::read("1e2 m"), Ok(Metres(100.0)));
        assert_eq!(Metres::read("2.5 km"), Ok(Metres(2500.0)));
        assert_eq!(Hertz::read("2.4 GHz"), Ok(Hertz(2.4e9)));
        assert_eq!(Watts::read("3.652e-10 W"), Ok(Watts(3.652e-10)));
        assert_eq!(Watts::read("24.5 dBm"), Ok(Watts::from_dbm(24.5)));
        assert_eq!(Watts::read("-30 dBm"), Ok(Watts::from_dbm(-30.0)));
        assert_eq!(Speed::read("10 m/s"), Ok(Speed(10.0)));
        assert_eq!(Speed::read("36 km/h"), Ok(Speed(10.0)));
        assert_eq!(Bytes::read("1460 B"), Ok(Bytes(1460)));
        assert_eq!(Bytes::read("2 KiB"), Ok(Bytes(2048)));
    }

    #[test]
    fn says_what_is_wrong() {
        assert_eq!(what::<Metres>("200"), "has no unit / write \"200 m\" or \"200 km\"");
        assert_eq!(what::<Watts>("-5"), "has no unit / write \"-5 dBm\"");
        assert_eq!(what::<Metres>("200 ms"), "is a time, not a length / units of length: m, km, cm");
        assert_eq!(what::<Rate>("2 Mbps"), "has the unknown unit \"Mbps\" / did you mean \"2 Mb/s\"?");
        assert_eq!(what::<Rate>("2 mb/s"), "has the unknown unit \"mb/s\" / did you mean \"2 Mb/s\"?");
        assert_eq!(what::<Span>("3 \u{b5}s"), "has the unknown unit \"\u{b5}s\" / did you mean \"3 us\"?");
        assert_eq!(
            what::<Span>("3 fortnights"),
            "has the unknown unit \"fortnights\" / units of time: s, ms, us, ns, min, h"
        );
        assert_eq!(what::<Speed>("10"), "has no unit / write \"10 m/s\" or \"10 km/h\"");
        assert_eq!(what::<Speed>("1e9 m/s"), "is too large / at most 3e8 m/s");
        assert_eq!(what::<Speed>("10 m"), "is a length, not a speed / units of speed: m/s, km/h");
        assert_eq!(what::<Metres>("-1 m"), "is negative / ");
        assert_eq!(what::<Metres>("nan m"), "is not a finite number / ");
        assert_eq!(what::<Metres>("inf m"), "is not a finite number / ");
        assert_eq!(what::<Metres>("far"), "is not a length / ");
        assert_eq!(what::<Metres>(""), "is not a length / ");
        assert_eq!(what::<Metres>("1e400 m"), "is too large / at most 1e6 km");
        assert_eq!(what::<Span>("1e30 s"), "is too large / at most 1e9 s");
        assert_eq!(what::<Span>("1e9 h"), "is too large / at most 1e9 s");
        assert_eq!(what::<Span>("1e-12 s"), "is shorter than a nanosecond / ");
        assert_eq!(what::<Span>("1e-5000 s"), "is shorter than a nanosecond / ");
        assert_eq!(what::<Bytes>("5000 MB"), "has the unknown unit \"MB\" / units of number of bytes: B, kB, KiB");
        assert_eq!(what::<Bytes>("5000000 kB"), "is too large / at most 4294967295 B");
        assert_eq!(what::<Watts>("99999 dBm"), "is too large / at most 1e9 W");
        assert_eq!(what::<Watts>("-99999 dBm"), "is too small / ");
    }

    #[test]
    fn guesses_units_of_bare_numbers() {
        assert_eq!(RATE.likely("2000000"), "write \"2 Mb/s\", \"2000000 Mb/s\" or \"2000000 kb/s\"");
        assert_eq!(TIME.likely("0.02"), "write \"20 ms\", \"0.02 s\" or \"0.02 ms\"");
        assert_eq!(TIME.likely("100"), "write \"100 s\" or \"100 ms\"");
        assert_eq!(POWER.likely("0.28"), "write \"0.28 W\", \"0.28 dBm\" or \"0.28 mW\"");
        assert_eq!(POWER.likely("15"), "write \"15 dBm\", \"15 mW\" or \"15 W\"");
        assert_eq!(FREQUENCY.likely("914e6"), "write \"914 MHz\", \"914e6 MHz\" or \"914e6 GHz\"");
        assert_eq!(LENGTH.likely("1e99"), "write \"1e99 m\" or \"1e99 km\"");
    }

    #[test]
    fn writes_what_people_read() {
        let spans = [0, 667, 25_000, 22_500_000, 1_500_000_000, 100_000_000_000];
        assert_eq!(spans.map(|ns| Span(ns).write()), ["0 s", "667 ns", "25 us", "22.5 ms", "1.5 s", "100 s"]);
        assert_eq!([2e6, 5.5e6, 64e3, 0.5].map(|bps| Rate(bps).write()), ["2 Mb/s", "5.5 Mb/s", "64 kb/s", "0.5 b/s"]);
        assert_eq!([250.0, 0.001, 12345.5].map(|m| Metres(m).write()), ["250 m", "0.001 m", "12345.5 m"]);
        assert_eq!([0.281_838_15, 3.652e-10].map(|w| Watts(w).write()), ["0.28183815 W", "3.652e-10 W"]);
        assert_eq!(Hertz(914e6).write(), "914 MHz");
    }

    #[test]
    fn bare_numbers_are_for_bytes_only() {
        assert_eq!(serde_json::from_str::<Bytes>("1460").ok(), Some(Bytes(1460)));
        let error = serde_json::from_str::<Rate>("2").expect_err("no unit");
        assert!(error.to_string().starts_with(
            "2 has no unit: expected a rate with its unit, such as \"2 Mb/s\"; write \"2 Mb/s\", \"2 kb/s\" or \"2 b/s\""
        ));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_as_the_same(ns in 0..1_000_000_000_000_000_000u64, bits in any::<u64>(), bytes: u32) {
            prop_assert_eq!(Span::read(&Span(ns).write()), Ok(Span(ns)));
            prop_assert_eq!(Bytes::read(&Bytes(bytes).write()), Ok(Bytes(bytes)));
            let real = f64::from_bits(bits).abs();
            if real <= 1e9 {
                prop_assert_eq!(Rate::read(&Rate(real).write()), Ok(Rate(real)));
                prop_assert_eq!(Metres::read(&Metres(real).write()), Ok(Metres(real)));
                prop_assert_eq!(Watts::read(&Watts(real).write()), Ok(Watts(real)));
                if real <= 3e8 {
                    prop_assert_eq!(Speed::read(&Speed(real).write()), Ok(Speed(real)));
                }
                prop_assert_eq!(Hertz::read(&Hertz(real).write()), Ok(Hertz(real)));
            }
        }

        #[test]
        fn no_text_is_too_strange(text in ".{0,40}", number in "[0-9.eE+-]{0,30} ?(s|m|W|dBm|B|Mb/s)?") {
            for text in [text, number] {
                let _ = (Span::read(&text), Rate::read(&text), Metres::read(&text), Watts::read(&text), Bytes::read(&text));
            }
        }
    }
}
