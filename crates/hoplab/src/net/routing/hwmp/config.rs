//! Table `[routing.hwmp]`: the constants of HWMP, those of the MIB in IEEE 802.11-2016 annex C.

use crate::kernel::{Bytes, Span};
use crate::net::routing::config::{RoutingNeeds, RoutingProfile};
use crate::net::routing::setup::{RoutingConstants, Rule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[routing.hwmp]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HwmpConfig {
    /// What paths are shortest by.
    pub metric: HwmpMetric,
    /// Time by which the outcome of a frame loses its weight in the error rate of a link (with `metric = "airtime"`; ns-3: `MemoryTime`).
    pub error_memory: Span,
    /// Lifetime of a path (`dot11MeshHWMPactivePathTimeout`).
    pub active_path_timeout: Span,
    /// Whether a packet that takes a path renews the path's lifetime; if not, each path ends and is found anew, as in ns-3.
    pub renew_on_use: bool,
    /// Time after which an origin requests a path again that it uses; 0 s for never (`dot11MeshHWMPmaintenanceInterval`).
    pub maintenance_interval: Span,
    /// Minimum time between the PREQs of an originator (`dot11MeshHWMPpreqMinInterval`).
    pub preq_min_interval: Span,
    /// Minimum time between the PERRs of a node (`dot11MeshHWMPperrMinInterval`).
    pub perr_min_interval: Span,
    /// Estimated time for a message to cross the network (`dot11MeshHWMPnetDiameterTraversalTime`).
    pub net_diameter_traversal_time: Span,
    /// PREQs after the first one before discovery fails (`dot11MeshHWMPmaxPREQretries`).
    pub max_preq_retries: u8,
    /// Whether only the target answers a PREQ. If not, a relay that has a path answers, too (`dot11MeshHWMPtargetOnly`).
    pub target_only: bool,
    /// Maximum random delay of PREQs that a node forwards, against collisions.
    pub max_jitter: Span,
    /// Packets in a row that exceed the MAC's retry limit until the link counts as broken (ns-3: `MaxPacketFailure`).
    pub max_failures: u32,
    /// Node that announces itself to all others; none if paths are found on demand only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<u32>,
    /// How the root announces itself (`dot11MeshHWMProotMode`).
    pub root_mode: RootMode,
    /// Time between the root's PREQs (`dot11MeshHWMProotInterval`).
    pub root_interval: Span,
    /// Time between the root's RANNs (`dot11MeshHWMPrannInterval`).
    pub rann_interval: Span,
    /// Minimum time between the PREQs by which a node confirms its path to the root (`dot11MeshHWMPconfirmationInterval`).
    pub confirmation_interval: Span,
    /// Lifetime of a path to the root (`dot11MeshHWMPactivePathToRootTimeout`).
    pub path_to_root_timeout: Span,
    /// Packets that can wait at a node for paths (ns-3: `MaxQueueSize`).
    pub buffer_limit: u32,
    /// TTL of messages and of packets at their source (`dot11MeshTTL`, `dot11MeshHWMPnetDiameter`).
    pub ttl: u8,
    /// Bytes of a mesh data frame beyond those of a data frame: Mesh Control (6), fourth address (6), QoS Control (2).
    pub mesh_bytes: Bytes,
}

/// What paths are shortest by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HwmpMetric {
    /// Airtime of a test frame, with expected repetitions.
    Airtime,
    /// Hops.
    Hops,
}

/// How a root announces itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RootMode {
    /// By PREQs to all nodes, which all answer: the root has a path to each node, too.
    PreqWithPrep,
    /// By PREQs to all nodes, which none answers.
    Preq,
    /// By RANNs: each node requests a path to the root.
    Rann,
}

/// Time unit of IEEE 802.11.
const TU: Span = Span::from_micros(1_024);

/// Maximum of a time: the MIB's 65535 TU.
const MAX_TIME: Span = Span(TU.0 * 65_535);
/// Accepted values of `max_preq_retries`: waits double with each.
const MAX_RETRIES: u8 = 16;

/// Usual maximum of the random delay, as of AODV and DSR. Without one, relays that forward a request at once send in one slot: after
/// the processing delay the medium has been idle for DIFS, and neither draws a backoff.
const JITTER: Span = Span::from_millis(10);

impl Default for HwmpConfig {
    fn default() -> Self {
        HwmpConfig {
            metric: HwmpMetric::Airtime,
            error_memory: Span::from_millis(1_000),
            active_path_timeout: TU * 5_000,
            renew_on_use: true,
            maintenance_interval: TU * 2_000,
            preq_min_interval: TU * 100,
            perr_min_interval: TU * 100,
            net_diameter_traversal_time: TU * 500,
            max_preq_retries: 3,
            target_only: true,
            max_jitter: JITTER,
            max_failures: 2,
            root: None,
            root_mode: RootMode::PreqWithPrep,
            root_interval: TU * 2_000,
            rann_interval: TU * 1_000,
            confirmation_interval: TU * 2_000,
            path_to_root_timeout: TU * 5_000,
            buffer_limit: 255,
            ttl: 31,
            mesh_bytes: Bytes(14),
        }
    }
}

impl HwmpConfig {
    /// Wait for the PREP to a PREQ that `retries` others precede (IEEE 802.11-2016 clause 14.10.9.3: twice the time to cross the
    /// network; each retry waits twice as long as the one before).
    pub(super) fn wait(&self, retries: u8) -> Span {
        self.net_diameter_traversal_time * (2 << retries)
    }
}

impl RoutingConstants for HwmpConfig {
    fn of_profile(_: RoutingProfile) -> HwmpConfig {
        HwmpConfig::default()
    }

    fn needs(&self) -> RoutingNeeds {
        RoutingNeeds { mesh_bytes: self.mesh_bytes, link_error_memory: Some(self.error_memory) }
    }

    fn rules(&self) -> Vec<Rule> {
        let time = "longer than 0 s, at most 67.1 s";
        let is_time = |span: Span| span > Span::ZERO && span <= MAX_TIME;
        vec![
            (is_time(self.error_memory), "error_memory", time),
            (is_time(self.active_path_timeout), "active_path_timeout", time),
            (self.maintenance_interval <= MAX_TIME, "maintenance_interval", "at most 67.1 s"),
            (is_time(self.preq_min_interval), "preq_min_interval", time),
            (is_time(self.perr_min_interval), "perr_min_interval", time),
            (is_time(self.net_diameter_traversal_time), "net_diameter_traversal_time", time),
            (self.max_preq_retries <= MAX_RETRIES, "max_preq_retries", "at most 16"),
            (self.max_jitter < self.net_diameter_traversal_time, "max_jitter", "below net_diameter_traversal_time"),
            (self.max_failures > 0, "max_failures", "at least 1"),
            (is_time(self.root_interval), "root_interval", time),
            (is_time(self.rann_interval), "rann_interval", time),
            (is_time(self.confirmation_interval), "confirmation_interval", time),
            (is_time(self.path_to_root_timeout), "path_to_root_timeout", time),
            (self.buffer_limit > 0, "buffer_limit", "at least 1 packet"),
            (self.ttl > 1, "ttl", "at least 2 hops"),
            (self.mesh_bytes <= Bytes(100), "mesh_bytes", "at most 100 bytes"),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_from_twice_the_time_to_cross() {
        let config = HwmpConfig::default();
        let waits = [0, 1, 2, 3].map(|retries| config.wait(retries).0 / 1_000);
        assert_eq!(waits, [1_024_000, 2_048_000, 4_096_000, 8_192_000]);
    }
}
