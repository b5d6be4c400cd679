//! Table `[semi_tcp]`: one protocol over three layers. Its keys become rules of the RTS/CTS exchange, of the queue and of the
//! transport.
//!
//! Source: Cai 2013 (`docs/protocols/semi_tcp.md`).

use crate::kernel::Span;
use crate::mac::handshake::semi_tcp::{
    CongestedAt, CtscAttribution, DeferCheck, ForwardCount, NeighborTable, OnMonopoly, RefuseWhileParked, RefusedBy,
    Reserve, SemiTcpRules, SignalFrame, Signals, UrgentRts,
};
use crate::net::link::{Admission, SourceCount, SourceFill};
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::syntax::problem::{OUT_OF_RANGE, ZERO_TIME, exceeds};
use crate::scenario::syntax::quantity::Quantity;
use crate::scenario::syntax::tree::{Node, Value};
use crate::transport::{OooAck, PullConfig, SACK_EVERY, TcpConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[semi_tcp]` of a scenario. Defaults are those of preset `paper`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SemiTcpConfig {
    /// Source of the defaults of all other keys.
    pub preset: SemiTcpPreset,
    /// T_c: packets that a node's own traffic may fill.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub t_c: u32,
    /// m: queue slots beyond T_c for packets from neighbors.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub m: u32,
    /// Whether m is as given, or the number of neighbors heard if that is more.
    pub m_from: Reserve,
    /// g: further queue slots, against deadlocks.
    #[schemars(range(max = 1_000_000))]
    pub g: u32,
    /// Whether g is as given, or the number of neighbors heard if that is more.
    pub g_from: Reserve,
    /// Whether a CTSC against a deadlock needs a free queue slot, rule 5 (cai2013: no).
    pub limits_deadlock_grants: bool,
    /// k: data frames of a neighbor after which its congestion is over.
    #[schemars(range(min = 1, max = 1000))]
    pub k: u32,
    /// Time of one exchange; a neighbor's congestion is over after k of them. Default: that of the longest segment
    /// (cai2013: 6 ms).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handshake: Option<Span>,
    /// From when on a node is congested (cai2013: tc).
    pub congested_at: CongestedAt,
    /// Whether a congested node grants by a CTSC in place of a CTS: with `tc_and_m`, between T_c and T_c + m packets.
    pub ctsc_while_congested: bool,
    /// Frames that carry the congestion of their sender: rts, cts, data, ack; the last two only without RTS and CTS.
    pub signal_in: Vec<SignalFrame>,
    /// Packets that count towards the limit when the node's own transport sends.
    pub n_src_counts: SourceCount,
    /// Packets that count towards the limit when a neighbor sends an RTS.
    pub n_fwd_counts: ForwardCount,
    /// Limit up to which the node's own transport fills the queue when the MAC is ready.
    pub source_fill: SourceFill,
    /// Whether congestion is stored per neighbor (cai2013: global).
    pub table: NeighborTable,
    /// Whether a plain RTS or CTS clears the congestion of its sender (cai2013: no).
    pub rts_clears: bool,
    /// Assumed sender of a CTSC (cai2013: anonymous).
    pub ctsc_attribution: CtscAttribution,
    /// How the RTS for a control packet is marked.
    pub urgent_rts: UrgentRts,
    /// Whether such an RTS counts as one of a congested node (cai2013: yes).
    pub urgent_rts_marks_congestion: bool,
    /// Whether a congested node waits for a congested next hop (cai2013: no).
    pub defer_when_self_congested: bool,
    /// When the policy decides whether a packet contends (cai2013: first_only).
    pub defer_check: DeferCheck,
    /// Times in a row, without an RTS of its own between them, that a packet is parked before it contends once; 0: no
    /// limit (cai2013).
    #[schemars(range(max = 1_000_000))]
    pub max_park: u32,
    /// Neighbors that a node refuses while its packet is parked.
    pub refuse_while_parked: RefuseWhileParked,
    /// Whether a refusal ends the NAV that the refused RTS has set at a node that decodes both. Default: where one grant lets
    /// several packets through (A-MPDU, A-MSDU, TXOP).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal_frees_nav: Option<bool>,
    /// What refuses a request (cai2013: marked_rts).
    pub refused_by: RefusedBy,
    /// Whether a grant against a deadlock is repaid by a plain CTS (cai2013: no).
    pub reciprocity: bool,
    /// Response to a congested neighbor that has received a CTSC already (cai2013: rtsc).
    pub on_monopoly: OnMonopoly,
    /// MIN_CONGESTION: first contention window after no response to such a neighbor, in slots.
    #[schemars(range(min = 1, max = 1023))]
    pub min_congestion: u32,
    /// Whether a refusal by a parked packet counts as one of its attempts.
    pub refusal_bumps_ssrc: bool,
    /// Whether the CTS timeout lasts until the end of an RTS in its place.
    pub cts_timeout_extended: bool,
    /// Whether a control packet in service is sent to refuse a neighbor (cai2013: yes).
    pub answer_with_control_hol: bool,
    /// Whether ARP precedes data in the queue of a node with this exchange, as routing does (cai2013: no).
    pub arp_first: bool,
    /// Time after which a grant against a deadlock no longer prevents the next one.
    pub granted_ttl: Span,
    /// Segments that may be unacknowledged; 0: no limit (cai2013).
    #[schemars(range(max = 1_000_000_000))]
    pub max_outstanding: u32,
    /// Acknowledgment of a segment that arrives out of order.
    pub ooo_ack: OooAck,
    /// Whether each timeout doubles the next.
    pub rto_backoff: bool,
    /// Minimum retransmission timeout of the protocol's flows.
    pub min_rto: Span,
    /// Their retransmission timeout before the first measurement (cai2013: 6 s).
    pub initial_rto: Span,
    /// Acknowledgments that may wait at a receiver.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub ack_queue: u32,
    /// Whether a later acknowledgment replaces those that wait.
    pub coalesce_acks: bool,
    /// Longest delay of an acknowledgment of `semi_tcp_sack`. Default: 600 ms, which 16 segments take over eight hops at 2 Mb/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack_delay: Option<Span>,
    /// Whether a source sends at most one segment per interval of TCP-AP (`[tcp.congestion.tcp_ap]`).
    pub paced: bool,
    /// Whether the node's own datagrams use pull admission as well, one of each flow.
    pub udp_source_admission: bool,
}

/// Source of the defaults of `[semi_tcp]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SemiTcpPreset {
    /// The paper's text and algorithms.
    #[default]
    Paper,
    /// The program that its first author published.
    Cai2013,
}

const NO_CTSC: &str = "no CTSC: signal_in has no cts";
const CTS_LISTED: &str = "cts in semi_tcp.signal_in, or false";

/// Longest delay of an acknowledgment that counts segments: `semi_tcp.ack_delay` unless given.
const ACK_DELAY: Span = Span::from_millis(600);

/// One exchange in the published scripts.
const CAI2013_HANDSHAKE: Span = Span::from_millis(6);

impl Default for SemiTcpConfig {
    fn default() -> Self {
        SemiTcpConfig {
            preset: SemiTcpPreset::Paper,
            t_c: 1,
            m: 1,
            m_from: Reserve::Fixed,
            g: 1,
            g_from: Reserve::Fixed,
            limits_deadlock_grants: true,
            k: 1,
            handshake: None,
            congested_at: CongestedAt::TcPlusM,
            ctsc_while_congested: false,
            signal_in: vec![SignalFrame::Rts, SignalFrame::Cts],
            n_src_counts: SourceCount::IfqAndWaiting,
            n_fwd_counts: ForwardCount::All,
            source_fill: SourceFill::PullWhenEmpty,
            table: NeighborTable::PerNeighbor,
            rts_clears: true,
            ctsc_attribution: CtscAttribution::InferElseAnonymous,
            urgent_rts: UrgentRts::MoreData,
            urgent_rts_marks_congestion: false,
            defer_when_self_congested: true,
            defer_check: DeferCheck::EveryContention,
            max_park: 8,
            refuse_while_parked: RefuseWhileParked::IfCongested,
            refusal_frees_nav: None,
            refused_by: RefusedBy::AnyRts,
            reciprocity: true,
            on_monopoly: OnMonopoly::SilentMinCw,
            min_congestion: 15,
            refusal_bumps_ssrc: true,
            cts_timeout_extended: true,
            answer_with_control_hol: false,
            arp_first: true,
            granted_ttl: Span::from_millis(1000),
            max_outstanding: 1024,
            ooo_ack: OooAck::None,
            rto_backoff: false,
            min_rto: Span::from_millis(200),
            initial_rto: Span::from_millis(3000),
            ack_queue: 500,
            coalesce_acks: false,
            ack_delay: None,
            paced: false,
            udp_source_admission: false,
        }
    }
}

impl SemiTcpConfig {
    /// Defaults of a preset.
    pub fn preset(preset: SemiTcpPreset) -> SemiTcpConfig {
        let paper = SemiTcpConfig::default();
        match preset {
            SemiTcpPreset::Paper => paper,
            SemiTcpPreset::Cai2013 => SemiTcpConfig {
                preset,
                limits_deadlock_grants: false,
                handshake: Some(CAI2013_HANDSHAKE),
                // The published code has T_c + 1, but its author's measurements match T_c alone
                // (docs/protocols/semi_tcp.md, Comparison).
                congested_at: CongestedAt::Tc,
                table: NeighborTable::Global,
                rts_clears: false,
                ctsc_attribution: CtscAttribution::Anonymous,
                urgent_rts_marks_congestion: true,
                defer_when_self_congested: false,
                defer_check: DeferCheck::FirstOnly,
                max_park: 0,
                refused_by: RefusedBy::MarkedRts,
                reciprocity: false,
                on_monopoly: OnMonopoly::Rtsc,
                answer_with_control_hol: true,
                arp_first: false,
                max_outstanding: 0,
                initial_rto: Span::from_millis(6000),
                ..paper
            },
        }
    }

    /// Rules of the RTS/CTS exchange.
    pub fn rules(&self) -> SemiTcpRules {
        SemiTcpRules {
            t_c: self.t_c,
            m: self.m,
            m_from: self.m_from,
            g: self.g,
            g_from: self.g_from,
            limits_deadlock_grants: self.limits_deadlock_grants,
            k: self.k,
            exchange: self.handshake,
            congested_at: self.congested_at,
            ctsc_while_congested: self.ctsc_while_congested,
            signals: Signals::of(&self.signal_in),
            n_fwd_counts: self.n_fwd_counts,
            table: self.table,
            rts_clears: self.rts_clears,
            ctsc_attribution: self.ctsc_attribution,
            urgent_rts: self.urgent_rts,
            urgent_rts_marks_congestion: self.urgent_rts_marks_congestion,
            defer_when_self_congested: self.defer_when_self_congested,
            defer_check: self.defer_check,
            max_park: self.max_park,
            refuse_while_parked: self.refuse_while_parked,
            refusal_frees_nav: self.refusal_frees_nav,
            refused_by: self.refused_by,
            reciprocity: self.reciprocity,
            on_monopoly: self.on_monopoly,
            min_congestion: self.min_congestion,
            refusal_bumps_ssrc: self.refusal_bumps_ssrc,
            cts_timeout_extended: self.cts_timeout_extended,
            answer_with_control_hol: self.answer_with_control_hol,
            granted_ttl: self.granted_ttl,
        }
    }

    /// Rules by which a node's own packets enter its queue.
    pub fn admission(&self) -> Admission {
        Admission { t_c: self.t_c, n_src_counts: self.n_src_counts, source_fill: self.source_fill }
    }

    /// Rules of a sender under pull admission.
    pub fn pull(&self) -> PullConfig {
        PullConfig {
            max_outstanding: if self.max_outstanding == 0 { u32::MAX } else { self.max_outstanding },
            ooo_ack: self.ooo_ack,
            rto_backoff: self.rto_backoff,
            min_rto: self.min_rto,
            initial_rto: self.initial_rto,
            ack_queue: self.ack_queue,
            coalesce_acks: self.coalesce_acks,
            sack_every: SACK_EVERY,
            ack_delay: self.ack_delay.unwrap_or(ACK_DELAY),
            paced: self.paced,
        }
    }

    /// Reads the table over the defaults of its preset. [`SemiTcpConfig::check`] follows once the flows are known.
    pub(crate) fn read(reader: &mut Reader<'_>, tree: &Node) -> SemiTcpConfig {
        let table = tree.get("semi_tcp");
        let preset = match table.and_then(|table| table.get("preset")).map(|node| &node.value) {
            Some(Value::Text(name)) if name == "cai2013" => SemiTcpPreset::Cai2013,
            _ => SemiTcpPreset::Paper,
        };
        reader.overlay(table, "semi_tcp", reader.root.table("semi_tcp"), SemiTcpConfig::preset(preset))
    }

    /// Reports values that are invalid, also together with `tcp`. `is_used`: whether a flow uses Semi-TCP. Ranges of counts are
    /// in the schema.
    pub(crate) fn check(&self, reader: &mut Reader<'_>, section: Section<'_>, tcp: &TcpConfig, is_used: bool) {
        let longest = Span::from_millis(1_000_000_000);
        if let Some(handshake) = self.handshake {
            let holds = handshake > Span::ZERO && handshake <= longest;
            section.rule(reader, "handshake", holds, OUT_OF_RANGE, "time greater than 0 s, at most 1000000 s");
        }
        let signals = Signals::of(&self.signal_in);
        section.rule(reader, "ctsc_while_congested", !self.ctsc_while_congested || signals.cts, NO_CTSC, CTS_LISTED);
        let is_repeated = (1..self.signal_in.len()).any(|i| self.signal_in[..i].contains(&self.signal_in[i]));
        section.rule(
            reader,
            "signal_in",
            !is_repeated,
            "a frame is listed twice",
            "each of rts, cts, data, ack once at most",
        );
        section.rule(reader, "granted_ttl", self.granted_ttl <= longest, OUT_OF_RANGE, "at most 1000000 s");
        let holds = self.ack_delay.is_none_or(|delay| delay > Span::ZERO && delay <= tcp.max_rto);
        section.rule(reader, "ack_delay", holds, OUT_OF_RANGE, "time greater than 0 s, at most tcp.max_rto");
        for (key, time) in [("min_rto", self.min_rto), ("initial_rto", self.initial_rto)] {
            section.rule(reader, key, time > Span::ZERO, ZERO_TIME, "time greater than 0 s");
            let what = exceeds(key, time.write(), "tcp.max_rto", tcp.max_rto.write());
            let holds = time <= tcp.max_rto || !is_used && section.given(key).is_none();
            section.rule(reader, key, holds, &what, "time of at most tcp.max_rto");
        }
        if self.k > self.g.saturating_add(self.m) && section.given("k").is_some() {
            let most = self.g.saturating_add(self.m);
            reader
                .warnings
                .push(format!("semi_tcp.k: {}, the maximum of Cai 2013", exceeds("k", self.k, "g + m", most)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Resolved;

    #[test]
    fn timeouts_are_checked_if_a_flow_uses_them() {
        let refusal = |transport: &str, more: &str| {
            let text = format!(
                "[topology]\nkind = \"chain\"\nhops = 3\n[tcp]\ninitial_rto = \"400 ms\"\nmax_rto = \"500 ms\"\n{more}\
                 [[flow]]\ntransport = \"{transport}\"\nsegment = 512\n"
            );
            Resolved::parse(&text, "t.toml", &[]).err().map(|error| error.to_string()).unwrap_or_default()
        };
        let longer = "semi_tcp.initial_rto: initial_rto (";
        assert_eq!(refusal("new_reno", ""), "", "no flow uses it");
        assert!(refusal("semi_tcp", "").contains(longer));
        let given = refusal("new_reno", "[semi_tcp]\ninitial_rto = \"1 s\"\n");
        assert!(given.contains("exceeds tcp.max_rto (500 ms)"), "{given}");
    }

    /// Cai 2013, section 3.4: k from 1 to g + m. Its own Table 1 has k = 3 with g = m = 1, which therefore runs.
    #[test]
    fn a_release_beyond_g_and_m_warns() {
        let warnings = |keys: &str| {
            let text = format!(
                "[topology]\nkind = \"chain\"\nhops = 3\n[semi_tcp]\n{keys}\n[[flow]]\ntransport = \"semi_tcp\"\nsegment = 512\n"
            );
            let scenario = Resolved::parse(&text, "k.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
            scenario.warnings.iter().filter(|warning| warning.contains("exceeds g + m (")).count()
        };
        assert_eq!((warnings(""), warnings("k = 2"), warnings("k = 3")), (0, 0, 1));
        assert_eq!((warnings("k = 3\nm = 2"), warnings("k = 4\nm = 2\ng = 1")), (0, 1));
    }

    #[test]
    fn presets_differ_in_eighteen_keys() {
        let count = |config: &SemiTcpConfig| {
            let json = serde_json::to_value(config).expect("a table");
            let paper = serde_json::to_value(SemiTcpConfig::default()).expect("a table");
            json.as_object().into_iter().flatten().filter(|(key, value)| paper.get(key) != Some(value)).count()
        };
        let cai = SemiTcpConfig::preset(SemiTcpPreset::Cai2013);
        assert_eq!((count(&SemiTcpConfig::default()), count(&cai)), (0, 18));
        let exchanges = [SemiTcpConfig::default().rules().exchange, cai.rules().exchange];
        assert_eq!(exchanges, [None, Some(Span::from_millis(6))]);
        assert_eq!((cai.pull().max_outstanding, SemiTcpConfig::default().pull().max_outstanding), (u32::MAX, 1024));
    }
}
