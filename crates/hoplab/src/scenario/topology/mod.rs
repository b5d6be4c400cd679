//! Topologies: families of networks, and the numbers of `[topology]` that select a member of one.
//!
//! Measured meshes are families, too: `places` by latitude and longitude, `links` by what each pair receives.
//!
//! A family turns a few numbers into positions, numbers its nodes, and offers natural pairs of end points for flows. Links
//! are not listed: they follow from positions and radio. At the default spacing (200 m) and reception range (250 m) exactly
//! the links of the drawings in `docs/use/reference/topologies.md` exist.
//!
//! A new family is one file in `families/` that implements [`families::Family`], and one row in `list.rs`. Names, summaries, keys,
//! the schema's choices and all messages follow from that row. A key that no family has yet is added to `keys.rs`.

mod families;
mod geo;
mod keys;
mod kind;
mod layout;
mod link_row;
mod list;
mod network;

pub(crate) use families::Invalid;
pub use families::{Links, Random, Unconnected};
pub(crate) use geo::heights as heights_of;
pub use keys::TopologyConfig;
pub use kind::TopologyKind;
pub use layout::Layout;
pub use link_row::{Fill, LinkRow, LinkWay};
pub(crate) use link_row::{ListedLink, Strength};
pub use network::{MAX_NODES, Topology};
