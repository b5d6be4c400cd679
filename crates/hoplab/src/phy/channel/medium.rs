//! The air: who hears whom, and the frames on their way.
//!
//! One event walks the first bit of a frame past its receivers in order of distance, another one its last bit. Each
//! receiver is visited at its exact time; the walk goes on without a new event as long as nothing else comes before.

use super::nav_expiry::List;
use crate::kernel::{Key, NodeId, Span, Time, Watts};
use crate::mobility::Trajectory;
use crate::packet::Frame;
use crate::phy::config::{RadioConfig, RxModel};
use crate::phy::errors::Errors;
use crate::phy::neighbors::ReceiverIndex;
use crate::phy::propagation::{Fading, LIGHT};
use crate::phy::receiver::NavRule;
use crate::phy::receiver::Radio;
use crate::phy::reception::Sinr;
use crate::sim::{Ctx, Event, PhyTimer};

/// Timer of a walk of first bits.
pub const SIGNAL_STARTS: PhyTimer = PhyTimer::SignalStart;
/// Timer of a walk of last bits.
pub const SIGNAL_ENDS: PhyTimer = PhyTimer::SignalEnd;
/// Timer of those who wait for the end of the reservation that a frame has made by its Duration field.
pub const READ_RELEASE: PhyTimer = PhyTimer::NavExpiryRead;
/// Timer of those who could not read the frame.
pub(in crate::phy) const UNREAD_RELEASE: PhyTimer = PhyTimer::NavExpiryUnread;
/// Timer of those who have ignored the frame.
pub(in crate::phy) const IGNORED_RELEASE: PhyTimer = PhyTimer::NavExpiryIgnored;
const WALKS: usize = PhyTimer::COUNT;

/// A node that can sense another one's frames, at least by chance.
#[derive(Clone, Copy, Debug)]
pub struct Receiver {
    /// Who.
    pub node: NodeId,
    /// Propagation delay in nanoseconds; 32 bits keep a receiver within 16 bytes.
    pub(in crate::phy) delay: u32,
    /// Received power in watts, or its mean where chance takes part in each frame.
    pub power: f64,
}

impl Receiver {
    /// A node at this distance that gets this power.
    pub fn new(node: NodeId, metres: f64, power: f64) -> Receiver {
        Receiver { node, delay: Receiver::delay_at(metres), power }
    }

    /// Propagation delay over a distance, in nanoseconds. Four seconds are the length of 3 times the way to the moon.
    #[inline]
    pub(in crate::phy) fn delay_at(metres: f64) -> u32 {
        // Behind 2^52 nothing is left of a number's fraction, and the number is in the last bits.
        const WHOLE: f64 = (1u64 << 52) as f64;
        (metres * (1e9 / LIGHT) + WHOLE).to_bits() as u32
    }

    /// Propagation delay.
    #[inline]
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
    Idle,
    /// The medium is busy.
    Busy,
    /// Nothing.
    Unnoticed,
}

/// Radios of all nodes, and frames on their way.
#[derive(Debug)]
pub struct Medium {
    pub(in crate::phy) radios: Vec<Radio>,
    pub(in crate::phy) places: ReceiverIndex,
    pub(in crate::phy) transmissions: Vec<Transmission>,
    pub(in crate::phy) free: Vec<u32>,
    pub(in crate::phy) rx_threshold: f64,
    pub(in crate::phy) cs_threshold: f64,
    pub(in crate::phy) capture_ratio: f64,
    /// The random part of received power that is drawn for each frame.
    pub(in crate::phy) fading: Option<Fading>,
    /// What spoils frames that are strong enough.
    pub(in crate::phy) errors: Option<Errors>,
    /// Receivers that add interference up, instead of comparing frames in pairs.
    pub(in crate::phy) sinr: Option<Box<Sinr>>,
    /// Frames that each node has sent.
    sent: Vec<u64>,
    /// Neither fading of frames nor errors nor sums of interference.
    pub(in crate::phy) is_plain: bool,
    /// A frame that has just been sent: its first bits may pass their receivers before any other event.
    fresh: Option<u32>,
    /// The transmission whose last bit is being told to a MAC, and the place of its node among the receivers.
    pub(in crate::phy) telling: Option<(u32, u32)>,
    /// What frames for others need of stations: the last one's rule, where nodes differ. The others look after the ends of
    /// reservations that are theirs alone themselves.
    pub(in crate::phy) rule: Option<NavRule>,
}

