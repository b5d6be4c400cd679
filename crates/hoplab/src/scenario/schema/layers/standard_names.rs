//! Names of 802.11 standards in messages.

use crate::phy::Standard;
use crate::scenario::syntax::problem::quoted;

/// `standard = ` and the names of those that hold, as an alternative.
pub(super) fn standards(holds: impl Fn(&Standard) -> bool) -> String {
    format!(
        "standard = {}",
        quoted(Standard::ALL.iter().filter(|standard| holds(standard)).map(|standard| standard.name))
    )
}

/// The same, with the key's table.
pub(super) fn radio_standards(holds: impl Fn(&Standard) -> bool) -> String {
    format!("radio.{}", standards(holds))
}
