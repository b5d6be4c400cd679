//! Address resolution (RFC 826): one packet may wait for each neighbor whose address is unknown.
//!
//! # Model
//! Before the first packet to a neighbor, a broadcast request resolves its address; the neighbor replies. Every receiver of
//! a request learns the address of its sender. Entries never expire.
//! # Source
//! RFC 826; ns-2.35 `ARPTable` (docs/specs/mac-80211.md section 8).
//! # Deviations
//! None known. The limits are ns-2's: one packet held, three requests, the fourth packet fails.
//! # Parameters
//! `link.arp`.

use crate::kernel::{BitSet, RadioId, Span, Time};
use crate::packet::PacketId;

/// Addresses known at one node.
#[derive(Debug, Default)]
pub struct ArpTable {
    /// Neighbors with known addresses. Read at every request by every receiver.
    known: BitSet,
    /// Neighbors without known address that packets wait for.
    unknown: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    neighbor: RadioId,
    requests: u8,
    held: Option<PacketId>,
    requested_at: Time,
}

/// What to do with a packet for a neighbor whose address is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// The packet is held: send a request, and drop the packet held before.
    Request {
        /// Packet held before.
        displaced: Option<PacketId>,
    },
    /// No reply after all requests: this packet and the one held before fail.
    Fail {
        /// Packet held before.
        held: Option<PacketId>,
    },
}

/// Length of requests and replies in bytes.
pub const ARP_BYTES: u32 = 28;

const MAX_REQUESTS: u8 = 3;

/// How long a reply is pending: requests for one address come once per second at most (RFC 1122 section 2.3.2.1).
const REPLY_TIMEOUT: Span = Span::from_millis(1000);

impl ArpTable {
    /// Whether the address of `neighbor` is known.
    #[inline]
    pub fn knows(&self, neighbor: RadioId) -> bool {
        self.known.contains(neighbor.index())
    }

    /// Resolves the address of `neighbor`, which is not known, for `packet`.
    pub fn resolve(&mut self, now: Time, neighbor: RadioId, packet: PacketId) -> Resolution {
        let index = self.unknown.iter().position(|entry| entry.neighbor == neighbor).unwrap_or_else(|| {
            self.unknown.push(Entry { neighbor, requests: 0, held: None, requested_at: Time::ZERO });
            self.unknown.len() - 1
        });
        let entry = &mut self.unknown[index];
        if entry.requests >= MAX_REQUESTS {
            entry.requests = 0;
            return Resolution::Fail { held: entry.held.take() };
        }
        entry.requests += 1;
        entry.requested_at = now;
        Resolution::Request { displaced: entry.held.replace(packet) }
    }

    /// The neighbor's address has become known; the packet that waited for it.
    pub fn learn(&mut self, neighbor: RadioId) -> Option<PacketId> {
        if self.knows(neighbor) {
            return None;
        }
        self.known.insert(neighbor.index());
        let index = self.unknown.iter().position(|entry| entry.neighbor == neighbor)?;
        self.unknown.swap_remove(index).held
    }

    /// Packets that wait for an address.
    pub fn held(&self) -> impl Iterator<Item = PacketId> {
        self.unknown.iter().filter_map(|entry| entry.held)
    }

    /// Number of packets with a pending reply, and the first timeout of these. The packet for a neighbor that never replies
    /// stays held, but no longer counts.
    pub fn awaited(&self, now: Time) -> (u32, Option<Time>) {
        let ends =
            self.unknown.iter().filter(|entry| entry.held.is_some()).map(|entry| entry.requested_at + REPLY_TIMEOUT);
        ends.filter(|end| *end > now)
            .fold((0, None), |(count, first), end| (count + 1, Some(first.map_or(end, |first: Time| first.min(end)))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fourth_packet_for_unresolved_neighbor_fails() {
        let mut table = ArpTable::default();
        let neighbor = RadioId(4);
        assert_eq!(table.resolve(Time::ZERO, neighbor, PacketId(1)), Resolution::Request { displaced: None });
        assert_eq!(
            table.resolve(Time::ZERO, neighbor, PacketId(2)),
            Resolution::Request { displaced: Some(PacketId(1)) }
        );
        assert_eq!(
            table.resolve(Time::ZERO, neighbor, PacketId(3)),
            Resolution::Request { displaced: Some(PacketId(2)) }
        );
        assert_eq!(table.resolve(Time::ZERO, neighbor, PacketId(4)), Resolution::Fail { held: Some(PacketId(3)) });
        assert_eq!(table.resolve(Time::ZERO, neighbor, PacketId(5)), Resolution::Request { displaced: None });
        assert_eq!(table.learn(neighbor), Some(PacketId(5)));
        assert!(table.knows(neighbor));
    }

    #[test]
    fn overdue_reply_is_no_longer_pending() {
        let mut table = ArpTable::default();
        let ms = |ms: u64| Time(ms * 1_000_000);
        table.resolve(ms(10), RadioId(4), PacketId(1));
        table.resolve(ms(500), RadioId(5), PacketId(2));
        assert_eq!(table.awaited(ms(600)), (2, Some(ms(1010))));
        assert_eq!(table.awaited(ms(1010)), (1, Some(ms(1500))));
        assert_eq!(table.awaited(ms(1500)), (0, None));
        assert_eq!(table.held().count(), 2, "both remain held");
        table.resolve(ms(2000), RadioId(4), PacketId(3));
        table.learn(RadioId(4));
        assert_eq!(table.awaited(ms(2000)), (0, None));
    }
}
