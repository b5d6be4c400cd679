//! The list of generators of pairs: one row each.

use super::cbrgen::Cbrgen;
use super::generator::{Draw, Generator, Shortfall};
use super::random::Random;
use super::ring::Ring;
use crate::kernel::NodeId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Makes of each row a choice of `traffic.pairs`.
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

            /// What happens if there are fewer pairs than asked for.
            pub(crate) fn shortfall(self) -> Shortfall {
                match self { $(Pairs::$generator => $generator::SHORTFALL,)* }
            }
        }
    };
}

generators! {
    /// From each node, perhaps, to the next one or two.
    Cbrgen = "cbrgen";
    /// Any two nodes, each an end of one flow at most.
    Random = "random";
    /// From each node to the next one, around.
    Ring = "ring";
}
