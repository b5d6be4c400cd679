//! "Did you mean": the known word nearest to one that is unknown, by edit distance.
//!
//! Distance is optimal string alignment: insertions, deletions, substitutions, and swaps of adjacent letters.

use strsim::osa_distance;

/// Longer words are not typing errors; the limit bounds the work.
const MAX_LENGTH: usize = 40;

/// The candidate nearest to `word`, ignoring case, or `None` if none is close enough: at most a third of the letters may
/// differ, and any number may be missing at the end.
pub(crate) fn suggest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: String = word.chars().take(MAX_LENGTH + 1).flat_map(char::to_lowercase).collect();
    let length = word.chars().count();
    if !(1..=MAX_LENGTH).contains(&length) {
        return None;
    }
    let scored = candidates.into_iter().filter_map(|candidate| {
        let edits = osa_distance(&word, candidate);
        let longest = length.max(candidate.chars().count());
        let is_prefix = length >= 3 && candidate.starts_with(&word);
        let is_near = edits <= (longest / 3).max(1) || is_prefix;
        (is_near && edits < longest).then_some((edits, candidate))
    });
    scored.min_by_key(|(edits, _)| *edits).map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [&str; 7] = ["ssrl", "slrl", "cw_min", "cw_max", "rts_threshold", "data_rate", "basic_rate"];

    #[test]
    fn typing_errors_find_the_key() {
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
            assert_eq!(suggest(word, KEYS), meant, "{word}");
        }
        assert_eq!(suggest(&"s".repeat(1_000_000), KEYS), None);
    }

    #[test]
    fn first_of_equally_near_candidates_wins() {
        assert_eq!(suggest("cw_mix", KEYS), Some("cw_min"));
        assert_eq!(suggest("srl", KEYS), Some("ssrl"));
    }

    #[test]
    fn distance_counts_swaps_as_one_edit() {
        assert_eq!(osa_distance("kitten", "sitting"), 3);
        assert_eq!(osa_distance("ca", "ac"), 1);
        assert_eq!(osa_distance("ca", "abc"), 3);
        assert_eq!(osa_distance("", "abc"), 3);
    }
}
