//! The air: who hears whom, and the frames on their way.
//!
//! One event walks the first bit of a frame past its hearers in order of distance, another one its last bit. Each
//! hearer is visited at its exact time; the walk goes on without a new event as long as nothing else comes before.

use super::config::{RadioConfig, RxModel};
use super::errors::Errors;
use super::places::Places;
use super::propagation::{Fading, LIGHT};
use super::radio::{Arrival, Radio, Reception};
use super::sinr::{Bit, Sinr};
use crate::kernel::{Event, Floor, Key, NodeId, Span, Time, Watts};
use crate::mobility::Trajectory;
use crate::packet::Frame;
use crate::trace::Ctx;

/// Timer slot of a walk of first bits.
pub const FIRST_BITS: u8 = 0;
/// Timer slot of a walk of last bits.
pub const LAST_BITS: u8 = 1;

/// A node that can sense another one's frames, at least by chance.
#[derive(Clone, Copy, Debug)]
pub struct Hearer {
    /// Who.
    pub node: NodeId,
    /// Propagation delay in nanoseconds; 32 bits keep a hearer within 16 bytes.
    delay: u32,
    /// Received power in watts, or its mean where chance takes part in each frame.
    pub power: f64,
}

impl Hearer {
    /// A node at this distance that gets this power.
    pub fn new(node: NodeId, metres: f64, power: f64) -> Hearer {
        // Four seconds are the length of 3 times the way to the moon.
        let delay = Span::from_secs(metres / LIGHT).0.min(u64::from(u32::MAX)) as u32;
        Hearer { node, delay, power }
    }

    /// Propagation delay.
    pub fn delay(&self) -> Span {
        Span(u64::from(self.delay))
    }
}

/// What switching a radio off or on means to its MAC.
#[derive(Clone, Copy, Debug)]
pub enum Switched {
    /// It must let go of this frame, which it was following.
    Released(Frame),
    /// The medium has become quiet.
    Quiet,
    /// The medium is busy.
    Busy,
    /// Nothing.
    Unnoticed,
}

/// Radios of all nodes, and frames on their way.
#[derive(Debug)]
pub struct Medium {
    radios: Vec<Radio>,
    places: Places,
    transmissions: Vec<Transmission>,
    free: Vec<u32>,
    rx_threshold: f64,
    cs_threshold: f64,
    capture_ratio: f64,
    /// The random part of received power that is drawn for each frame.
    fading: Option<Fading>,
    /// What spoils frames that are strong enough.
    errors: Option<Errors>,
    /// Receivers that add interference up, instead of comparing frames in pairs.
    sinr: Option<Box<Sinr>>,
    /// Frames that each node has sent.
    sent: Vec<u64>,
    /// A frame that has just been sent: its first bits may pass their hearers before any other event.
    fresh: Option<u32>,
}

#[derive(Clone, Debug)]
struct Transmission {
    frame: Frame,
    start: Time,
    tickets: [Key; 2],
    visited: [u32; 2],
    /// Its place among the sender's frames.
    count: u64,
    /// Its sender has been switched off before its end.
    is_cut: bool,
    /// Who senses it, if nodes move; the list is kept for the next transmission of this number.
    hearers: Vec<Hearer>,
}

/// A frame's first or last bit on its way past the hearers.
#[derive(Debug)]
pub struct Walk {
    transmission: u32,
    slot: u8,
    /// The frame.
    pub frame: Frame,
    base: Time,
    ticket: Key,
    next: usize,
    count: u64,
    is_cut: bool,
    hearers: Vec<Hearer>,
}

impl Medium {
    /// Radios of nodes on these ways; `tx_powers` are those of the nodes; chance comes from `seed`.
    pub fn new(ways: Vec<Trajectory>, config: &RadioConfig, tx_powers: &[Watts], seed: u64) -> Medium {
        let nodes = ways.len();
        let sinr = (config.rx_model == RxModel::Sinr).then(|| Box::new(Sinr::new(config, nodes, seed)));
        // A sum of interference has terms that nobody senses alone.
        let heard = match sinr {
            Some(_) => RadioConfig { cs_threshold: Watts(Sinr::least_power(config)), ..config.clone() },
            None => config.clone(),
        };
        Medium {
            radios: vec![Radio::default(); nodes],
            places: Places::new(ways, &heard, tx_powers, seed),
            transmissions: Vec::new(),
            free: Vec::new(),
            rx_threshold: config.rx_threshold.0,
            cs_threshold: config.cs_threshold.0,
            fading: Fading::of_frames(config, seed),
            errors: Errors::new(config, nodes, seed),
            sinr,
            sent: vec![0; nodes],
            capture_ratio: config.capture_ratio,
            fresh: None,
        }
    }

