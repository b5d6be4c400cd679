//! Table `[tcp]`: timers (RFC 6298), sizes and options (RFC 7323, 2018) of every TCP sender, and parameters of congestion
//! controls.

use crate::kernel::Span;
use crate::scenario::schema::profile::RuleSet;
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::schema::table::Table;
use crate::scenario::syntax::problem::{OUT_OF_RANGE, ZERO_TIME, exceeds};
use crate::scenario::syntax::quantity::Quantity;
use crate::transport::TcpConfig;

const ONE_DELAYED: &str = "ack_every = 1 acknowledges each segment, delayed_ack = true does not";
const TWO_OR_MORE: &str = "ack_every from 2 on, or delayed_ack = false";

impl Table for TcpConfig {
    const KEY: &'static str = "tcp";

    fn defaults(rules: RuleSet, _: Section<'_>) -> TcpConfig {
        rules.tcp
    }

    fn check(&mut self, reader: &mut Reader<'_>, section: Section<'_>) {
        let times = [
            ("initial_rto", self.initial_rto),
            ("min_rto", self.min_rto),
            ("tick", self.tick),
            ("delayed_ack_timeout", self.delayed_ack_timeout),
            ("elfn_probe", self.elfn_probe),
            ("tcp_f_timer", self.tcp_f_timer),
            ("tcp_f_search", self.tcp_f_search),
            ("atcp_probe", self.atcp_probe),
        ];
        for (key, time) in times {
            section.rule(reader, key, time > Span::ZERO, ZERO_TIME, "time greater than 0 s");
        }
        let holds = !self.delayed_ack || self.ack_every != Some(1);
        section.rule(reader, section.blamed(&["ack_every", "delayed_ack"]), holds, ONE_DELAYED, TWO_OR_MORE);
        let sizes = [
            ("header", self.header),
            ("timestamp_bytes", self.timestamp_bytes),
            ("sack_block_bytes", self.sack_block_bytes),
        ];
        for (key, bytes) in sizes {
            section.rule(reader, key, bytes.0 <= 1000, OUT_OF_RANGE, "at most 1000 bytes");
        }
        if !reader.is_clean(section.key) {
            return;
        }
        for (low, high, time) in [
            ("min_rto", "max_rto", self.min_rto),
            ("initial_rto", "max_rto", self.initial_rto),
            ("tick", "max_rto", self.tick),
        ] {
            let what = exceeds(low, time.write(), high, self.max_rto.write());
            let holds = time <= self.max_rto;
            section.rule(reader, section.blamed(&[low, high]), holds, &what, &format!("{low} not above {high}"));
        }
        let (vegas, linux) = (&self.congestion.vegas, &self.congestion.linux_vegas);
        let tables = [
            ("vegas", "tcp.congestion.vegas", vegas.alpha, vegas.beta),
            ("linux_vegas", "tcp.congestion.linux_vegas", linux.alpha, linux.beta),
        ];
        let congestion = section.given("congestion");
        for (name, key, alpha, beta) in tables {
            let section = Section { key, table: congestion.and_then(|table| table.get(name)) };
            let key = section.blamed(&["alpha", "beta"]);
            let what = exceeds("alpha", alpha, "beta", beta);
            section.rule(reader, key, alpha <= beta, &what, "alpha not above beta");
        }
        let tpa = Section { key: "tcp.tpa", table: section.given("tpa") };
        let holds = (20..=200).contains(&self.tpa.header.0);
        tpa.rule(reader, "header", holds, OUT_OF_RANGE, "20 to 200 bytes");
        let table = congestion.and_then(|table| table.get("westwood"));
        let section = Section { key: "tcp.congestion.westwood", table };
        let holds = (Span::from_millis(1)..=Span::from_millis(60_000)).contains(&self.congestion.westwood.tau);
        section.rule(reader, "tau", holds, OUT_OF_RANGE, "time from 1 ms to 60 s");
    }
}
