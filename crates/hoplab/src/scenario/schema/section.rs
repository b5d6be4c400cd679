//! A table as written, for rules over its values: a broken rule is reported at a key that is given.

use super::reader::{Reader, join, message};
use crate::scenario::syntax::diagnostic::RawDiagnostic;
use crate::scenario::syntax::source::Origin;
use crate::scenario::syntax::tree::Node;

/// A table as written, with its path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section<'n> {
    pub(crate) key: &'n str,
    pub(crate) table: Option<&'n Node>,
}

impl Section<'_> {
    /// The value of a key, if it is given.
    pub(crate) fn given(&self, key: &str) -> Option<&Node> {
        self.table.and_then(|table| table.get(key))
    }

    /// The first of the keys that is given: the one to blame where several contradict each other.
    pub(crate) fn blamed<'k>(&self, keys: &[&'k str]) -> &'k str {
        keys.iter().find(|key| self.given(key).is_some()).unwrap_or(&keys[0])
    }

    /// Reports `key` unless the rule is satisfied: `what` is the problem, in a form of `syntax::problem`; `expected` gives the
    /// values that are accepted.
    pub(crate) fn rule(&self, reader: &mut Reader<'_>, key: &str, holds: bool, what: &str, expected: &str) {
        self.rule_with_hint(reader, key, holds, what, expected, None);
    }

    pub(crate) fn rule_with_hint(
        &self,
        reader: &mut Reader<'_>,
        key: &str,
        holds: bool,
        what: &str,
        expected: &str,
        hint: Option<&str>,
    ) {
        if holds {
            return;
        }
        let name = join(self.key, key);
        let (origin, mut diagnostic) = if let Some(node) = self.given(key) {
            (node.origin.clone(), reader.wrong(node, &name, what))
        } else {
            let origin = self.table.map_or(Origin::Nowhere, |table| table.origin.clone());
            (origin, RawDiagnostic { message: message(&name, what, None), key: name, ..RawDiagnostic::default() })
        };
        expected.clone_into(&mut diagnostic.expected);
        diagnostic.hint = hint.map(str::to_owned);
        reader.refuse(&origin, diagnostic);
    }
}
