//! Table `[stream]`: real TCP connections.

use crate::kernel::Span;
use crate::scenario::schema::profile::RuleSet;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::schema::table::Table;
use crate::scenario::syntax::problem::{OUT_OF_RANGE, ZERO_TIME, exceeds};
use crate::scenario::syntax::quantity::Quantity;
use crate::transport::StreamConfig;

/// Largest counts that make sense.
const MAX_COUNT: u32 = 1_000_000;

/// Largest receive buffer: more than a shifted window can state.
const MAX_BUFFER: u32 = 1 << 30;

impl Table for StreamConfig {
    const KEY: &'static str = "stream";

    fn defaults(_: RuleSet, _: Section<'_>) -> StreamConfig {
        StreamConfig::default()
    }

    fn check(&mut self, reader: &mut Reader<'_>, section: Section<'_>) {
        let counts = [
            ("initial_window", self.initial_window),
            ("data_retries", self.data_retries),
            ("delayed_ack", self.delayed_ack),
            ("send_quantum", self.send_quantum),
        ];
        for (key, count) in counts {
            section.rule(reader, key, (1..=MAX_COUNT).contains(&count), OUT_OF_RANGE, "1 to 1000000");
        }
        let counts =
            [("syn_linear", self.syn_linear), ("syn_retries", self.syn_retries), ("quick_acks", self.quick_acks)];
        for (key, count) in counts {
            section.rule(reader, key, count <= MAX_COUNT, OUT_OF_RANGE, "0 to 1000000");
        }
        let times = [
            ("initial_rto", self.initial_rto),
            ("min_rto", self.min_rto),
            ("max_rto", self.max_rto),
            ("delayed_ack_timeout", self.delayed_ack_timeout),
        ];
        for (key, time) in times {
            section.rule(reader, key, time > Span::ZERO, ZERO_TIME, "time greater than 0 s");
        }
        let holds = (1000..=MAX_BUFFER).contains(&self.receive_buffer.0);
        section.rule(reader, "receive_buffer", holds, OUT_OF_RANGE, "1 kB to 1 GiB");
        let holds = (0.0..=1.0).contains(&self.first_growth);
        section.rule(reader, "first_growth", holds, OUT_OF_RANGE, "share from 0 to 1");
        let (bbr, bbr3) = (&self.bbr, &self.bbr3);
        let times = [
            ("stream.bbr", "bbr", "min_rtt_window", bbr.min_rtt_window),
            ("stream.bbr", "bbr", "probe_rtt_duration", bbr.probe_rtt_duration),
            ("stream.bbr3", "bbr3", "min_rtt_window", bbr3.min_rtt_window),
            ("stream.bbr3", "bbr3", "probe_rtt_interval", bbr3.probe_rtt_interval),
            ("stream.bbr3", "bbr3", "probe_rtt_duration", bbr3.probe_rtt_duration),
            ("stream.ledbat", "ledbat", "target", self.ledbat.target),
            ("stream.copa", "copa", "min_rtt_window", self.copa.min_rtt_window),
        ];
        for (table, name, key, time) in times {
            let section = Section { key: table, table: section.given(name) };
            section.rule(reader, key, time > Span::ZERO, ZERO_TIME, "time greater than 0 s");
        }
        if !reader.is_clean(section.key) {
            return;
        }
        for (low, high, time) in [("min_rto", "max_rto", self.min_rto), ("initial_rto", "max_rto", self.initial_rto)] {
            let what = exceeds(low, time.write(), high, self.max_rto.write());
            let holds = time <= self.max_rto;
            section.rule(reader, section.blamed(&[low, high]), holds, &what, &format!("{low} not above {high}"));
        }
    }
}
