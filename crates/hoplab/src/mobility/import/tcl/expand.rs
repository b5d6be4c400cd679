//! Substitution in words: variables, scripts in brackets, backslashes (Tcl(n), rules 7 to 9).

use super::cursor::{Cursor, Form};
use super::script::Word;
use std::borrow::Cow;

/// Values of variables, and results of scripts in brackets.
pub trait Scope {
    /// The value of a variable; an index is written in parentheses.
    ///
    /// # Errors
    /// Why it has none.
    fn variable(&mut self, name: &str) -> Result<String, String>;

    /// The result of a script in brackets.
    ///
    /// # Errors
    /// Why it has none.
    fn script(&mut self, text: &str) -> Result<String, String>;
}

impl<'a> Word<'a> {
    /// The word as its command receives it.
    ///
    /// # Errors
    /// What cannot be substituted, and why.
    pub fn expand(&self, scope: &mut dyn Scope) -> Result<Cow<'a, str>, String> {
        match self.form {
            Form::Braced if self.text.contains("\\\n") => Ok(joined(self.text).into()),
            Form::Braced => Ok(self.text.into()),
            Form::Bare | Form::Quoted => substitute(self.text, scope),
        }
    }

    /// The name of the variable that the word consists of.
    pub(super) fn as_variable(&self) -> Option<&'a str> {
        if self.form == Form::Braced || !self.text.starts_with('$') {
            return None;
        }
        let mut cursor = Cursor::new(self.text, 0);
        let variable = cursor.variable().ok()?;
        (cursor.peek().is_none() && variable.index.is_none()).then_some(variable.name)
    }
}

/// A word that Tcl reads back as `text`.
pub fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-+.:/()=,@%&*!?<>|^~'".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    let braced = format!("{{{text}}}");
    let is_whole = Cursor::new(&braced, 0).word(false).is_ok_and(|(_, inner)| inner == text && !inner.contains("\\\n"));
    if is_whole {
        return braced;
    }
    text.chars()
        .flat_map(|c| (!is_plain(c)).then_some('\\').into_iter().chain([if c == '\n' { 'n' } else { c }]))
        .collect()
}

/// The text with continued lines joined, as in braces.
fn joined(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        if let Some(after) = from.strip_prefix("\\\n") {
            out.push(' ');
            rest = after.trim_start_matches([' ', '\t']);
        } else {
            let length = 1 + from[1..].chars().next().map_or(0, char::len_utf8);
            out.push_str(&from[..length]);
            rest = &from[length..];
        }
    }
    out + rest
}

fn substitute<'a>(text: &'a str, scope: &mut dyn Scope) -> Result<Cow<'a, str>, String> {
    if !text.bytes().any(|byte| matches!(byte, b'\\' | b'$' | b'[')) {
        return Ok(text.into());
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(length) = text[at..].find(['\\', '$', '[']) {
        out.push_str(&text[at..at + length]);
        at += length;
        let mut cursor = Cursor::new(text, at);
        match text.as_bytes()[at] {
            b'[' => out += &scope.script(cursor.bracket()?)?,
            b'$' => {
                let variable = cursor.variable()?;
                match variable.index {
                    None if variable.name.is_empty() => out.push('$'),
                    None => out += &scope.variable(variable.name)?,
                    Some(index) => {
                        let index = substitute(index, scope)?;
                        out += &scope.variable(&format!("{}({index})", variable.name))?;
                    }
                }
            }
            _ => cursor.at = at + escape(&text[at..], &mut out),
        }
        at = cursor.at;
    }
    Ok((out + &text[at..]).into())
}

/// Writes what a backslash and what follows stand for. Returns how many bytes they are.
fn escape(text: &str, out: &mut String) -> usize {
    let Some(c) = text[1..].chars().next() else {
        out.push('\\');
        return 1;
    };
    let digits = |from: usize, radix: u32, most: usize| {
        let count = text[from..].bytes().take(most).take_while(|&byte| char::from(byte).is_digit(radix)).count();
        (u32::from_str_radix(&text[from..from + count], radix).ok(), from + count)
    };
    let coded = match c {
        'x' => digits(2, 16, 2),
        'u' => digits(2, 16, 4),
        '0'..='7' => digits(1, 8, 3),
        _ => (None, 0),
    };
    if let (Some(code), length) = coded {
        out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        return length;
    }
    match c {
        '\n' => {
            out.push(' ');
            return 2 + text[2..].bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        }
        'a' => out.push('\u{7}'),
        'b' => out.push('\u{8}'),
        'f' => out.push('\u{c}'),
        'n' => out.push('\n'),
        'r' => out.push('\r'),
        't' => out.push('\t'),
        'v' => out.push('\u{b}'),
        other => out.push(other),
    }
    1 + c.len_utf8()
}

#[cfg(test)]
mod tests {
    use super::super::script::Script;
    use super::*;
    use proptest::prelude::*;

    /// The value of a variable is its name; a script returns its text.
    struct Echo;

    impl Scope for Echo {
        fn variable(&mut self, name: &str) -> Result<String, String> {
            Ok(format!("<{name}>"))
        }

        fn script(&mut self, text: &str) -> Result<String, String> {
            Ok(format!("<[{text}]>"))
        }
    }

    /// The words of the only command.
    fn expanded(text: &str) -> Vec<String> {
        let commands: Vec<_> = Script::new(text, 1).map(|command| command.expect("a good script")).collect();
        assert_eq!(commands.len(), 1, "{text}");
        commands[0].words.iter().map(|word| word.expand(&mut Echo).expect("an echo").into_owned()).collect()
    }

    /// Values are those of tclsh 8.6.
    #[test]
    fn words_are_expanded_as_in_tcl() {
        for (text, words) in [
            ("$a $a(b) $a($b) ${a b} \"$a b\" {$a}", vec!["<a>", "<a(b)>", "<a(<b>)>", "<a b>", "<a> b", "$a"]),
            ("[a b] \"x[c]y\" {[d]}", vec!["<[a b]>", "x<[c]>y", "[d]"]),
            ("\\$a \"\\$a\" \\[b\\] a\\ b $ a$", vec!["$a", "$a", "[b]", "a b", "$", "a$"]),
            ("\\x41\\u0042\\103\\t| \\q \\x", vec!["ABC\t|", "q", "x"]),
            ("\"a\\\n   b\" {c\\\n   d} {e\\\\\nf}", vec!["a b", "c d", "e\\\\\nf"]),
            ("$a-b $a.b $::c::d $a:b", vec!["<a>-b", "<a>.b", "<::c::d>", "<a>:b"]),
        ] {
            assert_eq!(expanded(text), words, "{text}");
        }
    }

    proptest! {
        #[test]
        fn quoted_words_are_read_back(words in prop::collection::vec("[ -~\n\té]{0,12}", 1..5)) {
            // A command that begins with # is a comment.
            let text = std::iter::once("x".to_owned()).chain(words.iter().map(|word| quoted(word)));
            let text = text.collect::<Vec<_>>().join(" ");
            prop_assert_eq!(&expanded(&text)[1..], words.as_slice(), "{}", text);
        }

        #[test]
        fn any_text_ends_in_words_or_a_fault(text in "[a$\\[\\]{}\"\\\\;# \n()é0-7xu]{0,60}") {
            for command in Script::new(&text, 1).flatten() {
                prop_assert!(!command.words.is_empty());
                for word in &command.words {
                    let _ = word.expand(&mut Echo);
                }
            }
        }
    }
}
