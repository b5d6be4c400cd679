//! Reading a quantity from text: number and unit, with a precise reason where either is wrong.

use super::decimal::Decimal;
use super::kind::{KINDS, Kind, Scale, Unreadable};
use crate::kernel::Watts;
use crate::scenario::syntax::problem::{NEGATIVE, NO_UNIT, NOT_FINITE, OUT_OF_RANGE, mismatch};

/// A number and the unit that scales it.
struct Reading {
    number: Decimal,
    scale: Scale,
}

fn read(kind: &Kind, text: &str) -> Result<Reading, Unreadable> {
    let unreadable = |what: String, hint: Option<String>| Unreadable { what, hint };
    let trimmed = text.trim();
    let Some((number, spelled, rest)) = Decimal::split(trimmed) else {
        let lower = trimmed.trim_start_matches(['+', '-']).to_lowercase();
        let what = if lower.starts_with("nan") || lower.starts_with("inf") {
            NOT_FINITE.to_owned()
        } else {
            mismatch(kind.name, "{}")
        };
        return Err(unreadable(what, None));
    };
    let symbol = rest.trim();
    let Some(unit) = kind.unit(symbol) else {
        if symbol.is_empty() {
            return Err(unreadable(NO_UNIT.to_owned(), Some(kind.likely(spelled))));
        }
        if let Some(meant) = kind.meant(symbol) {
            let hint = format!("did you mean \"{spelled} {}\"?", meant.symbol);
            return Err(unreadable(format!("unknown unit {}", quoted(symbol)), Some(hint)));
        }
        let units = format!("units of {}: {}", kind.name, kind.unit_list());
        if let Some(other) = KINDS.iter().find(|other| other.unit(symbol).is_some()) {
            return Err(unreadable(mismatch(kind.name, other.name), Some(units)));
        }
        return Err(unreadable(format!("unknown unit {}", quoted(symbol)), Some(units)));
    };
    if number.is_negative && !number.is_zero() && unit.scale != Scale::Decibel {
        return Err(unreadable(NEGATIVE.to_owned(), None));
    }
    Ok(Reading { number, scale: unit.scale })
}

fn quoted(symbol: &str) -> String {
    let short: String = symbol.chars().take(20).collect();
    format!("{short:?}")
}

fn too_large(kind: &Kind) -> Unreadable {
    Unreadable { what: OUT_OF_RANGE.to_owned(), hint: Some(format!("at most {}", kind.max_text)) }
}

/// Reads a quantity of `kind` in its SI unit.
pub(super) fn read_real(kind: &Kind, text: &str) -> Result<f64, Unreadable> {
    let Reading { number, scale } = read(kind, text)?;
    let value = match scale {
        Scale::Ten(exponent) => number.to_f64(exponent),
        Scale::Times(factor) => number.to_f64(0) * f64::from(factor),
        Scale::Ratio(part, whole) => number.to_f64(0) * f64::from(part) / f64::from(whole),
        Scale::Decibel => Watts::from_dbm(number.to_f64(0)).0,
    };
    let is_lost = value == 0.0 && (scale == Scale::Decibel || !number.is_zero());
    if is_lost {
        return Err(Unreadable { what: OUT_OF_RANGE.to_owned(), hint: Some("use a larger value".to_owned()) });
    }
    if value <= kind.max { Ok(value) } else { Err(too_large(kind)) }
}

/// Reads a quantity that is stored as whole units of 10^-shift of the SI unit.
pub(super) fn read_whole(kind: &Kind, text: &str, shift: i32) -> Result<u64, Unreadable> {
    let Reading { number, scale } = read(kind, text)?;
    let (factor, exponent) = match scale {
        Scale::Ten(exponent) => (1, exponent),
        Scale::Times(factor) => (factor, 0),
        Scale::Ratio(..) | Scale::Decibel => unreachable!("decibels and speeds are real numbers"),
    };
    let value = number.to_whole(factor, exponent + shift).ok_or_else(|| too_large(kind))?;
    if value == 0 && !number.is_zero() {
        let what = if shift == 0 { "must be at least 1 B" } else { "must be at least 1 ns" };
        return Err(Unreadable { what: what.to_owned(), hint: None });
    }
    let limit = kind.max * number_of_units(shift);
    if value as f64 <= limit { Ok(value) } else { Err(too_large(kind)) }
}

fn number_of_units(shift: i32) -> f64 {
    if shift == 9 { 1e9 } else { 1.0 }
}
