//! Overrides (`--set mac.ssrl=9`): values set on the tree of a scenario, each with its position on the command line.
//!
//! A path may lead into a list of tables. Lists by index (`flow`) take `flow.0.window`, or `flow.window` for all tables;
//! lists by id (`node`) take `node.3.mac.ssrl`, where 3 is the table's `id`, and gain a table for an id that has none. A name stands
//! for the number of a node: `node.server.gateway` means the table that has it under `name` or `id`, or else the node that the list
//! `names` of the topology has at this place.

use super::diagnostic::RawDiagnostic;
use super::problem::UNKNOWN_KEY;
use super::source::{Origin, Source};
use super::suggest::suggest;
use super::tree::{Entry, Node, Value, value};

/// How overrides name the tables of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListKey {
    /// By position in the file.
    Index,
    /// By the number under the key `id`, or by name.
    Id,
}

/// The lists of tables, such as `[[flow]]`, at the top of a file.
pub(crate) type Lists = &'static [(&'static str, ListKey)];

/// No key of a scenario has more parts.
const MAX_DEPTH: usize = 8;

/// Sets the value of each override. An override that cannot be set is passed to `refuse` and skipped.
pub(crate) fn apply(root: &mut Node, source: &Source<'_>, lists: Lists, mut refuse: impl FnMut(Origin, RawDiagnostic)) {
    for (index, (key, text)) in source.overrides.iter().enumerate() {
        let path: Vec<&str> = key.split('.').map(str::trim).collect();
        let raw = |Refusal { message, hint }| RawDiagnostic { key: key.clone(), message, hint, ..Default::default() };
        if path.iter().any(|segment| segment.is_empty()) {
            let hint = Some("such as mac.ssrl=9".to_owned());
            refuse(Origin::SetKey(index), raw(Refusal { message: format!("{key:?}: expected KEY=VALUE"), hint }));
            continue;
        }
        if path.len() > MAX_DEPTH {
            refuse(Origin::SetKey(index), raw(Refusal { message: format!("{key}: {UNKNOWN_KEY}"), hint: None }));
            continue;
        }
        let node = value(text.trim(), &|| Origin::SetValue(index));
        let setting = Setting { index, node, lists, names: names(root) };
        if let Err(refusal) = setting.assign(root, &path, "") {
            refuse(Origin::SetKey(index), raw(refusal));
        }
    }
}

struct Setting {
    index: usize,
    node: Node,
    lists: Lists,
    /// Names of nodes, by number.
    names: Vec<String>,
}

/// Names of the nodes of the topology that its table lists.
fn names(root: &Node) -> Vec<String> {
    match root.at(&["topology", "names"]).map(|names| &names.value) {
        Some(Value::List(names)) => {
            let text = |name: &Node| if let Value::Text(name) = &name.value { name.clone() } else { String::new() };
            names.iter().map(text).collect()
        }
        _ => Vec::new(),
    }
}

struct Refusal {
    message: String,
    hint: Option<String>,
}

impl Setting {
    /// Sets the value below `target`, which is at the path `parent` from the root.
    fn assign(&self, target: &mut Node, path: &[&str], parent: &str) -> Result<(), Refusal> {
        let Some((&segment, rest)) = path.split_first() else {
            *target = self.node.clone();
            return Ok(());
        };
        let here = if parent.is_empty() { segment.to_owned() } else { format!("{parent}.{segment}") };
        match &mut target.value {
            Value::Table(entries) => {
                let at = entries.iter().position(|entry| entry.key == segment).unwrap_or(entries.len());
                if at == entries.len() {
                    let list = self.list_key(&here);
                    if list == Some(ListKey::Index) && !rest.is_empty() {
                        let hint = Some(format!("add each {here} to the file, in a table [[{here}]]"));
                        return Err(Refusal { message: format!("{here}: no table [[{here}]] in the file"), hint });
                    }
                    entries.push(self.empty(segment, list == Some(ListKey::Id)));
                } else if rest.is_empty() {
                    entries[at].origin = Origin::SetKey(self.index);
                }
                self.assign(&mut entries[at].node, rest, &here)
            }
            Value::List(items) => match self.list_key(parent) {
                Some(ListKey::Id) => self.assign_by_id(items, path, parent),
                key => self.assign_by_index(items, path, parent, key.is_some()),
            },
            _ => {
                let message = format!("{here}: {UNKNOWN_KEY}: {parent} is of type {}", target.value.what());
                Err(Refusal { message, hint: Some(format!("set {parent} itself")) })
            }
        }
    }

