//! Packets of real programs in one run: their conversations, those that arrive, and those that a file repeats.

use crate::kernel::{NodeId, Span, Time};
use crate::packet::live::ethernet::{self, ETHERNET_BYTES};
use crate::packet::{Live, LiveDevice, LiveHeader, Packet, Payload, Ports, Recorded, Refusal, check_target, with_ttl};
use crate::trace::DropReason;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Conversations that are counted one by one; all others are counted together.
const MAX_CONVERSATIONS: usize = 10_000;

/// State of all packets of real programs.
#[derive(Debug)]
pub struct LiveTraffic {
    mtu: u32,
    device: LiveDevice,
    /// Whether a node has a device.
    is_port: Vec<bool>,
    recorded: Arc<[Recorded]>,
    /// Index of the next recorded packet.
    next: usize,
    /// Packets that have arrived since they were last taken; `None` if no program receives them.
    arrivals: Option<Vec<Arrival>>,
    quiet: Option<Quiet>,
    indexes: BTreeMap<(NodeId, NodeId, Ports), u32>,
    conversations: Vec<Conversation>,
    refused: [u64; Refusal::ALL.len()],
}

/// How long before the arrival of a packet the events that lead to it are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quiet {
    /// Airtime of the shortest data frame.
    pub frame: Span,
    /// Delay of the link layer from the end of a frame to the network layer.
    pub delay: Span,
}

impl Quiet {
    /// From the start of a frame to the arrival of its packet.
    pub fn span(self) -> Span {
        self.frame + self.delay
    }
}

/// A packet that has arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When.
    pub at: Time,
    /// Where.
    pub node: NodeId,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The packets from one port of a node to one port of another.
#[derive(Clone, Debug)]
pub struct Conversation {
    /// Node of the sender, and of the receiver; `None` for those that are counted together.
    pub ends: Option<(NodeId, NodeId)>,
    /// Protocol and ports.
    pub ports: Ports,
    /// Packets sent.
    pub packets: u64,
    /// Bytes sent, IP headers included.
    pub bytes: u64,
    /// Packets delivered. Each node that receives a broadcast counts.
    pub delivered: u64,
    /// Bytes delivered.
    pub delivered_bytes: u64,
    /// Sum of the delays of delivered packets, in nanoseconds.
    pub delay: u64,
    /// Smallest and largest delay, in nanoseconds.
    pub delay_range: Option<(u64, u64)>,
    /// Packets dropped, by reason.
    pub dropped: [u64; DropReason::ALL.len()],
}

impl Conversation {
    fn new(ends: Option<(NodeId, NodeId)>, ports: Ports) -> Conversation {
        Conversation {
            ends,
            ports,
            packets: 0,
            bytes: 0,
            delivered: 0,
            delivered_bytes: 0,
            delay: 0,
            delay_range: None,
            dropped: [0; DropReason::ALL.len()],
        }
    }
}

impl LiveTraffic {
    /// No packet so far. `ports` are the nodes with a device; `recorded` are packets to be repeated, in order of time.
    pub fn new(nodes: usize, ports: &[NodeId], mtu: u32, device: LiveDevice, recorded: Arc<[Recorded]>) -> LiveTraffic {
        let mut is_port = vec![false; nodes];
        for port in ports {
            is_port[port.index()] = true;
        }
        LiveTraffic {
            mtu,
            device,
            is_port,
            recorded,
            next: 0,
            arrivals: None,
            quiet: None,
            indexes: BTreeMap::new(),
            conversations: Vec::new(),
            refused: [0; Refusal::ALL.len()],
        }
    }

    /// Keeps packets that arrive from now on, for [`LiveTraffic::take_arrivals`]. `quiet`: what precedes an arrival; `None` if
    /// any event may be one.
    pub fn keep_arrivals(&mut self, quiet: Option<Quiet>) {
        self.arrivals.get_or_insert_default();
        self.quiet = quiet;
    }

    /// What precedes an arrival; `None` if any event may be one.
    pub fn quiet(&self) -> Option<Quiet> {
        self.quiet
    }

    /// Whether a node has a device.
    pub fn is_port(&self, node: NodeId) -> bool {
        self.is_port[node.index()]
    }

    /// Moves packets that have arrived since the last call to `out`.
    pub fn take_arrivals(&mut self, out: &mut Vec<Arrival>) {
        if let Some(arrivals) = &mut self.arrivals {
            out.append(arrivals);
        }
    }

