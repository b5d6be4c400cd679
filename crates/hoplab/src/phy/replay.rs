//! Frames sent at given times, without stations: which of them their receivers decode.
//!
//! `hoplab bound` plays its schedules in this way: what is possible is then shown by the radios of a run.

use super::channel::{Edge, Medium, NoProbe, SignalEnd, SignalStart};
use super::receiver::{PhyIndication, Reception};
use super::reception::Pairwise;
use crate::kernel::Time;
use crate::packet::Frame;
use crate::sim::{Ctx, Event, PhyTimer};

/// Plays frames in the order of their times on a medium on which nothing has been sent. By frame: whether its receiver
/// decodes it. The reception model is [`Pairwise`].
pub fn replay(medium: &mut Medium, frames: &[(Time, Frame)]) -> Vec<bool> {
    let mut player =
        Player { ctx: Ctx::new(0, 0, medium.nodes()), arrived: vec![false; frames.len()], on_air: Vec::new() };
    for (index, &(at, frame)) in frames.iter().enumerate() {
        player.run_until(medium, at, frames);
        player.ctx.now = at;
        player.on_air.retain(|&sent| frames[sent].0 + frames[sent].1.airtime + LONGEST >= at);
        player.on_air.push(index);
        medium.send(&mut player.ctx, frame);
        let fresh = medium.take_fresh(&mut player.ctx, Time::ZERO);
        debug_assert!(fresh.is_none(), "the signal start is an event of its own");
    }
    player.run_until(medium, Time::NEVER, frames);
    player.arrived
}

/// A signal is gone so long after its end at the sender.
const LONGEST: crate::kernel::Span = crate::kernel::Span::from_millis(1);

struct Player {
    ctx: Ctx,
    arrived: Vec<bool>,
    /// Frames whose signals may still arrive somewhere.
    on_air: Vec<usize>,
}

impl Player {
    fn run_until(&mut self, medium: &mut Medium, until: Time, frames: &[(Time, Frame)]) {
        while self.ctx.events.next_time().is_some_and(|at| at <= until) {
            let Some((key, Event::Phy { timer, transmission, .. })) = self.ctx.events.pop() else {
                unreachable!("nothing but signals is scheduled")
            };
            self.ctx.now = key.time();
            match timer {
                PhyTimer::SignalStart => self.pass::<SignalStart>(medium, transmission, until, frames),
                PhyTimer::SignalEnd => self.pass::<SignalEnd>(medium, transmission, until, frames),
                _ => while medium.expire_nav(&mut self.ctx, transmission, timer, until).is_some() {},
            }
        }
    }

    fn pass<E: Edge>(&mut self, medium: &mut Medium, transmission: u32, until: Time, frames: &[(Time, Frame)]) {
        let mut passage = medium.begin_passage::<E>(transmission, until);
        while let Some((node, indication)) = medium.advance::<E, Pairwise, _>(&mut self.ctx, &mut passage, &mut NoProbe)
        {
            let PhyIndication::RxEnd(reception) = indication else { continue };
            let ended = medium.frame(transmission);
            medium.radio_mut(node).release();
            if reception == Reception::Clean && ended.ra == node {
                let is_it = |&&sent: &&usize| {
                    let frame = &frames[sent].1;
                    frame.ta == ended.ta && frame.kind == ended.kind && !self.arrived[sent]
                };
                if let Some(&sent) = self.on_air.iter().find(is_it) {
                    self.arrived[sent] = true;
                }
            }
        }
    }
}
