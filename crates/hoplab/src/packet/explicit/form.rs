//! How an equation is read that cannot hold as it is printed in its paper.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The reading of an equation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// As it must have been meant: its units fit, and it does what its paper says of it.
    #[default]
    Consistent,
    /// As it is printed.
    Literal,
}

impl Form {
    /// Whether `own`, or else this, is as printed.
    pub fn is_literal_for(self, own: Option<Form>) -> bool {
        own.unwrap_or(self) == Form::Literal
    }
}
