//! Packets as captures and logs have them (RFC 3626 section 3.3). Link qualities have the form of olsrd's `LQ_HELLO` and `LQ_TC`
//! messages: one byte per direction and two of padding after each address.

use super::message::{Body, Message, OlsrPacket};
use super::quality::Quality;
use crate::kernel::NodeId;
use crate::packet::ControlMessage;
use crate::packet::wire::{internet, radio_internet};

/// UDP port (RFC 3626 section 3.1).
const PORT: u16 = 698;

/// Message types (RFC 3626 section 18.4).
const HELLO: u8 = 1;
const TC: u8 = 2;
const MID: u8 = 3;
const HNA: u8 = 4;
/// Message types with link qualities (olsrd).
const LQ_HELLO: u8 = 201;
const LQ_TC: u8 = 202;

/// Mask of a network of one host.
const HOST_MASK: [u8; 4] = [0xff; 4];

impl ControlMessage for OlsrPacket {
    fn name(&self) -> &'static str {
        "olsr"
    }

    fn port(&self) -> u16 {
        PORT
    }

    fn encode(&self, _: NodeId) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.length() as usize);
        bytes.extend((self.length() as u16).to_be_bytes());
        bytes.extend(self.seq.to_be_bytes());
        self.messages.iter().for_each(|message| push_message(&mut bytes, message));
        bytes
    }

    fn json(&self) -> String {
        let messages: Vec<_> = self.messages.iter().map(Message::json).collect();
        format!(r#"{{"seq":{},"messages":[{}]}}"#, self.seq, messages.join(","))
    }
}

fn push_message(bytes: &mut Vec<u8>, message: &Message) {
    let kind = match &message.body {
        Body::Hello(hello) if hello.has_quality => LQ_HELLO,
        Body::Hello(_) => HELLO,
        Body::Tc(tc) if tc.has_quality => LQ_TC,
        Body::Tc(_) => TC,
        Body::Hna(_) => HNA,
        Body::Mid(_) => MID,
    };
    bytes.extend([kind, message.validity.0]);
    bytes.extend((message.len() as u16).to_be_bytes());
    bytes.extend(internet(message.origin));
    bytes.extend([message.ttl, message.hops]);
    bytes.extend(message.seq.to_be_bytes());
    match &message.body {
        Body::Hello(hello) => {
            bytes.extend([0, 0, hello.interval.0, hello.willingness]);
            for (code, links) in hello.by_code() {
                let start = bytes.len();
                bytes.extend([code, 0, 0, 0]);
                links.for_each(|link| {
                    push_link(bytes, radio_internet(link.to), hello.has_quality.then_some(link.quality));
                });
                let size = (bytes.len() - start) as u16;
                bytes[start + 2..start + 4].copy_from_slice(&size.to_be_bytes());
            }
        }
        Body::Tc(tc) => {
            bytes.extend(tc.ansn.to_be_bytes());
            bytes.extend([0, 0]);
            tc.to.iter().for_each(|link| push_link(bytes, internet(link.to), tc.has_quality.then_some(link.quality)));
        }
        Body::Hna(hosts) => {
            for &host in hosts.iter() {
                bytes.extend(internet(host));
                bytes.extend(HOST_MASK);
            }
        }
        Body::Mid(radios) => radios.iter().for_each(|&radio| bytes.extend(radio_internet(radio))),
    }
}

fn push_link(bytes: &mut Vec<u8>, to: [u8; 4], quality: Option<Quality>) {
    bytes.extend(to);
    if let Some(Quality { lq, nlq }) = quality {
        bytes.extend([lq, nlq, 0, 0]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::emf::Emf;
    use super::super::message::{Advertised, Hello, Link, LinkType, NeighborType, Tc};
    use super::*;
    use crate::kernel::RadioId;
    use std::sync::Arc;

    fn message(body: Body) -> Message {
        Message { validity: Emf(0x86), origin: NodeId(1), ttl: 1, hops: 0, seq: 5, body }
    }

    fn hello(has_quality: bool) -> Message {
        let link = |to, link, neighbor| Link { to: RadioId(to), link, neighbor, quality: Quality { lq: 255, nlq: 51 } };
        let links = vec![
            link(2, LinkType::Sym, NeighborType::Mpr),
            link(3, LinkType::Asym, NeighborType::Not),
            link(4, LinkType::Sym, NeighborType::Mpr),
        ];
        message(Body::Hello(Arc::new(Hello { interval: Emf(5), willingness: 3, links, has_quality })))
    }

    #[test]
    fn hello_groups_links_by_code() {
        let packet = OlsrPacket { seq: 9, messages: vec![hello(false)] };
        let bytes = packet.encode(NodeId(1));
        assert_eq!(bytes[..16], [0, 40, 0, 9, 1, 0x86, 0, 36, 10, 0, 0, 2, 1, 0, 0, 5]);
        assert_eq!(bytes[16..28], [0, 0, 5, 3, 1, 0, 0, 8, 10, 0, 0, 4]);
        assert_eq!(bytes[28..], [10, 0, 0, 12, 10, 0, 0, 3, 10, 0, 0, 5]);
        assert_eq!(packet.bytes(), 28 + 40);
    }

    #[test]
    fn length_is_that_of_the_bytes() {
        let to = vec![Advertised { to: NodeId(7), quality: Quality::default() }; 3];
        let tc = |has_quality| message(Body::Tc(Arc::new(Tc { ansn: 4, to: to.clone(), has_quality })));
        let hosts = message(Body::Hna(Arc::new([NodeId(8), NodeId(9)])));
        let radios = message(Body::Mid(Arc::new([RadioId(10), RadioId(11)])));
        let messages = vec![hello(false), hello(true), tc(false), tc(true), hosts, radios];
        for message in &messages {
            let mut bytes = Vec::new();
            push_message(&mut bytes, message);
            assert_eq!(bytes.len() as u32, message.len());
        }
        let packet = OlsrPacket { seq: 1, messages };
        assert_eq!(packet.encode(NodeId(0)).len() as u32, packet.length());
    }

    #[test]
    fn long_queue_fills_several_packets() {
        let to = vec![Advertised { to: NodeId(7), quality: Quality::default() }; 100];
        let mut queue = vec![message(Body::Tc(Arc::new(Tc { ansn: 4, to, has_quality: false }))); 8];
        let counts = std::iter::from_fn(|| (!queue.is_empty()).then(|| OlsrPacket::fill(0, &mut queue).messages.len()));
        assert_eq!(counts.collect::<Vec<_>>(), [3, 3, 2]);
    }
}
