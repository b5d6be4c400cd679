//! Quantities whose kind is known at run time only, from the schema.

use super::kind::{Kind, Scale, Unreadable};
use super::types::Quantity;
use crate::kernel::{Bytes, Hertz, Metres, PerSecond, Rate, Span, Speed, Watts};

/// Calls a function that is generic in the type of a quantity, with the type of this kind.
macro_rules! for_type_of {
    ($kind:expr, $function:ident($argument:expr)) => {
        match $kind.suffix {
            "_s" => $function::<Span>($argument),
            "_bps" => $function::<Rate>($argument),
            "_m" => $function::<Metres>($argument),
            "_w" => $function::<Watts>($argument),
            "_hz" => $function::<Hertz>($argument),
            "_mps" => $function::<Speed>($argument),
            "_per_s" => $function::<PerSecond>($argument),
            _ => $function::<Bytes>($argument),
        }
    };
}

impl Kind {
    /// A text of this kind in its canonical form.
    pub fn canonical(&self, text: &str) -> Result<String, Unreadable> {
        fn canonical<T: Quantity>(text: &str) -> Result<String, Unreadable> {
            T::read(text).map(|quantity| quantity.write())
        }
        for_type_of!(self, canonical(text))
    }

    /// A text of this kind as a number of SI units.
    pub fn si(&self, text: &str) -> Result<f64, Unreadable> {
        fn si<T: Quantity>(text: &str) -> Result<f64, Unreadable> {
            T::read(text).map(|quantity| quantity.si())
        }
        for_type_of!(self, si(text))
    }

    /// A number of SI units as text; `None` for counts, and for what is not a positive number.
    fn write(&self, si: f64) -> Option<String> {
        let written = match self.suffix {
            "_s" => Span::from_secs(si).write(),
            "_bps" => Rate(si).write(),
            "_m" => Metres(si).write(),
            "_w" => Watts(si).write(),
            "_hz" => Hertz(si).write(),
            "_mps" => Speed(si).write(),
            "_per_s" => PerSecond(si).write(),
            _ => return None,
        };
        (si.is_finite() && si > 0.0).then_some(written)
    }

    /// The hint for a number without unit: the quantities that may have been meant.
    pub fn likely(&self, number: &str) -> String {
        if number.starts_with('-') {
            let decibel = self.units.iter().find(|unit| unit.scale == Scale::Decibel);
            return match decibel {
                Some(unit) => format!("write \"{number} {}\"", unit.symbol),
                None => format!("write \"{}\" or another {}", self.example, self.name),
            };
        }
        let mut spellings: Vec<String> =
            self.units.iter().take(2).map(|unit| format!("{number} {}", unit.symbol)).collect();
        if let Some(si) = number.parse().ok().filter(|si: &f64| *si <= self.max).and_then(|si| self.write(si)) {
            // A very large or small number is one in SI units.
            let is_si = number.parse().is_ok_and(|value: f64| !(1.0..1000.0).contains(&value));
            spellings.insert(if is_si { 0 } else { spellings.len() }, si);
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
}
