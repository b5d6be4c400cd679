//! Writing a number with the unit of its magnitude, without loss.

/// Writes `value` in the largest of `units` in which it is at least 1, or in the last.
pub(super) fn write_real(value: f64, units: &[(&str, i32)]) -> String {
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
pub(super) fn shifted(digits: &str, exponent: i32) -> String {
    if exponent >= 0 {
        return if digits == "0" { digits.to_owned() } else { digits.to_owned() + &"0".repeat(exponent as usize) };
    }
    let places = exponent.unsigned_abs() as usize;
    let padded = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = padded.split_at(padded.len() - places);
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}
