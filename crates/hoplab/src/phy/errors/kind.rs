//! The names of error models in scenarios, generated from the list.

use super::list::error_models;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($(#[$doc:meta])* $model:ident = $name:literal;)*) => {
        /// Error models.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum ErrorKind {
            /// No frame is corrupted.
            #[serde(rename = "none")]
            None,
            $($(#[$doc])* #[serde(rename = $name)] $model,)*
        }

        impl ErrorKind {
            /// All models, in the order of documentation.
            pub const ALL: &[ErrorKind] = &[$(ErrorKind::$model),*];

            /// Its name in scenarios.
            pub fn name(self) -> &'static str {
                match self {
                    ErrorKind::None => "none",
                    $(ErrorKind::$model => $name,)*
                }
            }
        }
    };
}

error_models!(kinds);
