//! Keys of a flow that only real TCP connections have, and those that they do not have.

use super::flow_config::FlowConfig;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::scheme::{SCHEMES, Scheme};
use crate::scenario::syntax::problem::{OUT_OF_RANGE, ZERO_RATE, not_supported_with};

/// Reports keys that the transport does not have.
pub(super) fn check(reader: &mut Reader<'_>, section: Section<'_>, config: &FlowConfig) {
    let is_stream = Scheme::named(&config.transport).is_some_and(Scheme::is_stream);
    let what = not_supported_with(format_args!("transport = \"{}\"", config.transport));
    if is_stream {
        // A comparison of transports has the key for the others.
        if config.window != FlowConfig::default().window {
            let transport = &config.transport;
            reader.warnings.push(format!(
                "{}.window: has no effect with transport = \"{transport}\", which stream.receive_buffer limits",
                section.key
            ));
        }
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