    fn assign_by_id(&self, items: &mut Vec<Node>, path: &[&str], list: &str) -> Result<(), Refusal> {
        let Some((&segment, rest)) = path.split_first() else { return Ok(()) };
        let here = format!("{list}.{segment}");
        let is_named = |node: &Node, key: &str| matches!(node.get(key).map(|name| &name.value), Some(Value::Text(name)) if name == segment);
        if let Some(table) = items.iter_mut().find(|table| is_named(table, "name") || is_named(table, "id")) {
            return self.assign(table, rest, &here);
        }
        let place = self.names.iter().position(|name| name == segment).and_then(|place| u32::try_from(place).ok());
        let Some(id) = segment.parse::<u32>().ok().or(place) else {
            return Err(self.unknown(items, path, list));
        };
        let name = self.names.get(id as usize);
        let has_id = |node: &Node| match node.get("id").map(|own| &own.value) {
            Some(Value::Integer(number)) => *number == i64::from(id),
            Some(Value::Text(own)) => Some(own) == name,
            _ => false,
        };
        let at = items.iter().position(has_id).unwrap_or(items.len());
        if at == items.len() {
            let mut entry = self.empty("id", false);
            entry.node.value = Value::Integer(i64::from(id));
            items.push(Node { value: Value::Table(vec![entry]), origin: Origin::SetKey(self.index) });
        }
        self.assign(&mut items[at], rest, &here)
    }

    /// No table has this number or name.
    fn unknown(&self, items: &[Node], path: &[&str], list: &str) -> Refusal {
        let segment = path[0];
        let text = |table: &Node| match table.get("name").map(|name| &name.value) {
            Some(Value::Text(name)) => Some(name.clone()),
            _ => None,
        };
        let names: Vec<String> = items.iter().filter_map(text).chain(self.names.iter().cloned()).collect();
        if let Some(near) = suggest(segment, names.iter().map(String::as_str)) {
            let message = format!("{list}.{segment}: no {list} of this name");
            return Refusal { message, hint: Some(format!("did you mean {list}.{near}?")) };
        }
        let message = format!("{list}.{segment}: the number of the {list} is missing");
        Refusal { message, hint: Some(format!("add the number of the {list}: {list}.3.{}", path.join("."))) }
    }

    /// `is_listed`: whether a path without an index means all tables.
    fn assign_by_index(&self, items: &mut [Node], path: &[&str], list: &str, is_listed: bool) -> Result<(), Refusal> {
        let Some((&segment, rest)) = path.split_first() else { return Ok(()) };
        let here = format!("{list}.{segment}");
        if let Ok(at) = segment.parse::<usize>() {
            let count = items.len();
            let Some(item) = items.get_mut(at) else {
                let hint = match count {
                    0 => format!("{list} has no entries"),
                    1 => format!("use {list}.0, the only one"),
                    _ => format!("use one of {list}.0 to {list}.{}", count - 1),
                };
                return Err(Refusal { message: format!("{here}: {list} {at} does not exist"), hint: Some(hint) });
            };
            return self.assign(item, rest, &here);
        }
        if !is_listed {
            let hint = Some(format!("set {list} as a whole"));
            return Err(Refusal { message: format!("{here}: {UNKNOWN_KEY}: {list} is of type array"), hint });
        }
        items.iter_mut().try_for_each(|item| self.assign(item, path, list))
    }

