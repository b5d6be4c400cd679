//! A position in a script, moved over the parts of Tcl's syntax (Tcl(n)). Tcl's syntax is ASCII, so that every stop is at a
//! character.

/// Scripts within scripts, and indices within indices, that are read.
const MAX_DEPTH: u32 = 60;

/// How a word is delimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// By white space.
    Bare,
    /// By quotation marks.
    Quoted,
    /// By braces: only continued lines are substituted.
    Braced,
}

/// A position in a script.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    pub(super) at: usize,
    depth: u32,
}

/// What is wrong with a script's syntax.
pub(super) type Wrong = &'static str;

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str, at: usize) -> Cursor<'a> {
        Cursor { text, at, depth: 0 }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.byte(0)
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    /// The text from `start` to here.
    pub(super) fn since(&self, start: usize) -> &'a str {
        &self.text[start..self.at]
    }

    /// Moves to the next command; `false` at the end of the script, or at the bracket that closes it.
    pub(super) fn seek_command(&mut self, is_nested: bool) -> bool {
        loop {
            self.skip_space();
            match self.peek() {
                None => return false,
                Some(b']') if is_nested => return false,
                Some(b'\n' | b';') => self.at += 1,
                Some(b'#') => self.skip_comment(),
                Some(_) => return true,
            }
        }
    }

    /// Whether no further word follows in this command.
    pub(super) fn is_command_over(&self, is_nested: bool) -> bool {
        match self.peek() {
            None | Some(b'\n' | b';') => true,
            Some(b']') => is_nested,
            Some(_) => false,
        }
    }

    /// Skips white space between words, and ends of continued lines.
    pub(super) fn skip_space(&mut self) {
        while self.is_space() {
            self.at += if self.peek() == Some(b'\\') { 2 } else { 1 };
        }
    }

    fn is_space(&self) -> bool {
        match self.peek() {
            Some(b' ' | b'\t' | b'\r' | 0x0b | 0x0c) => true,
            Some(b'\\') => self.byte(1) == Some(b'\n'),
            _ => false,
        }
    }

    fn skip_comment(&mut self) {
        while let Some(byte) = self.peek().filter(|&byte| byte != b'\n') {
            self.at += if byte == b'\\' { 2 } else { 1 };
        }
        self.at = self.at.min(self.text.len());
    }

    /// Moves over a word: its form, and its text within the delimiters.
    pub(super) fn word(&mut self, is_nested: bool) -> Result<(Form, &'a str), Wrong> {
        let start = self.at;
        match self.peek() {
            Some(b'{') => {
                self.braces()?;
                let inner = &self.text[start + 1..self.at - 1];
                self.end_of_word(is_nested, if inner == "*" { EXPANSION } else { "characters after a closing brace" })?;
                Ok((Form::Braced, inner))
            }
            Some(b'"') => {
                self.at += 1;
                self.parts(|byte| byte == b'"', "unclosed quotation mark")?;
                self.at += 1;
                let inner = &self.text[start + 1..self.at - 1];
                self.end_of_word(is_nested, "characters after a closing quotation mark")?;
                Ok((Form::Quoted, inner))
            }
            _ => {
                self.bare(is_nested)?;
                Ok((Form::Bare, self.since(start)))
            }
        }
    }

    fn end_of_word(&self, is_nested: bool, wrong: Wrong) -> Result<(), Wrong> {
        if self.is_space() || self.is_command_over(is_nested) { Ok(()) } else { Err(wrong) }
    }

    fn bare(&mut self, is_nested: bool) -> Result<(), Wrong> {
        while !self.is_space() && !self.is_command_over(is_nested) {
            self.part()?;
        }
        Ok(())
    }

    /// Moves up to the byte that `is_end` accepts, over what is substituted as a whole.
    fn parts(&mut self, is_end: impl Fn(u8) -> bool, missing: Wrong) -> Result<(), Wrong> {
        loop {
            match self.peek() {
                None => return Err(missing),
                Some(byte) if is_end(byte) => return Ok(()),
                Some(_) => self.part()?,
            }
        }
    }

    /// Moves over a character, or over what is substituted as a whole.
    fn part(&mut self) -> Result<(), Wrong> {
        match self.peek() {
            Some(b'\\') => self.at = (self.at + 2).min(self.text.len()),
            Some(b'[') => {
                self.bracket()?;
            }
            Some(b'$') => {
                self.variable()?;
            }
            _ => self.at += 1,
        }
        Ok(())
    }

    /// Moves from a left brace over its right one.
    fn braces(&mut self) -> Result<(), Wrong> {
        let mut open = 0_u32;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'{' => open += 1,
                b'}' if open == 1 => return Ok(()),
                b'}' => open -= 1,
                _ => {}
            }
        }
        self.at = self.text.len();
        Err("unclosed brace")
    }

    /// Moves from a left bracket over its right one. Returns the script between them.
    pub(super) fn bracket(&mut self) -> Result<&'a str, Wrong> {
        self.at += 1;
        self.deeper()?;
        let start = self.at;
        while self.seek_command(true) {
            while !self.is_command_over(true) {
                self.word(true)?;
                self.skip_space();
            }
        }
        if self.peek().is_none() {
            return Err("unclosed bracket");
        }
        let script = self.since(start);
        self.at += 1;
        self.depth -= 1;
        Ok(script)
    }

    /// Moves from a dollar sign over the name of a variable, and its index. Returns both as written; no name if the sign is
    /// literal.
    pub(super) fn variable(&mut self) -> Result<Variable<'a>, Wrong> {
        self.at += 1;
        if self.peek() == Some(b'{') {
            let start = self.at + 1;
            let length = self.text[start..].find('}').ok_or("unclosed brace")?;
            self.at = start + length + 1;
            return Ok(Variable { name: &self.text[start..start + length], index: None });
        }
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            || (self.peek() == Some(b':') && (self.byte(1) == Some(b':') || self.since(start).ends_with(':')))
        {
            self.at += 1;
        }
        let name = self.since(start);
        if self.peek() != Some(b'(') {
            return Ok(Variable { name, index: None });
        }
        self.at += 1;
        self.deeper()?;
        let start = self.at;
        self.parts(|byte| byte == b')', "unclosed parenthesis")?;
        let index = Some(self.since(start));
        self.at += 1;
        self.depth -= 1;
        Ok(Variable { name, index })
    }

    fn deeper(&mut self) -> Result<(), Wrong> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err("nesting of brackets or parentheses exceeds the limit") } else { Ok(()) }
    }
}

const EXPANSION: Wrong = "{*} is not supported: replace it by its words";

/// A variable as a script names it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variable<'a> {
    pub(super) name: &'a str,
    /// Of an array, not expanded.
    pub(super) index: Option<&'a str>,
}
