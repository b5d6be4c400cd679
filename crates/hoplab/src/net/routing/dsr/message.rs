//! DSR's messages: content, lengths, and encoding in captures (RFC 4728 section 6).

use crate::kernel::NodeId;
use crate::packet::wire::internet;
use crate::packet::{ControlMessage, DSR_PROTOCOL};

/// A message of DSR: the options of a packet without data. A source route option beside them is that of the packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DsrMessage {
    /// Route request.
    Rreq(Rreq),
    /// Route reply: a path from the initiator of the discovery to its target.
    Rrep(Vec<NodeId>),
    /// Route error.
    Rerr(Rerr),
}

/// Route request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rreq {
    /// Its number at the initiator.
    pub id: u16,
    /// Node that is sought.
    pub target: NodeId,
    /// The initiator, and the nodes that have forwarded it.
    pub path: Vec<NodeId>,
    /// The last broken link that the initiator has learned of (section 3.4.4).
    pub error: Option<Rerr>,
}

/// Route error: a link is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rerr {
    /// Node that could not send a packet.
    pub from: NodeId,
    /// Neighbor that it does not reach.
    pub to: NodeId,
    /// Node that is to know: the packet's source, or the node that has salvaged it.
    pub dst: NodeId,
    /// Times that the packet had been salvaged.
    pub salvage: u8,
}

/// Bytes of the IP header and of the fixed part of the DSR header.
const HEADERS: u32 = 24;

/// Option types (RFC 4728 section 6).
const RREQ: u8 = 1;
const RREP: u8 = 2;
const RERR: u8 = 3;
const PAD1: u8 = 224;

/// Error type of a broken link (RFC 4728 section 6.4).
const NODE_UNREACHABLE: u8 = 1;

/// Bytes of a route error option.
const RERR_BYTES: u32 = 16;

impl DsrMessage {
    /// Length with IP header, without a source route option.
    pub(super) fn bytes(&self) -> u32 {
        HEADERS
            + match self {
                DsrMessage::Rreq(rreq) => 4 + 4 * rreq.path.len() as u32 + rreq.error.map_or(0, |_| RERR_BYTES),
                DsrMessage::Rrep(path) => 4 * path.len() as u32,
                DsrMessage::Rerr(_) => RERR_BYTES,
            }
    }
}

impl ControlMessage for DsrMessage {
    fn name(&self) -> &'static str {
        match self {
            DsrMessage::Rreq(_) => "rreq",
            DsrMessage::Rrep(_) => "rrep",
            DsrMessage::Rerr(_) => "rerr",
        }
    }

    fn port(&self) -> u16 {
        0
    }

    fn protocol(&self) -> Option<u8> {
        Some(DSR_PROTOCOL)
    }

    fn encode(&self, _: NodeId) -> Vec<u8> {
        match self {
            DsrMessage::Rreq(rreq) => rreq.encode(),
            DsrMessage::Rrep(path) => {
                // One byte of padding aligns the addresses.
                let hops = &path[1..];
                let mut bytes = vec![PAD1, RREP, (4 * hops.len() + 1) as u8, 0];
                bytes.extend(hops.iter().flat_map(|&hop| internet(hop)));
                bytes
            }
            DsrMessage::Rerr(rerr) => rerr.encode().to_vec(),
        }
    }

    fn json(&self) -> String {
        match self {
            DsrMessage::Rreq(Rreq { id, target, path, error }) => {
                let error = error.map_or(String::new(), |rerr| format!(r#","error":{}"#, rerr.json()));
                format!(r#"{{"id":{id},"target":{},"path":{}{error}}}"#, target.0, json_path(path))
            }
            DsrMessage::Rrep(path) => format!(r#"{{"path":{}}}"#, json_path(path)),
            DsrMessage::Rerr(rerr) => rerr.json(),
        }
    }
}

impl Rreq {
    fn encode(&self) -> Vec<u8> {
        let relays = &self.path[1..];
        let mut bytes = Vec::new();
        if let Some(rerr) = &self.error {
            bytes.extend(rerr.encode());
        }
        bytes.extend([RREQ, (6 + 4 * relays.len()) as u8]);
        bytes.extend(self.id.to_be_bytes());
        bytes.extend(internet(self.target));
        bytes.extend(relays.iter().flat_map(|&relay| internet(relay)));
        bytes
    }
}

impl Rerr {
    fn encode(&self) -> [u8; RERR_BYTES as usize] {
        let mut bytes = [0; RERR_BYTES as usize];
        bytes[..4].copy_from_slice(&[RERR, RERR_BYTES as u8 - 2, NODE_UNREACHABLE, self.salvage & 0x0f]);
        for (place, node) in bytes[4..].chunks_exact_mut(4).zip([self.from, self.dst, self.to]) {
            place.copy_from_slice(&internet(node));
        }
        bytes
    }

    fn json(&self) -> String {
        let Rerr { from, to, dst, salvage } = self;
        format!(r#"{{"from":{},"to":{},"dst":{},"salvage":{salvage}}}"#, from.0, to.0, dst.0)
    }
}

fn json_path(path: &[NodeId]) -> String {
    let nodes: Vec<_> = path.iter().map(|node| node.0.to_string()).collect();
    format!("[{}]", nodes.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ERROR: Rerr = Rerr { from: NodeId(2), to: NodeId(3), dst: NodeId(0), salvage: 1 };

    fn nodes<const N: usize>(nodes: [u32; N]) -> Vec<NodeId> {
        nodes.map(NodeId).to_vec()
    }

    fn rreq(error: Option<Rerr>) -> DsrMessage {
        DsrMessage::Rreq(Rreq { id: 258, target: NodeId(9), path: nodes([0, 1, 2]), error })
    }

    #[test]
    fn options_are_encoded_as_in_the_rfc() {
        let bytes = rreq(None).encode(NodeId(0));
        assert_eq!(bytes[..8], [1, 14, 1, 2, 10, 0, 0, 10]);
        assert_eq!(bytes[8..], [10, 0, 0, 2, 10, 0, 0, 3], "the initiator is the source of the packet");
        let bytes = DsrMessage::Rrep(nodes([0, 1, 9])).encode(NodeId(9));
        assert_eq!(bytes[..4], [224, 2, 9, 0]);
        assert_eq!(bytes[4..], [10, 0, 0, 2, 10, 0, 0, 10]);
        let bytes = DsrMessage::Rerr(ERROR).encode(NodeId(2));
        assert_eq!(bytes[..8], [3, 14, 1, 1, 10, 0, 0, 3]);
        assert_eq!(bytes[8..], [10, 0, 0, 1, 10, 0, 0, 4]);
    }

    #[test]
    fn length_is_that_of_the_encoding() {
        for message in [rreq(None), rreq(Some(ERROR)), DsrMessage::Rrep(nodes([0, 1, 9])), DsrMessage::Rerr(ERROR)] {
            assert_eq!(message.encode(NodeId(0)).len() as u32 + HEADERS, message.bytes(), "{message:?}");
            assert_eq!((message.protocol(), message.bytes() % 4), (Some(48), 0));
        }
    }

    #[test]
    fn messages_are_json_objects_in_logs() {
        assert_eq!(rreq(None).json(), r#"{"id":258,"target":9,"path":[0,1,2]}"#);
        assert_eq!(
            rreq(Some(ERROR)).json(),
            r#"{"id":258,"target":9,"path":[0,1,2],"error":{"from":2,"to":3,"dst":0,"salvage":1}}"#
        );
        assert_eq!(DsrMessage::Rrep(nodes([0, 9])).json(), r#"{"path":[0,9]}"#);
    }
}
