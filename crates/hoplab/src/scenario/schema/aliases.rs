//! Former names of keys: a renamed or moved key is still accepted for one minor version, with a warning that names the
//! new one.
//!
//! A row of [`ALIASES`] gives the old path, the new paths, and the version that removes the old one. Paths are dotted and
//! start at the top of the file; tables in lists have no number (`node.assist` is that key of every `[[node]]`). A row may
//! rename a key (`radio.reach` to `radio.rx_range`), move it into another table (`routing.hello` to `routing.aodv.hello`),
//! rename or move a whole table, or copy a value to several keys that took its place.
//!
//! Values move to the new path before the schema is read, and keep their position in the text. So no later step uses the
//! old name: a key is renamed by renaming the field of its struct and adding a row here. The old name works in files and in
//! overrides (`--set`, `--over`), where it overrides the new key of the file. A file that has both names is refused.

use crate::scenario::syntax::diagnostic::RawDiagnostic;
use crate::scenario::syntax::overrides::{self, Lists};
use crate::scenario::syntax::problem::not_supported_with;
use crate::scenario::syntax::source::{Origin, Source};
use crate::scenario::syntax::tree::{Entry, Node, Value};

/// A former name of a key or of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alias {
    /// The former path.
    pub(crate) old: &'static str,
    /// The paths that receive its value; more than one where one key became several.
    pub(crate) new: &'static [&'static str],
    /// The version that no longer accepts the former name, as `major.minor`.
    pub(crate) removed_in: &'static str,
}

/// A key of `[routing]` that was moved to a table of its protocol.
macro_rules! in_routing {
    ($old:literal => $($new:literal),+) => {
        Alias { old: concat!("routing.", $old), new: &[$(concat!("routing.", $new)),+], removed_in: "0.3" }
    };
}

/// A key that was renamed within its table.
macro_rules! renamed {
    ($old:literal => $new:literal) => {
        Alias { old: $old, new: &[$new], removed_in: "0.3" }
    };
}

/// All former names that are accepted.
pub(crate) const ALIASES: &[Alias] = &[
    renamed!("progress" => "goodput_interval"),
    renamed!("radio.reach" => "radio.rx_range"),
    renamed!("radio.sinr.relock" => "radio.sinr.frame_capture"),
    renamed!("radio.sinr.relock_db" => "radio.sinr.frame_capture_db"),
    renamed!("radio.sinr.release" => "radio.sinr.abort_on_header_error"),
    renamed!("node.assist" => "node.feedback_router"),
    renamed!("node.off" => "node.radio_off"),
    renamed!("topology.walkers" => "topology.mobile_nodes"),
    renamed!("topology.corner" => "topology.origin"),
    renamed!("mobility.fixed" => "mobility.stationary_nodes"),
    in_routing!("active_route_timeout" => "aodv.active_route_timeout"),
    in_routing!("my_route_timeout" => "aodv.my_route_timeout"),
    in_routing!("reverse_route_life" => "aodv.reverse_route_life"),
    in_routing!("request_memory" => "aodv.request_memory"),
    in_routing!("rreq_retries" => "aodv.rreq_retries"),
    in_routing!("max_rreq_timeout" => "aodv.max_rreq_timeout"),
    in_routing!("ttl_start" => "aodv.ttl_start"),
    in_routing!("ttl_increment" => "aodv.ttl_increment"),
    in_routing!("ttl_threshold" => "aodv.ttl_threshold"),
    in_routing!("node_traversal_time" => "aodv.node_traversal_time"),
    in_routing!("network_diameter" => "aodv.network_diameter", "dsdv.ttl"),
    in_routing!("buffer_limit" => "aodv.buffer_limit"),
    in_routing!("buffer_timeout" => "aodv.buffer_timeout"),
    in_routing!("local_repair" => "aodv.local_repair"),
    in_routing!("hello" => "aodv.hello"),
    in_routing!("hello_interval" => "aodv.hello_interval"),
    in_routing!("allowed_hello_loss" => "aodv.allowed_hello_loss"),
    in_routing!("settling_time" => "dsdv.settling_time"),
    in_routing!("settling_weight" => "dsdv.settling_weight"),
    in_routing!("update_period" => "dsdv.update_period"),
    in_routing!("neighbor_timeout" => "dsdv.neighbor_timeout"),
    in_routing!("buffer_per_destination" => "dsdv.buffer_per_destination"),
    in_routing!("dsdv_use_mac" => "dsdv.use_mac"),
];

/// A former name of a value that a key can have.
struct ValueAlias {
    /// Present path of the key.
    key: &'static str,
    old: &'static str,
    new: &'static str,
    removed_in: &'static str,
}

