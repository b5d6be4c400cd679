//! The recipient: what a station has received from each neighbor, and what it holds until it can be handed up in order.
//!
//! A window of 64 numbers begins at the first that is missing. An MPDU within it is held unless it is the first; one behind it
//! moves it (IEEE 802.11-2016 section 10.24.7.6). The caller holds the packets: this part says when. It sets no timer.

use crate::kernel::RadioId;
use crate::packet::aggregate::{BlockAck, Sequence, WINDOW};
use crate::packet::{Category, PacketId};
use std::collections::VecDeque;

/// Whose MPDUs have a window of their own: those of a neighbor, by access category (IEEE 802.11-2016 section 10.24.1: by TID).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// Neighbor that sends them.
    pub from: RadioId,
    /// Category; without categories, best effort.
    pub category: Category,
}

/// The windows of all agreements.
#[derive(Debug, Default)]
pub struct Recipients(Vec<Recipient>);

/// What has been received under one agreement.
#[derive(Debug)]
struct Recipient {
    agreement: Agreement,
    window: BlockAck,
    /// Copies of packets behind a gap, in the order of their numbers.
    held: VecDeque<(Sequence, PacketId)>,
}

/// What becomes of an MPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was received before.
    Duplicate,
    /// It is handed up.
    InOrder,
    /// It is held behind a gap.
    Held,
}

impl Recipients {
    /// An MPDU has arrived. What becomes of it, and whether packets held may be free.
    pub fn receive(&mut self, agreement: Agreement, seq: Sequence) -> (Verdict, bool) {
        let recipient = self.of(agreement);
        let window = &mut recipient.window;
        if window.has(seq) {
            return (Verdict::Duplicate, false);
        }
        let (start, behind) = (window.start, seq.distance(window.start));
        if behind >= WINDOW {
            window.start_at(window.start.after(behind - WINDOW + 1));
        }
        window.bitmap |= 1 << seq.distance(window.start);
        let is_first = seq == window.start;
        window.pass_received();
        let has_free = window.start.distance(start) > u16::from(is_first);
        (if is_first { Verdict::InOrder } else { Verdict::Held }, has_free)
    }

    /// A request begins the window at `start`. Whether packets held may be free.
    pub fn begin_at(&mut self, agreement: Agreement, start: Sequence) -> bool {
        let recipient = self.of(agreement);
        let is_later = recipient.window.start.is_before(start);
        if is_later {
            recipient.window.start_at(start);
            recipient.window.pass_received();
        }
        is_later
    }

    /// The acknowledgment of what has been received.
    pub fn block_ack(&mut self, agreement: Agreement) -> BlockAck {
        self.of(agreement).window
    }

    /// Holds the copy of a packet of an MPDU that is [`Verdict::Held`].
    pub fn hold(&mut self, agreement: Agreement, seq: Sequence, copy: PacketId) {
        let held = &mut self.of(agreement).held;
        let place = held.iter().rposition(|(other, _)| !seq.is_before(*other)).map_or(0, |last| last + 1);
        held.insert(place, (seq, copy));
    }

    /// The next copy that is free.
    pub fn next_free(&mut self, agreement: Agreement) -> Option<PacketId> {
        let recipient = self.of(agreement);
        if recipient.has_free() { recipient.held.pop_front().map(|(_, copy)| copy) } else { None }
    }

    /// All copies held.
    pub fn held(&self) -> impl Iterator<Item = PacketId> {
        self.0.iter().flat_map(|recipient| recipient.held.iter().map(|(_, copy)| *copy))
    }

    fn of(&mut self, agreement: Agreement) -> &mut Recipient {
        let place = self.0.iter().position(|recipient| recipient.agreement == agreement).unwrap_or_else(|| {
            let held = VecDeque::with_capacity(usize::from(WINDOW));
            self.0.push(Recipient { agreement, window: BlockAck::default(), held });
            self.0.len() - 1
        });
        &mut self.0[place]
    }
}