    /// Who can receive whose frames at the start, when nothing else is on the air; by mean power where chance takes
    /// part in each frame.
    pub fn neighbors_at_start(&mut self) -> Vec<Vec<NodeId>> {
        self.neighbors(Time::ZERO)
    }

    /// The same at `now`, not before any earlier question.
    pub fn neighbors(&mut self, now: Time) -> Vec<Vec<NodeId>> {
        let mut found = Vec::new();
        let mut list = |node| {
            if self.places.are_still() {
                found.clear();
                found.extend_from_slice(self.places.still(node));
            } else {
                self.places.find(node, now, &mut found);
            }
            found.iter().filter(|hearer| hearer.power >= self.rx_threshold).map(|hearer| hearer.node).collect()
        };
        (0..self.radios.len() as u32).map(NodeId).map(&mut list).collect()
    }

    /// Whether every node stands still.
    pub fn is_still(&self) -> bool {
        self.places.are_still()
    }

    /// Time after which a frame of `node` has passed everybody.
    pub fn farthest_delay(&self, node: NodeId) -> Span {
        self.places.farthest_delay(node)
    }

    /// The receiver of a node.
    #[inline]
    pub fn radio(&self, node: NodeId) -> &Radio {
        &self.radios[node.index()]
    }

    /// The receiver of a node, to be changed.
    #[inline]
    pub fn radio_mut(&mut self, node: NodeId) -> &mut Radio {
        &mut self.radios[node.index()]
    }

    /// The frame that a node's receiver follows, if any, and whether another one has destroyed it.
    pub fn followed(&self, node: NodeId) -> Option<(&Frame, bool)> {
        let radio = &self.radios[node.index()];
        radio.followed().map(|id| (&self.transmissions[id as usize].frame, radio.has_collided()))
    }

    /// Switches a node's radio off or on. What its MAC must know of it; a frame that it was sending is lost to everybody.
    pub fn switch(&mut self, now: Time, node: NodeId, is_on: bool) -> Switched {
        let radio = &mut self.radios[node.index()];
        radio.switch(is_on);
        let was_busy = radio.is_receiving();
        let followed = radio.followed().filter(|_| !is_on);
        if let Some(sinr) = &mut self.sinr {
            radio.has_carrier = sinr.switch(node, is_on);
        }
        if is_on {
            return if radio.is_receiving() && !was_busy { Switched::Busy } else { Switched::Unnoticed };
        }
        for id in 0..self.transmissions.len() as u32 {
            let sent = &mut self.transmissions[id as usize];
            if sent.frame.ta == node && sent.start <= now && now < sent.start + sent.frame.airtime {
                sent.is_cut = true;
                self.radios.iter_mut().for_each(|radio| radio.spoil(id));
            }
        }
        match followed {
            Some(id) => Switched::Released(self.transmissions[id as usize].frame),
            None if was_busy => Switched::Quiet,
            None => Switched::Unnoticed,
        }
    }

    /// Puts a frame on the air now; that of a radio which is switched off comes to nothing.
    pub fn send(&mut self, ctx: &mut Ctx, frame: Frame) {
        let src = frame.ta;
        if self.radios[src.index()].is_off() {
            return;
        }
        ctx.frame_sent(&frame);
        self.radios[src.index()].on_send(ctx.now + frame.airtime);
        let count = self.sent[src.index()];
        self.sent[src.index()] += 1;
        let id = self.free.pop().unwrap_or_else(|| {
            self.transmissions.push(Transmission::blank(frame));
            self.transmissions.len() as u32 - 1
        });
        let sent = &mut self.transmissions[id as usize];
        let nearest = if self.places.are_still() {
            self.places.still(src).first()
        } else {
            self.places.find(src, ctx.now, &mut sent.hearers);
            sent.hearers.first()
        };
        let Some(nearest) = nearest else {
            self.free.push(id);
            return;
        };
        let first = ctx.now + nearest.delay();
        let last = first + frame.airtime;
        sent.frame = frame;
        sent.start = ctx.now;
        sent.tickets = [ctx.events.ticket(first), ctx.events.ticket(last)];
        sent.visited = [0, 0];
        sent.count = count;
        sent.is_cut = false;
        let ticket = sent.tickets[1];
        debug_assert!(self.fresh.is_none(), "an event starts one transmission at most");
        self.fresh = Some(id);
        ctx.events.reschedule(ticket, last, walk_event(LAST_BITS, src, id));
    }

