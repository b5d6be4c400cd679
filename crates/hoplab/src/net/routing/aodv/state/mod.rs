//! What AODV remembers at one node: routes, packets that wait for one, RREQs seen, neighbors, and rate limits.

pub(super) mod entry;
pub(super) mod limits;
pub(super) mod neighbors;
pub(super) mod request;
pub(super) mod rreq_cache;
pub(super) mod send_buffer;
pub(super) mod table;
