//! Table `[routing]`: the protocol, and what protocols have in common. The constants of a protocol are a table of their own in
//! its folder, `[routing.NAME]`.

mod metric;
mod needs;
mod profile;
mod source_bytes;

pub use metric::RouteMetric;
pub use needs::RoutingNeeds;
pub use profile::RoutingProfile;
pub use source_bytes::SourceBytes;

use super::list::{RoutingKind, RoutingTables};
use crate::kernel::{Bytes, Part, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[routing]` of a scenario. Constants that are not given follow from `profile`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct RoutingConfig {
    /// Routing protocol.
    pub protocol: Part<RoutingKind>,
    /// Source whose rules the protocol follows: ns-2, or its RFC or paper.
    pub profile: RoutingProfile,
    /// What static paths are shortest by. Default: hops.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric: Option<RouteMetric>,
    /// Whether routing is informed of frames that exceed the MAC's retry limit. If not, they are dropped.
    pub link_failure_feedback: bool,
    /// Bytes added to segments and acknowledgments at their source (0 B; dsdv by ns2 20 B).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra_bytes: Option<Bytes>,
    /// Bytes added to datagrams at their source: IP, as in ns-2 (profile `rfc`: IP and UDP, 28 B).
    pub udp_header: Bytes,
    /// Tables of the protocols.
    #[serde(flatten)]
    pub tables: RoutingTables,
}

/// A value that is not valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidRouting {
    /// Table below `[routing]`, if the key is in one.
    pub table: Option<&'static str>,
    /// Key.
    pub key: &'static str,
    /// Values that are accepted.
    pub expected: &'static str,
}

/// Largest header that can be added.
const MAX_BYTES: Bytes = Bytes(1_000);

impl Default for RoutingConfig {
    fn default() -> Self {
        RoutingConfig::ns2()
    }
}

impl RoutingConfig {
    /// Values of profile `ns2`.
    pub fn ns2() -> RoutingConfig {
        RoutingConfig {
            protocol: Part::Engine(RoutingKind::Static),
            profile: RoutingProfile::Ns2,
            metric: None,
            link_failure_feedback: true,
            extra_bytes: None,
            udp_header: Bytes(20),
            tables: RoutingTables::of_profile(RoutingProfile::Ns2),
        }
    }

    /// Values of profile `rfc`: datagrams have a UDP header, too.
    pub fn rfc() -> RoutingConfig {
        RoutingConfig {
            profile: RoutingProfile::Rfc,
            udp_header: Bytes(28),
            tables: RoutingTables::of_profile(RoutingProfile::Rfc),
            ..RoutingConfig::ns2()
        }
    }

    /// This table with all values given, without the tables of protocols that are not in use.
    #[must_use]
    pub fn resolved(&self) -> RoutingConfig {
        let tables = match self.protocol {
            Part::Engine(kind) => self.tables.resolved(kind, self.profile),
            Part::Program(_) => RoutingTables::default(),
        };
        RoutingConfig { extra_bytes: Some(self.extra_bytes_or_default()), tables, ..self.clone() }
    }

    /// Whether routes are discovered during the run, between any two nodes.
    pub fn discovers_routes(&self) -> bool {
        match self.protocol {
            Part::Engine(kind) => kind.discovers_routes(),
            Part::Program(_) => true,
        }
    }

    /// Whether the protocol works at nodes with several radios.
    pub fn supports_several_radios(&self) -> bool {
        match self.protocol {
            Part::Engine(kind) => kind.supports_several_radios(),
            Part::Program(_) => false,
        }
    }

    /// Whether messages carry MAC addresses, so that next hops need no ARP.
    pub fn knows_addresses(&self) -> bool {
        matches!(&self.protocol, Part::Engine(kind) if kind.knows_addresses())
    }

    /// Time by which outcomes of frames lose their weight, if routing needs the cost of links.
    pub fn link_error_memory(&self) -> Option<Span> {
        self.needs().link_error_memory
    }

    fn needs(&self) -> RoutingNeeds {
        match self.protocol {
            Part::Engine(kind) => self.tables.needs(kind, self.profile),
            Part::Program(_) => RoutingNeeds::default(),
        }
    }

    /// Header bytes that are added at the source.
    pub fn source_bytes(&self) -> SourceBytes {
        let mesh = self.needs().mesh_bytes.0;
        SourceBytes { tcp: self.extra_bytes_or_default().0 + mesh, udp: self.udp_header.0 + mesh, other: mesh }
    }

    fn extra_bytes_or_default(&self) -> Bytes {
        self.extra_bytes.unwrap_or(match self.protocol {
            Part::Engine(kind) => kind.extra_bytes(self.profile),
            Part::Program(_) => Bytes(0),
        })
    }

    /// Checks all values.
    ///
    /// # Errors
    /// The first value that is not valid.
    pub fn check(&self) -> Result<(), InvalidRouting> {
        let expected = "at most 1000 bytes";
        let own = [
            (self.extra_bytes_or_default() <= MAX_BYTES, "extra_bytes", expected),
            (self.udp_header <= MAX_BYTES, "udp_header", expected),
        ];
        let own = own.into_iter().map(|rule| (None, rule));
        let mut rules = own.chain(self.tables.rules().map(|(table, rule)| (Some(table), rule)));
        match rules.find(|(_, (holds, ..))| !holds) {
            Some((table, (_, key, expected))) => Err(InvalidRouting { table, key, expected }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{PartKind, Time};
    use crate::net::routing::aodv::AodvConfig;
    use crate::net::routing::dsdv::DsdvConfig;
    use crate::packet::{Ack, Datagram, Payload};

    fn with(protocol: RoutingKind, base: RoutingConfig) -> RoutingConfig {
        RoutingConfig { protocol: Part::Engine(protocol), ..base }
    }

    #[test]
    fn ns2_adds_20_bytes_to_datagrams_and_under_dsdv_to_tcp() {
        let datagram = Payload::Datagram(Datagram { seq: 0, payload: 512, sent_at: Time::ZERO });
        let ack = Payload::Ack(Ack::plain(0, Time::ZERO));
        let lengths = |config: &RoutingConfig| {
            let bytes = config.source_bytes();
            (512 + bytes.of(&datagram), 40 + bytes.of(&ack))
        };
        assert_eq!(lengths(&RoutingConfig::ns2()), (532, 40));
        let dsdv = with(RoutingKind::Dsdv, RoutingConfig::ns2());
        assert_eq!(lengths(&dsdv), (532, 60));
        assert_eq!(lengths(&RoutingConfig { extra_bytes: Some(Bytes(0)), ..dsdv }), (532, 40));
        assert_eq!(lengths(&with(RoutingKind::Dsdv, RoutingConfig::rfc())), (540, 40));
    }

    #[test]
    fn resolved_config_has_the_table_of_its_protocol_only() {
        let given = AodvConfig { ttl_start: 3, ..AodvConfig::rfc() };
        let tables = RoutingTables { aodv: Some(given.clone()), ..RoutingTables::of_profile(RoutingProfile::Rfc) };
        let config = with(RoutingKind::Aodv, RoutingConfig { tables, ..RoutingConfig::rfc() });
        let resolved = config.resolved();
        assert_eq!((resolved.tables.aodv, resolved.tables.dsdv), (Some(given), None));
        assert_eq!((resolved.extra_bytes, resolved.udp_header), (Some(Bytes(0)), Bytes(28)));
        let resolved = with(RoutingKind::Static, config).resolved();
        assert_eq!(resolved.tables, RoutingTables::default());
    }

    #[test]
    fn table_that_is_not_given_follows_the_profile() {
        let config = RoutingConfig { tables: RoutingTables::default(), ..RoutingConfig::rfc() };
        let resolved = with(RoutingKind::Dsdv, config).resolved();
        assert_eq!(resolved.tables.dsdv.map(|dsdv| dsdv.use_mac), Some(true));
    }

    #[test]
    fn neighbor_timeout_of_dsdv_follows_the_update_period() {
        let period = Span::from_millis(5_000);
        let dsdv = DsdvConfig { update_period: period, ..DsdvConfig::ns2() };
        let tables = RoutingTables { dsdv: Some(dsdv), ..RoutingTables::default() };
        let resolved = with(RoutingKind::Dsdv, RoutingConfig { tables, ..RoutingConfig::ns2() }).resolved();
        assert_eq!(resolved.tables.dsdv.and_then(|dsdv| dsdv.neighbor_timeout), Some(period * 3));
    }

    #[test]
    fn invalid_value_is_reported_with_its_table() {
        let wrong = AodvConfig { ttl_increment: 0, ..AodvConfig::ns2() };
        let tables = RoutingTables { aodv: Some(wrong), ..RoutingTables::default() };
        let config = RoutingConfig { tables, ..RoutingConfig::ns2() };
        let error = config.check().expect_err("an invalid value");
        assert_eq!((error.table, error.key), (Some("aodv"), "ttl_increment"));
        let config = RoutingConfig { udp_header: Bytes(1_001), ..RoutingConfig::ns2() };
        assert_eq!(config.check().map_err(|error| (error.table, error.key)), Err((None, "udp_header")));
        for kind in RoutingKind::ALL {
            assert_eq!(with(*kind, RoutingConfig::rfc()).check(), Ok(()));
        }
    }
}
