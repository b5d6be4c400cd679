//! The table of links of `topology.kind = "links"`: powers, delays and delivery ratios in the units of the radio.
//!
//! Missing power is not guessed: measured RSSI fits no propagation model, as long links have antennas and dead ones are not
//! in the data. `topology.fill` states one, or the scenario is refused.

use crate::kernel::{Channel, NodeId, RadioId, Radios, Time, Watts};
use crate::mac::MacConfig;
use crate::phy::propagation::{PathLoss, delay};
use crate::phy::{Delivery, ErrorKind, LinkChange, LinkTable, Noise, RadioConfig, with_heights};
use crate::scenario::schema::layers::standard::power_at_data_rate;
use crate::scenario::schema::network::link_file::LinkError;
use crate::scenario::schema::network::links::refuse;
use crate::scenario::schema::network::node::NodeSettings;
use crate::scenario::schema::reader::{Reader, join, message};
use crate::scenario::schema::section::Section;
use crate::scenario::syntax::diagnostic::RawDiagnostic;
use crate::scenario::syntax::problem::{not_supported_with, requires};
use crate::scenario::syntax::source::Origin;
use crate::scenario::syntax::tree::Node;
use crate::scenario::topology::{Fill, Links, ListedLink, Strength, Topology, heights_of};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Longest delay of a link whose delay is not given, in nanoseconds: with more, no exchange succeeds.
const LONGEST: u32 = 1999;

/// Power of `fill = "level"` over what the fastest data rate of any node needs.
const LEVEL: f64 = 10.0;

/// Links without power that a message names.
const MAX_NAMED: usize = 3;

/// Sets what replaces or refines positions in the radio: the table of links, or heights.
pub(crate) fn set(
    reader: &mut Reader<'_>,
    tree: &Node,
    topology: &Topology,
    radio: &mut RadioConfig,
    mac: &MacConfig,
    nodes: &[NodeSettings],
) {
    let Some(links) = topology.layout.links() else {
        let errors = Section { key: "radio.errors", table: tree.at(&["radio", "errors"]) };
        let what = requires("delivery ratios of topology.kind = \"links\"");
        errors.rule(reader, "model", radio.errors.model != ErrorKind::Links, &what, "another model");
        radio.heights = topology.layout.heights().map(Into::into);
        if radio.heights.is_some() {
            refuse_movement(reader, tree, "topology.geo with heights");
        }
        return;
    };
    refuse_movement(reader, tree, "kind = \"links\"");
    let Some(table) = tree.get("topology") else { return };
    refuse_power(reader, tree, links, radio, nodes);
    let file = links.file();
    let level = Watts(LEVEL * needed(radio, mac, nodes));
    let changes = match changes(links, radio, level, nodes) {
        Ok(changes) => changes,
        Err(error) => return refuse(reader, table, file, error),
    };
    let missing: Vec<&ListedLink> =
        changes.iter().zip(links.listed.iter()).filter(|(change, _)| change.is_none()).map(|(_, link)| link).collect();
    if let Some(first) = missing.first() {
        return refuse(reader, table, file, without_power(topology, &missing, first));
    }
    let radios = radios_of(topology, radio, nodes);
    let changes = by_radio(links, changes.into_iter().flatten(), &radios);
    reader.warnings.extend(unused_channels(links, &radios, topology));
    let Some(strongest) = check_reception(reader, table, topology, radio, &radios, &changes) else { return };
    let Ok(found) = LinkTable::new(radios.all().count(), changes) else {
        let last = links.listed.last().map_or(0, |link| link.place);
        let expected = "fewer rows with a time, or fewer links: each copies the links of its sender";
        return refuse(reader, table, file, LinkError::new(last, "time", "links of all times exceed 1 GiB", expected));
    };
    let has_deliveries = found.has_deliveries();
    let is_chosen = tree.at(&["radio", "errors", "model"]).is_some();
    if has_deliveries && !is_chosen {
        radio.errors.model = ErrorKind::Links;
    }
    if !has_deliveries && radio.errors.model == ErrorKind::Links {
        let errors = Section { key: "radio.errors", table: tree.at(&["radio", "errors"]) };
        errors.rule(reader, "model", false, &requires("delivery ratios in topology.links"), "another model");
    }
    if has_deliveries && radio.errors.model != ErrorKind::Links {
        let model = radio.errors.model.name();
        reader.warnings.push(format!("topology: delivery ratios have no effect with radio.errors.model = \"{model}\""));
    }
    reader.warnings.extend(assumed(links, radio, level, strongest));
    radio.links = Some(Arc::new(found));
}

