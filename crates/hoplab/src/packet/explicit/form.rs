//! The reading of an equation that cannot be correct as printed in its paper.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The reading of an equation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// The consistent reading: its units match, and it has the effect that its paper describes.
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
