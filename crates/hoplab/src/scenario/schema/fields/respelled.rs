//! Choices as Linux, ns-2 and ns-3 spell them: `bbr`, `fq-codel`, `Queue/DropTail`, `ns3::TcpCubic`.

/// The choice that `word` spells differently: in other case, with other separators, with the path of a class, or without the
/// prefix of real connections.
pub(super) fn respelled<'a>(word: &str, words: &'a [String]) -> Option<&'a str> {
    let last = word.rsplit(['/', ':']).next().unwrap_or(word);
    let plain = squashed(last);
    let short = plain.trim_end_matches("queuedisc").trim_end_matches("queue");
    let number = short.strip_prefix("bbr").map(|version| format!("tcpbbr{}", version.trim_start_matches('v')));
    let forms = [short.to_owned(), format!("tcp{short}"), short.trim_start_matches("tcp").to_owned()];
    let forms = forms.into_iter().chain(number).filter(|form| !form.is_empty());
    forms.into_iter().find_map(|form| words.iter().find(|choice| squashed(choice) == form)).map(String::as_str)
}

/// Letters and digits in lower case.
pub(in crate::scenario::schema) fn squashed(word: &str) -> String {
    word.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_other_simulators_are_recognized() {
        let words: Vec<String> =
            ["drop_tail", "red", "fq_codel", "reno", "new_reno", "tcp_cubic", "tcp_bbr", "tcp_bbr3"]
                .map(str::to_owned)
                .to_vec();
        for (word, meant) in [
            ("Queue/DropTail", Some("drop_tail")),
            ("ns3::DropTailQueue", Some("drop_tail")),
            ("ns3::FqCoDelQueueDisc", Some("fq_codel")),
            ("fq-codel", Some("fq_codel")),
            ("fqcodel", Some("fq_codel")),
            ("Queue/RED", Some("red")),
            ("Agent/TCP/Newreno", Some("new_reno")),
            ("Agent/TCP/Reno", Some("reno")),
            ("ns3::TcpCubic", Some("tcp_cubic")),
            ("bbr", Some("tcp_bbr")),
            ("BBRv3", Some("tcp_bbr3")),
            ("TcpBbr", Some("tcp_bbr")),
            ("Queue", None),
            ("", None),
            ("quic", None),
        ] {
            assert_eq!(respelled(word, &words), meant, "{word}");
        }
        assert_eq!(respelled("bbr2", &words), None);
    }
}
