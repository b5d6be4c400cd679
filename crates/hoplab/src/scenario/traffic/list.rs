//! The list of generators of pairs, from which names, schema and dispatch are derived: one row each.

use super::cbrgen::Cbrgen;
use super::generator::{Draw, Generator, Shortfall};
use super::random::Random;
use super::ring::Ring;
use crate::kernel::NodeId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Generates a choice of `traffic.pairs` from each row.
macro_rules! generators {
    ($($(#[$doc:meta])* $generator:ident = $name:literal;)*) => {
        /// How ends of flows are drawn.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum Pairs {
            $($(#[$doc])* #[serde(rename = $name)] $generator,)*
        }

        impl Pairs {
            /// Pairs of end points, which a stream of the run decides.
            pub(crate) fn draw(self, draw: &mut Draw<'_>) -> Vec<(NodeId, NodeId)> {
                match self { $(Pairs::$generator => $generator::pairs(draw),)* }
            }

            /// Effect of fewer pairs than requested.
            pub(crate) fn shortfall(self) -> Shortfall {
                match self { $(Pairs::$generator => $generator::SHORTFALL,)* }
            }
        }
    };
}

generators! {
    /// From each node, perhaps, to the next one or two.
    Cbrgen = "cbrgen";
    /// Any two nodes, each an end of at most one flow.
    Random = "random";
    /// From each node to the next one, around.
    Ring = "ring";
}
