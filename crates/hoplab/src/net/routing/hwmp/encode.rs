//! Messages as captures and logs have them: the content of a mesh action frame (IEEE 802.11-2016 clause 9.6.17.3).

use super::message::{HwmpMessage, Perr, Prep, Preq, Rann, Target, Travel};
use crate::kernel::{NodeId, Span};
use crate::packet::ControlMessage;
use crate::packet::wire::node_address;

/// Category mesh, action HWMP mesh path selection.
const ACTION: [u8; 2] = [13, 1];

/// Element identifiers (IEEE 802.11-2016 table 9-77).
const RANN: u8 = 126;
const PREQ: u8 = 130;
const PREP: u8 = 131;
const PERR: u8 = 132;

/// Flags of a request: addressed to one neighbor; a proactive one that all answer.
const INDIVIDUAL: u8 = 0x02;
const PROACTIVE_PREP: u8 = 0x04;
/// Flag of a reply: the address of a station outside of the mesh follows.
const EXTENSION: u8 = 0x40;
/// Flags of a target: it alone answers; its sequence number is unknown.
const TARGET_ONLY: u8 = 0x01;
const UNKNOWN_SEQ: u8 = 0x04;

impl ControlMessage for HwmpMessage {
    fn name(&self) -> &'static str {
        match self {
            HwmpMessage::Preq(_) => "preq",
            HwmpMessage::Prep(_) => "prep",
            HwmpMessage::Perr(_) => "perr",
            HwmpMessage::Rann(_) => "rann",
        }
    }

    /// None: it is an action frame.
    fn port(&self) -> u16 {
        0
    }

    fn is_action(&self) -> bool {
        true
    }

    fn encode(&self, _: NodeId) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.len() as usize);
        bytes.extend(ACTION);
        let id = match self {
            HwmpMessage::Preq(_) => PREQ,
            HwmpMessage::Prep(_) => PREP,
            HwmpMessage::Perr(_) => PERR,
            HwmpMessage::Rann(_) => RANN,
        };
        bytes.extend([id, 0]);
        match self {
            HwmpMessage::Preq(preq) => push_preq(&mut bytes, preq),
            HwmpMessage::Prep(prep) => push_prep(&mut bytes, prep),
            HwmpMessage::Perr(perr) => push_perr(&mut bytes, perr),
            HwmpMessage::Rann(rann) => push_rann(&mut bytes, rann),
        }
        bytes[3] = (bytes.len() - 4) as u8;
        bytes
    }

    fn json(&self) -> String {
        match self {
            HwmpMessage::Preq(preq) => {
                let target = |target: &Target| {
                    let seq = target.seq.map_or_else(|| "null".to_owned(), |seq| seq.to_string());
                    let node = if target.node.is_broadcast() { "null".to_owned() } else { target.node.0.to_string() };
                    format!("[{node},{seq},{}]", target.is_only)
                };
                let targets: Vec<_> = preq.targets.iter().map(target).collect();
                let (head, origin) = (head(preq.travel), preq.origin.0);
                let Preq { id, origin_seq, .. } = preq;
                let targets = targets.join(",");
                format!(r#"{{{head},"id":{id},"origin":{origin},"origin_seq":{origin_seq},"targets":[{targets}]}}"#)
            }
            HwmpMessage::Prep(prep) => {
                let Prep { travel, target, target_seq, origin, .. } = prep;
                let (head, target, origin) = (head(*travel), target.0, origin.0);
                let gate = prep.gate.map_or(String::new(), |gate| format!(r#","gate":{}"#, gate.0));
                format!(r#"{{{head},"target":{target},"target_seq":{target_seq},"origin":{origin}{gate}}}"#)
            }
            HwmpMessage::Perr(perr) => {
                let lost: Vec<_> = perr.lost.iter().map(|lost| format!("[{},{}]", lost.node.0, lost.seq)).collect();
                format!(r#"{{"ttl":{},"lost":[{}]}}"#, perr.ttl, lost.join(","))
            }
            HwmpMessage::Rann(rann) => {
                let (head, root) = (head(rann.travel), rann.root.0);
                format!(r#"{{{head},"root":{root},"root_seq":{}}}"#, rann.root_seq)
            }
        }
    }
}

fn head(travel: Travel) -> String {
    let Travel { hops, ttl, metric } = travel;
    format!(r#""hops":{hops},"ttl":{ttl},"metric":{metric}"#)
}

fn push_preq(bytes: &mut Vec<u8>, preq: &Preq) {
    let individual = if preq.is_individual { INDIVIDUAL } else { 0 };
    let answered = if preq.is_answered { PROACTIVE_PREP } else { 0 };
    bytes.extend([individual | answered, preq.travel.hops, preq.travel.ttl]);
    bytes.extend(preq.id.to_le_bytes());
    bytes.extend(node_address(preq.origin));
    bytes.extend(preq.origin_seq.to_le_bytes());
    bytes.extend(time_units(preq.lifetime).to_le_bytes());
    bytes.extend(preq.travel.metric.to_le_bytes());
    bytes.push(preq.targets.len() as u8);
    for target in &preq.targets {
        let only = if target.is_only { TARGET_ONLY } else { 0 };
        bytes.push(only | if target.seq.is_none() { UNKNOWN_SEQ } else { 0 });
        bytes.extend(node_address(target.node));
        bytes.extend(target.seq.unwrap_or(0).to_le_bytes());
    }
}

fn push_prep(bytes: &mut Vec<u8>, prep: &Prep) {
    let extension = prep.gate.map_or(0, |_| EXTENSION);
    bytes.extend([extension, prep.travel.hops, prep.travel.ttl]);
    bytes.extend(node_address(prep.gate.unwrap_or(prep.target)));
    bytes.extend(prep.target_seq.to_le_bytes());
    if prep.gate.is_some() {
        bytes.extend(node_address(prep.target));
    }
    bytes.extend(time_units(prep.lifetime).to_le_bytes());
    bytes.extend(prep.travel.metric.to_le_bytes());
    bytes.extend(node_address(prep.origin));
    bytes.extend(prep.origin_seq.to_le_bytes());
}

fn push_perr(bytes: &mut Vec<u8>, perr: &Perr) {
    bytes.extend([perr.ttl, perr.lost.len() as u8]);
    for lost in &perr.lost {
        bytes.push(0);
        bytes.extend(node_address(lost.node));
        bytes.extend(lost.seq.to_le_bytes());
        bytes.extend((lost.reason as u16).to_le_bytes());
    }
}

fn push_rann(bytes: &mut Vec<u8>, rann: &Rann) {
    bytes.extend([0, rann.travel.hops, rann.travel.ttl]);
    bytes.extend(node_address(rann.root));
    bytes.extend(rann.root_seq.to_le_bytes());
    bytes.extend(time_units(rann.interval).to_le_bytes());
    bytes.extend(rann.travel.metric.to_le_bytes());
}

/// Time units of 1024 us.
fn time_units(span: Span) -> u32 {
    u32::try_from(span.0 / 1_024_000).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::message::{Lost, Reason};
    use super::*;

    const TRAVEL: Travel = Travel { hops: 2, ttl: 29, metric: 0x0102 };

    fn preq(targets: usize) -> HwmpMessage {
        let target = Target { node: NodeId(4), seq: None, is_only: true };
        HwmpMessage::Preq(Preq {
            travel: TRAVEL,
            id: 7,
            origin: NodeId(0),
            origin_seq: 6,
            lifetime: Span::from_micros(5_120_000),
            is_individual: false,
            is_answered: false,
            targets: vec![target; targets],
        })
    }

    fn others() -> [HwmpMessage; 3] {
        let (node, seq, reason) = (NodeId(4), 3, Reason::DestinationUnreachable);
        let prep = Prep {
            travel: TRAVEL,
            target: NodeId(4),
            gate: None,
            target_seq: 9,
            lifetime: Span::ZERO,
            origin: NodeId(0),
            origin_seq: 6,
        };
        let rann = Rann { travel: TRAVEL, root: NodeId(1), root_seq: 5, interval: Span::from_micros(1_024_000) };
        [
            HwmpMessage::Prep(prep),
            HwmpMessage::Perr(Perr { ttl: 31, lost: vec![Lost { node, seq, reason }; 2] }),
            HwmpMessage::Rann(rann),
        ]
    }

    #[test]
    fn request_is_encoded_as_in_the_standard() {
        let bytes = preq(1).encode(NodeId(0));
        assert_eq!(bytes[..11], [13, 1, 130, 37, 0, 2, 29, 7, 0, 0, 0]);
        assert_eq!(bytes[11..17], node_address(NodeId(0)));
        assert_eq!(bytes[17..21], [6, 0, 0, 0]);
        assert_eq!(bytes[21..30], [0x88, 0x13, 0, 0, 2, 1, 0, 0, 1], "lifetime, metric, number of targets");
        assert_eq!(bytes[30], 0x05, "only the target answers, its number is unknown");
        assert_eq!(bytes[31..37], node_address(NodeId(4)));
    }

    #[test]
    fn error_states_the_reason() {
        let bytes = others()[1].encode(NodeId(0));
        assert_eq!(bytes[..7], [13, 1, 132, 28, 31, 2, 0]);
        assert_eq!(bytes[13..19], [3, 0, 0, 0, 63, 0]);
    }

    #[test]
    fn length_is_that_of_the_bytes() {
        for message in others().into_iter().chain([preq(1), preq(20)]) {
            let bytes = message.encode(NodeId(0));
            assert_eq!(bytes.len() as u32, message.len(), "{message:?}");
            assert_eq!(bytes[3] as usize, bytes.len() - 4);
        }
    }

    #[test]
    fn messages_are_json_objects_in_logs() {
        let objects: Vec<_> = others().iter().map(ControlMessage::json).collect();
        assert_eq!(objects[0], r#"{"hops":2,"ttl":29,"metric":258,"target":4,"target_seq":9,"origin":0}"#);
        assert_eq!(objects[1], r#"{"ttl":31,"lost":[[4,3],[4,3]]}"#);
        assert_eq!(objects[2], r#"{"hops":2,"ttl":29,"metric":258,"root":1,"root_seq":5}"#);
        let request = r#"{"hops":2,"ttl":29,"metric":258,"id":7,"origin":0,"origin_seq":6,"targets":[[4,null,true]]}"#;
        assert_eq!(preq(1).json(), request);
    }
}
