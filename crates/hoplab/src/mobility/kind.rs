//! The names of movement models and file formats, generated from the list: schema, messages and checks read them here.

use super::list::movements;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! is_file {
    (Model) => {
        false
    };
    (File) => {
        true
    };
}

macro_rules! kinds {
    ($($(#[$meta:meta])* $kind:ident = $name:literal, $source:ident($($path:ident)::+);)*) => {
        /// The source of movements.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum MobilityKind {
            $($(#[$meta])* #[serde(rename = $name)] $kind,)*
        }

        impl MobilityKind {
            /// All models and formats, in the order of documentation.
            pub const ALL: &[MobilityKind] = &[$(MobilityKind::$kind),*];

            /// Its name in scenarios.
            pub fn name(self) -> &'static str {
                match self { $(MobilityKind::$kind => $name,)* }
            }

            /// Whether movements are read from a file.
            pub fn is_file(self) -> bool {
                match self { $(MobilityKind::$kind => is_file!($source),)* }
            }
        }
    };
}

movements!(kinds);

impl fmt::Display for MobilityKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
