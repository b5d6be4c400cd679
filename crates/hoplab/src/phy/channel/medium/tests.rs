//! Passages of signals, with a small event loop in place of stations.

use super::*;
use crate::kernel::AnyRun;
use crate::packet::FrameKind;
use crate::phy::{AccessWait, CcaReporting, NoProbe, Pairwise, Reception, SignalEnd, SignalStart};
use crate::sim::Event;
use proptest::prelude::*;

/// A medium without stations, its clock, and what it has indicated.
struct Bench {
    medium: Medium,
    ctx: Ctx,
    indications: Vec<(u64, u32, PhyIndication)>,
    /// Events handled.
    events: u64,
}

impl Bench {
    fn new(places: impl Iterator<Item = (f64, f64)>) -> Bench {
        let trajectories: Vec<Trajectory> = places.map(|(x, y)| Trajectory::still(x, y)).collect();
        let config = RadioConfig::default();
        let tx_powers = vec![config.tx_power; trajectories.len()];
        let nodes = trajectories.len();
        let medium = Medium::new(trajectories, &config, &tx_powers, 1);
        Bench { medium, ctx: Ctx::new(1, 0, nodes), indications: Vec::new(), events: 0 }
    }

    fn chain(nodes: u32) -> Bench {
        Bench::new((0..nodes).map(|radio| (200.0 * f64::from(radio), 0.0)))
    }

    fn send(&mut self, at: u64, frame: Frame) {
        self.ctx.now = Time(at);
        self.medium.send::<AnyRun>(&mut self.ctx, frame);
        assert!(self.medium.take_fresh(&mut self.ctx, Time::ZERO).is_none(), "its signal start is scheduled");
    }

    /// Handles events up to `until`, as the event loop does.
    fn run_until(&mut self, until: Time) {
        let Bench { medium, ctx, indications, events } = self;
        let mut is_first = true;
        while ctx.events.next_time().is_some_and(|at| at <= until) {
            *events -= u64::from(is_first && medium.take_pause());
            is_first = false;
            let Some((key, Event::Phy { timer, transmission, .. })) = ctx.events.pop() else {
                panic!("no event of the PHY")
            };
            (ctx.now, *events) = (key.time(), *events + 1);
            if timer > PhyTimer::SignalEnd {
                while medium.expire_nav(ctx, transmission, timer, until).is_some() {}
                continue;
            }
            let found = match timer {
                PhyTimer::SignalStart => pass::<SignalStart>(medium, ctx, transmission, until),
                _ => pass::<SignalEnd>(medium, ctx, transmission, until),
            };
            *events += found.1;
            indications.extend(found.0);
        }
    }
}

/// Indications of one passage, and its turns. Stations end receptions, as MACs do.
fn pass<E: Edge>(
    medium: &mut Medium,
    ctx: &mut Ctx,
    transmission: u32,
    until: Time,
) -> (Vec<(u64, u32, PhyIndication)>, u64) {
    let mut indications = Vec::new();
    let mut passage = medium.begin_passage::<E>(transmission, until);
    while let Some((radio, indication)) = medium.advance::<E, Pairwise, _>(ctx, &mut passage, &mut NoProbe) {
        indications.push((ctx.now.0, radio.0, indication));
        if matches!(indication, PhyIndication::RxEnd(_)) {
            medium.radio_mut(radio).release();
        }
    }
    (indications, passage.turns())
}

fn rts(from: u32, to: u32) -> Frame {
    let frame = Frame::blank(FrameKind::Rts, RadioId(from), RadioId(to));
    Frame { bytes: 20, airtime: Span::from_micros(352), duration: 800, ..frame }
}

#[test]
fn node_of_chain_has_two_receivers_on_each_side() {
    let mut bench = Bench::chain(8);
    let receivers = bench.medium.air.index.receivers(3);
    assert_eq!(receivers.iter().map(|receiver| receiver.radio.0).collect::<Vec<_>>(), [2, 4, 1, 5]);
    assert_eq!(receivers[0].delay(), Span(667));
    assert_eq!(bench.medium.neighbors_at_start()[3], [RadioId(2), RadioId(4)]);
}

#[test]
fn signal_reaches_each_receiver_after_its_delay() {
    let mut bench = Bench::chain(4);
    for radio in (0..4).map(RadioId) {
        bench.medium.radio_mut(radio).cca_reporting = CcaReporting::Immediate;
    }
    bench.send(0, rts(0, 1));
    bench.run_until(Time::NEVER);
    let (busy, end) = (PhyIndication::Busy, PhyIndication::RxEnd);
    let expected =
        [(667, 1, busy), (1334, 2, busy), (352_667, 1, end(Reception::Clean)), (353_334, 2, end(Reception::Errored))];
    assert_eq!(bench.indications, expected);
    assert_eq!((bench.medium.air.transmissions.free(), bench.events), (&[0][..], 2));
}

/// Two nodes send, one `apart` nanoseconds after the other. Returns radios, indications and the number of events. With
/// `pauses`, the loop stops whenever a signal may reach a receiver.
fn collide(places: &[(u32, u32)], apart: u64, pauses: bool) -> (String, u64) {
    let mut bench = Bench::new(places.iter().map(|&(x, y)| (f64::from(x), f64::from(y))));
    for radio in (0..places.len() as u32).map(RadioId) {
        bench.medium.set_nav_rule(radio, NavRule::new(Span::from_micros(364)));
        bench.medium.radio_mut(radio).awaits =
            [AccessWait::Nothing, AccessWait::Idle, AccessWait::NavExpiry][radio.index() % 3];
        if radio.0 % 5 == 0 {
            bench.medium.radio_mut(radio).cca_reporting = CcaReporting::Immediate;
        }
    }
    bench.send(1_000, rts(0, 2));
    bench.send(1_000 + apart, rts(1, 3));
    if pauses {
        // Signal starts, signal ends, and expiries of the NAV: 3 us apart at most, and 2.9 us of delay.
        for base in [1_000, 353_000, 717_000, 1_153_000] {
            (base..base + 6_000).for_each(|at| bench.run_until(Time(at)));
        }
    }
    bench.run_until(Time::NEVER);
    (format!("{:?} {:?}", bench.medium.air.radios, bench.indications), bench.events)
}

proptest! {
    #[test]
    fn pausing_anywhere_changes_no_radio_and_no_event_count(
        places in proptest::collection::vec((0u32..600, 0u32..600), 4..60),
        apart in 0u64..3_000,
    ) {
        prop_assert_eq!(collide(&places, apart, true), collide(&places, apart, false));
    }
}
