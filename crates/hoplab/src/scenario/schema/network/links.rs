//! Links of `topology.kind = "links"`: rows of a file or of the scenario, by number of node.

use super::link_file::{self, LinkError};
use crate::kernel::{Channel, Time};
use crate::phy::propagation;
use crate::scenario::schema::reader::{Reader, join, message};
use crate::scenario::syntax::diagnostic::RawDiagnostic;
use crate::scenario::syntax::problem::{mismatch, not_supported_with};
use crate::scenario::syntax::source::Origin;
use crate::scenario::syntax::suggest::suggest;
use crate::scenario::syntax::tree::{Node, Value};
use crate::scenario::topology::{LinkRow, LinkWay, ListedLink, MAX_NODES, Strength, TopologyConfig};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Longest name of a node, in bytes.
pub(crate) const MAX_NAME: usize = 100;

/// Numbers of channels (IEEE 802.11-2016 Annex E).
const CHANNELS: RangeInclusive<Channel> = 1..=233;

/// Words that name a node by its place in the topology.
pub(crate) const PLACES: [&str; 3] = ["first", "last", "center"];

/// The links that `file` or `links` of the table lists; sets the names of nodes in `keys` if they are not given. `None` if
/// anything is wrong, which is reported.
pub(super) fn read(reader: &mut Reader<'_>, table: &Node, keys: &mut TopologyConfig) -> Option<Vec<ListedLink>> {
    for key in ["extra", "mobile_nodes"] {
        if let Some(entry) = table.entry(key) {
            let key = join("topology", key);
            let message = message(&key, &not_supported_with("kind = \"links\": nodes have no positions"), None);
            reader.refuse(&entry.origin, RawDiagnostic { key, message, ..RawDiagnostic::default() });
        }
    }
    if let (Some(_), Some(entry)) = (table.get("file"), table.entry("links")) {
        let key = "topology.links".to_owned();
        let message = message(&key, &not_supported_with("file"), None);
        let expected = "file or links".to_owned();
        reader.refuse(&entry.origin, RawDiagnostic { key, message, expected, ..RawDiagnostic::default() });
        return None;
    }
    let mut roster = Roster::new(keys.names.as_deref(), keys.file.is_some());
    let outcome = if let Some(name) = &keys.file {
        match reader.file(name) {
            Ok((_, text)) => link_file::parse(text, |line, row| roster.add(&row, line)),
            Err(what) => {
                let node = table.get("file")?;
                let raw = reader.wrong(node, "topology.file", &what);
                let expected = "path of a CSV file of links, relative to the scenario".to_owned();
                reader.refuse(&node.origin, RawDiagnostic { expected, ..raw });
                return None;
            }
        }
    } else {
        let rows = keys.links.as_deref().unwrap_or_default();
        rows.iter().zip(0..).try_for_each(|(row, i)| roster.add(row, i))
    };
    match outcome.and_then(|()| roster.finish()) {
        Ok((names, listed)) => {
            keys.names = Some(names);
            Some(listed)
        }
        Err(error) => {
            let error = if keys.file.is_some() { of_file(error) } else { error };
            refuse(reader, table, keys.file.as_deref(), error);
            None
        }
    }
}

/// The rows of `topology.links` as written.
pub(super) fn read_rows(reader: &mut Reader<'_>, table: &Node) -> Option<Vec<LinkRow>> {
    let list = table.get("links")?;
    let fields = reader.root.table("topology").table("links");
    let Value::List(items) = &list.value else {
        let raw = reader.wrong(list, "topology.links", &mismatch("array", list.value.what()));
        let expected = "tables such as { from = \"a\", to = \"b\", power = \"-70 dBm\" }".to_owned();
        reader.refuse(&list.origin, RawDiagnostic { expected, ..raw });
        return None;
    };
    let row = |(i, item): (usize, &Node)| {
        let key = format!("topology.links.{i}");
        reader.overlay(Some(item), &key, fields, LinkRow::default())
    };
    Some(items.iter().enumerate().map(row).collect())
}

/// Reports a row, at its line of the file or in the scenario.
pub(crate) fn refuse(reader: &mut Reader<'_>, table: &Node, file: Option<&str>, error: LinkError) {
    let LinkError { place, key, what, expected, hint } = error;
    let (origin, name, key) = if let Some(Ok((path, text))) = file.map(|name| reader.file(name)) {
        let text = text.lines().nth(place.saturating_sub(1) as usize);
        let origin = Origin::Beside { path: path.into(), line: Some(place), text: text.map(Into::into) };
        (origin, key.to_owned(), "topology.file".to_owned())
    } else {
        let items = match table.get("links").map(|list| &list.value) {
            Some(Value::List(items)) => &items[..],
            _ => &[],
        };
        let row = items.get(place as usize);
        let origin = row.map(|row| row.get(key).unwrap_or(row)).map_or(&table.origin, |node| &node.origin);
        let key = format!("topology.links.{place}.{key}");
        (origin.clone(), key.clone(), key)
    };
    let message = message(&name, &what, None);
    reader.refuse(&origin, RawDiagnostic { key, message, expected, hint, value: None });
}

