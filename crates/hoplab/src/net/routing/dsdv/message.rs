//! DSDV's message: an update. ns-2 counts 20 bytes of IP and 12 per destination; captures show a UDP datagram in a layout of
//! ours, as DSDV has no standard.

use crate::kernel::NodeId;
use crate::packet::ControlMessage;
use crate::packet::wire::internet;

/// An update: what its sender can reach, and at what distance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update(pub Vec<Advert>);

/// One destination of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advert {
    /// Destination.
    pub dst: NodeId,
    /// Hops to it from the sender; 250 without a route.
    pub hops: u8,
    /// Its sequence number.
    pub seq: u32,
}

/// UDP port: DSDV has none of its own.
const PORT: u16 = 39_999;

/// Bytes below an update: IP.
const HEADER_BYTES: u32 = 20;
/// Bytes of a destination: three words of four bytes.
const ENTRY_BYTES: u32 = 12;

impl Update {
    /// Length with the IP header, in bytes.
    pub(super) fn bytes(&self) -> u32 {
        HEADER_BYTES + ENTRY_BYTES * self.0.len() as u32
    }
}

impl ControlMessage for Update {
    fn name(&self) -> &'static str {
        "dsdv"
    }

    fn port(&self) -> u16 {
        PORT
    }

    fn encode(&self, _: NodeId) -> Vec<u8> {
        let mut bytes = (self.0.len() as u32).to_be_bytes().to_vec();
        for advert in &self.0 {
            bytes.extend(internet(advert.dst));
            bytes.extend(u32::from(advert.hops).to_be_bytes());
            bytes.extend(advert.seq.to_be_bytes());
        }
        bytes
    }

    fn json(&self) -> String {
        let routes: Vec<_> = self.0.iter().map(|to| format!("[{},{},{}]", to.dst.0, to.hops, to.seq)).collect();
        format!(r#"{{"routes":[{}]}}"#, routes.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn update_is_a_count_and_three_words_per_destination() {
        let update =
            Update(vec![Advert { dst: NodeId(4), hops: 2, seq: 6 }, Advert { dst: NodeId(5), hops: 250, seq: 7 }]);
        let bytes = update.encode(NodeId(0));
        assert_eq!(bytes[..16], [0, 0, 0, 2, 10, 0, 0, 5, 0, 0, 0, 2, 0, 0, 0, 6]);
        assert_eq!(bytes[16..], [10, 0, 0, 6, 0, 0, 0, 250, 0, 0, 0, 7]);
        assert_eq!((update.bytes(), update.name()), (44, "dsdv"));
        assert_eq!(update.json(), r#"{"routes":[[4,2,6],[5,250,7]]}"#);
    }
}
