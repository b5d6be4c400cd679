//! Hints of messages, as a reader follows them.

/// The keys and values that a hint proposes. `None`: a key to rename, whose value is unknown.
pub fn advice(key: &str, hint: &str) -> Vec<(String, Option<String>)> {
    // What is missing in a list of tables cannot be set from outside.
    let is_of_list = ["flow", "node"].contains(&key) || key.starts_with("node[") || key.ends_with(".between");
    if is_of_list || hint.contains("\"...\"") {
        return Vec::new();
    }
    let is_flow = key.starts_with("flow.") && key.matches('.').count() == 1;
    let table = if is_flow { key } else { key.rsplit_once('.').map_or("", |(table, _)| table) };
    let full = |name: &str| {
        let is_whole = name.contains('.') || table.is_empty();
        if is_whole { name.to_owned() } else { format!("{table}.{name}") }
    };
    let value = |text: &str| -> Option<String> {
        let text = text.trim_start();
        if let Some(rest) = text.strip_prefix('"') {
            return rest.find('"').map(|end| text[..end + 2].to_owned());
        }
        // `[table]` is a header, and no value.
        if text.starts_with('[') && !text[1..].starts_with(|c: char| c.is_ascii_alphabetic()) {
            return text.rfind(']').map(|end| text[..=end].to_owned());
        }
        let end = text.find([',', ' ', '?', ';', ')']).unwrap_or(text.len());
        let is_value = text[..end].parse::<f64>().is_ok() || matches!(&text[..end], "true" | "false");
        is_value.then(|| text[..end].to_owned())
    };
    if let Some(word) = hint.strip_prefix("did you mean ") {
        let name = word.trim_end_matches('?').split(' ').next().expect("a key");
        return match value(word) {
            Some(word) => vec![(key.to_owned(), Some(word))],
            None if word.ends_with("of a [[flow]]?") => vec![(format!("flow.0.{name}"), None)],
            None => vec![(name.to_owned(), None)],
        };
    }
    let mut found = Vec::new();
    if let Some(word) = hint.split("write ").nth(1).and_then(value) {
        found.push((key.to_owned(), Some(word)));
    }
    for (at, _) in hint.match_indices(" = ").chain(hint.match_indices(" to \"")) {
        let name = hint[..at].rsplit([' ', '(', '{']).next().expect("a word");
        let is_key = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_.".contains(c));
        let word = hint[at..].trim_start_matches(" = ").trim_start_matches(" to ");
        if let (true, Some(word)) = (is_key, value(word)) {
            found.push((full(name), Some(word)));
        }
    }
    found
}
