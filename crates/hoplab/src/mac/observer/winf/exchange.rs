//! One exchange: what it carries, and how long it takes.

use super::access::Access;
use super::config::{Overhead, WinfConfig};
use super::samples::Part;
use crate::kernel::{RadioId, Span, Time};
use crate::mac::Timing;
use crate::mac::observer::channel_observer::{Content, Role};
use crate::packet::aggregate::with_mpdu;
use crate::packet::{Category, Frame};
use std::sync::Arc;

/// What a data frame or an A-MPDU carries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    /// Of its packets.
    pub(super) bytes: u32,
    pub(super) packets: u32,
    /// Seconds that one more byte would have taken.
    pub(super) per_byte: f64,
    /// Air time behind the PHY header, in seconds.
    pub(super) body: f64,
    /// How many times its packets the longest frame carries.
    pub(super) room: f64,
    pub(super) category: Category,
    /// It follows the last exchange of its sender within a TXOP.
    pub(super) follows: bool,
}

/// The last exchange: what its sender begins SIFS or PIFS later belongs to the same TXOP.
#[derive(Clone, Copy, Debug)]
pub(super) struct Last {
    pub(super) sender: RadioId,
    pub(super) part: Part,
    pub(super) end: Time,
}

/// Frames and interframe spaces of an exchange beyond what was measured.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Beyond {
    pub(super) frames: Span,
    pub(super) sifs: u64,
}

/// How exchanges are measured at one radio.
#[derive(Clone, Debug)]
pub(super) struct Gauge {
    timing: Arc<Timing>,
    access: Access,
    overhead: Overhead,
    has_bursts: bool,
}

impl Gauge {
    pub(super) fn new(timing: &Arc<Timing>, config: &WinfConfig) -> Gauge {
        let access = Access::new(timing, config);
        Gauge { timing: Arc::clone(timing), has_bursts: access.has_bursts(), access, overhead: config.overhead }
    }

    /// What precedes an exchange: AIFS and the mean of the first backoff, within a TXOP SIFS.
    pub(super) fn before(&self, load: &Load) -> Span {
        if load.follows { self.timing.sifs } else { self.access.before(load.category) }
    }

    /// Time of an exchange: `measured` lies between its time stamps.
    pub(super) fn whole(&self, load: &Load, measured: Span, beyond: Beyond) -> f64 {
        match self.overhead {
            Overhead::Exchange | Overhead::Backoff => measured.secs(),
            Overhead::Full => (measured + beyond.frames + self.timing.sifs * beyond.sifs + self.before(load)).secs(),
        }
    }

    /// The mean backoff that the time of an exchange holds.
    pub(super) fn backoff(&self, load: &Load) -> f64 {
        let has_backoff = self.overhead == Overhead::Full && !load.follows;
        if has_backoff { self.access.backoff(load.category).secs() } else { 0.0 }
    }

    /// What a frame carries that is sent now, or that has arrived, behind the `last` exchange.
    pub(super) fn load(
        &self,
        now: Time,
        role: Role,
        frame: &Frame,
        content: Option<&Content>,
        last: Option<Last>,
    ) -> Load {
        let bytes = frame.bytes.saturating_sub(self.timing.config.data_overhead.0);
        let single = Content { sent: 1, mpdus: 1, packets: 1, bytes, record: 0 };
        let &Content { sent, mpdus, packets, bytes, .. } = content.unwrap_or(&single);
        let body = frame.airtime.saturating_sub(self.timing.header(frame.modulation)).secs();
        let carried = f64::from(sent * packets) / f64::from(mpdus.max(1));
        let packet = bytes / packets.max(1);
        let start = if role == Role::Sent { now } else { Time(now.0.saturating_sub(frame.airtime.0)) };
        Load {
            bytes,
            packets,
            per_byte: body / f64::from(frame.bytes.max(1)),
            body,
            room: self.access.room(&self.timing, frame.modulation, frame.category, packet, carried.max(1.0)),
            category: frame.category,
            follows: last.is_some_and(|last| self.follows(last, frame.ta, start)),
        }
    }

    /// Whether what a station sends from `start` on belongs to the TXOP of the last exchange.
    fn follows(&self, last: Last, sender: RadioId, start: Time) -> bool {
        let longest = self.timing.pifs() + Span(self.timing.slot.0 / 2);
        self.has_bursts && last.sender == sender && start >= last.end && start.since(last.end) <= longest
    }

    /// The data that a CTS with this Duration announces, if the sender is out of range; at the rate of this node. A Block Ack
    /// shows how many MPDUs there were at least.
    pub(super) fn inferred(&self, duration: Span, answer: &Frame, content: Option<&Content>) -> Load {
        let timing = &self.timing;
        let mode = timing.unicast;
        let rate = timing.config.data_rate.0;
        let air = duration.saturating_sub(timing.sifs * 2 + answer.airtime);
        let mpdus = content.map_or(1, |content| content.mpdus.max(1));
        let empty = (1..mpdus).fold(timing.data_bytes(0), |bytes, _| with_mpdu(bytes, timing.data_bytes(0)));
        let empty_time = if mpdus == 1 { timing.data(0, false) } else { timing.airtime(mode, empty) };
        let bytes = libm::round(air.saturating_sub(empty_time).secs() * rate / 8.0) as u32;
        Load {
            bytes,
            packets: mpdus,
            per_byte: 8.0 / rate,
            body: air.saturating_sub(timing.header(mode)).secs(),
            room: self.access.room(timing, mode, answer.category, bytes / mpdus, f64::from(mpdus)),
            category: answer.category,
            follows: false,
        }
    }
}

/// Of what was sent, that which a Block Ack acknowledges; an ACK acknowledges all of it.
pub(super) fn acknowledged(load: Load, content: Option<&Content>) -> Load {
    content.map_or(load, |content| Load { bytes: content.bytes, packets: content.packets, ..load })
}
