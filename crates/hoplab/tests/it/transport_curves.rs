//! Golden window curves: each congestion control over one path with the same losses, in profile `rfc` (those of Linux
//! are compared with ns-2 itself in `transport_ns2.rs`). The list of controllers gives the cases.
//!
//! `tests/scripts/curves/NAME.txt` has the window in whole segments every quarter of a second; `BLESS=1` rewrites the
//! files. Review the difference.

use crate::transport_pipe::{Link, Pipe, flow, lose_data};
use hoplab::app::{AppConfig, Ftp};
use hoplab::kernel::{Rate, Span, Time};
use hoplab::transport::congestion::CubicForm;
use hoplab::transport::{CongestionKind, Parts, Protocol, RecoveryKind, TcpConfig};
use std::fs;
use std::path::Path;

/// 8 Mb/s and a round trip of 80 ms: 80 segments of 1000 bytes. More are queued.
const LINK: Link = Link { rate: Rate(8e6), delay: Span::from_millis(40) };
const WINDOW: u32 = 160;
/// One loss in slow start, one before the window has regrown, two together.
const LOST: [u64; 5] = [150, 900, 4000, 9000, 9001];
const SECONDS: usize = 20;

fn curve(congestion: CongestionKind, form: CubicForm) -> Vec<u32> {
    let mut tcp = TcpConfig { timestamps: true, ..TcpConfig::rfc() };
    tcp.congestion.cubic.form = form;
    let parts = Parts { congestion, recovery: RecoveryKind::Sack };
    let spec = flow(Protocol::Tcp(parts), 1000, WINDOW, AppConfig::Ftp(Ftp));
    let mut pipe = Pipe::new(&spec, &tcp, LINK, lose_data(&LOST));
    pipe.start();
    let at = |quarter: usize| Time::from_secs(quarter as f64 / 4.0);
    let sample = |quarter: usize| {
        pipe.run_until(at(quarter));
        pipe.connection.cwnd().expect("a window") as u32
    };
    (1..=4 * SECONDS).map(sample).collect()
}

/// Name, controller and form of each curve: every controller with a window, CUBIC in each of its forms.
fn cases() -> Vec<(String, CongestionKind, CubicForm)> {
    let forms = [
        ("cubic_rfc9438", CubicForm::Rfc9438),
        ("cubic_paper", CubicForm::Paper),
        ("cubic_linux_2_6_22", CubicForm::Linux2622),
    ];
    let of = |&kind: &CongestionKind| -> Vec<(String, CongestionKind, CubicForm)> {
        match kind {
            // No window limits Semi-TCP, which is pulled.
            CongestionKind::SemiTcp => Vec::new(),
            CongestionKind::Cubic => forms.iter().map(|(name, form)| ((*name).to_owned(), kind, *form)).collect(),
            _ => vec![(kind.name().to_owned(), kind, CubicForm::Rfc9438)],
        }
    };
    CongestionKind::ALL.iter().flat_map(of).collect()
}

#[test]
fn windows_match_golden_curves() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts/curves");
    let mut failures = Vec::new();
    for (name, kind, form) in cases() {
        let rows: Vec<String> = curve(kind, form)
            .chunks(4)
            .map(|second| second.iter().map(u32::to_string).collect::<Vec<_>>().join(" "))
            .collect();
        let found = rows.join("\n") + "\n";
        let path = folder.join(format!("{name}.txt"));
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, &found).expect("a writable folder");
        }
        let known = fs::read_to_string(&path).unwrap_or_default();
        if let Some(second) = known.lines().zip(found.lines()).position(|(known, found)| known != found) {
            failures.push(format!("{name}: second {second} is {}", rows[second]));
        } else if known.len() != found.len() {
            failures.push(format!("{name}: no curve of that length in {}", path.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