fn refuse_movement(reader: &mut Reader<'_>, tree: &Node, with: &str) {
    if let Some(entry) = tree.entry("mobility") {
        let key = "mobility".to_owned();
        let message = message(&key, &not_supported_with(with), None);
        let hint = Some("remove [mobility]; links change with rows that have a time (t_s)".to_owned());
        reader.refuse(&entry.origin, RawDiagnostic { key, message, hint, ..RawDiagnostic::default() });
    }
}

/// Received powers contain the transmit power.
fn refuse_power(reader: &mut Reader<'_>, tree: &Node, links: &Links, radio: &RadioConfig, nodes: &[NodeSettings]) {
    let is_received = |link: &ListedLink| matches!(link.strength, Strength::Received(_) | Strength::Snr(_));
    if !links.listed.iter().any(is_received) {
        return;
    }
    let what = not_supported_with("received powers of topology.kind = \"links\", which contain it");
    let expected = "no tx_power, or path_loss_db in place of received power";
    let section = Section { key: "radio", table: tree.get("radio") };
    let is_usual = radio.tx_power == RadioConfig::default().tx_power;
    section.rule(reader, "tx_power", is_usual, &what, expected);
    if let Some(node) = nodes.iter().find(|node| node.tx_power != radio.tx_power) {
        let key = join(&format!("node.{}", node.id.0), "radio.tx_power");
        let message = message(&key, &what, None);
        let expected = expected.to_owned();
        reader.refuse(&Origin::Nowhere, RawDiagnostic { key, message, expected, ..RawDiagnostic::default() });
    }
}

/// Power in watts at which every node's data are received, and which makes a pair a link.
fn needed(radio: &RadioConfig, mac: &MacConfig, nodes: &[NodeSettings]) -> f64 {
    let macs = nodes.iter().map(|node| &node.mac).chain([mac]);
    macs.map(|mac| power_at_data_rate(radio, mac).0).fold(radio.link_threshold(), f64::max)
}

/// The radios of all nodes.
fn radios_of(topology: &Topology, radio: &RadioConfig, nodes: &[NodeSettings]) -> Radios {
    let channels = |node: u32| match nodes.binary_search_by_key(&node, |settings| settings.id.0) {
        Ok(at) => &nodes[at].channels[..],
        Err(_) => radio.usual_channels(),
    };
    Radios::new((0..topology.nodes() as u32).map(channels))
}

/// Changes between nodes, in the order of `links`, as those between their radios. A row without a channel is one for each channel
/// that both nodes have and no row of the pair names.
fn by_radio(links: &Links, changes: impl Iterator<Item = LinkChange>, radios: &Radios) -> Vec<LinkChange> {
    let named = |link: &ListedLink| Some((link.from, link.to, link.channel?));
    let named: BTreeSet<(u32, u32, Channel)> = links.listed.iter().filter_map(named).collect();
    if named.is_empty() && !radios.has_several() {
        return changes.collect();
    }
    let of = |(change, link): (LinkChange, &ListedLink)| {
        let (from, to, wanted) = (NodeId(link.from), NodeId(link.to), link.channel);
        let is_on = |channel: Channel| match wanted {
            Some(wanted) => wanted == channel,
            None => !named.contains(&(from.0, to.0, channel)),
        };
        let pairs = radios.of(from).flat_map(|own| radios.of(to).map(move |other| (own, other)));
        let pairs = pairs.filter(|&(own, other)| {
            let channel = radios.channel(own);
            channel == radios.channel(other) && is_on(channel)
        });
        pairs.map(|(from, to)| LinkChange { from, to, ..change }).collect::<Vec<_>>()
    };
    changes.zip(links.listed.iter()).flat_map(of).collect()
}

