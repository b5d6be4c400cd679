//! Values of ns-2's variables, with the units of its `bind_time` and `bind_bw`.

use super::imported::{Problem, excerpt};
use crate::kernel::{Span, Time};

/// Maximum time, and maximum number of packets and segments, that are accepted.
const MAX_TIME_S: f64 = 1e9;
const MAX_COUNT: u64 = 4_000_000_000;
const MAX_BYTES: u32 = 65_495;

/// The problem of a value that is none of those expected.
fn out_of_range(word: &str, expected: &str) -> Problem {
    format!("{} is out of range: expected {expected}", excerpt(word)).into()
}

/// A time in the simulation, in seconds.
pub(super) fn time(word: &str) -> Result<Time, Problem> {
    // The time at which a file is read.
    if word == "now" {
        return Ok(Time::ZERO);
    }
    match word.parse::<f64>() {
        Ok(secs) if (0.0..=MAX_TIME_S).contains(&secs) => Ok(Time::from_secs(secs)),
        _ => Err(out_of_range(word, "time in seconds from 0 to 1e9")),
    }
}

/// A length of time: in seconds, or with `s`, `ms`, `us`, `ns` or `ps`.
pub(super) fn span(word: &str) -> Result<f64, Problem> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_lowercase() && c != 'e');
    let factor = match &word[digits.len()..] {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "us" => 1e-6,
        "ns" => 1e-9,
        "ps" => 1e-12,
        _ => f64::NAN,
    };
    match digits.parse::<f64>() {
        Ok(secs) if (0.0..=MAX_TIME_S).contains(&(secs * factor)) => Ok(secs * factor),
        _ => Err(out_of_range(word, "time in seconds from 0 to 1e9")),
    }
}

/// The same as a [`Span`].
pub(super) fn mean(word: &str) -> Result<Span, Problem> {
    Ok(Span::from_secs(span(word)?))
}

/// Bits per second: `64000`, `64kb`, `0.064Mb`, `8kB`, `64kbps`.
pub(super) fn rate(word: &str) -> Result<f64, Problem> {
    let refused =
        || Problem::new(format!("{} is not a rate", excerpt(word)), "use bits per second, such as 64000 or 64kb");
    let end = word.find(|c: char| !c.is_ascii_digit() && !"+-.e".contains(c)).unwrap_or(word.len());
    let (number, unit) = word.split_at(end);
    // Without a prefix a B is bits to ns-2.35, too.
    let factor = match unit.trim_end_matches("ps") {
        "" | "b" | "B" => 1.0,
        "k" | "kb" | "K" | "Kb" => 1e3,
        "kB" | "KB" => 8e3,
        "m" | "mb" | "M" | "Mb" => 1e6,
        "mB" | "MB" => 8e6,
        "g" | "gb" | "G" | "Gb" => 1e9,
        "gB" | "GB" => 8e9,
        _ => return Err(refused()),
    };
    let rate = number.parse::<f64>().map_err(|_| refused())? * factor;
    if rate > 0.0 && rate.is_finite() { Ok(rate) } else { Err(refused()) }
}

/// A number of packets or segments.
pub(super) fn count(word: &str) -> Result<u32, Problem> {
    let whole = word.parse::<u64>().ok().or_else(|| {
        let real = word.parse::<f64>().ok().filter(|real| !word.contains(['e', 'E']) && libm::trunc(*real) == *real)?;
        (0.0..=MAX_COUNT as f64).contains(&real).then_some(real as u64)
    });
    let count = whole.filter(|count| (1..=MAX_COUNT).contains(count));
    count.map(|count| count as u32).ok_or_else(|| out_of_range(word, "integer from 1 to 4e9"))
}

/// Bytes of a packet.
pub(super) fn bytes(word: &str) -> Result<u32, Problem> {
    let bytes = word.parse().ok().filter(|bytes| (1..=MAX_BYTES).contains(bytes));
    bytes.ok_or_else(|| out_of_range(word, "payload from 1 to 65495 bytes"))
}

/// Whether something is on. ns-2 reads `true` as a number, which is 0.
pub(super) fn flag(word: &str) -> Result<bool, Problem> {
    match word {
        "0" | "false" => Ok(false),
        "1" => Ok(true),
        _ => Err(out_of_range(word, "0 or 1")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As ns-2.35 prints them.
    #[test]
    fn units_are_those_of_ns_2() {
        for (word, bps) in [
            ("64.0kb", 64e3),
            ("64Kb", 64e3),
            ("8kB", 64e3),
            ("0.008MB", 64e3),
            ("64k", 64e3),
            ("64e3", 64e3),
            ("64.0kbps", 64e3),
            ("8000B", 8e3),
            ("1mb", 1e6),
            ("1Gb", 1e9),
        ] {
            assert_eq!(rate(word), Ok(bps), "{word}");
        }
        assert!(["", "kb", "64 kb", "64x", "0", "-5", "nan", "1e999"].iter().all(|word| rate(word).is_err()));
        for (word, secs) in [("0.1", 0.1), ("100ms", 0.1), ("1e-1", 0.1), (".1s", 0.1), ("100us", 1e-4)] {
            assert!(span(word).is_ok_and(|found| (found - secs).abs() < 1e-15), "{word}");
        }
        assert!(["5m", "-1", "ms", "", "1e10", "nan"].iter().all(|word| span(word).is_err()));
        assert_eq!((count("10000"), count("12.0")), (Ok(10_000), Ok(12)));
        assert!(["0", "1e4", "1.5", "-1", "5000000000"].iter().all(|word| count(word).is_err()));
    }
}
