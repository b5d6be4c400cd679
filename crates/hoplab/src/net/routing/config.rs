//! Parameters of routing.

use super::dsdv::{self, DsdvConstants};
use crate::kernel::{Bytes, Span};
use crate::packet::Payload;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[routing]` of a scenario. Constants that are left out follow from `protocol` and `profile`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RoutingConfig {
    /// Who finds the next hop.
    pub protocol: RoutingKind,
    /// Whose rules: of AODV, or (`rfc`: Perkins and Bhagwat 1994) of DSDV.
    pub profile: AodvProfile,
    /// Whether routing learns of frames that the MAC gave up. If not, such a frame is only dropped.
    pub link_failure_feedback: bool,
    /// Added to every segment and acknowledgment at its source (0 B; dsdv by ns2 20 B).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra_bytes: Option<Bytes>,
    /// Added to every datagram at its source: IP, as ns-2 does (profile `rfc`: IP and UDP, 28 B).
    pub udp_header: Bytes,
    /// How long a route stays valid after its last use (ns2 10 s, rfc 3 s).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_route_timeout: Option<Span>,
    /// Lifetime of a route that its destination offers (ns2 10 s, rfc 6 s).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub my_route_timeout: Option<Span>,
    /// Least lifetime of the way back that a request leaves (ns2 6 s; rfc by RFC 3561 section 6.5, from the hops).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverse_route_life: Option<Span>,
    /// How long a request is remembered, so that its copies are ignored (ns2 6 s, rfc 5.6 s).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_memory: Option<Span>,
    /// Network-wide requests after the first one before giving up (ns2 3, rfc 2).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rreq_retries: Option<u8>,
    /// Longest wait for a reply, and time without requests after giving up (ns2 only, 10 s).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_rreq_timeout: Option<Span>,
    /// Hops that the first ring search travels (ns2 5, rfc 1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl_start: Option<u8>,
    /// Hops added for the next ring (2).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl_increment: Option<u8>,
    /// Ring from which on a search is network-wide (7).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl_threshold: Option<u8>,
    /// Time that a hop takes, by a careful guess (ns2 30 ms, rfc 40 ms).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_traversal_time: Option<Span>,
    /// Hops that a network-wide request travels, and a packet from its source (ns2 30, rfc 35; dsdv 32).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network_diameter: Option<u8>,
    /// Packets that may wait at a node for routes (64).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer_limit: Option<u32>,
    /// How long a packet may wait for a route (30 s).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer_timeout: Option<Span>,
    /// Whether a relay nearer to the destination than to the source looks for a new way itself (true).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_repair: Option<bool>,
    /// Whether neighbors are watched by hello messages too (false).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hello: Option<bool>,
    /// Time between hello messages (1 s).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hello_interval: Option<Span>,
    /// Hello messages that may be lost in a row (ns2 3, rfc 2).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_hello_loss: Option<u8>,
    /// DSDV: half of how long a destination's first route must settle before neighbors are told (6 s).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settling_time: Option<Span>,
    /// DSDV: weight of the past, alpha, when the settling time is measured anew (0.875).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settling_weight: Option<f64>,
    /// DSDV: longest time between full updates; they come after 0.75 to 1 of it (15 s).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub update_period: Option<Span>,
    /// DSDV: how long a neighbor may be silent (3 update periods).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub neighbor_timeout: Option<Span>,
    /// DSDV: whether a frame that the MAC gives up is a broken link (ns2 false, rfc true).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dsdv_use_mac: Option<bool>,
    /// DSDV: packets that may wait at a node for a route to one destination (5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffer_per_destination: Option<u32>,
}

/// Routing protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RoutingKind {
    /// Shortest paths, known from the start.
    Static,
    /// Ad hoc On-Demand Distance Vector.
    Aodv,
    /// Destination-Sequenced Distance Vector.
    Dsdv,
}

/// Rule sets of AODV and DSDV (`docs/protocols/aodv.md` and `dsdv.md` list where they differ).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AodvProfile {
    /// As ns-2.35.
    Ns2,
    /// As RFC 3561; DSDV as its paper where that matters.
    Rfc,
}

/// The constants of AODV, whichever way they were given.
#[derive(Clone, Debug, PartialEq)]
pub struct AodvConstants {
    /// Whose rules.
    pub profile: AodvProfile,
    /// See [`RoutingConfig::active_route_timeout`].
    pub active_route_timeout: Span,
    /// See [`RoutingConfig::my_route_timeout`].
    pub my_route_timeout: Span,
    /// See [`RoutingConfig::reverse_route_life`]; `None` if it depends on the hops.
    pub reverse_route_life: Option<Span>,
    /// See [`RoutingConfig::request_memory`].
    pub request_memory: Span,
    /// See [`RoutingConfig::rreq_retries`].
    pub rreq_retries: u8,
    /// See [`RoutingConfig::max_rreq_timeout`].
    pub max_rreq_timeout: Span,
    /// See [`RoutingConfig::ttl_start`].
    pub ttl_start: u8,
    /// See [`RoutingConfig::ttl_increment`].
    pub ttl_increment: u8,
    /// See [`RoutingConfig::ttl_threshold`].
    pub ttl_threshold: u8,
    /// See [`RoutingConfig::node_traversal_time`].
    pub node_traversal_time: Span,
    /// See [`RoutingConfig::network_diameter`].
    pub network_diameter: u8,
    /// See [`RoutingConfig::buffer_limit`].
    pub buffer_limit: u32,
    /// See [`RoutingConfig::buffer_timeout`].
    pub buffer_timeout: Span,
    /// See [`RoutingConfig::local_repair`].
    pub local_repair: bool,
    /// See [`RoutingConfig::hello`].
    pub hello: bool,
    /// See [`RoutingConfig::hello_interval`].
    pub hello_interval: Span,
    /// See [`RoutingConfig::allowed_hello_loss`].
    pub allowed_hello_loss: u8,
}

/// A value that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("routing.{key}: {problem}")]
pub struct InvalidRouting {
    /// Key in table `[routing]`.
    pub key: &'static str,
    /// What is wrong with its value.
    pub problem: &'static str,
}

/// Header bytes that routing adds at the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceBytes {
    tcp: u32,
    udp: u32,
}

/// Longest header that may be added.
const MOST_BYTES: Bytes = Bytes(1_000);
/// Longest of DSDV's times.
const LONGEST: Span = Span::from_millis(3_600_000);
/// Sensible times between updates.
const PERIODS: std::ops::RangeInclusive<Span> = Span::from_millis(100)..=LONGEST;

/// Of paths that are known to end there is no need to limit the hops.
const STATIC_TTL: u8 = u8::MAX;

impl Default for RoutingConfig {
    fn default() -> Self {
        RoutingConfig {
            protocol: RoutingKind::Static,
            profile: AodvProfile::Ns2,
            link_failure_feedback: true,
            extra_bytes: None,
            udp_header: Bytes(20),
            active_route_timeout: None,
            my_route_timeout: None,
            reverse_route_life: None,
            request_memory: None,
            rreq_retries: None,
            max_rreq_timeout: None,
            ttl_start: None,
            ttl_increment: None,
            ttl_threshold: None,
            node_traversal_time: None,
            network_diameter: None,
            buffer_limit: None,
            buffer_timeout: None,
            local_repair: None,
            hello: None,
            hello_interval: None,
            allowed_hello_loss: None,
            settling_time: None,
            settling_weight: None,
            update_period: None,
            neighbor_timeout: None,
            dsdv_use_mac: None,
            buffer_per_destination: None,
        }
    }
}

impl RoutingConfig {
    /// Defaults of profile `rfc`: datagrams have a UDP header too.
    pub fn rfc() -> RoutingConfig {
        RoutingConfig { profile: AodvProfile::Rfc, udp_header: Bytes(28), ..RoutingConfig::default() }
    }

    /// This configuration with every constant of its protocol written out.
    #[must_use]
    pub fn resolved(&self) -> RoutingConfig {
        if self.protocol == RoutingKind::Dsdv {
            return self.resolved_dsdv();
        }
        let aodv = self.aodv();
        RoutingConfig {
            extra_bytes: Some(self.extra_bytes_or_default()),
            active_route_timeout: Some(aodv.active_route_timeout),
            my_route_timeout: Some(aodv.my_route_timeout),
            reverse_route_life: aodv.reverse_route_life,
            request_memory: Some(aodv.request_memory),
            rreq_retries: Some(aodv.rreq_retries),
            max_rreq_timeout: Some(aodv.max_rreq_timeout),
            ttl_start: Some(aodv.ttl_start),
            ttl_increment: Some(aodv.ttl_increment),
            ttl_threshold: Some(aodv.ttl_threshold),
            node_traversal_time: Some(aodv.node_traversal_time),
            network_diameter: Some(aodv.network_diameter),
            buffer_limit: Some(aodv.buffer_limit),
            buffer_timeout: Some(aodv.buffer_timeout),
            local_repair: Some(aodv.local_repair),
            hello: Some(aodv.hello),
            hello_interval: Some(aodv.hello_interval),
            allowed_hello_loss: Some(aodv.allowed_hello_loss),
            ..self.clone()
        }
    }

    fn resolved_dsdv(&self) -> RoutingConfig {
        let dsdv = self.dsdv();
        RoutingConfig {
            extra_bytes: Some(self.extra_bytes_or_default()),
            network_diameter: Some(self.source_ttl()),
            settling_time: Some(dsdv.settling_time),
            settling_weight: Some(dsdv.settling_weight),
            update_period: Some(dsdv.update_period),
            neighbor_timeout: Some(dsdv.neighbor_timeout),
            dsdv_use_mac: Some(dsdv.use_mac),
            buffer_per_destination: Some(dsdv.buffer_per_destination),
            ..self.clone()
        }
    }

    /// The constants of DSDV: those given, the others by profile.
    pub fn dsdv(&self) -> DsdvConstants {
        let base = match self.profile {
            AodvProfile::Ns2 => DsdvConstants::ns2(),
            AodvProfile::Rfc => DsdvConstants::std(),
        };
        let update_period = self.update_period.unwrap_or(base.update_period);
        DsdvConstants {
            settling_time: self.settling_time.unwrap_or(base.settling_time),
            settling_weight: self.settling_weight.unwrap_or(base.settling_weight),
            update_period,
            neighbor_timeout: self.neighbor_timeout.unwrap_or(dsdv::silence(update_period)),
            use_mac: self.dsdv_use_mac.unwrap_or(base.use_mac),
            buffer_per_destination: self.buffer_per_destination.unwrap_or(base.buffer_per_destination),
        }
    }

    /// The constants of AODV: those given, the others by profile.
    pub fn aodv(&self) -> AodvConstants {
        let base = match self.profile {
            AodvProfile::Ns2 => AodvConstants::ns2(),
            AodvProfile::Rfc => AodvConstants::rfc(),
        };
        AodvConstants {
            profile: self.profile,
            active_route_timeout: self.active_route_timeout.unwrap_or(base.active_route_timeout),
            my_route_timeout: self.my_route_timeout.unwrap_or(base.my_route_timeout),
            reverse_route_life: self.reverse_route_life.or(base.reverse_route_life),
            request_memory: self.request_memory.unwrap_or(base.request_memory),
            rreq_retries: self.rreq_retries.unwrap_or(base.rreq_retries),
            max_rreq_timeout: self.max_rreq_timeout.unwrap_or(base.max_rreq_timeout),
            ttl_start: self.ttl_start.unwrap_or(base.ttl_start),
            ttl_increment: self.ttl_increment.unwrap_or(base.ttl_increment),
            ttl_threshold: self.ttl_threshold.unwrap_or(base.ttl_threshold),
            node_traversal_time: self.node_traversal_time.unwrap_or(base.node_traversal_time),
            network_diameter: self.network_diameter.unwrap_or(base.network_diameter),
            buffer_limit: self.buffer_limit.unwrap_or(base.buffer_limit),
            buffer_timeout: self.buffer_timeout.unwrap_or(base.buffer_timeout),
            local_repair: self.local_repair.unwrap_or(base.local_repair),
            hello: self.hello.unwrap_or(base.hello),
            hello_interval: self.hello_interval.unwrap_or(base.hello_interval),
            allowed_hello_loss: self.allowed_hello_loss.unwrap_or(base.allowed_hello_loss),
        }
    }

    /// Hops that a packet may travel from its source.
    pub fn source_ttl(&self) -> u8 {
        match self.protocol {
            RoutingKind::Static => STATIC_TTL,
            RoutingKind::Aodv => self.aodv().network_diameter,
            RoutingKind::Dsdv => self.network_diameter.unwrap_or(dsdv::TTL),
        }
    }

    /// Header bytes that routing adds at the source.
    pub fn source_bytes(&self) -> SourceBytes {
        SourceBytes { tcp: self.extra_bytes_or_default().0, udp: self.udp_header.0 }
    }

    /// ns-2's DSDV adds its IP header to TCP's packets as well, which have one already.
    fn extra_bytes_or_default(&self) -> Bytes {
        let is_ns2_dsdv = self.protocol == RoutingKind::Dsdv && self.profile == AodvProfile::Ns2;
        self.extra_bytes.unwrap_or(Bytes(if is_ns2_dsdv { 20 } else { 0 }))
    }

    /// The first value that makes no sense, if any.
    pub fn check(&self) -> Result<(), InvalidRouting> {
        let aodv = self.aodv();
        let dsdv = self.dsdv();
        let rules = [
            (self.extra_bytes_or_default() <= MOST_BYTES, "extra_bytes", "must be at most 1000 bytes"),
            (self.udp_header <= MOST_BYTES, "udp_header", "must be at most 1000 bytes"),
            (aodv.active_route_timeout > Span::ZERO, "active_route_timeout", "must be longer than 0 s"),
            (aodv.my_route_timeout > Span::ZERO, "my_route_timeout", "must be longer than 0 s"),
            (aodv.request_memory > Span::ZERO, "request_memory", "must be longer than 0 s"),
            (aodv.ttl_start > 0, "ttl_start", "must be at least 1 hop"),
            (aodv.ttl_increment > 0, "ttl_increment", "must be at least 1 hop"),
            (aodv.rreq_retries < 32, "rreq_retries", "must be below 32"),
            (aodv.node_traversal_time > Span::ZERO, "node_traversal_time", "must be longer than 0 s"),
            (aodv.network_diameter > 1, "network_diameter", "must be at least 2 hops"),
            (aodv.buffer_limit > 0, "buffer_limit", "must be at least 1 packet"),
            (aodv.hello_interval > Span::ZERO, "hello_interval", "must be longer than 0 s"),
            (aodv.allowed_hello_loss > 0, "allowed_hello_loss", "must be at least 1"),
            (dsdv.settling_time <= LONGEST, "settling_time", "must be at most 1 h"),
            ((0.0..=1.0).contains(&dsdv.settling_weight), "settling_weight", "must be 0 to 1"),
            (PERIODS.contains(&dsdv.update_period), "update_period", "must be 100 ms to 1 h"),
            (dsdv.neighbor_timeout > dsdv.update_period, "neighbor_timeout", "must be longer than update_period"),
            (dsdv.buffer_per_destination > 0, "buffer_per_destination", "must be at least 1 packet"),
        ];
        match rules.into_iter().find(|&(holds, ..)| !holds) {
            Some((_, key, problem)) => Err(InvalidRouting { key, problem }),
            None => Ok(()),
        }
    }
}

impl AodvConstants {
    /// Constants of ns-2.35 (`aodv.h`, `aodv_rqueue.h`).
    pub fn ns2() -> AodvConstants {
        AodvConstants {
            profile: AodvProfile::Ns2,
            active_route_timeout: Span::from_millis(10_000),
            my_route_timeout: Span::from_millis(10_000),
            reverse_route_life: Some(Span::from_millis(6_000)),
            request_memory: Span::from_millis(6_000),
            rreq_retries: 3,
            max_rreq_timeout: Span::from_millis(10_000),
            ttl_start: 5,
            ttl_increment: 2,
            ttl_threshold: 7,
            node_traversal_time: Span::from_millis(30),
            network_diameter: 30,
            buffer_limit: 64,
            buffer_timeout: Span::from_millis(30_000),
            local_repair: true,
            hello: false,
            hello_interval: Span::from_millis(1_000),
            allowed_hello_loss: 3,
        }
    }

    /// Constants of RFC 3561 section 10. The buffer, of which the RFC says nothing, is that of ns-2.
    pub fn rfc() -> AodvConstants {
        AodvConstants {
            profile: AodvProfile::Rfc,
            active_route_timeout: Span::from_millis(3_000),
            my_route_timeout: Span::from_millis(6_000),
            reverse_route_life: None,
            request_memory: Span::from_millis(5_600),
            rreq_retries: 2,
            ttl_start: 1,
            node_traversal_time: Span::from_millis(40),
            network_diameter: 35,
            allowed_hello_loss: 2,
            ..AodvConstants::ns2()
        }
    }

    /// A careful guess of the time a request and its reply need across the network, `NET_TRAVERSAL_TIME`.
    pub fn net_traversal_time(&self) -> Span {
        self.node_traversal_time * (2 * u64::from(self.network_diameter))
    }

    /// How long an invalid route is remembered, `DELETE_PERIOD` (rfc).
    pub fn delete_period(&self) -> Span {
        self.active_route_timeout.max(self.hello_interval) * 5
    }

    /// Longest way to a destination that is worth a local repair, `MAX_REPAIR_TTL` (rfc): 0.3 of the diameter.
    pub fn max_repair_ttl(&self) -> u8 {
        (u16::from(self.network_diameter) * 3 / 10) as u8
    }

    /// How long a neighbor that did not get a reply is not listened to, `BLACKLIST_TIMEOUT` (rfc).
    pub fn blacklist_timeout(&self) -> Span {
        self.net_traversal_time() * u64::from(self.rreq_retries)
    }
}

impl RoutingKind {
    /// All protocols, in the order of documentation.
    pub const ALL: [RoutingKind; 3] = [RoutingKind::Static, RoutingKind::Aodv, RoutingKind::Dsdv];

    /// Its name in scenarios.
    pub fn name(self) -> &'static str {
        match self {
            RoutingKind::Static => "static",
            RoutingKind::Aodv => "aodv",
            RoutingKind::Dsdv => "dsdv",
        }
    }

    /// What it does, in one line.
    pub fn summary(self) -> &'static str {
        match self {
            RoutingKind::Static => "shortest paths by hops, known from the start and never given up",
            RoutingKind::Aodv => "routes found by flooding when needed, given up when the MAC drops a frame",
            RoutingKind::Dsdv => "routes to everybody, told to the neighbors every 15 s and when they change",
        }
    }
}

impl SourceBytes {
    /// Bytes added to a new packet with this payload.
    pub fn of(self, payload: &Payload) -> u32 {
        match payload {
            Payload::Segment(_) | Payload::Ack(_) | Payload::SplitSegment(_) | Payload::Lack(_) => self.tcp,
            Payload::Datagram(_) => self.udp,
            Payload::Control(_) | Payload::Arp(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Time;
    use crate::packet::{Ack, Datagram};

    #[test]
    fn a_datagram_of_512_bytes_becomes_532_and_tcp_stays() {
        let datagram = Payload::Datagram(Datagram { seq: 0, payload: 512, sent_at: Time::ZERO });
        let ack = Payload::Ack(Ack::plain(0, Time::ZERO));
        let plain = RoutingConfig::default().source_bytes();
        assert_eq!((512 + plain.of(&datagram), 40 + plain.of(&ack)), (532, 40));
        let dsdv = RoutingConfig { protocol: RoutingKind::Dsdv, ..RoutingConfig::default() };
        let bytes = dsdv.source_bytes();
        assert_eq!((512 + bytes.of(&datagram), 40 + bytes.of(&ack)), (532, 60));
        let plain = RoutingConfig { extra_bytes: Some(Bytes(0)), ..dsdv }.source_bytes();
        assert_eq!((512 + plain.of(&datagram), 40 + plain.of(&ack)), (532, 40));
    }

    #[test]
    fn constants_follow_the_profile_unless_given() {
        let config = RoutingConfig { protocol: RoutingKind::Aodv, ttl_start: Some(3), ..RoutingConfig::rfc() };
        let aodv = config.aodv();
        assert_eq!((aodv.ttl_start, aodv.network_diameter, aodv.rreq_retries), (3, 35, 2));
        assert_eq!(aodv.net_traversal_time(), Span::from_millis(2_800));
        assert_eq!((aodv.delete_period(), aodv.max_repair_ttl()), (Span::from_millis(15_000), 10));
        assert_eq!(config.source_ttl(), 35);
        assert_eq!(config.resolved().aodv(), aodv);
        assert_eq!(RoutingConfig::default().aodv(), AodvConstants::ns2());
    }

    #[test]
    fn constants_of_dsdv_follow_the_profile_unless_given() {
        let config = RoutingConfig {
            protocol: RoutingKind::Dsdv,
            update_period: Some(Span::from_millis(5_000)),
            settling_time: Some(Span::ZERO),
            ..RoutingConfig::default()
        };
        let dsdv = config.dsdv();
        assert_eq!((dsdv.neighbor_timeout, dsdv.use_mac), (Span::from_millis(15_000), false));
        assert_eq!((dsdv.settling_time, config.source_ttl()), (Span::ZERO, 32));
        let resolved = config.resolved();
        assert_eq!((resolved.dsdv(), resolved.extra_bytes), (dsdv, Some(Bytes(20))));
        assert_eq!((resolved.ttl_start, resolved.network_diameter), (None, Some(32)), "AODV is not spoken of");
        let rfc = RoutingConfig { protocol: RoutingKind::Dsdv, ..RoutingConfig::rfc() };
        assert_eq!((rfc.dsdv(), rfc.resolved().extra_bytes), (DsdvConstants::std(), Some(Bytes(0))));
        assert_eq!(RoutingConfig::default().dsdv(), DsdvConstants::ns2());
    }

    #[test]
    fn nonsense_is_named() {
        let config = RoutingConfig { ttl_increment: Some(0), ..RoutingConfig::default() };
        assert_eq!(config.check().map_err(|error| error.key), Err("ttl_increment"));
        assert_eq!(RoutingConfig::default().check(), Ok(()));
    }
}
