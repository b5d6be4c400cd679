//! Random operations on every congestion control with every recovery, in every profile.

use crate::transport_pipe::{Link, Pipe, flow};
use hoplab::app::{AppConfig, Cbr, Supply};
use hoplab::kernel::{Rate, Span, Time};
use hoplab::packet::{Ack, Payload, SegNo};
use hoplab::transport::congestion::CubicForm;
use hoplab::transport::{CongestionKind, End, Parts, Protocol, RecoveryKind, Sender, TcpConfig, TcpProfile};
use proptest::prelude::*;

const SEGMENT: u32 = 1000;

fn parts() -> impl Strategy<Value = Parts> {
    let congestion = proptest::sample::select(CongestionKind::ALL);
    let recovery = proptest::sample::select(RecoveryKind::ALL);
    // No transport pairs Muzha's recovery, which relies on marks that only Muzha's window interprets, with another window;
    // with TCP-AP's clock, which stops in recovery, it would stall.
    (congestion, recovery).prop_map(|(congestion, recovery)| Parts {
        congestion: if recovery == RecoveryKind::Muzha { CongestionKind::Muzha } else { congestion },
        recovery,
    })
}

fn config() -> impl Strategy<Value = TcpConfig> {
    let profiles = [TcpConfig::default(), TcpConfig::rfc(), TcpConfig::ns2_linux()];
    (0usize..3, cubic_form(), any::<bool>(), any::<bool>(), any::<bool>(), 1u32..5, 1u8..4).prop_map(
        move |(profile, form, delayed_ack, limited_transmit, timestamps, dup_ack_threshold, sack_blocks)| {
            let mut base = profiles[profile].clone();
            base.congestion.cubic.form = form;
            TcpConfig { delayed_ack, limited_transmit, timestamps, dup_ack_threshold, sack_blocks, ..base }
        },
    )
}

fn cubic_form() -> impl Strategy<Value = CubicForm> {
    prop_oneof![Just(CubicForm::Rfc9438), Just(CubicForm::Linux2622), Just(CubicForm::Paper)]
}

/// One event at a sender.
#[derive(Clone, Debug)]
enum Operation {
    /// Time passes, up to the timer's expiry.
    Wait(u64),
    /// An acknowledgment this far into what is in flight (or, negative, before it), with blocks above it.
    Ack(i64, Vec<(i64, i64)>),
    /// Duplicates of the last acknowledgment.
    Repeat(u8),
    /// The timer expires.
    Timeout,
    /// The application supplies more.
    Supply(u32),
}

fn operation() -> impl Strategy<Value = Operation> {
    let blocks = proptest::collection::vec((0i64..30, 1i64..5), 0..=3);
    prop_oneof![
        2 => (1u64..100).prop_map(Operation::Wait),
        8 => (-2i64..6, blocks).prop_map(|(ahead, blocks)| Operation::Ack(ahead, blocks)),
        3 => (1u8..8).prop_map(Operation::Repeat),
        1 => Just(Operation::Timeout),
        1 => (1u32..10).prop_map(Operation::Supply),
    ]
}

fn acknowledgment(sender: &Sender, ahead: i64, blocks: &[(i64, i64)]) -> Ack {
    let tcb = sender.tcb();
    let cumulative = (tcb.acked() + ahead).clamp(-1, tcb.snd_max - 1);
    let mut ack = Ack::plain(cumulative, Time::ZERO);
    for &(offset, length) in blocks {
        // Out of order, and only segments that were sent.
        let first = cumulative + 2 + offset;
        let last = (first + length).min(tcb.snd_max);
        if first < last {
            ack.blocks[ack.block_count as usize] = (first, last);
            ack.block_count += 1;
        }
    }
    ack
}

