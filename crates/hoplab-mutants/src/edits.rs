//! Changes of a text, put in by their places.

use std::ops::Range;

/// What comes first of two changes at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Close,
    Replace,
    Open,
}

/// Changes of one text.
#[derive(Debug, Default)]
pub struct Edits(Vec<(usize, Rank, usize, Range<usize>, String)>);

impl Edits {
    fn push(&mut self, at: usize, rank: Rank, range: Range<usize>, text: String) {
        self.0.push((at, rank, self.0.len(), range, text));
    }

    /// Puts `text` before what begins at `at`: behind what has been opened there so far.
    pub fn open(&mut self, at: usize, text: impl Into<String>) {
        self.push(at, Rank::Open, at..at, text.into());
    }

    /// Puts `text` behind what ends at `at`, and behind what has been closed there so far.
    pub fn close(&mut self, at: usize, text: impl Into<String>) {
        self.push(at, Rank::Close, at..at, text.into());
    }

    /// Puts `text` in place of a range that begins an expression, behind what has been opened there so far.
    pub fn open_over(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.push(range.start, Rank::Open, range, text.into());
    }

    /// Puts `text` in place of a range in which there are no other changes, and at which none begins.
    pub fn replace(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.push(range.start, Rank::Replace, range, text.into());
    }

    /// The text with all changes made.
    pub fn apply(mut self, source: &str) -> String {
        self.0.sort_by_key(|&(at, rank, count, ..)| (at, rank, count));
        let mut text = String::new();
        let mut done = 0;
        for (_, _, _, range, new) in self.0 {
            text.push_str(&source[done..range.start]);
            text.push_str(&new);
            done = range.end;
        }
        text.push_str(&source[done..]);
        text
    }
}