/// The warning about rows for channels that are not those of both nodes.
fn unused_channels(links: &Links, radios: &Radios, topology: &Topology) -> Option<String> {
    let has = |node: u32, channel| radios.of(NodeId(node)).any(|own| radios.channel(own) == channel);
    let is_unused =
        |link: &&ListedLink| link.channel.is_some_and(|channel| !has(link.from, channel) || !has(link.to, channel));
    let first = links.listed.iter().find(is_unused)?;
    let count = links.listed.iter().filter(is_unused).count();
    let [from, to] = [first.from, first.to].map(|node| topology.names[node as usize].as_str());
    let channel = first.channel.unwrap_or_default();
    Some(format!(
        "topology: {count} of {} links are on channels that not both of their nodes have, such as {from} to {to} on channel {channel}: \
         they have no effect",
        links.listed.len()
    ))
}

/// Each link as the radio has it, between the first radios of its nodes; `None` where its power is missing. `level` is that of
/// `fill = "level"`.
fn changes(
    links: &Links,
    radio: &RadioConfig,
    level: Watts,
    nodes: &[NodeSettings],
) -> Result<Vec<Option<LinkChange>>, LinkError> {
    let loss = PathLoss::new(radio);
    let noise = Noise::new(radio).power;
    let heights = links.geo().and_then(heights_of);
    let places = links.is_placed().then(|| links.places());
    let distance = |a: u32, b: u32| {
        let places = places.as_ref()?;
        let (a, b) = (a as usize, b as usize);
        let flat = libm::hypot(places[a].0 - places[b].0, places[a].1 - places[b].1);
        Some(with_heights(flat, heights.as_deref(), a, b))
    };
    // The largest number below the threshold.
    let unread = radio.rx_threshold.0.next_down().max(0.0);
    let change = |link: &ListedLink| {
        let own = nodes.binary_search_by_key(&link.from, |node| node.id.0).ok();
        let tx_power = own.map_or(radio.tx_power, |at| nodes[at].tx_power);
        let change = LinkChange {
            from: RadioId(link.from),
            at: link.at,
            to: RadioId(link.to),
            link: None,
            delivery: link.delivery.map(|(ratio, bytes)| Delivery { ratio, bytes }),
        };
        let is_end = link.at > Time::ZERO && link.delivery.is_none() && !link.is_sensed_only;
        let power = match link.strength {
            Strength::Received(watts) => watts,
            Strength::Snr(db) => noise * libm::pow(10.0, db / 10.0),
            Strength::PathLoss(db) => tx_power.0 * libm::pow(10.0, -db / 10.0),
            Strength::Unknown if is_end => return Ok(Some(change)),
            Strength::Unknown if link.is_sensed_only => unread,
            Strength::Unknown => match (links.fill(), distance(link.from, link.to)) {
                (Fill::Level, _) => level.0,
                (Fill::Propagation, Some(metres)) => loss.rx_power(tx_power.0, metres),
                _ => return Ok(None),
            },
        };
        if power > tx_power.0 {
            let what = format!("{:.1} dBm exceeds the transmit power ({:.1} dBm)", dbm(power), dbm(tx_power.0));
            return Err(LinkError::new(link.place, "power", what, "received power, at most radio.tx_power"));
        }
        let power = if link.is_sensed_only { power.min(unread) } else { power };
        let delay = link.delay.unwrap_or_else(|| {
            let metres = distance(link.from, link.to).unwrap_or_else(|| loss.range(tx_power, Watts(power)).0);
            delay(metres).0.clamp(1, u64::from(LONGEST)) as u32
        });
        Ok(Some(LinkChange { link: Some((power, delay)), ..change }))
    };
    links.listed.iter().map(change).collect()
}