/// All former names of values that are accepted.
const VALUE_ALIASES: &[ValueAlias] =
    &[ValueAlias { key: "traffic.ends", old: "walkers", new: "mobile_nodes", removed_in: "0.3" }];

/// Former names and the first present one of each key, as the published schema lists them.
pub(crate) fn former_keys() -> impl Iterator<Item = (&'static str, &'static str)> {
    ALIASES.iter().map(|alias| (alias.old, alias.new[0]))
}

/// Sets the overrides on a scenario with former or current names, and moves all values to their current names. Problems are
/// passed to `refuse`; each former name in use is passed to `warn` once, as a sentence.
pub(crate) fn apply(
    root: &mut Node,
    source: &Source<'_>,
    lists: Lists,
    aliases: &[Alias],
    mut refuse: impl FnMut(Origin, RawDiagnostic),
    mut warn: impl FnMut(String),
) {
    let mut used = vec![false; aliases.len()];
    move_all(root, aliases, &mut used, &mut refuse);
    overrides::apply(root, source, lists, |path| present_paths(path, aliases, &mut used), &mut refuse);
    // An override may set a whole table.
    move_all(root, aliases, &mut used, &mut refuse);
    for (alias, _) in aliases.iter().zip(used).filter(|(_, is_used)| *is_used) {
        let Alias { old, removed_in, .. } = alias;
        warn(format!("{old} is deprecated: write {}; hoplab {removed_in} no longer accepts it", alias.new_names()));
    }
    for ValueAlias { key, old, new, removed_in } in VALUE_ALIASES {
        let path: Vec<&str> = key.split('.').collect();
        if visit(root, &path, &mut |value| rename_value(value, old, new)) {
            let (old, new) = (format!("{key} = \"{old}\""), format!("\"{new}\""));
            warn(format!("{old} is deprecated: write {new}; hoplab {removed_in} no longer accepts it"));
        }
    }
}

impl Alias {
    fn new_names(&self) -> String {
        self.new.join(" and ")
    }

    /// How many segments the old path and all new ones share at their start; at most all but the last of the old one.
    fn shared(&self) -> usize {
        let is_shared = |at: usize, segment: &str| self.new.iter().all(|new| new.split('.').nth(at) == Some(segment));
        let old = self.old.split('.').enumerate();
        old.take_while(|&(at, segment)| is_shared(at, segment)).count().min(self.old.matches('.').count())
    }
}

fn move_all(root: &mut Node, aliases: &[Alias], used: &mut [bool], refuse: &mut impl FnMut(Origin, RawDiagnostic)) {
    for (alias, used) in aliases.iter().zip(used) {
        let old: Vec<&str> = alias.old.split('.').collect();
        let (shared, rest) = old.split_at(alias.shared());
        *used |= visit(root, shared, &mut |table| move_one(table, rest, shared.len(), alias, refuse));
    }
}

/// Calls `change` for the table at a path, or for each table of a list there; whether one of them has changed.
fn visit(node: &mut Node, path: &[&str], change: &mut impl FnMut(&mut Node) -> bool) -> bool {
    match (&mut node.value, path.split_first()) {
        (Value::List(items), _) => items.iter_mut().fold(false, |any, item| visit(item, path, change) | any),
        (_, None) => change(node),
        (Value::Table(_), Some((first, rest))) => node.get_mut(first).is_some_and(|inner| visit(inner, rest, change)),
        _ => false,
    }
}

/// Replaces a text; whether it was `old`.
fn rename_value(node: &mut Node, old: &str, new: &str) -> bool {
    let Value::Text(text) = &mut node.value else { return false };
    let is_old = *text == old;
    if is_old {
        new.clone_into(text);
    }
    is_old
}

/// Moves a value within a table; whether there was one under the old name.
fn move_one(
    table: &mut Node,
    old: &[&str],
    shared: usize,
    alias: &Alias,
    refuse: &mut impl FnMut(Origin, RawDiagnostic),
) -> bool {
    let Some(entry) = take(table, old) else { return false };
    for new in alias.new {
        let path: Vec<&str> = new.split('.').skip(shared).collect();
        if table.at(&path).is_some() {
            let (key, message) = (alias.old.to_owned(), format!("{}: {}", alias.old, not_supported_with(new)));
            let expected = format!("{new} only; {} is its former name", alias.old);
            refuse(entry.origin.clone(), RawDiagnostic { key, message, expected, ..RawDiagnostic::default() });
            continue;
        }
        put(table, &path, &entry);
    }
    true
}

