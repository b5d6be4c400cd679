//! Frames and packets in bytes, as captures show them.
//!
//! The engine passes values and counts lengths; only here do they become bytes. Payload is zeros and is not written: a
//! capture states the length of a frame, and keeps its headers.
//!
//! # Source
//! IEEE 802.11-1999 section 7; radiotap's presence bits 0 to 3; RFC 1042 (LLC and SNAP), 791, 826, 768, 9293, 2018.
//! # Deviations
//! Segment numbers become byte offsets from 0. A data frame has 32 bytes of MAC and LLC headers, whatever
//! `mac.data_overhead` says: ns-2 counts 34 with FCS where the standard has 36. The FCS is left out. Routing messages, but DSR's, are
//! UDP datagrams in the encoding of their protocol, which may be shorter than the length that the engine counts. Protocols
//! without a published packet format (RCP, local acknowledgments of Split TCP) are IP protocol 253, in a layout of hoplab's
//! own.

mod address;
mod bytes;
mod capture;
mod dsr;
mod flow_bytes;
mod ip;
mod own_headers;

pub use address::{address, internet, node_address, node_of, radio_internet, station_of};
pub use bytes::Bytes;
pub use capture::Wire;
pub use flow_bytes::FlowBytes;

#[cfg(test)]
mod tests;