#[derive(Clone, Debug)]
pub(in crate::phy) struct Transmission {
    pub(in crate::phy) frame: Frame,
    pub(in crate::phy) start: Time,
    /// Of each kind of walk: its place in the order of scheduling, if it has one yet, and who comes next.
    pub(in crate::phy) tickets: [Key; WALKS],
    pub(in crate::phy) visited: [u32; WALKS],
    /// Who waits for the end of what it has reserved, by [`Reservation`].
    pub(in crate::phy) waiting: [List; 3],
    /// Walks that must be over before it is forgotten.
    pub(in crate::phy) walks: u8,
    /// Its place among the sender's frames.
    pub(in crate::phy) count: u64,
    /// Its sender has been switched off before its end.
    pub(in crate::phy) is_cut: bool,
    /// Number of the list of those who sense it.
    pub(in crate::phy) receivers: u32,
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
        let fading = Fading::of_frames(config, seed);
        let errors = Errors::new(config, nodes, seed);
        Medium {
            radios: vec![Radio::default(); nodes],
            places: ReceiverIndex::new(ways, &heard, tx_powers, seed),
            transmissions: Vec::new(),
            free: Vec::new(),
            rx_threshold: config.rx_threshold.0,
            cs_threshold: config.cs_threshold.0,
            is_plain: fading.is_none() && errors.is_none() && sinr.is_none(),
            fading,
            errors,
            sinr,
            sent: vec![0; nodes],
            capture_ratio: config.capture_ratio,
            fresh: None,
            telling: None,
            rule: None,
        }
    }

    /// Who can receive whose frames at the start, when nothing else is on the air; by mean power where chance takes
    /// part in each frame.
    pub fn neighbors_at_start(&mut self) -> Vec<Vec<NodeId>> {
        self.neighbors(Time::ZERO)
    }

    /// The same at `now`, not before any earlier question.
    pub fn neighbors(&mut self, now: Time) -> Vec<Vec<NodeId>> {
        let mut list = |node| {
            let list = self.places.find(node, now);
            let receivers = self.places.receivers(list).iter();
            receivers.filter(|receiver| receiver.power >= self.rx_threshold).map(|receiver| receiver.node).collect()
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

    /// Tells what frames for others need of a node's station, if there is a rule for that.
    pub fn set_nav_rule(&mut self, node: NodeId, rule: Option<NavRule>) {
        self.radios[node.index()].nav_rule = rule;
        self.rule = rule.or(self.rule);
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

    /// The frame that a node's receiver follows, if any.
    pub fn followed(&self, node: NodeId) -> Option<&Frame> {
        self.radios[node.index()].followed().map(|id| &self.transmissions[id as usize].frame)
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
            None if was_busy => Switched::Idle,
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
        let receivers = self.places.find(src, ctx.now);
        let Some(nearest) = self.places.receivers(receivers).first() else { return };
        let first = ctx.now + nearest.delay();
        let last = first + frame.airtime;
        self.places.begin(receivers);
        let id = self.free.pop().unwrap_or_else(|| {
            self.transmissions.push(Transmission::blank(frame));
            self.transmissions.len() as u32 - 1
        });
        let sent = &mut self.transmissions[id as usize];
        sent.receivers = receivers;
        sent.frame = frame;
        sent.start = ctx.now;
        sent.tickets[usize::from(SIGNAL_STARTS)] = ctx.events.reserve_key(first);
        sent.tickets[usize::from(SIGNAL_ENDS)] = ctx.events.reserve_key(last);
        // Taken now: where two walks go on together, who ignores a frame is known in another order than event by event.
        sent.tickets[usize::from(IGNORED_RELEASE)] = ctx.events.reserve_key(last);
        sent.visited = [0; WALKS];
        sent.walks = 1;
        sent.count = count;
        sent.is_cut = false;
        let ticket = sent.tickets[usize::from(SIGNAL_ENDS)];
        debug_assert!(self.fresh.is_none(), "an event starts one transmission at most");
        self.fresh = Some(id);
        ctx.events.schedule_reserved(ticket, last, walk_event(SIGNAL_ENDS, src, id));
    }

    /// The transmission that the event just handled has started, if its first bits reach somebody by `until` and before
    /// everything else; otherwise their walk has been scheduled. To be asked after every event.
    #[inline]
    pub fn take_fresh(&mut self, ctx: &mut Ctx, until: Time) -> Option<(Time, u32)> {
        let id = self.fresh.take()?;
        let sent = &self.transmissions[id as usize];
        let first = sent.start + self.places.receivers(sent.receivers)[0].delay();
        if sent.tickets[0].moved(first) < ctx.events.bound(until) {
            return Some((first, id));
        }
        ctx.events.schedule_reserved(sent.tickets[0], first, walk_event(SIGNAL_STARTS, sent.frame.ta, id));
        None
    }
}

impl Transmission {
    /// When its last bit leaves its sender.
    #[inline]
    pub(in crate::phy) fn end(&self) -> Time {
        self.start + self.frame.airtime
    }

    /// A place for transmissions, with nothing in it yet.
    fn blank(frame: Frame) -> Transmission {
        let ticket = Key::default();
        Transmission {
            frame,
            start: Time::ZERO,
            tickets: [ticket; WALKS],
            visited: [0; WALKS],
            waiting: Default::default(),
            walks: 0,
            count: 0,
            is_cut: false,
            receivers: 0,
        }
    }
}

pub(in crate::phy) fn walk_event(timer: PhyTimer, src: NodeId, transmission: u32) -> Event {
    Event::Phy { timer, ta: src, transmission }
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
        let receivers = medium.places.receivers(3);
        assert_eq!(receivers.iter().map(|receiver| receiver.node.0).collect::<Vec<_>>(), [2, 4, 1, 5]);
        assert_eq!(receivers[0].delay(), Span(667));
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
        let mut walk = |medium: &mut Medium, ctx: &mut Ctx, id: u32, slot: PhyTimer| {
            let mut walk = medium.begin_walk(id, slot);
            while let Some(now) = medium.next_visit(ctx, &walk, Time::NEVER) {
                visits.push((slot as u8, medium.receiver(&walk).0, now.0));
                walk.step();
            }
            medium.end_walk(ctx, &walk, None);
        };
        let (_, id) = medium.take_fresh(&mut ctx, Time::NEVER).expect("nothing comes before the first bit");
        walk(&mut medium, &mut ctx, id, SIGNAL_STARTS);
        while let Some((_, event)) = ctx.events.pop() {
            let Event::Phy { timer, transmission, .. } = event else { panic!("{event:?}") };
            walk(&mut medium, &mut ctx, transmission, timer);
        }
        assert_eq!(visits, [(0, 1, 667), (0, 2, 1333), (1, 1, 352_667), (1, 2, 353_333)]);
        assert_eq!(medium.free, [0]);
    }
}
