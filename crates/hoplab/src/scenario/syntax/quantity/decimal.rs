//! Decimal numbers as written, digit by digit: `f64` parsing would round before the unit is applied.

/// A decimal number as written: `digits` times 10^exponent.
pub(super) struct Decimal {
    pub(super) is_negative: bool,
    digits: String,
    exponent: i32,
}

/// Numbers with more digits are refused.
const MAX_DIGITS: usize = 400;

impl Decimal {
    /// Splits `text` into a number at its start and the rest, with the number as it was written.
    pub(super) fn split(text: &str) -> Option<(Decimal, &str, &str)> {
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

    pub(super) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// The nearest real number to this times 10^shift.
    pub(super) fn to_f64(&self, shift: i32) -> f64 {
        let sign = if self.is_negative { "-" } else { "" };
        // Digits and an exponent always parse.
        format!("{sign}0{}e{}", self.digits, self.exponent + shift).parse().unwrap_or(f64::NAN)
    }

    /// This times `factor` times 10^shift, rounded half up; `None` if it is too large.
    pub(super) fn to_whole(&self, factor: u32, shift: i32) -> Option<u64> {
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
        // Digits too small to change the rounding are dropped.
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
