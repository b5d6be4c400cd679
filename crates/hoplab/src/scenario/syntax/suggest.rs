//! The word somebody meant: nearest by edits, among few.

/// The one of `candidates` nearest to `word`, if it is near enough to be a slip.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.chars().take(MAX_LENGTH + 1).flat_map(char::to_lowercase).collect();
    if word.is_empty() || word.len() > MAX_LENGTH {
        return None;
    }
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let letters: Vec<char> = candidate.chars().collect();
        let edits = distance(&word, &letters);
        // A third of the letters may be wrong; an unfinished word may miss any number of them.
        let is_prefix = word.len() >= 3 && letters.starts_with(&word);
        let is_near = edits <= (word.len().max(letters.len()) / 3).max(1) || is_prefix;
        if is_near && edits < word.len().max(letters.len()) && best.is_none_or(|(least, _)| edits < least) {
            best = Some((edits, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Longer words are no slips of ours.
const MAX_LENGTH: usize = 40;

/// Insertions, deletions, substitutions and swaps of neighboring letters that lead from one word to the other
/// (optimal string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let differs = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + differs);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [&str; 7] = ["ssrl", "slrl", "cw_min", "cw_max", "rts_threshold", "data_rate", "basic_rate"];

    #[test]
    fn slips() {
        for (word, meant) in [
            ("ssrll", Some("ssrl")),
            ("sslr", Some("ssrl")),
            ("SSRL", Some("ssrl")),
            ("cwmin", Some("cw_min")),
            ("datarate", Some("data_rate")),
            ("rts", Some("rts_threshold")),
            ("rts_treshold", Some("rts_threshold")),
            ("banana", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, KEYS), meant, "{word}");
        }
        assert_eq!(nearest(&"s".repeat(1_000_000), KEYS), None);
    }

    #[test]
    fn edits() {
        let between = |a: &str, b: &str| distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
        assert_eq!(between("kitten", "sitting"), 3);
        assert_eq!(between("ca", "ac"), 1);
        assert_eq!(between("", "abc"), 3);
    }
}
