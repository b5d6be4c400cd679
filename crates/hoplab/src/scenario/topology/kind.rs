//! The names of families in scenarios, generated from the list.

use super::list::families;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! kinds {
    ($($(#[$doc:meta])* $family:ident = $name:literal;)*) => {
        /// Families of networks.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum TopologyKind {
            $($(#[$doc])* #[serde(rename = $name)] $family,)*
        }

        impl TopologyKind {
            /// All families, in the order of documentation.
            pub const ALL: &[TopologyKind] = &[$(TopologyKind::$family),*];

            /// Its name in scenarios.
            pub fn name(self) -> &'static str {
                match self { $(TopologyKind::$family => $name,)* }
            }
        }
    };
}

families!(kinds);
