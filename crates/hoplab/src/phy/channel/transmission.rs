//! Frames on the air, each with the progress of its signal start, its signal end, and the expiries of its NAV.

use crate::kernel::{Key, RadioId, Span, Time};
use crate::packet::Frame;
use crate::phy::reception::Signal;
use crate::sim::{Event, PhyTimer};

/// A frame on the air.
#[derive(Clone, Debug)]
pub struct Transmission {
    pub(super) frame: Frame,
    pub(super) start: Time,
    /// By timer: its position in the order of scheduling.
    pub(super) keys: [Key; PhyTimer::COUNT],
    /// By timer: index of the receiver that is next.
    pub(super) next: [u32; PhyTimer::COUNT],
    /// Passages that must end before the transmission is removed.
    pub(super) passages: u8,
    /// Time from its signal start to the end of the window in which receivers detect it (OFDM).
    pub(super) window: Span,
    /// Number of the frame among those of its sender.
    pub(super) count: u64,
    /// Its sender was switched off before its end.
    pub(super) is_cut: bool,
    /// Number of the list of its receivers.
    pub(super) receivers: u32,
}

impl Transmission {
    /// When the signal ends at the sender.
    #[inline]
    pub(super) fn end(&self) -> Time {
        self.start + self.frame.airtime
    }

    /// The event of one of its timers.
    #[inline]
    pub(super) fn event(&self, timer: PhyTimer, id: u32) -> Event {
        Event::Phy { timer, ta: self.frame.ta, transmission: id }
    }

    /// The transmission as receivers see it.
    #[inline]
    pub(super) fn signal(&self, id: u32) -> Signal<'_> {
        Signal::new(id, &self.frame, self.count, self.is_cut)
    }
}

/// All frames on the air, by index. An index is reused once its transmission is removed.
#[derive(Debug)]
pub struct Transmissions {
    slots: Vec<Transmission>,
    free: Vec<u32>,
    /// Frames that each node has sent.
    counts: Vec<u64>,
}

impl Transmissions {
    pub(super) fn new(nodes: usize) -> Transmissions {
        Transmissions { slots: Vec::new(), free: Vec::new(), counts: vec![0; nodes] }
    }

    /// Counts a frame that a node sends. Its number among those of the node.
    #[inline]
    pub(super) fn count(&mut self, sender: RadioId) -> u64 {
        let sent = &mut self.counts[sender.index()];
        *sent += 1;
        *sent - 1
    }

    /// A transmission that starts now to the receivers on a list, its index, and its timers' keys, to be set.
    #[inline]
    pub(super) fn start(&mut self, frame: Frame, now: Time, count: u64, receivers: u32) -> (u32, &mut Transmission) {
        let id = self.free.pop().unwrap_or_else(|| self.grow(frame));
        let sent = &mut self.slots[id as usize];
        sent.frame = frame;
        sent.start = now;
        sent.next = [0; PhyTimer::COUNT];
        // That of its signal end.
        sent.passages = 1;
        sent.count = count;
        sent.is_cut = false;
        sent.receivers = receivers;
        (id, sent)
    }

    /// Appends a slot.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, frame: Frame) -> u32 {
        self.slots.push(Transmission {
            frame,
            start: Time::ZERO,
            keys: Default::default(),
            next: Default::default(),
            passages: 0,
            window: Span::ZERO,
            count: 0,
            is_cut: false,
            receivers: 0,
        });
        self.slots.len() as u32 - 1
    }

    #[inline]
    pub(super) fn get(&self, id: u32) -> &Transmission {
        &self.slots[id as usize]
    }

    #[inline]
    pub(super) fn get_mut(&mut self, id: u32) -> &mut Transmission {
        &mut self.slots[id as usize]
    }

    /// Frees the index of a transmission whose passages have all ended.
    #[inline]
    pub(super) fn remove(&mut self, id: u32) {
        self.free.push(id);
    }

    /// Cuts what a node transmits at `now`. Its index, if there is such a transmission.
    pub(super) fn cut(&mut self, sender: RadioId, now: Time) -> Option<u32> {
        let is_it = |sent: &Transmission| sent.frame.ta == sender && sent.start <= now && now < sent.end();
        let id = self.slots.iter().position(is_it)?;
        self.slots[id].is_cut = true;
        Some(id as u32)
    }

    /// Indexes that can be used again.
    #[cfg(test)]
    pub(super) fn free(&self) -> &[u32] {
        &self.free
    }
}