    fn list_key(&self, path: &str) -> Option<ListKey> {
        self.lists.iter().find(|(list, _)| *list == path).map(|(_, key)| *key)
    }

    fn empty(&self, key: &str, is_list: bool) -> Entry {
        let value = if is_list { Value::List(Vec::new()) } else { Value::Table(Vec::new()) };
        let origin = Origin::SetKey(self.index);
        Entry { key: key.to_owned(), origin: origin.clone(), node: Node { value, origin } }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::parse;
    use super::*;

    fn after(text: &str, overrides: &[(&str, &str)]) -> (Node, Vec<String>) {
        let overrides: Vec<(String, String)> =
            overrides.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        let source = Source::new(text, "t.toml", &overrides);
        let mut tree = parse(&source).unwrap_or_else(|error| panic!("{:?}", error.1));
        let mut refused = Vec::new();
        let lists = &[("flow", ListKey::Index), ("node", ListKey::Id)];
        apply(&mut tree, &source, lists, |_, raw| refused.push(raw.message));
        (tree, refused)
    }

    fn at<'a>(tree: &'a Node, path: &[&str]) -> Option<&'a Value> {
        let mut node = tree;
        for key in path {
            node = match (&node.value, key.parse::<usize>()) {
                (Value::List(items), Ok(at)) => items.get(at)?,
                _ => node.get(key)?,
            };
        }
        Some(&node.value)
    }

    #[test]
    fn values_are_toml_or_else_text() {
        let sets =
            [("a.n", "9"), ("a.t", "200 m"), ("a.q", "\"9\""), ("a.l", "[[0, 1]]"), ("a.b", "true"), ("a.e", "")];
        let (tree, refused) = after("", &sets);
        assert_eq!(refused, Vec::<String>::new());
        assert!(matches!(at(&tree, &["a", "n"]), Some(Value::Integer(9))));
        assert!(matches!(at(&tree, &["a", "t"]), Some(Value::Text(text)) if text == "200 m"));
        assert!(matches!(at(&tree, &["a", "q"]), Some(Value::Text(text)) if text == "9"));
        assert!(matches!(at(&tree, &["a", "l", "0", "1"]), Some(Value::Integer(1))));
        assert!(matches!(at(&tree, &["a", "b"]), Some(Value::Bool(true))));
        assert!(matches!(at(&tree, &["a", "e"]), Some(Value::Text(text)) if text.is_empty()));
    }

    #[test]
    fn flows_are_found_by_index_and_nodes_by_id() {
        let text = "[[flow]]\n[[flow]]\nwindow = 3\n[[node]]\nid = 7\n";
        let sets =
            [("flow.window", "5"), ("flow.1.segment", "9"), ("node.7.a", "1"), ("node.2.a", "2"), ("flow.2.x", "0")];
        let (tree, refused) = after(text, &sets);
        assert!(matches!(at(&tree, &["flow", "0", "window"]), Some(Value::Integer(5))));
        assert!(matches!(at(&tree, &["flow", "1", "window"]), Some(Value::Integer(5))));
        assert!(at(&tree, &["flow", "0", "segment"]).is_none());
        assert!(matches!(at(&tree, &["node", "0", "a"]), Some(Value::Integer(1))));
        assert!(matches!(at(&tree, &["node", "1", "id"]), Some(Value::Integer(2))));
        assert_eq!(refused, ["flow.2: flow 2 does not exist"]);
    }

    #[test]
    fn refusals_name_the_list() {
        let refusal = |text: &str, key: &str| after(text, &[(key, "1")]).1.concat();
        assert_eq!(refusal("", "flow.window"), "flow: no table [[flow]] in the file");
        assert_eq!(refusal("[[node]]\nid = 1", "node.mac.ssrl"), "node.mac: the number of the node is missing");
        assert_eq!(refusal("a = [1]", "a.b"), "a.b: unknown key: a is of type array");
        assert_eq!(refusal("a = 1", "a.b"), "a.b: unknown key: a is of type integer");
    }
}
