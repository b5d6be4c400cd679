//! Random paths: every byte is delivered exactly once and in order, both ends close, and runs repeat.

use super::path::{Fate, Path, ms};
use crate::kernel::{Bytes, Purpose, RandomStreams, Span, Time};
use crate::transport::congestion::CongestionKind::{Cubic, Reno};
use crate::transport::stream::{Reading, SlowStart, State, StreamConfig};
use proptest::prelude::*;

#[derive(Clone, Debug)]
struct Case {
    seed: u64,
    bytes: u64,
    loss: f64,
    late: f64,
    twice: f64,
    limit: usize,
    buffer: u32,
    is_cubic: bool,
    ecn: bool,
    read_rate: Option<f64>,
    slow_start: SlowStart,
}

fn cases() -> impl Strategy<Value = Case> {
    let slow_start = prop_oneof![Just(SlowStart::Standard), Just(SlowStart::Hystart), Just(SlowStart::HystartPp)];
    let path = (0.0..0.2, 0.0..0.1, 0.0..0.1, 1usize..100);
    let ends = (2_000u32..200_000, any::<bool>(), any::<bool>(), proptest::option::of(20_000.0..1e6), slow_start);
    (any::<u64>(), 1u64..300_000, path, ends).prop_map(
        |(seed, bytes, (loss, late, twice, limit), (buffer, is_cubic, ecn, read_rate, slow_start))| Case {
            seed,
            bytes,
            loss,
            late,
            twice,
            limit,
            buffer,
            is_cubic,
            ecn,
            read_rate,
            slow_start,
        },
    )
}

fn run(case: &Case) -> Path {
    let config = StreamConfig {
        receive_buffer: Bytes(case.buffer),
        ecn: case.ecn,
        slow_start: case.slow_start,
        data_retries: 30,
        syn_retries: 20,
        max_rto: Span::from_millis(5000),
        ..StreamConfig::default()
    };
    let mut stream = RandomStreams::new(case.seed).stream(Purpose::Traffic, 0);
    let [loss, late, twice] = [case.loss, case.late, case.twice];
    let fate = move |_, _, _: &_| {
        let draw = stream.unit();
        if draw < loss {
            Fate::Lost
        } else if draw < loss + late {
            Fate::Late(Span::from_millis((stream.unit() * 60.0) as u64))
        } else if draw < loss + late + twice {
            Fate::Twice
        } else if draw < loss + late + twice + 0.02 {
            Fate::Marked
        } else {
            Fate::Arrives
        }
    };
    let reading = Reading { from: Time::ZERO, rate: case.read_rate };
    let kind = if case.is_cubic { Cubic } else { Reno };
    let mut path = Path::new(kind, &config, reading).with(Span::from_millis(10), case.limit).with_fate(fate);
    path.start(Some(case.bytes));
    path.run(ms(600_000));
    path
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_byte_arrives_once_and_in_order(case in cases()) {
        let path = run(&case);
        prop_assert_eq!(path.delivered[1], case.bytes);
        prop_assert!(path.complete_at.is_some());
        let states = (path.ends[0].state(), path.ends[1].state());
        let has_ended = matches!(states.0, State::TimeWait | State::Closed);
        prop_assert!(has_ended, "{:?}", states);
        // What leaves is what was supplied: no byte beyond the FIN, none unsent.
        let beyond = path.seen.iter().filter(|seen| seen.segment.is_forward()).map(|seen| seen.segment.end()).max();
        prop_assert_eq!(beyond, Some(case.bytes + 2));
        let fresh: u64 = path.seen.iter().filter(|seen| seen.segment.is_forward() && !seen.segment.is_retransmission)
            .map(|seen| u64::from(seen.segment.len)).sum();
        prop_assert_eq!(fresh, case.bytes);
    }

    #[test]
    fn runs_repeat(case in cases()) {
        let lines = |path: Path| path.lines();
        prop_assert_eq!(lines(run(&case)), lines(run(&case)));
    }
}