impl Recipient {
    fn has_free(&self) -> bool {
        self.held.front().is_some_and(|(seq, _)| seq.is_before(self.window.start))
    }
}

impl BlockAck {
    /// Moves the window forward.
    fn start_at(&mut self, start: Sequence) {
        let by = start.distance(self.start);
        self.bitmap = if by < WINDOW { self.bitmap >> by } else { 0 };
        self.start = start;
    }

    /// Moves the window behind the received numbers at its start.
    fn pass_received(&mut self) {
        self.start_at(self.start.after(self.bitmap.trailing_ones() as u16));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Agreement = Agreement { from: RadioId(7), category: Category::BestEffort };

    /// Receives numbers and returns those handed up, in order; packet and number agree.
    struct Ear(Recipients, Vec<u16>);

    impl Ear {
        fn new() -> Ear {
            Ear(Recipients::default(), Vec::new())
        }

        fn hear(&mut self, seq: u16) -> Verdict {
            let seq = Sequence(seq % 4096);
            let (verdict, has_free) = self.0.receive(A, seq);
            match verdict {
                Verdict::InOrder => self.1.push(seq.0),
                Verdict::Held => self.0.hold(A, seq, PacketId(u32::from(seq.0))),
                Verdict::Duplicate => {}
            }
            if has_free || verdict == Verdict::Held {
                self.free();
            }
            verdict
        }

        fn free(&mut self) {
            while let Some(copy) = self.0.next_free(A) {
                self.1.push(copy.0 as u16);
            }
        }
    }

    #[test]
    fn gap_holds_what_follows_until_it_is_filled() {
        let mut ear = Ear::new();
        let verdicts = [0, 2, 3, 2, 1, 0].map(|seq| ear.hear(seq));
        let [first, held, again] = [Verdict::InOrder, Verdict::Held, Verdict::Duplicate];
        assert_eq!(verdicts, [first, held, held, again, first, again]);
        assert_eq!((ear.1, ear.0.block_ack(A)), (vec![0, 1, 2, 3], BlockAck { start: Sequence(4), bitmap: 0 }));
    }

    #[test]
    fn later_number_or_request_moves_the_window() {
        let mut ear = Ear::new();
        ear.hear(5);
        assert_eq!(ear.0.block_ack(A), BlockAck { start: Sequence(0), bitmap: 1 << 5 });
        ear.hear(70);
        assert_eq!((ear.1.clone(), ear.0.block_ack(A).start), (vec![5], Sequence(7)));
        assert!(ear.0.begin_at(A, Sequence(80)));
        ear.free();
        assert_eq!((ear.1.clone(), ear.0.block_ack(A)), (vec![5, 70], BlockAck { start: Sequence(80), bitmap: 0 }));
        assert!(!ear.0.begin_at(A, Sequence(60)), "it never moves back");
        assert_eq!((ear.hear(75), ear.0.held().count()), (Verdict::Duplicate, 0));
    }

    #[test]
    fn neighbors_and_categories_have_windows_of_their_own() {
        let mut recipients = Recipients::default();
        let video = Agreement { category: Category::Video, ..A };
        let other = Agreement { from: RadioId(2), ..A };
        for agreement in [A, video, other] {
            assert_eq!(recipients.receive(agreement, Sequence(0)), (Verdict::InOrder, false));
        }
        assert_eq!(recipients.receive(video, Sequence(2)), (Verdict::Held, false));
        recipients.hold(video, Sequence(2), PacketId(9));
        assert!(recipients.begin_at(A, Sequence(3)) && recipients.next_free(A).is_none());
        assert_eq!(recipients.receive(A, Sequence(2)), (Verdict::Duplicate, false));
        assert_eq!(recipients.receive(video, Sequence(1)), (Verdict::InOrder, true));
        assert_eq!(recipients.next_free(video), Some(PacketId(9)));
    }
}
