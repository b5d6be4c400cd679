//! XCP's routers: a change of rate for every packet, computed once per control interval.
//!
//! # Model
//! Once per mean round trip a node's controller decides by how much the traffic through its queue is to change: a share
//! of the spare rate less a share of the standing queue. A positive change is divided equally among flows, a negative one in
//! proportion to their rates; a tenth of the traffic is shuffled for fairness. Each segment leaves with the minimum of its
//! request and the grants of the routers on its route. XCP-b does not know the capacity: it probes while the queue is empty,
//! and decelerates while it grows. XCP-Winf takes capacity and available bandwidth from rt-Winf.
//! # Source
//! Katabi 2002; `xcp/xcpq.cc` of ns-2.35; draft-falk-xcp-spec-03 (docs/specs/xcp.md section 4). XCP-b: Abrantes 2006,
//! as reconstructed in docs/specs/xcp-b.md. XCP-Winf: Barreto 2015, eqs. 16 to 24 (docs/specs/xcp-winf.md section 2).
//! # Deviations
//! One queue and one controller per node for all packets, where ns-2 has three queues (XCP, TCP, rest) in round-robin
//! order; acknowledgments, other transports and routing count as load. XCP-b is a reconstruction. Literal forms are
//! bounded where an interval would become zero.
//! # Parameters
//! Tables `[xcp]`, `[xcp_b]`, `[xcp_winf]`.

use super::context::FeedbackCtx;
use super::router::{At, FeedbackRouter, FeedbackSetup, PacketKind, PacketView};
use crate::kernel::{Span, Time};
use crate::packet::LinkEstimate;
use crate::packet::explicit::{Feedback, SpareRule, XcpBConfig, XcpConfig, XcpHeader, XcpKind, XcpWinfConfig};

/// XCP's controller of one node.
#[derive(Debug)]
pub struct Xcp {
    config: XcpConfig,
    /// Variant of the protocol whose headers it reads.
    kind: XcpKind,
    variant: Variant,
    /// Capacity of the links, in bytes per second.
    link: LinkEstimate,
    /// Mean round-trip time, in seconds.
    avg_rtt: f64,
    /// Length of the control interval that runs, in seconds.
    interval: f64,
    /// Bytes that arrived in it.
    arrived: f64,
    /// Sum of the spacings of segments in it, and of their round-trip times weighted by spacing.
    spacings: f64,
    weighted_rtts: f64,
    grant: Grant,
    /// Standing queue: the minimum of the last interval, in bytes.
    standing: f64,
    least: f64,
}

/// The remaining budget of this interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Grant {
    /// Bytes per second to be given, and how much per second of spacing.
    give: f64,
    give_rate: f64,
    /// Bytes per second to be removed, and how much per byte.
    take: f64,
    take_rate: f64,
}

#[derive(Debug)]
enum Variant {
    Base,
    Blind(Blind),
    Winf(XcpWinfConfig),
}

/// The state of XCP-b.
#[derive(Debug)]
struct Blind {
    config: XcpBConfig,
    /// Size of the queue, in bytes.
    size: f64,
    /// Maximum of a probe, in bytes per second.
    max_step: f64,
    /// Queue at the last decision, in bytes.
    before: f64,
    /// Minimum queue since then.
    least: f64,
    /// Intervals in a row in which the queue was empty at some moment, and at their end.
    idle: u32,
}

const CONTROL: u8 = 0;
const QUEUE: u8 = 1;

/// Longest round-trip time and control interval of XCP-Winf, in seconds (Barreto 2015, eq. 18).
const WINF_MAX_RTT: f64 = 0.5;

/// Longest interval that the literal eq. 24 is allowed, in seconds.
const LITERAL_MAX_INTERVAL: f64 = 10.0;

/// Length of a full packet, in bytes.
const PACKET: f64 = 1500.0;

impl Xcp {
    /// With the capacity of the interface, or the one that the scenario gives.
    pub fn base(setup: &FeedbackSetup<'_>) -> Xcp {
        Xcp::new(setup, XcpKind::Base, Variant::Base)
    }

    /// XCP-b.
    pub fn blind(setup: &FeedbackSetup<'_>) -> Xcp {
        let config = setup.explicit.xcp_b.clone();
        let packets = config.queue.filter(|_| !setup.is_wire).unwrap_or(setup.queue_limit);
        let max_step = config.max_step * setup.data_rate;
        let size = f64::from(packets) * PACKET;
        Xcp::new(
            setup,
            XcpKind::Blind,
            Variant::Blind(Blind { config, size, max_step, before: 0.0, least: 0.0, idle: 0 }),
        )
    }

    /// XCP-Winf; at a wire, whose capacity is known, the rule of XCP.
    pub fn winf(setup: &FeedbackSetup<'_>) -> Xcp {
        let variant = if setup.is_wire { Variant::Base } else { Variant::Winf(setup.explicit.xcp_winf.clone()) };
        Xcp::new(setup, XcpKind::Winf, variant)
    }

