//! The kinds of quantity, and the units of each: a closed table of data.

/// A kind of quantity, and the units that it may have.
#[derive(Debug)]
pub struct Kind {
    /// Its name in a sentence.
    pub name: &'static str,
    /// Suffix of keys with its SI unit; empty for counts.
    pub suffix: &'static str,
    /// Units, the most common first.
    pub units: &'static [Unit],
    /// A typical value.
    pub example: &'static str,
    /// Largest value, in the SI unit.
    pub(super) max: f64,
    pub(super) max_text: &'static str,
}

/// One unit of a [`Kind`].
#[derive(Debug, PartialEq)]
pub struct Unit {
    /// As it is written.
    pub symbol: &'static str,
    pub(super) scale: Scale,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scale {
    /// Powers of ten of the SI unit.
    Ten(i32),
    /// A whole number of SI units.
    Times(u32),
    /// A fraction of the SI unit.
    Ratio(u32, u32),
    /// Decibels relative to a milliwatt.
    Decibel,
}

/// Why a text is not a quantity of the expected kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Unreadable {
    /// The problem, in a form of `syntax::problem`.
    pub what: String,
    /// A replacement, where one can be guessed.
    pub hint: Option<String>,
}

const fn ten(symbol: &'static str, exponent: i32) -> Unit {
    Unit { symbol, scale: Scale::Ten(exponent) }
}

/// Times, stored as whole nanoseconds.
pub static TIME: Kind = Kind {
    name: "time",
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
};

/// Bits per second; a kilobit has 1000 bits.
pub static RATE: Kind = Kind {
    name: "rate",
    suffix: "_bps",
    units: &[ten("Mb/s", 6), ten("kb/s", 3), ten("b/s", 0), ten("Gb/s", 9)],
    example: "2 Mb/s",
    max: 1e15,
    max_text: "1e6 Gb/s",
};

/// Lengths.
pub static LENGTH: Kind = Kind {
    name: "length",
    suffix: "_m",
    units: &[ten("m", 0), ten("km", 3), ten("cm", -2)],
    example: "250 m",
    max: 1e9,
    max_text: "1e6 km",
};

/// Powers.
pub static POWER: Kind = Kind {
    name: "power",
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
};

/// Frequencies.
pub static FREQUENCY: Kind = Kind {
    name: "frequency",
    suffix: "_hz",
    units: &[ten("MHz", 6), ten("GHz", 9), ten("kHz", 3), ten("Hz", 0)],
    example: "914 MHz",
    max: 1e15,
    max_text: "1e6 GHz",
};

/// Speeds.
pub static SPEED: Kind = Kind {
    name: "speed",
    suffix: "_mps",
    units: &[ten("m/s", 0), Unit { symbol: "km/h", scale: Scale::Ratio(5, 18) }],
    example: "10 m/s",
    max: 3e8,
    max_text: "3e8 m/s",
};

/// Events per time.
pub static ARRIVALS: Kind = Kind {
    name: "number per time",
    suffix: "_per_s",
    units: &[
        ten("/s", 0),
        Unit { symbol: "/min", scale: Scale::Ratio(1, 60) },
        Unit { symbol: "/h", scale: Scale::Ratio(1, 3600) },
    ],
    example: "5 /s",
    max: 1e9,
    max_text: "1e9 /s",
};

/// Numbers of bytes; a bare whole number is accepted.
pub static BYTES: Kind = Kind {
    name: "number of bytes",
    suffix: "",
    units: &[ten("B", 0), ten("kB", 3), ten("MB", 6), Unit { symbol: "KiB", scale: Scale::Times(1024) }],
    example: "1460 B",
    max: u32::MAX as f64,
    max_text: "4294967295 B",
};

impl PartialEq for Kind {
    fn eq(&self, other: &Kind) -> bool {
        self.name == other.name
    }
}

pub(super) static KINDS: [&Kind; 8] = [&TIME, &RATE, &LENGTH, &POWER, &FREQUENCY, &SPEED, &ARRIVALS, &BYTES];

/// Other spellings of units, with the unit of the table.
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
    /// The expected form of a value, for messages.
    pub fn expected(&self) -> String {
        format!("{} with unit, such as \"{}\"", self.name, self.example)
    }

    /// The units, for messages.
    pub fn unit_list(&self) -> String {
        self.units.iter().map(|unit| unit.symbol).collect::<Vec<_>>().join(", ")
    }

    /// The kind that a schema's `x-quantity` names.
    pub fn named(name: &str) -> Option<&'static Kind> {
        KINDS.into_iter().find(|kind| kind.name == name)
    }

    pub(super) fn unit(&self, symbol: &str) -> Option<&Unit> {
        self.units.iter().find(|unit| unit.symbol == symbol)
    }

    /// The unit meant by a misspelled `symbol`.
    pub(super) fn meant(&self, symbol: &str) -> Option<&Unit> {
        let lower = symbol.to_lowercase();
        let alias = ALIASES.iter().find(|(alias, _)| *alias == lower).map_or(lower.as_str(), |&(_, ours)| ours);
        self.units.iter().find(|unit| unit.symbol.to_lowercase() == alias.to_lowercase())
    }
}
