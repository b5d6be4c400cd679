//! OLSR's messages (RFC 3626 sections 3.3, 5.1, 6.1, 9.1 and 12.1; with link qualities those of olsrd). One packet has several.

use super::emf::Emf;
use super::quality::Quality;
use crate::kernel::{NodeId, RadioId};
use std::sync::Arc;

/// A packet: messages of its sender, and messages that it forwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OlsrPacket {
    /// Number of the packet at its sender.
    pub seq: u16,
    /// Messages, at least one.
    pub messages: Vec<Message>,
}

/// A message with its header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Time for which it is valid.
    pub validity: Emf,
    /// Node that created it.
    pub origin: NodeId,
    /// Hops that it may still take.
    pub ttl: u8,
    /// Hops that it has taken.
    pub hops: u8,
    /// Number of the message at its originator.
    pub seq: u16,
    /// Content. Copies that are forwarded share it.
    pub body: Body,
}

/// Content of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// Links of its sender.
    Hello(Arc<Hello>),
    /// Topology control.
    Tc(Arc<Tc>),
    /// Hosts behind a gateway.
    Hna(Arc<[NodeId]>),
    /// Radios of the sender but the first one.
    Mid(Arc<[RadioId]>),
}

/// Links of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// Time until the next one.
    pub interval: Emf,
    /// Willingness to forward, 0 to 7.
    pub willingness: u8,
    /// Links, by number of the neighbor's radio.
    pub links: Vec<Link>,
    /// Whether it has the quality of links.
    pub has_quality: bool,
}

/// A link as a HELLO message lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The neighbor's radio; the first one if the link is unspecified and has no quality.
    pub to: RadioId,
    /// State of the link.
    pub link: LinkType,
    /// State of the neighbor.
    pub neighbor: NeighborType,
    /// Quality of the link.
    pub quality: Quality,
}

/// State of a link (RFC 3626 section 6.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum LinkType {
    /// The link is one of another radio of the sender.
    Unspecified = 0,
    /// Messages of the neighbor arrive; the other direction is unknown.
    Asym = 1,
    /// Both directions are known to work.
    Sym = 2,
    /// Lost.
    Lost = 3,
}

/// State of a neighbor (RFC 3626 section 6.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum NeighborType {
    /// There is no link that works in both directions.
    Not = 0,
    /// There is one.
    Sym = 1,
    /// There is one, and the neighbor is selected as MPR.
    Mpr = 2,
}

/// Links that a node makes known to all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tc {
    /// Number of the set of links.
    pub ansn: u16,
    /// Neighbors, by number.
    pub to: Vec<Advertised>,
    /// Whether it has the quality of links.
    pub has_quality: bool,
}

/// A link in a TC message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advertised {
    /// The neighbor.
    pub to: NodeId,
    /// Quality of the link.
    pub quality: Quality,
}

/// Bytes of IP and UDP.
const BELOW: u32 = 28;
/// Bytes of the header of a packet.
const PACKET_HEADER: u32 = 4;
/// Bytes of the header of a message.
const MESSAGE_HEADER: u32 = 12;
/// Bytes at the beginning of a HELLO or TC message, and before the links with one code.
const HEAD: u32 = 4;
/// Bytes of an address, and of a quality with its padding.
const ADDRESS: u32 = 4;
/// Most bytes of the messages of a packet that has more than one: a frame of Ethernet without the headers.
const MAX_MESSAGES: u32 = 1_500 - BELOW - PACKET_HEADER;

impl Hello {
    /// Codes of links, each with the links that have it (RFC 3626 section 6.1.1).
    pub(super) fn by_code(&self) -> impl Iterator<Item = (u8, impl Iterator<Item = &Link>)> {
        let codes = (0..1_u8 << 4).filter(|&code| self.links.iter().any(|link| link.code() == code));
        codes.map(|code| (code, self.links.iter().filter(move |link| link.code() == code)))
    }
}

impl Link {
    /// Code of its state.
    pub(super) fn code(self) -> u8 {
        (self.neighbor as u8) << 2 | self.link as u8
    }
}

impl Message {
    /// Length in bytes (RFC 3626 section 3.3.2: message size).
    pub(super) fn len(&self) -> u32 {
        let entry = |has_quality: bool| ADDRESS + if has_quality { ADDRESS } else { 0 };
        let body = match &self.body {
            Body::Hello(hello) => {
                let codes = hello.links.iter().fold(0_u16, |codes, link| codes | 1 << link.code()).count_ones();
                HEAD + HEAD * codes + entry(hello.has_quality) * hello.links.len() as u32
            }
            Body::Tc(tc) => HEAD + entry(tc.has_quality) * tc.to.len() as u32,
            Body::Hna(hosts) => 2 * ADDRESS * hosts.len() as u32,
            Body::Mid(radios) => ADDRESS * radios.len() as u32,
        };
        MESSAGE_HEADER + body
    }

    /// The message as a JSON object, for logs.
    pub(super) fn json(&self) -> String {
        let Message { origin, seq, ttl, hops, .. } = self;
        let (kind, body) = match &self.body {
            Body::Hello(hello) => {
                let links: Vec<_> = hello.links.iter().map(|link| format!("[{},{}]", link.to.0, link.code())).collect();
                ("hello", format!(r#""willingness":{},"links":[{}]"#, hello.willingness, links.join(",")))
            }
            Body::Tc(tc) => {
                let to: Vec<_> = tc.to.iter().map(|link| link.to.0.to_string()).collect();
                ("tc", format!(r#""ansn":{},"links":[{}]"#, tc.ansn, to.join(",")))
            }
            Body::Hna(hosts) => {
                let hosts: Vec<_> = hosts.iter().map(|host| host.0.to_string()).collect();
                ("hna", format!(r#""hosts":[{}]"#, hosts.join(",")))
            }
            Body::Mid(radios) => {
                let radios: Vec<_> = radios.iter().map(|radio| radio.0.to_string()).collect();
                ("mid", format!(r#""radios":[{}]"#, radios.join(",")))
            }
        };
        format!(r#"{{"type":"{kind}","origin":{},"seq":{seq},"ttl":{ttl},"hops":{hops},{body}}}"#, origin.0)
    }
}

impl OlsrPacket {
    /// Takes the messages for one packet from the front of `queue`.
    pub(super) fn fill(seq: u16, queue: &mut Vec<Message>) -> OlsrPacket {
        let mut length = 0;
        let fits = |message: &Message| {
            length += message.len();
            length <= MAX_MESSAGES
        };
        let count = queue.iter().map(fits).take_while(|&fits| fits).count().max(1);
        OlsrPacket { seq, messages: queue.drain(..count.min(queue.len())).collect() }
    }

    /// Length in bytes, with UDP and IP.
    pub(super) fn bytes(&self) -> u32 {
        BELOW + self.length()
    }

    /// Length in bytes (RFC 3626 section 3.3.1: packet length).
    pub(super) fn length(&self) -> u32 {
        PACKET_HEADER + self.messages.iter().map(Message::len).sum::<u32>()
    }
}