    /// The transmission that the event just handled has started, if its first bits reach somebody by `until` and before
    /// everything else; otherwise their walk has been scheduled. To be asked after every event.
    #[inline]
    pub fn take_fresh(&mut self, ctx: &mut Ctx, until: Time) -> Option<(Time, u32)> {
        let id = self.fresh.take()?;
        let sent = &self.transmissions[id as usize];
        let src = sent.frame.ta;
        let nearest = if self.places.are_still() { &self.places.still(src)[0] } else { &sent.hearers[0] };
        let first = sent.start + nearest.delay();
        if first <= until && ctx.events.is_before_all(sent.tickets[0], first) {
            return Some((first, id));
        }
        ctx.events.reschedule(sent.tickets[0], first, walk_event(FIRST_BITS, src, id));
        None
    }

    /// Begins, or goes on with, the walk of a transmission's first or last bit past its hearers. The list of hearers is
    /// lent to the caller until [`Medium::end_walk`].
    #[inline]
    pub fn begin_walk(&mut self, transmission: u32, slot: u8) -> Walk {
        let sent = &mut self.transmissions[transmission as usize];
        let mut hearers = std::mem::take(&mut sent.hearers);
        self.places.swap_still(sent.frame.ta, &mut hearers);
        let base = if slot == LAST_BITS { sent.start + sent.frame.airtime } else { sent.start };
        Walk {
            transmission,
            slot,
            frame: sent.frame,
            base,
            ticket: sent.tickets[slot as usize],
            next: sent.visited[slot as usize] as usize,
            count: sent.count,
            is_cut: sent.is_cut,
            hearers,
        }
    }

    /// Ends a walk for now: what is left of it is scheduled, a transmission that has passed everybody is forgotten.
    #[inline]
    pub fn end_walk(&mut self, ctx: &mut Ctx, mut walk: Walk) {
        let src = walk.frame.ta;
        if let Some(hearer) = walk.hearers.get(walk.next) {
            self.transmissions[walk.transmission as usize].visited[walk.slot as usize] = walk.next as u32;
            let at = walk.base + hearer.delay();
            ctx.events.reschedule(walk.ticket, at, walk_event(walk.slot, src, walk.transmission));
        } else if walk.slot == LAST_BITS {
            self.free.push(walk.transmission);
        }
        self.places.swap_still(src, &mut walk.hearers);
        self.transmissions[walk.transmission as usize].hearers = walk.hearers;
    }

    /// The first bit of a walk's frame reaches a hearer. `None`: chance has made it too weak to be sensed, or the hearer is
    /// switched off.
    #[inline]
    pub fn arrive(&mut self, now: Time, walk: &Walk, hearer: Hearer) -> Option<Arrival> {
        let mut power = hearer.power;
        if let Some(fading) = &self.fading {
            power *= fading.factor(walk.frame.ta, hearer.node, walk.count);
            if power < self.cs_threshold && self.sinr.is_none() {
                return None;
            }
        }
        if self.sinr.is_some() {
            return self.join(now, walk, hearer.node, power);
        }
        let threshold = if walk.is_cut { f64::INFINITY } else { self.rx_threshold };
        let ratio = self.capture_ratio;
        let radio = &mut self.radios[hearer.node.index()];
        if radio.is_off() {
            return None;
        }
        let arrival = radio.on_arrival(now, walk.transmission, power, walk.frame.airtime, threshold, ratio);
        if let Some(errors) = &mut self.errors
            && arrival == Arrival::Followed
            && radio.is_readable()
            && errors.spoils(now, &walk.frame, power, hearer.node, walk.count)
        {
            radio.add_noise();
        }
        Some(arrival)
    }

    /// Whether receivers add interference up: then [`Medium::leave`] is to be called at every last bit.
    #[inline]
    pub fn adds_up(&self) -> bool {
        self.sinr.is_some()
    }

    /// A frame joins the sum at a receiver. `Followed` if the medium becomes busy there.
    fn join(&mut self, now: Time, walk: &Walk, node: NodeId, power: f64) -> Option<Arrival> {
        let sinr = self.sinr.as_mut()?;
        let radio = &mut self.radios[node.index()];
        let was_busy = radio.is_receiving();
        let bit = walk.bit(now, node);
        let heard = sinr.on_first_bit(&bit, power, radio.is_sending(now) || radio.is_off());
        if radio.is_off() {
            return None;
        }
        if heard.is_locked {
            radio.follow(walk.transmission);
            if walk.is_cut {
                radio.spoil(walk.transmission);
            }
            if let Some(errors) = &mut self.errors
                && power >= self.rx_threshold
                && errors.spoils(now, &walk.frame, power, node, walk.count)
            {
                radio.add_noise();
            }
        }
        radio.has_carrier = heard.is_busy;
        (heard.is_busy && !was_busy).then_some(Arrival::Followed)
    }