/// The error for links whose power is missing.
fn without_power(topology: &Topology, missing: &[&ListedLink], first: &ListedLink) -> LinkError {
    let name = |node: u32| topology.names[node as usize].as_str();
    let named: Vec<String> =
        missing.iter().take(MAX_NAMED).map(|link| format!("{} to {}", name(link.from), name(link.to))).collect();
    let more = missing.len().saturating_sub(MAX_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let what = format!("power of {} links is missing: {}{more}", missing.len(), named.join(", "));
    let expected = "power, snr_db or path_loss_db of each link, or topology.fill";
    let hint =
        "set topology.fill = \"level\" for 10 dB over the reception threshold, with which no frame captures another";
    LinkError { hint: Some(hint.to_owned()), ..LinkError::new(first.place, "power", what, expected) }
}

/// Whether frames can be exchanged over any link at the start; if not, that is reported. Returns the number of pairs that sense
/// but cannot decode each other's frames.
fn check_reception(
    reader: &mut Reader<'_>,
    table: &Node,
    topology: &Topology,
    radio: &RadioConfig,
    radios: &Radios,
    changes: &[LinkChange],
) -> Option<usize> {
    let power = |change: &LinkChange| change.link.map_or(0.0, |(power, _)| power);
    let mut start: Vec<(RadioId, RadioId, f64)> =
        changes.iter().filter(|change| change.at == Time::ZERO).map(|c| (c.from, c.to, power(c))).collect();
    start.sort_unstable_by_key(|&(from, to, _)| (from, to));
    let back = |from: RadioId, to: RadioId| {
        let at = start.binary_search_by_key(&(to, from), |&(from, to, _)| (from, to)).ok()?;
        Some(start[at].2)
    };
    let mut strongest = (0.0, RadioId(0), RadioId(0));
    for &(from, to, there) in &start {
        let weaker = back(from, to).unwrap_or(0.0).min(there);
        if weaker > strongest.0 {
            strongest = (weaker, from, to);
        }
    }
    let threshold = radio.rx_threshold.0;
    if strongest.0 >= threshold {
        let sensed = |power: f64| power < threshold && power >= radio.cs_threshold.0;
        return Some(start.iter().filter(|&&(.., power)| sensed(power)).count());
    }
    let name = |radio: RadioId| topology.names[radios.owner(radio).index()].as_str();
    let pair = match strongest {
        (0.0, ..) => "no pair is listed both ways".to_owned(),
        (power, a, b) => format!("the strongest pair, {} and {}, has {:.1} dBm", name(a), name(b), dbm(power)),
    };
    let key = "topology".to_owned();
    let message =
        format!("topology: no link can be used at the start: {pair}; radio.rx_threshold is {:.1} dBm", dbm(threshold));
    let expected = "a pair with both directions at or above radio.rx_threshold".to_owned();
    let hint = Some(
        "list both directions, or give radio.rx_threshold and radio.cs_threshold the values of your radios".to_owned(),
    );
    reader.refuse(&table.origin, RawDiagnostic { key, message, expected, hint, value: None });
    None
}

/// A power in dBm.
fn dbm(watts: f64) -> f64 {
    10.0 * libm::log10(watts) + 30.0
}

/// Warnings about what the table does not say.
fn assumed(links: &Links, radio: &RadioConfig, level: Watts, sensed: usize) -> Vec<String> {
    let mut warnings = Vec::new();
    let is_filled = |link: &&ListedLink| {
        link.strength == Strength::Unknown && !link.is_sensed_only && (link.at == Time::ZERO || link.delivery.is_some())
    };
    let filled = links.listed.iter().filter(is_filled).count();
    let all = links.listed.len();
    match links.fill() {
        Fill::Level if filled > 0 => warnings.push(format!(
            "topology.fill: {filled} of {all} links without power have {:.1} dBm, 10 dB over what the data rate needs: no frame captures \
             another",
            10.0 * libm::log10(level.0 / 1e-3)
        )),
        Fill::Propagation if filled > 0 => warnings.push(format!(
            "topology.fill: power of {filled} of {all} links follows from distance by radio.propagation = \"{}\", not from measurement",
            radio.propagation.name()
        )),
        _ => {}
    }
    if sensed == 0 {
        warnings.push(
            "topology: no power lies between radio.cs_threshold and radio.rx_threshold: nodes beyond neighbors neither defer \
             to each other nor collide; add pairs with sense_only = true"
                .to_owned(),
        );
    }
    warnings
}
