//! Keys of a flow that only real TCP connections have, and those that they do not have.

use super::flow_config::FlowConfig;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::scheme::{SCHEMES, Scheme};
use crate::scenario::syntax::problem::{OUT_OF_RANGE, ZERO_RATE, not_supported_with};

/// Largest payload of a segment beside headers and timestamp.
const MAX_SEGMENT: u32 = 65_483;

/// Reports keys that the transport does not have.
pub(super) fn check(reader: &mut Reader<'_>, section: Section<'_>, config: &FlowConfig) {
    let is_stream = Scheme::named(&config.transport).is_some_and(Scheme::is_stream);
    let what = not_supported_with(format_args!("transport = \"{}\"", config.transport));
    if is_stream {
        let holds = section.given("window").is_none();
        let expected = "stream.receive_buffer, in bytes";
        let hint = Some("set stream.receive_buffer = \"64 kB\"");
        section.rule_with_hint(reader, "window", holds, &what, expected, hint);
        section.rule(reader, "segment", config.segment.0 <= MAX_SEGMENT, OUT_OF_RANGE, "1 to 65483 bytes of payload");
        let holds = config.bytes.is_none_or(|bytes| bytes.0 > 0);
        section.rule(reader, "bytes", holds, OUT_OF_RANGE, "1 B to 4 GiB");
        let holds = config.bytes.is_none() || config.max_packets.is_none();
        section.rule(reader, "max_packets", holds, &not_supported_with("bytes"), "either bytes or max_packets");
        let holds = config.read_rate.is_none_or(|rate| rate.0 > 0.0);
        section.rule(reader, "read_rate", holds, ZERO_RATE, "rate greater than 0 b/s");
        return;
    }
    let names: Vec<&str> = SCHEMES.iter().filter(|scheme| scheme.is_stream()).map(|scheme| scheme.name).collect();
    let expected = format!("transport = \"{}\"", names.join("\" or \""));
    for (key, hint) in
        [("bytes", Some("use max_packets, or transport = \"tcp_reno\"")), ("read_from", None), ("read_rate", None)]
    {
        section.rule_with_hint(reader, key, section.given(key).is_none(), &what, &expected, hint);
    }
}