    fn new(setup: &FeedbackSetup<'_>, kind: XcpKind, variant: Variant) -> Xcp {
        let config = setup.explicit.xcp.clone();
        let capacity = config.capacity.filter(|_| !setup.is_wire).map_or(setup.data_rate, |rate| rate.0 / 8.0);
        let initial = config.initial_interval.secs();
        Xcp {
            config,
            kind,
            variant,
            link: LinkEstimate { capacity, available: capacity },
            avg_rtt: initial,
            interval: initial,
            arrived: 0.0,
            spacings: 0.0,
            weighted_rtts: 0.0,
            grant: Grant::default(),
            standing: 0.0,
            least: 0.0,
        }
    }

    fn max_rtt(&self) -> f64 {
        let limit = if matches!(self.variant, Variant::Winf(_)) { WINF_MAX_RTT } else { f64::INFINITY };
        self.config.max_rtt.secs().min(limit)
    }

    /// Interval that a segment of `bytes` represents, in seconds.
    fn spacing(&self, header: &XcpHeader, bytes: f64) -> f64 {
        match &self.variant {
            Variant::Winf(config) if config.mode.is_literal_for(config.eq16) => bytes / self.link.capacity,
            Variant::Winf(_) => header.spacing.max(bytes / self.link.capacity),
            Variant::Base | Variant::Blind(_) => header.spacing,
        }
    }

    fn on_arrival(&mut self, bytes: f64, header: Option<&XcpHeader>) {
        self.arrived += bytes;
        if let Some(header) = header.filter(|header| header.rtt > 0.0) {
            let spacing = self.spacing(header, bytes);
            self.spacings += spacing;
            self.weighted_rtts += spacing * header.rtt.min(self.max_rtt());
        }
    }

    /// Ends a control interval; `queue` bytes wait now.
    fn decide(&mut self, queue: f64, link: Option<LinkEstimate>, senders: f64) {
        let traffic = self.arrived / self.interval;
        self.avg_rtt =
            if self.spacings > 0.0 { self.weighted_rtts / self.spacings } else { self.config.initial_interval.secs() };
        if let (Variant::Winf(_), Some(link)) = (&self.variant, link) {
            self.link = link;
        }
        // XCP-b counts intervals without traffic, too.
        let change = self.change(traffic, queue, senders);
        self.grant = Grant::default();
        if self.arrived > 0.0 {
            let shuffled = (self.shuffled(traffic) - change.abs()).max(0.0);
            let mut give = change.max(0.0) + shuffled;
            let take = (-change).max(0.0) + shuffled;
            if let Variant::Winf(config) = &self.variant
                && !config.mode.is_literal_for(config.cap)
            {
                give = give.min(self.link.available + shuffled);
            }
            let spacings = if self.spacings == 0.0 { 1.0 } else { self.spacings };
            self.grant = Grant { give, give_rate: give / spacings, take, take_rate: take / self.arrived };
        }
        (self.arrived, self.spacings, self.weighted_rtts) = (0.0, 0.0, 0.0);
        self.interval = self.avg_rtt.max(self.config.min_interval.secs());
        if matches!(self.variant, Variant::Winf(_)) {
            self.interval = self.interval.min(WINF_MAX_RTT);
        }
    }

    /// By how much the traffic is to change, in bytes per second.
    fn change(&mut self, traffic: f64, queue: f64, senders: f64) -> f64 {
        let XcpConfig { alpha, beta, .. } = self.config;
        let drain = beta * self.standing / self.avg_rtt;
        match &mut self.variant {
            Variant::Base => alpha * (self.link.capacity - traffic) - drain,
            Variant::Blind(blind) => blind.change(alpha, beta, queue, self.standing, self.interval, self.avg_rtt),
            Variant::Winf(config) => {
                let LinkEstimate { capacity, available } = self.link;
                if config.mode.is_literal_for(config.eq19) {
                    return alpha * (capacity - available) - drain;
                }
                let spare = match config.spare {
                    SpareRule::Ab => available,
                    SpareRule::CMinusY => capacity - traffic,
                    SpareRule::AbShared => available / senders,
                };
                let change = alpha * spare - drain;
                if change > 0.0 { change / config.path_share } else { change }
            }
        }
    }

    /// Traffic that changes hands if the aggregate does not change, in bytes per second.
    fn shuffled(&self, traffic: f64) -> f64 {
        match &self.variant {
            Variant::Winf(config) if config.mode.is_literal_for(config.shuffle) => {
                self.config.gamma * self.link.available
            }
            _ => self.config.gamma * traffic,
        }
    }

