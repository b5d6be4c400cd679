//! The files that a scenario names. The engine opens none: the caller gets their names here, reads them, and passes their
//! texts in.

use super::movements::params_file;
use crate::scenario::schema::root::parse_tree;
use crate::scenario::schema::traffic::external_controller;
use crate::scenario::syntax::source::Source;
use crate::scenario::syntax::tree::{Node, Value};

/// Names of the files that a scenario needs: its movement file, its `.params` file of BonnMotion (which may
/// be absent), its traffic file, its file of links, that of packets of real programs, those of sizes, and those of its controllers. None if the scenario names none, or
/// cannot be parsed.
pub fn files_named(text: &str, path: &str, overrides: &[(String, String)]) -> Vec<String> {
    let source = Source::new(text, path, overrides);
    let Ok(tree) = parse_tree(&source, |_, _| {}) else { return Vec::new() };
    let text_at = |path: &[&str]| tree.at(path).and_then(text_of);
    let movements = text_at(&["mobility", "file"]);
    let params = movements.filter(|_| text_at(&["mobility", "kind"]) == Some("bonnmotion")).map(params_file);
    let traffic = text_at(&["traffic", "file"]).map(str::to_owned);
    let links = text_at(&["topology", "file"]).map(str::to_owned);
    let live = text_at(&["live", "file"]).map(str::to_owned);
    let named = [movements.map(str::to_owned), params, traffic, links, live];
    let mut files: Vec<String> = named.into_iter().flatten().collect();
    let flows = match tree.get("flow").map(|node| &node.value) {
        Some(Value::List(flows)) => flows.as_slice(),
        _ => &[],
    };
    let workloads = match tree.get("workload").map(|node| &node.value) {
        Some(Value::List(workloads)) => workloads.as_slice(),
        _ => &[],
    };
    let sizes = workloads.iter().flat_map(Node::entries).filter_map(|entry| entry.node.get("file"));
    for name in sizes.filter_map(text_of) {
        if !files.iter().any(|known| known == name) {
            files.push(name.to_owned());
        }
    }
    let tables = flows.iter().chain(tree.get("traffic")).chain(workloads);
    let rates = tree.at(&["mac", "rate_controller"]);
    for name in tables.filter_map(|table| table.get("controller")).chain(rates).filter_map(text_of) {
        if let Some(file) = external_controller::file_of(name)
            && !files.iter().any(|known| known == file)
        {
            files.push(file.to_owned());
        }
    }
    files
}

fn text_of(node: &Node) -> Option<&str> {
    if let Value::Text(text) = &node.value { Some(text) } else { None }
}
