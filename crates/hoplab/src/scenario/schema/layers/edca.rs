//! Table `[mac.edca]`: limits of its keys, and what access categories do not combine with.

use super::standard_names::radio_standards;
use crate::kernel::Span;
use crate::mac::MacConfig;
use crate::packet::Category;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::schema::table::Table;
use crate::scenario::syntax::problem::{OUT_OF_RANGE, exceeds, not_supported_with, requires};

/// Longest contention window of EDCA, in slots: ECWmax of 15 (IEEE 802.11-2016 section 9.4.2.29).
const MAX_CW: u32 = 32_767;

/// Range of AIFSN of stations that are no access points (IEEE 802.11-2016 section 9.4.2.29).
pub(super) const AIFSN: (u32, u32) = (2, 15);

/// Longest TXOP limit that a QoS Control field can carry (IEEE 802.11-2016 section 9.2.4.5.5).
pub(super) const MAX_TXOP: Span = Span::from_micros(8_160);

/// Checks the keys of each category that are given.
pub(super) fn check(reader: &mut Reader<'_>, section: Section<'_>, mac: &MacConfig) {
    let Some(edca) = &mac.edca else { return };
    section.rule(reader, "edca", mac.has_qos(), &requires("qos = true"), "qos = true");
    let is_common = section.key == MacConfig::KEY || section.given("edca").is_none();
    section.rule(reader, "edca", is_common, &not_supported_with("[[node]]"), "edca in [mac]");
    for category in Category::ALL {
        let key = format!("{}.edca.{}", section.key, category.name());
        let table = section.given("edca").and_then(|edca| edca.get(category.name()));
        let (section, keys) = (Section { key: &key, table }, edca.of(category));
        let holds = keys.aifsn.is_none_or(|slots| (AIFSN.0..=AIFSN.1).contains(&slots));
        section.rule(reader, "aifsn", holds, OUT_OF_RANGE, "2 to 15 slots");
        let holds = keys.cw_min.is_none_or(|slots| (1..=MAX_CW).contains(&slots));
        section.rule(reader, "cw_min", holds, OUT_OF_RANGE, "1 to 32767 slots");
        let holds = keys.cw_max.is_none_or(|slots| (1..=MAX_CW).contains(&slots));
        section.rule(reader, "cw_max", holds, OUT_OF_RANGE, "1 to 32767 slots");
        let holds = keys.txop_limit.is_none_or(|limit| limit <= MAX_TXOP);
        section.rule(reader, "txop_limit", holds, OUT_OF_RANGE, "0 s to 8160 us; 0 s for one exchange");
    }
}

/// Completes `[mac.edca]` where packets have categories: by the table, or by the `priority` of a flow or workload, `user`.
/// `nodes` are the MACs of nodes with settings of their own.
pub(crate) fn complete(
    reader: &mut Reader<'_>,
    section: Section<'_>,
    user: Option<Section<'_>>,
    mac: &mut MacConfig,
    nodes: &mut [&mut MacConfig],
) {
    if user.is_none() && mac.edca.is_none() {
        return;
    }
    if let Some(user) = user {
        let with_qos = radio_standards(|standard| standard.qos.is_some());
        let hint = format!("set qos = true in [mac]; it requires {with_qos}");
        user.rule_with_hint(
            reader,
            "priority",
            mac.has_qos(),
            &requires("mac.qos = true"),
            "mac.qos = true",
            Some(&hint),
        );
    }
    let access = |mac: &MacConfig| (mac.qos, mac.aifsn, mac.cw_min, mac.cw_max, mac.txop_limit);
    let is_common = nodes.iter().all(|node| access(node) == access(mac));
    let what = not_supported_with("qos, aifsn, cw_min, cw_max or txop_limit of a [[node]]");
    let hint = "remove these keys of [[node]], or mac.edca and priority";
    section.rule_with_hint(reader, "edca", is_common, &what, "these keys in [mac] or [mac.edca]", Some(hint));
    let completed = mac.edca.clone().unwrap_or_default().completed(&mac.access());
    for category in Category::ALL {
        let keys = completed.of(category);
        let (Some(least), Some(most)) = (keys.cw_min, keys.cw_max) else { continue };
        let key = format!("mac.edca.{}", category.name());
        let table = section.given("edca").and_then(|edca| edca.get(category.name()));
        let section = Section { key: &key, table };
        let blamed = section.blamed(&["cw_min", "cw_max"]);
        let what = exceeds("cw_min", least, "cw_max", most);
        section.rule(reader, blamed, least <= most, &what, "cw_min not above cw_max");
    }
    for node in nodes {
        node.edca = Some(completed.clone());
    }
    mac.edca = Some(completed);
}