    /// A segment leaves: its share of the remaining positive and negative change.
    fn on_departure(&mut self, bytes: f64, header: &mut XcpHeader) {
        if header.rtt == 0.0 {
            header.delta = 0.0;
            return;
        }
        let spacing = self.spacing(header, bytes);
        let grant = &mut self.grant;
        let mut given = grant.give.min(grant.give_rate * spacing);
        let mut taken = grant.take.min(grant.take_rate * bytes);
        let mut allowed = given - taken;
        if let Variant::Winf(config) = &self.variant
            && config.mode.is_literal_for(config.cap)
        {
            allowed = allowed.min(self.link.available);
        }
        if header.delta >= allowed {
            header.delta = allowed;
        } else {
            // The sender requests less than granted: the rest is not taken from other flows.
            taken = grant.take.min(taken + (allowed - header.delta));
            given = header.delta + taken;
        }
        grant.give = (grant.give - given).max(0.0);
        grant.take = (grant.take - taken).max(0.0);
        if grant.give == 0.0 {
            grant.give_rate = 0.0;
        }
        if grant.take == 0.0 {
            grant.take_rate = 0.0;
        }
    }

    /// Ends an interval of the queue; until the next, in seconds.
    fn measure_queue(&mut self, queue: f64) -> f64 {
        self.standing = self.least;
        self.least = queue;
        let least = self.config.min_queue_interval.secs();
        match &self.variant {
            Variant::Blind(_) => least.max(self.avg_rtt / 2.0),
            Variant::Winf(config) if config.mode.is_literal_for(config.eq24) => {
                let printed = queue.max(1.0 / self.avg_rtt - queue / (self.link.capacity / 2.0));
                printed.clamp(least, LITERAL_MAX_INTERVAL)
            }
            Variant::Base | Variant::Winf(_) => least.max((self.avg_rtt - queue / self.link.capacity) / 2.0),
        }
    }

    /// Averaging time of rt-Winf.
    fn window(&self) -> Span {
        let own = if let Variant::Winf(config) = &self.variant { config.window } else { None };
        own.unwrap_or_else(|| Span::from_secs((4.0 * self.avg_rtt).clamp(0.1, 1.0)))
    }
}

impl Blind {
    fn change(&mut self, alpha: f64, beta: f64, queue: f64, standing: f64, interval: f64, rtt: f64) -> f64 {
        let growth = queue - self.before;
        let is_idle = self.least == 0.0 && queue == 0.0 && self.before == 0.0;
        (self.before, self.least) = (queue, queue);
        if !is_idle {
            self.idle = 0;
            return -alpha * growth / interval - beta * (standing - f64::from(self.config.target.0)) / rtt;
        }
        self.idle += 1;
        if self.idle > self.config.late_reaction { (self.config.chi * self.size / rtt).min(self.max_step) } else { 0.0 }
    }
}

impl FeedbackRouter for Xcp {
    fn read(&self, _now: Time, put: &mut dyn FnMut(&'static str, f64)) {
        put("router_capacity_bps", self.link.capacity * 8.0);
        put("router_standing_bytes", self.standing);
    }

    fn start(&mut self, cx: &mut FeedbackCtx<'_>) {
        cx.set_first_timer(CONTROL, self.config.initial_interval);
        cx.set_first_timer(QUEUE, self.config.initial_interval);
    }

    fn on_packet(&mut self, cx: &mut FeedbackCtx<'_>, at: At, packet: &PacketView, feedback: &mut Feedback) {
        let bytes = f64::from(packet.bytes);
        let kind = self.kind;
        let header = match feedback {
            Feedback::Xcp(header) if packet.kind == PacketKind::Segment && header.kind == kind => Some(header),
            _ => None,
        };
        match at {
            At::Arrival => self.on_arrival(bytes, header.as_deref()),
            At::Departure => {
                let left = cx.queue_bytes() as f64;
                self.least = self.least.min(left + bytes);
                if let Variant::Blind(blind) = &mut self.variant {
                    blind.least = blind.least.min(left);
                }
                if let Some(header) = header {
                    self.on_departure(bytes, header);
                }
            }
        }
    }

    fn on_timer(&mut self, cx: &mut FeedbackCtx<'_>, slot: u8) {
        let queue = cx.queue_bytes() as f64;
        let next = match slot {
            CONTROL => {
                let (link, senders) = if matches!(self.variant, Variant::Winf(_)) {
                    let others = cx.hop.neighbors(cx.now, self.window()).unwrap_or(0);
                    (cx.hop.router_link(cx.now, self.window()), f64::from(others + 1))
                } else {
                    (None, 1.0)
                };
                self.decide(queue, link, senders);
                self.interval
            }
            QUEUE => self.measure_queue(queue),
            _ => unreachable!("XCP has no timer {slot}"),
        };
        let at: Time = cx.now + Span::from_secs(next);
        cx.set_timer(at, slot);
    }
}

#[cfg(test)]
mod tests;
