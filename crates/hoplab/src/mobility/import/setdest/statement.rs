//! Whether an unsupported statement would move or position a node in ns-2.

/// Why a statement cannot be ignored: it moves or positions a node in ns-2.
pub(super) fn obstacle(text: &str, is_later: bool) -> Option<&'static str> {
    if moves(text) {
        Some("unsupported statement")
    } else if text.split_whitespace().next() == Some("source") {
        Some("other files are not read; set mobility.file to that file")
    } else if is_later && sets(text, &["speed_"]) {
        Some("a new speed requires a new setdest")
    } else if text.contains("random-motion") {
        Some("random motion requires mobility.kind = \"waypoint\"")
    } else {
        None
    }
}

/// Whether a statement contains a command that moves or positions a node.
pub(super) fn moves(text: &str) -> bool {
    let is_print = text.starts_with("puts ") && !text.contains('[');
    !is_print && (text.contains("setdest") || sets(text, &["X_", "Y_"]))
}

/// Whether any of the variables is given a value.
fn sets(text: &str, variables: &[&str]) -> bool {
    let mut words = text.split([' ', '\t', '\n', ';', '"', '{', '}']).filter(|word| !word.is_empty()).peekable();
    let mut is_set = false;
    while let Some(word) = words.next() {
        if is_set && variables.contains(&word) && words.peek().is_some() {
            return true;
        }
        is_set = word == "set";
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_move_a_node_are_known() {
        for text in [
            "for {set i 0} {$i < 3} {incr i} {$node_($i) set X_ 1}",
            "proc go {n} {\n  $n setdest 1 2 3\n}",
            "eval $node_(0) set Y_ 5",
        ] {
            assert!(moves(text), "{text}");
        }
        for text in ["puts \"setdest\"", "puts [$node_(0) set X_]", "set opt(x) 500", "$node_(0) set radius_ 5"] {
            assert!(!moves(text), "{text}");
        }
        assert!(obstacle("$node_(0) set speed_ 5", true).is_some() && obstacle("$node_(0) color red", true).is_none());
        assert!(obstacle("$node_(0) random-motion 1", false).is_some());
        assert!(obstacle("source movements.tcl", false).is_some() && obstacle("puts source", false).is_none());
    }
}
