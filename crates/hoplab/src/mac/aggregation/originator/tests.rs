//! Windows of an originator, and property: originator and recipient together lose, repeat and reorder nothing.

use super::*;
use crate::kernel::{RadioId, Span, keyed_pair};
use crate::mac::aggregation::{Agreement, Recipients, Verdict};
use crate::packet::Category;

const B: RadioId = RadioId(3);
const FROM_B: Agreement = Agreement { from: B, category: Category::BestEffort };
const LIMIT: u32 = 50_000;

fn rules(ampdu: u32, amsdu: u32) -> AggregationRules {
    AggregationRules { ampdu, amsdu, life: Span::from_millis(500), overhead: 38 }
}

/// A window that is filled with packets of 1500 bytes from number `first` on, as long as they fit. What was laid out.
fn fill(originator: &mut Originator, first: u32) -> (u32, Aggregate) {
    let mut next = first;
    if originator.is_empty() {
        originator.open(Time::ZERO, B, PacketId(next), 1500);
        next += 1;
    }
    originator.lay_out(LIMIT, false);
    while originator.room().is_some_and(|room| room.bytes >= 1500) {
        originator.join(Time::ZERO, PacketId(next), 1500);
        next += 1;
    }
    let mut aggregate = Aggregate::default();
    originator.write(&mut aggregate);
    (next, aggregate)
}

#[test]
fn limits_of_bytes_and_window_end_an_ampdu() {
    for (ampdu, mpdus) in [(65_535, 32), (16_383, 10), (1542, 1), (3086, 2), (3085, 1)] {
        let (next, aggregate) = fill(&mut Originator::new(rules(ampdu, 0)), 0);
        assert_eq!((next, aggregate.mpdus().len()), (mpdus, mpdus as usize), "{ampdu}");
        assert!(aggregate.bytes() <= ampdu);
    }
    // IEEE 802.11-2016 section 10.24.7: no number is 64 or more behind the oldest unacknowledged one.
    let mut originator = Originator::new(rules(65_535, 0));
    let (next, _) = fill(&mut originator, 0);
    let all_but_first = BlockAck { start: Sequence(0), bitmap: u64::MAX - 1 };
    assert_eq!(originator.on_block_ack(&all_but_first, &mut |_| {}), 31);
    let (next, second) = fill(&mut originator, next);
    assert_eq!((next, second.mpdus().len(), second.mpdus()[0].is_retry), (63, 32, true));
    originator.on_block_ack(&all_but_first, &mut |_| {});
    let (next, third) = fill(&mut originator, next);
    assert_eq!((next, third.mpdus().len()), (64, 2), "numbers 0 and 63");
}

#[test]
fn packets_share_an_mpdu_up_to_the_limit_of_amsdus() {
    // 2 packets in 3076 bytes up to 3839, 5 in 7648 up to 7935; with A-MPDUs 14 of 2 each in 43,120 bytes.
    for (ampdu, amsdu, mpdus, packets, bytes) in
        [(0, 3839, 1, 2, 3080), (0, 7935, 1, 5, 7652), (43_200, 3839, 14, 28, 43_120)]
    {
        let (next, aggregate) = fill(&mut Originator::new(rules(ampdu, amsdu)), 0);
        assert_eq!((next, aggregate.mpdus().len(), aggregate.bytes()), (packets, mpdus, bytes), "{ampdu} {amsdu}");
    }
}

#[test]
fn what_is_given_up_leaves_a_gap() {
    let mut originator = Originator::new(rules(65_535, 0));
    fill(&mut originator, 0);
    let mut gone = Vec::new();
    originator.mark_received(PacketId(2));
    originator.expire(Time::from_secs(0.4), &mut |released| gone.push(released));
    assert!(gone.is_empty() && !originator.owes_request());
    originator.on_block_ack(&BlockAck { start: Sequence(0), bitmap: 0b10 }, &mut |_| {});
    originator.expire(Time::from_secs(0.5), &mut |released| gone.push(released));
    assert_eq!((gone.len(), gone[1]), (31, Released { packet: PacketId(2), has_arrived: true }));
    // Number 1 is held by the neighbor behind number 0.
    assert!(originator.owes_request() && originator.has_more() && originator.is_empty());
    assert_eq!(originator.start(), Sequence(32));
    originator.close_gap();
    assert!(!originator.owes_request() && !originator.has_more());
}

#[test]
fn first_mpdu_is_given_up_before_its_turn() {
    let mut originator = Originator::new(rules(65_535, 0));
    originator.open(Time::ZERO, B, PacketId(7), 1500);
    let mut gone = Vec::new();
    originator.give_up_first(&mut |released| gone.push(released.packet));
    assert!(originator.is_empty() && !originator.has_more() && originator.owes_request());
    // Of a window that was sent, the oldest; the neighbor may hold those behind it.
    let mut originator = Originator::new(rules(65_535, 0));
    fill(&mut originator, 0);
    originator.on_block_ack(&BlockAck { start: Sequence(0), bitmap: 0b10 }, &mut |_| {});
    originator.give_up_first(&mut |released| gone.push(released.packet));
    assert_eq!((gone, originator.start()), (vec![PacketId(7), PacketId(0)], Sequence(2)));
    assert!(originator.owes_request());
}

#[test]
fn nothing_is_lost_repeated_or_reordered() {
    for seed in 0..40 {
        let mut chances = (0..).map(|count| keyed_pair([seed, 1, 2, count]).0);
        let mut chance = || chances.next().expect("without end");
        let loss = 0.6 * chance();
        let (mut originator, mut recipients) = (Originator::new(rules(65_535, 3839)), Recipients::default());
        let (mut next, mut up, mut released) = (0, Vec::new(), Vec::new());
        while up.len() < 6_000 {
            let (filled, aggregate) = fill(&mut originator, next);
            next = filled;
            for mpdu in aggregate.mpdus() {
                if chance() < loss {
                    continue;
                }
                let (verdict, has_free) = recipients.receive(FROM_B, mpdu.seq);
                for packet in aggregate.packets(mpdu) {
                    match verdict {
                        Verdict::InOrder => up.push(packet.0),
                        Verdict::Held => recipients.hold(FROM_B, mpdu.seq, *packet),
                        Verdict::Duplicate => {}
                    }
                }
                while has_free && let Some(packet) = recipients.next_free(FROM_B) {
                    up.push(packet.0);
                }
            }
            // A Block Ack that is lost is asked for, and then arrives.
            if chance() < 0.3 {
                recipients.begin_at(FROM_B, originator.start());
            }
            originator.on_block_ack(&recipients.block_ack(FROM_B), &mut |gone| released.push(gone.packet.0));
        }
        assert!(up.iter().copied().eq(0..up.len() as u32), "seed {seed}: all in order, once");
        let count = released.len();
        released.sort_unstable();
        released.dedup();
        assert!(count == released.len() && count <= next as usize && count >= up.len(), "seed {seed}: released once");
        assert!(originator.packets().all(|(packet, _)| !released.contains(&packet.0)));
    }
}