/// Checks the invariants of a sender after each event.
fn check(sender: &mut Sender, window: Option<u32>, min_cwnd: f64, una: &mut SegNo) -> Result<(), TestCaseError> {
    let highest = sender.take_sent(40).map(|(segment, _)| segment.seq).max();
    let shown = sender.cwnd();
    let tcb = sender.tcb();
    prop_assert!(tcb.snd_una >= *una, "snd_una went back from {una} to {}", tcb.snd_una);
    *una = tcb.snd_una;
    prop_assert!(window.is_none_or(|limit| tcb.in_flight() <= limit), "{} in flight", tcb.in_flight());
    let ahead = window.map_or(SegNo::MAX, |limit| tcb.snd_una + SegNo::from(limit));
    let highest_next = if tcb.is_paced() { ahead } else { tcb.snd_max };
    prop_assert!((tcb.snd_una..=highest_next).contains(&tcb.snd_nxt), "snd_nxt {}", tcb.snd_nxt);
    prop_assert!(highest.is_none_or(|seq| seq < tcb.snd_max), "sent {highest:?}");
    prop_assert!(shown >= min_cwnd && shown.is_finite(), "cwnd {shown}");
    prop_assert!(sender.ssthresh() >= 1.0, "ssthresh {}", sender.ssthresh());
    prop_assert!(tcb.in_flight() == 0 || tcb.deadline().is_some(), "in flight without a timer");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn sender_keeps_its_invariants_under_random_events(
        parts in parts(),
        config in config(),
        window in 1u32..40,
        operations in proptest::collection::vec(operation(), 1..120),
    ) {
        let mut sender = Sender::new(&config, parts, SEGMENT, window, 0.3);
        // Recovery as in ns-2's Vegas may leave a window of zero until a timeout.
        let may_close = parts.recovery == RecoveryKind::Vegas && config.profile != TcpProfile::Rfc;
        // rwnd limits the window of the Linux sender, excluding segments reported out of order.
        let limit = (parts.recovery != RecoveryKind::Linux).then_some(window);
        let min_cwnd = if may_close { 0.0 } else { 1.0 };
        let mut now = Time::ZERO;
        let mut una = 0;
        let mut last = Ack::plain(-1, Time::ZERO);
        sender.on_supply(now, Supply::Segments(200));
        check(&mut sender, limit, min_cwnd, &mut una)?;
        for operation in operations {
            match operation {
                Operation::Wait(millis) => {
                    let until = now + Span::from_millis(millis);
                    now = sender.deadline().map_or(until, |timer| until.min(timer.max(now)));
                }
                Operation::Ack(ahead, blocks) => {
                    last = acknowledgment(&sender, ahead, &blocks);
                    sender.on_ack(now, &last);
                }
                Operation::Repeat(times) => {
                    for _ in 0..times {
                        sender.on_ack(now, &last);
                        check(&mut sender, limit, min_cwnd, &mut una)?;
                    }
                }
                Operation::Timeout => {
                    if let Some(timer) = sender.deadline() {
                        now = now.max(timer);
                        sender.on_timeout(now);
                    }
                }
                Operation::Supply(count) => sender.on_supply(now, Supply::Segments(count)),
            }
            check(&mut sender, limit, min_cwnd, &mut una)?;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn data_arrives_once_and_in_order_under_random_loss(
        parts in parts(),
        config in config(),
        window in 1u32..40,
        count in 1u64..150,
        loss_percent in 0u64..30,
        seed in any::<u64>(),
        delay_ms in 1u64..80,
    ) {
        let app = AppConfig::Cbr(Cbr::at(Rate(2e6)));
        let spec = flow(Protocol::Tcp(parts), SEGMENT, window, app);
        let link = Link { rate: Rate(1e6), delay: Span::from_millis(delay_ms) };
        let mut state = seed | 1;
        let losses = move |_: End, _: u64, _: &Payload| {
            // Xorshift: the seed determines the lost packets.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % 100 < loss_percent
        };
        let mut pipe = Pipe::new(&spec, &config, link, losses);
        pipe.start();
        // One packet every 4 ms.
        pipe.run_until(Time(count * 4_000_000 - 1));
        pipe.stop();
        prop_assert!(pipe.run_out(Time::from_secs(1e6)), "not finished after a million seconds");
        let total = *pipe.connection.meter().total();
        let bytes = count * u64::from(SEGMENT);
        prop_assert_eq!((total.in_order, total.unique), (bytes, bytes));
        prop_assert!(total.arrived >= bytes);
        prop_assert_eq!(pipe.connection.deadline(End::Source), None);
        let tcb = pipe.connection.sender().expect("a sender").tcb();
        prop_assert_eq!(tcb.in_flight(), 0);
        prop_assert_eq!(pipe.connection.receiver().expect("a receiver").rcv_nxt(), tcb.snd_max);
    }
}