    /// Time of the next recorded packet.
    pub fn next_recorded(&self) -> Option<Time> {
        self.recorded.get(self.next).map(|recorded| recorded.at)
    }

    /// The next recorded packet, if it enters at `now` or before.
    pub fn take_recorded(&mut self, now: Time) -> Option<Recorded> {
        let recorded = self.recorded.get(self.next).filter(|recorded| recorded.at <= now)?;
        self.next += 1;
        Some(recorded.clone())
    }

    /// Counts a packet of `len` bytes that enters at `node`, and returns its header, its content, and its length on the air.
    ///
    /// # Errors
    /// If the network does not accept it, which is counted.
    pub fn accept(&mut self, node: NodeId, bytes: Arc<[u8]>, len: usize) -> Result<(LiveHeader, Live, u32), Refusal> {
        match self.check(node, &bytes, len) {
            Ok((header, carried)) => {
                let conversation = self.index_of(node, &header);
                let counts = &mut self.conversations[conversation as usize];
                counts.packets += 1;
                counts.bytes += u64::from(carried);
                Ok((header, Live { bytes, is_frame: self.device == LiveDevice::Tap, conversation }, carried))
            }
            Err(refusal) => {
                self.refused[refusal as usize] += 1;
                Err(refusal)
            }
        }
    }

    /// The header of a packet, and its length without that of Ethernet.
    fn check(&self, node: NodeId, bytes: &[u8], len: usize) -> Result<(LiveHeader, u32), Refusal> {
        let (read, skipped): (fn(&[u8], usize) -> _, _) = match self.device {
            LiveDevice::Tun => (LiveHeader::read, 0),
            LiveDevice::Tap => (ethernet::read, ETHERNET_BYTES),
        };
        let carried = len.saturating_sub(skipped);
        if carried > self.mtu as usize {
            return Err(Refusal::TooLong);
        }
        let header = read(bytes, len)?;
        check_target(node, header.to)?;
        let is_known = header.to.is_broadcast() || self.is_port.get(header.to.index()).is_some_and(|&is_port| is_port);
        if is_known { Ok((header, carried as u32)) } else { Err(Refusal::UnknownAddress) }
    }

    fn index_of(&mut self, node: NodeId, header: &LiveHeader) -> u32 {
        let key = (node, header.to, header.ports);
        if let Some(&index) = self.indexes.get(&key) {
            return index;
        }
        let index = self.conversations.len();
        if index > MAX_CONVERSATIONS {
            return MAX_CONVERSATIONS as u32;
        }
        let (ends, ports) = if index == MAX_CONVERSATIONS {
            (None, Ports { protocol: 0, from: 0, to: 0 })
        } else {
            self.indexes.insert(key, index as u32);
            (Some((node, header.to)), header.ports)
        };
        self.conversations.push(Conversation::new(ends, ports));
        index as u32
    }

    /// A packet without a flow has been delivered.
    #[cold]
    pub fn on_delivered(&mut self, now: Time, node: NodeId, packet: &Packet) {
        let Payload::Live(live) = &packet.payload else { return };
        let counts = &mut self.conversations[live.conversation as usize];
        let delay = now.since(packet.created_at).0;
        counts.delivered += 1;
        counts.delivered_bytes += u64::from(packet.bytes);
        counts.delay += delay;
        let (least, most) = counts.delay_range.unwrap_or((delay, delay));
        counts.delay_range = Some((least.min(delay), most.max(delay)));
        if let Some(arrivals) = self.arrivals.as_mut().filter(|_| self.is_port[node.index()]) {
            let bytes = if live.is_frame { live.bytes.to_vec() } else { with_ttl(&live.bytes, packet.ttl) };
            arrivals.push(Arrival { at: now, node, bytes });
        }
    }

    /// A packet has been dropped.
    #[cold]
    pub fn on_drop(&mut self, packet: &Packet, reason: DropReason) {
        if let Payload::Live(live) = &packet.payload {
            self.conversations[live.conversation as usize].dropped[reason as usize] += 1;
        }
    }

    /// Conversations, in order of their first packets.
    pub fn conversations(&self) -> &[Conversation] {
        &self.conversations
    }

    /// Packets that the network did not accept, by reason.
    pub fn refused(&self, refusal: Refusal) -> u64 {
        self.refused[refusal as usize]
    }

    /// Nodes with a device, in order.
    pub fn ports(&self) -> impl Iterator<Item = NodeId> {
        (0..).map(NodeId).zip(&self.is_port).filter(|(_, is_port)| **is_port).map(|(node, _)| node)
    }
}
