//! Frames sent at given times on the radios of a run, without stations: which of them arrive.

use super::channel::{Detection, Edge, Medium, NoProbe, SignalEnd, SignalStart};
use super::receiver::{CcaReporting, PhyIndication, Reception};
use super::reception::{Compiled, Cumulative, Impaired, Ofdm, Pairwise, ReceptionKind};
use crate::kernel::{AnyRun, RadioId, Span, Time};
use crate::packet::Frame;
use crate::sim::{Ctx, Event, PhyTimer};

/// Sends frames at their times, which do not decrease, on stationary radios. By frame: whether its receiver has decoded it.
pub fn play(medium: &mut Medium, frames: &[(Time, Frame)]) -> Vec<bool> {
    let nodes = medium.nodes();
    for radio in (0..nodes as u32).map(RadioId) {
        // All frames are indicated here, in place of a station.
        medium.set_nav_rule(radio, None);
        medium.radio_mut(radio).cca_reporting = CcaReporting::Nothing;
    }
    let mut played = Played { ctx: Ctx::new(0, 0, nodes), medium, arrived: vec![false; frames.len()] };
    for (index, &(at, frame)) in frames.iter().enumerate() {
        played.run(at);
        played.ctx.now = at;
        played.medium.send::<AnyRun>(&mut played.ctx, Frame { note: index as u32, ..frame });
        let until = frames.get(index + 1).map_or(at + Span::from_secs(1.0), |next| next.0);
        if let Some((first, id)) = played.medium.take_fresh(&mut played.ctx, until) {
            played.ctx.now = first;
            played.pass::<SignalStart>(id, until);
        }
    }
    let end = played.ctx.now + Span::from_secs(1.0);
    played.run(end);
    played.arrived
}

struct Played<'a> {
    ctx: Ctx,
    medium: &'a mut Medium,
    arrived: Vec<bool>,
}

impl Played<'_> {
    /// Handles all events up to and including `until`.
    fn run(&mut self, until: Time) {
        while self.ctx.events.next_time().is_some_and(|at| at <= until) {
            let Some((key, event)) = self.ctx.events.pop() else { break };
            self.ctx.now = key.time();
            match event {
                Event::Phy { timer: PhyTimer::SignalStart, transmission, .. } => {
                    self.pass::<SignalStart>(transmission, until);
                }
                Event::Phy { timer: PhyTimer::SignalEnd, transmission, .. } => {
                    self.pass::<SignalEnd>(transmission, until);
                }
                Event::Phy { timer: PhyTimer::Detection, transmission, .. } => {
                    self.advance::<Detection, Ofdm>(transmission, until);
                }
                // No station waits for a NAV.
                _ => {}
            }
        }
    }

    fn pass<E: Edge>(&mut self, id: u32, until: Time) {
        match self.medium.reception() {
            ReceptionKind::Pairwise => self.advance::<E, Pairwise>(id, until),
            ReceptionKind::Impaired => self.advance::<E, Impaired>(id, until),
            ReceptionKind::Cumulative => self.advance::<E, Cumulative>(id, until),
            ReceptionKind::Ofdm => self.advance::<E, Ofdm>(id, until),
        }
    }

    fn advance<E: Edge, M: Compiled>(&mut self, id: u32, until: Time) {
        let mut passage = self.medium.begin_passage::<E>(id, until);
        while let Some((radio, indication)) = self.medium.advance::<E, M, _>(&mut self.ctx, &mut passage, &mut NoProbe)
        {
            let PhyIndication::RxEnd(reception) = indication else { continue };
            let frame = self.medium.frame(passage.transmission());
            self.arrived[frame.note as usize] |= frame.ra == radio && reception == Reception::Clean;
            self.medium.radio_mut(radio).release();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mobility::Trajectory;
    use crate::packet::FrameKind;
    use crate::phy::RadioConfig;

    const AIRTIME: Span = Span::from_micros(300);

    /// Whether two frames arrive on a chain of nodes 200 m apart, the second `later` after the first.
    fn both(config: &RadioConfig, [first, second]: [(u32, u32); 2], later: Span) -> Vec<bool> {
        let nodes = 8;
        let places = (0..nodes).map(|radio| Trajectory::still(200.0 * f64::from(radio), 0.0)).collect();
        let mut medium = Medium::new(places, config, &vec![config.tx_power; nodes as usize], 1);
        let frame = |(ta, ra): (u32, u32)| Frame {
            bytes: 14,
            airtime: AIRTIME,
            ..Frame::blank(FrameKind::Ack, RadioId(ta), RadioId(ra))
        };
        play(&mut medium, &[(Time::ZERO, frame(first)), (Time::ZERO + later, frame(second))])
    }

    #[test]
    fn replayed_frames_collide_as_in_a_run() {
        let config = RadioConfig::default();
        assert_eq!(both(&config, [(0, 1), (2, 1)], Span(0)), [false, false], "equal powers");
        assert_eq!(both(&config, [(0, 1), (2, 3)], Span(10_000)), [false, true], "one hop from the receiver");
        assert_eq!(both(&config, [(0, 1), (3, 4)], Span(10_000)), [true, true], "captured over two hops");
        assert_eq!(both(&config, [(0, 1), (1, 0)], Span(10_000)), [false, false], "half-duplex");
        assert_eq!(both(&config, [(0, 1), (2, 1)], AIRTIME + Span(2_000)), [true, true], "one after the other");
    }

    #[test]
    fn replay_adds_interference() {
        let config = RadioConfig::std();
        assert_eq!(both(&config, [(0, 1), (3, 4)], Span(10_000)), [true, true]);
        assert!(!both(&config, [(0, 1), (2, 1)], Span(10_000))[1], "locked on the first");
    }
}
