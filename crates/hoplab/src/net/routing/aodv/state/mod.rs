//! The state of AODV at one node: routes, send buffer, RREQ cache, neighbors, and rate limits (RFC 3561 section 2).

pub(super) mod entry;
pub(super) mod limits;
pub(super) mod neighbors;
pub(super) mod request;
pub(super) mod rreq_cache;
pub(super) mod send_buffer;
pub(super) mod table;