/// The columns of a file have their units in their names.
fn of_file(error: LinkError) -> LinkError {
    let key = match error.key {
        "power" => "power_w",
        "delay" => "delay_ns",
        "distance" => "distance_m",
        "time" => "t_s",
        other => other,
    };
    LinkError { key, ..error }
}

/// Names with their numbers, and links by number.
struct Roster {
    names: Vec<String>,
    numbers: BTreeMap<String, u32>,
    is_given: bool,
    is_file: bool,
    listed: Vec<ListedLink>,
    latest: Time,
}

impl Roster {
    fn new(names: Option<&[String]>, is_file: bool) -> Roster {
        let names = names.map(<[String]>::to_vec);
        let is_given = names.is_some();
        let names = names.unwrap_or_default();
        let numbers = names.iter().cloned().zip(0..).collect();
        Roster { names, numbers, is_given, is_file, listed: Vec::new(), latest: Time::ZERO }
    }

    fn number(&mut self, name: &str, place: u32, key: &'static str) -> Result<u32, LinkError> {
        if let Some(&number) = self.numbers.get(name) {
            return Ok(number);
        }
        if name.is_empty() {
            return Err(LinkError::new(place, key, "missing", "the name of a node"));
        }
        if self.is_given {
            let hint = suggest(name, self.names.iter().map(String::as_str))
                .map(|name| format!("the nearest name is {name:?}"));
            let error = LinkError::new(place, key, format!("unknown node {name:?}"), "one of topology.names");
            return Err(LinkError { hint, ..error });
        }
        check_name(name).map_err(|(what, expected)| LinkError::new(place, key, what, expected))?;
        if self.names.len() as u64 >= MAX_NODES {
            return Err(LinkError::new(place, key, "too many nodes", format!("at most {MAX_NODES} nodes")));
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        Ok(number)
    }

    fn add(&mut self, row: &LinkRow, place: u32) -> Result<(), LinkError> {
        let wrong = |key: &'static str, what: String, expected: &str| Err(LinkError::new(place, key, what, expected));
        let from = self.number(&row.from, place, "from")?;
        let to = self.number(&row.to, place, "to")?;
        if from == to {
            return wrong("to", format!("a link from {:?} to itself", row.from), "another node");
        }
        if let Some(channel) = row.channel.filter(|channel| !CHANNELS.contains(channel)) {
            return wrong("channel", format!("{channel} is out of range"), "1 to 233, the number of a channel");
        }
        let given = [
            row.power.map(|power| Strength::Received(power.0)),
            row.snr_db.map(Strength::Snr),
            row.path_loss_db.map(Strength::PathLoss),
        ];
        let mut given = given.into_iter().flatten();
        let strength = given.next().unwrap_or(Strength::Unknown);
        if given.next().is_some() {
            return wrong("power", "power is given twice".to_owned(), "one of power, snr_db and path_loss_db");
        }
        match strength {
            Strength::Received(watts) if !(watts > 0.0 && watts.is_finite()) => {
                return wrong("power", format!("{watts} W is no received power"), "power greater than 0 W");
            }
            Strength::Snr(db) if db.abs() > 200.0 => {
                return wrong("snr_db", format!("{db} is out of range"), "-200 to 200 dB");
            }
            Strength::PathLoss(db) if !(0.0..=300.0).contains(&db) => {
                return wrong("path_loss_db", format!("{db} is out of range"), "0 to 300 dB");
            }
            _ => {}
        }
        if let Some(ratio) = row.delivery.filter(|ratio| !(0.0..=1.0).contains(ratio)) {
            let hint = (ratio > 1.0 && ratio <= 255.0).then(|| {
                "divide percents by 100, TQ of batman-adv by 255; of ETX take 1/ETX where only one direction is known".to_owned()
            });
            let error = LinkError::new(place, "delivery", format!("{ratio} is out of range"), "0 to 1");
            return Err(LinkError { hint, ..error });
        }
        match row.delivery_bytes {
            Some(_) if row.delivery.is_none() => {
                return wrong("delivery_bytes", "requires delivery".to_owned(), "delivery, or neither");
            }
            Some(bytes) if !(1..=100_000).contains(&bytes) => {
                return wrong("delivery_bytes", format!("{bytes} is out of range"), "1 to 100000 bytes");
            }
            _ => {}
        }
        let delay = match (row.delay, row.distance) {
            (Some(_), Some(_)) => {
                return wrong("distance", "delay and distance are both given".to_owned(), "one of them");
            }
            (Some(delay), None) => Some(delay),
            (None, Some(metres)) if metres.0 >= 0.0 => Some(propagation::delay(metres.0)),
            (None, Some(metres)) => return wrong("distance", format!("{} m is negative", metres.0), "0 m or more"),
            (None, None) => None,
        };
        if delay.is_some_and(|delay| delay.0 > 1_000_000_000) {
            return wrong("delay", "delay exceeds 1 s".to_owned(), "up to 1 s");
        }
        let at = row.time.unwrap_or(Time::ZERO);
        if at < self.latest {
            let latest = self.latest.secs();
            return wrong("time", format!("{} s comes after {latest} s", at.secs()), "times that do not decrease");
        }
        self.latest = at;
        let link = ListedLink {
            from,
            to,
            channel: row.channel,
            at,
            strength,
            delivery: row.delivery.map(|ratio| (ratio, row.delivery_bytes.unwrap_or(0))),
            delay: delay.map(|delay| (delay.0 as u32).max(1)),
            is_sensed_only: row.sense_only == Some(true),
            place,
        };
        self.listed.push(link);
        if row.way == Some(LinkWay::Both) {
            self.listed.push(ListedLink { from: to, to: from, ..link });
        }
        Ok(())
    }

    /// The names in order of number, and the links.
    fn finish(mut self) -> Result<(Vec<String>, Vec<ListedLink>), LinkError> {
        if self.listed.is_empty() {
            return Err(LinkError::new(1, "links", "no link", "at least one row with from, to, and power or delivery"));
        }
        if !self.is_given {
            self.renumber();
        }
        let mut order: Vec<u32> = (0..self.listed.len() as u32).collect();
        let key = |i: u32| {
            let link = &self.listed[i as usize];
            (link.from, link.to, link.channel, link.at)
        };
        order.sort_by_key(|&i| (key(i), i));
        if let Some(pair) = order.windows(2).filter(|pair| key(pair[0]) == key(pair[1])).min_by_key(|pair| pair[1]) {
            let [first, again] = [pair[0], pair[1]].map(|i| &self.listed[i as usize]);
            let [from, to] = [again.from, again.to].map(|node| &self.names[node as usize]);
            let channel = again.channel.map_or(String::new(), |channel| format!(" on channel {channel}"));
            let what = format!(
                "the link from {from:?} to {to:?} is listed twice{channel} at one time, first at {}",
                self.at(first.place)
            );
            return Err(LinkError::new(again.place, "to", what, "each direction once at a time"));
        }
        Ok((self.names, self.listed))
    }

    /// A place of the list, for messages.
    fn at(&self, place: u32) -> String {
        if self.is_file { format!("line {place}") } else { format!("entry {place}") }
    }

    /// Numbers as names are in their order, all others in that of the list.
    fn renumber(&mut self) {
        let numbers: Option<Vec<u64>> = self.names.iter().map(|name| name.parse().ok()).collect();
        let Some(numbers) = numbers else { return };
        let mut order: Vec<usize> = (0..numbers.len()).collect();
        order.sort_by_key(|&i| numbers[i]);
        let mut place = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old] = new as u32;
        }
        self.names = order.iter().map(|&old| self.names[old].clone()).collect();
        for link in &mut self.listed {
            (link.from, link.to) = (place[link.from as usize], place[link.to as usize]);
        }
    }
}

/// Whether a letter moves the cursor, ends a line, or reorders text around it (Unicode Standard Annex #9).
fn is_unprintable(letter: char) -> bool {
    let is_format =
        matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    letter.is_control() || is_format || matches!(letter, '\u{2028}' | '\u{2029}')
}

/// Whether a text can name a node; if not, the problem, and what is expected.
pub(super) fn check_name(name: &str) -> Result<(), (String, String)> {
    if PLACES.contains(&name) {
        return Err((format!("{name:?} names a node of every topology"), "another name".to_owned()));
    }
    let is_name = !name.is_empty() && name.len() <= MAX_NAME && !name.chars().any(is_unprintable);
    if is_name { Ok(()) } else { Err((format!("{name:?} is no name"), format!("1 to {MAX_NAME} printable bytes"))) }
}
