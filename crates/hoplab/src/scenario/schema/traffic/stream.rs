//! Keys of a flow that only real TCP connections and stacks have, and those that they do not have.

use super::flow_config::FlowConfig;
use crate::app::AppKind;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::syntax::problem::{OUT_OF_RANGE, ZERO_RATE, not_supported_with};
use crate::scenario::transports::{TRANSPORTS, Transport};
use crate::transport::StackKind;

/// Payload of a segment of real TCP: an MTU of 1500 bytes without headers and timestamp.
pub(crate) const STREAM_SEGMENT: u32 = 1448;

/// Reports keys that the transport does not have.
pub(super) fn check(reader: &mut Reader<'_>, section: Section<'_>, config: &FlowConfig) {
    let transport = Transport::named(&config.transport);
    let is_stream = transport.is_some_and(Transport::is_stream);
    let what = not_supported_with(format_args!("transport = \"{}\"", config.transport));
    if transport.is_some_and(Transport::counts_bytes) {
        let holds = config.bytes.is_none_or(|bytes| bytes.0 > 0);
        section.rule(reader, "bytes", holds, OUT_OF_RANGE, "1 B to 4 GiB");
        let holds = config.bytes.is_none() || config.max_packets.is_none();
        section.rule(reader, "max_packets", holds, &not_supported_with("bytes"), "either bytes or max_packets");
    }
    if is_stream {
        // A comparison of transports has the key for the others.
        if config.window != FlowConfig::default().window {
            let name = &config.transport;
            reader.warnings.push(format!(
                "{}.window: has no effect with transport = \"{name}\", which stream.receive_buffer limits",
                section.key
            ));
        }
        let holds = config.read_rate.is_none_or(|rate| rate.0 > 0.0);
        section.rule(reader, "read_rate", holds, ZERO_RATE, "rate greater than 0 b/s");
        return;
    }
    let names: Vec<&str> =
        TRANSPORTS.iter().filter(|transport| transport.is_stream()).map(|transport| transport.name).collect();
    let expected = format!("transport = \"{}\"", names.join("\" or \""));
    let stack = transport.and_then(Transport::stack);
    if let Some(stack) = stack {
        warn(reader, section, config, stack);
    }
    let bytes = stack.is_none().then_some(("bytes", Some("use max_packets, or transport = \"tcp_reno\"")));
    for (key, hint) in bytes.into_iter().chain([("read_from", None), ("read_rate", None)]) {
        section.rule_with_hint(reader, key, section.given(key).is_none(), &what, &expected, hint);
    }
}

/// Warns of keys that a stack does not read. A comparison of transports has them for the others.
fn warn(reader: &mut Reader<'_>, section: Section<'_>, config: &FlowConfig, stack: StackKind) {
    let (table, name) = (section.key, &config.transport);
    if !stack.has_window() && config.window != FlowConfig::default().window {
        reader.warnings.push(format!(
            "{table}.window: has no effect with transport = \"{name}\", whose flow control is that of its library"
        ));
    }
    if config.app == AppKind::Ftp && config.segment.0 != STREAM_SEGMENT {
        reader.warnings.push(format!(
            "{table}.segment: has no effect with transport = \"{name}\", whose library divides data into packets"
        ));
    }
}