    /// A frame leaves the sum at a receiver: its last bit has passed.
    pub fn leave(&mut self, now: Time, walk: &Walk, node: NodeId) -> Departure {
        let Some(sinr) = self.sinr.as_mut() else { return Departure::Unnoticed };
        let radio = &mut self.radios[node.index()];
        let was_busy = radio.is_receiving();
        let (reception, is_busy) = sinr.on_last_bit(&walk.bit(now, node));
        if radio.is_off() {
            return Departure::Unnoticed;
        }
        radio.has_carrier = is_busy;
        match reception {
            // What happened at this node itself weighs more: it was sending, or noise was drawn for it.
            Some(reception) => Departure::Received(match radio.outcome(now) {
                Reception::Clean => reception,
                own => own,
            }),
            None if was_busy && !is_busy => Departure::Quiet,
            None => Departure::Unnoticed,
        }
    }
}

/// What the end of a frame means at a receiver that adds interference up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// It was the frame that the receiver followed.
    Received(Reception),
    /// It was not, and nothing is on the air any longer.
    Quiet,
    /// Nothing.
    Unnoticed,
}

impl Transmission {
    /// A place for transmissions, with nothing in it yet.
    fn blank(frame: Frame) -> Transmission {
        let ticket = Key::default();
        Transmission {
            frame,
            start: Time::ZERO,
            tickets: [ticket; 2],
            visited: [0, 0],
            count: 0,
            is_cut: false,
            hearers: Vec::new(),
        }
    }
}

impl Walk {
    /// The hearer to be visited now.
    #[inline]
    pub fn hearer(&self) -> Hearer {
        self.hearers[self.next]
    }

    fn bit(&self, now: Time, node: NodeId) -> Bit<'_> {
        Bit { now, node, transmission: self.transmission, frame: &self.frame, count: self.count }
    }

    /// Moves on. The time of the next visit, if there is one by `until` and nothing else comes before it.
    #[inline]
    pub fn step(&mut self, ctx: &Ctx, until: Time) -> Option<Time> {
        self.next += 1;
        let at = self.base + self.hearers.get(self.next)?.delay();
        (at <= until && ctx.events.is_before_all(self.ticket, at)).then_some(at)
    }
}

fn walk_event(slot: u8, src: NodeId, transmission: u32) -> Event {
    Event { floor: Floor::Phy, slot, owner: src.0, arg: transmission }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FrameKind;

    fn chain(nodes: usize) -> Medium {
        let ways = (0..nodes).map(|i| Trajectory::still(200.0 * i as f64, 0.0)).collect();
        let config = RadioConfig::default();
        Medium::new(ways, &config, &vec![config.tx_power; nodes], 1)
    }

    #[test]
    fn two_neighbors_on_each_side_sense_a_node_of_a_chain() {
        let mut medium = chain(8);
        let hearers = medium.places.still(NodeId(3));
        assert_eq!(hearers.iter().map(|hearer| hearer.node.0).collect::<Vec<_>>(), [2, 4, 1, 5]);
        assert_eq!(hearers[0].delay(), Span(667));
        assert_eq!(medium.neighbors_at_start()[3], [NodeId(2), NodeId(4)]);
    }

    #[test]
    fn a_walk_visits_each_hearer_at_its_time() {
        let mut medium = chain(4);
        let mut ctx = Ctx::new(1, 0, 5);
        let frame =
            Frame { bytes: 20, airtime: Span::from_micros(352), ..Frame::blank(FrameKind::Rts, NodeId(0), NodeId(1)) };
        medium.send(&mut ctx, frame);
        let mut visits = Vec::new();
        let mut walk = |medium: &mut Medium, ctx: &mut Ctx, mut now: Time, id: u32, slot: u8| {
            let mut walk = medium.begin_walk(id, slot);
            loop {
                visits.push((slot, walk.hearer().node.0, now.0));
                match walk.step(ctx, Time::NEVER) {
                    Some(at) => now = at,
                    None => break,
                }
            }
            medium.end_walk(ctx, walk);
        };
        let (now, id) = medium.take_fresh(&mut ctx, Time::NEVER).expect("nothing comes before the first bit");
        walk(&mut medium, &mut ctx, now, id, FIRST_BITS);
        while let Some((key, event)) = ctx.events.pop() {
            walk(&mut medium, &mut ctx, key.time(), event.arg, event.slot);
        }
        assert_eq!(visits, [(0, 1, 667), (0, 2, 1333), (1, 1, 352_667), (1, 2, 353_333)]);
        assert_eq!(medium.free, [0]);
    }
}