fn take(table: &mut Node, path: &[&str]) -> Option<Entry> {
    let (first, rest) = path.split_first()?;
    let Value::Table(entries) = &mut table.value else { return None };
    let at = entries.iter().position(|entry| entry.key == *first)?;
    if rest.is_empty() { Some(entries.remove(at)) } else { take(&mut entries[at].node, rest) }
}

/// Inserts the value of `entry` under a path that has none, with missing tables. A value other than a table on the path
/// remains, and the schema refuses it.
fn put(table: &mut Node, path: &[&str], entry: &Entry) {
    let (Some((first, rest)), Value::Table(entries)) = (path.split_first(), &mut table.value) else { return };
    let key = (*first).to_owned();
    if rest.is_empty() {
        entries.push(Entry { key, ..entry.clone() });
        return;
    }
    let at = entries.iter().position(|inner| inner.key == key).unwrap_or(entries.len());
    if at == entries.len() {
        let node = Node { value: Value::Table(Vec::new()), origin: entry.origin.clone() };
        entries.push(Entry { key, origin: entry.origin.clone(), node });
    }
    put(&mut entries[at].node, rest, entry);
}

/// The current paths of an override's key: its own unless it is a former name. Numbers of tables in lists
/// (`node.3.assist`) are unchanged.
fn present_paths<'k>(path: Vec<&'k str>, aliases: &[Alias], used: &mut [bool]) -> Vec<Vec<&'k str>> {
    let former = aliases.iter().zip(used).find_map(|(alias, used)| Some((alias, used, place_of(alias, &path)?)));
    let Some((alias, used, (start, end))) = former else { return vec![path] };
    *used = true;
    let renamed = |new: &&'static str| {
        let moved = new.split('.').skip(alias.shared());
        path[..start].iter().copied().chain(moved).chain(path[end..].iter().copied()).collect()
    };
    alias.new.iter().map(renamed).collect()
}

