//! The names of propagation models in scenarios, generated from the list.

use super::list::propagations;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($(#[$doc:meta])* $model:ident = $name:literal;)*) => {
        /// Models of loss over distance.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum PropagationKind {
            $($(#[$doc])* #[serde(rename = $name)] $model,)*
        }

        impl PropagationKind {
            /// All models, in the order of documentation.
            pub const ALL: &[PropagationKind] = &[$(PropagationKind::$model),*];

            /// Its name in scenarios.
            pub fn name(self) -> &'static str {
                match self { $(PropagationKind::$model => $name,)* }
            }
        }
    };
}

propagations!(kinds);
