//! Time, event queue, random streams, ids and units: used by every layer, and dependent on none.

mod arena;
mod bits;
mod ids;
mod math;
mod part;
mod queue;
mod radios;
mod rng;
mod run_kind;
mod time;
mod timing_wheel;
mod units;

pub use arena::Arena;
pub use bits::BitSet;
pub use ids::{End, FlowId, NodeId, RadioId};
pub use math::{exp, exponential, keyed_pair, normal};
pub use part::{Part, PartKind, RegisteredPart, is_identifier};
pub use queue::{EventQueue, Key, TimerId};
pub use radios::{Channel, RadioHop, Radios};
pub use rng::{Purpose, RandomStream, RandomStreams};
pub use run_kind::{AnyRun, PlainRun, RunKind};
pub use time::{Span, Time};
pub use units::{Bytes, Hertz, Metres, PerSecond, Rate, Speed, Watts};