/// Where in the path of an override the segments are that a former name does not share with its present ones.
fn place_of(alias: &Alias, path: &[&str]) -> Option<(usize, usize)> {
    let (mut start, mut at) = (0, 0);
    for (i, segment) in alias.old.split('.').enumerate() {
        let is_number = |key: &&str| *key != segment && key.parse::<u32>().is_ok();
        at += usize::from(i > 0 && path.get(at).is_some_and(is_number));
        if i == alias.shared() {
            start = at;
        }
        if path.get(at) != Some(&segment) {
            return None;
        }
        at += 1;
    }
    Some((start, at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::schema::root::{LISTS, root};
    use crate::scenario::syntax::tree;

    const FORMER: &[Alias] = &[
        Alias { old: "radio.reach", new: &["radio.rx_range"], removed_in: "0.3" },
        Alias { old: "node.assist", new: &["node.feedback_router"], removed_in: "0.3" },
        Alias { old: "routing.hello", new: &["routing.aodv.hello"], removed_in: "0.3" },
        Alias { old: "routing.diameter", new: &["routing.aodv.diameter", "routing.dsdv.ttl"], removed_in: "0.3" },
        Alias { old: "flooding", new: &["routing.flooding"], removed_in: "0.3" },
        Alias { old: "progress", new: &["goodput_interval"], removed_in: "0.3" },
    ];

    /// The scenario with present names as JSON-like text, what is refused, and the warnings.
    fn renamed(text: &str, overrides: &[(&str, &str)]) -> (String, Vec<String>, Vec<String>) {
        let overrides: Vec<(String, String)> =
            overrides.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        let source = Source::new(text, "t.toml", &overrides);
        let mut tree = tree::parse(&source).unwrap_or_else(|error| panic!("{:?}", error.1));
        let (mut refused, mut warned) = (Vec::new(), Vec::new());
        let refuse = |_, raw: RawDiagnostic| refused.push(raw.message);
        apply(&mut tree, &source, LISTS, FORMER, refuse, |warning| warned.push(warning));
        (shown(&tree), refused, warned)
    }

    fn shown(node: &Node) -> String {
        match &node.value {
            Value::Table(entries) => {
                let mut pairs: Vec<String> =
                    entries.iter().map(|entry| format!("{}: {}", entry.key, shown(&entry.node))).collect();
                pairs.sort();
                format!("{{{}}}", pairs.join(", "))
            }
            Value::List(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", ")),
            Value::Integer(number) => number.to_string(),
            Value::Text(text) => text.clone(),
            other => other.what().to_owned(),
        }
    }

    #[test]
    fn former_keys_move_to_their_present_place() {
        for (text, present) in [
            ("radio.reach = 1", "{radio: {rx_range: 1}}"),
            ("progress = 1", "{goodput_interval: 1}"),
            ("routing.hello = 1", "{routing: {aodv: {hello: 1}}}"),
            ("[routing]\nhello = 1\naodv.other = 2", "{routing: {aodv: {hello: 1, other: 2}}}"),
            ("routing.diameter = 1", "{routing: {aodv: {diameter: 1}, dsdv: {ttl: 1}}}"),
            ("[flooding]\nhops = 1", "{routing: {flooding: {hops: 1}}}"),
            (
                "[[node]]\nassist = 1\n[[node]]\n[[node]]\nassist = 2",
                "{node: [{feedback_router: 1}, {}, {feedback_router: 2}]}",
            ),
            ("radio.rx_range = 1", "{radio: {rx_range: 1}}"),
        ] {
            let (tree, refused, warned) = renamed(text, &[]);
            assert_eq!((tree.as_str(), refused.len()), (present, 0), "{text}");
            assert_eq!(warned.len(), usize::from(!text.contains("rx_range")), "{text}");
        }
    }

    #[test]
    fn warnings_name_the_new_key_once() {
        let (_, _, warned) = renamed("[[node]]\nassist = 1\n[[node]]\nassist = 2", &[("node.7.assist", "3")]);
        assert_eq!(warned, ["node.assist is deprecated: write node.feedback_router; hoplab 0.3 no longer accepts it"]);
    }

    #[test]
    fn former_values_become_the_present_ones() {
        let (tree, refused, warned) = renamed("[traffic]\nends = \"walkers\"", &[]);
        assert_eq!((tree.as_str(), refused.len()), ("{traffic: {ends: mobile_nodes}}", 0));
        assert_eq!(
            warned,
            ["traffic.ends = \"walkers\" is deprecated: write \"mobile_nodes\"; hoplab 0.3 no longer accepts it"]
        );
        let (tree, _, warned) = renamed("traffic.ends = \"all\"", &[("traffic.ends", "walkers")]);
        assert_eq!((tree.as_str(), warned.len()), ("{traffic: {ends: mobile_nodes}}", 1), "by an override");
    }

    #[test]
    fn both_names_in_one_file_are_refused() {
        let (tree, refused, _) = renamed("[radio]\nreach = 1\nrx_range = 2", &[]);
        assert_eq!(
            (tree.as_str(), refused),
            ("{radio: {rx_range: 2}}", vec!["radio.reach: not supported with radio.rx_range".to_owned()])
        );
        let (_, refused, _) = renamed("[[node]]\nassist = 1\n[[node]]\nassist = 1\nfeedback_router = 2", &[]);
        assert_eq!(refused, ["node.assist: not supported with node.feedback_router"]);
    }

    #[test]
    fn overrides_take_either_name() {
        for (key, value, present) in [
            ("radio.reach", "9", "{node: [{id: 3}], radio: {rx_range: 9}}"),
            ("radio.rx_range", "9", "{node: [{id: 3}], radio: {rx_range: 9}}"),
            ("node.3.assist", "9", "{node: [{feedback_router: 9, id: 3}], radio: {rx_range: 1}}"),
            (
                "routing.diameter",
                "9",
                "{node: [{id: 3}], radio: {rx_range: 1}, routing: {aodv: {diameter: 9}, dsdv: {ttl: 9}}}",
            ),
            ("flooding.hops", "9", "{node: [{id: 3}], radio: {rx_range: 1}, routing: {flooding: {hops: 9}}}"),
            ("routing", "{ hello = 9 }", "{node: [{id: 3}], radio: {rx_range: 1}, routing: {aodv: {hello: 9}}}"),
        ] {
            let (tree, refused, _) = renamed("radio.rx_range = 1\n[[node]]\nid = 3", &[(key, value)]);
            assert_eq!((tree.as_str(), refused.len()), (present, 0), "{key}");
        }
    }

    #[test]
    fn aliases_end_with_their_version_and_lead_to_keys() {
        let version =
            |text: &str| -> Vec<u32> { text.split('.').take(2).map(|part| part.parse().expect("a number")).collect() };
        for alias in ALIASES {
            assert!(version(env!("CARGO_PKG_VERSION")) < version(alias.removed_in), "{} is to be removed", alias.old);
            for new in alias.new {
                assert!(root().has_path(new), "{new} is no key");
            }
            assert!(!root().has_path(alias.old), "{} is a key and a former name", alias.old);
        }
        for alias in VALUE_ALIASES {
            assert!(version(env!("CARGO_PKG_VERSION")) < version(alias.removed_in), "{} is to be removed", alias.old);
            assert!(root().has_path(alias.key), "{} is no key", alias.key);
        }
    }
}
