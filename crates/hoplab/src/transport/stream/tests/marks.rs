//! Marks that are echoed segment by segment (RFC 8257 section 3.2), and until the window is reduced (RFC 3168).

use super::bulk::linux;
use super::path::{Fate, Path, ms};
use crate::kernel::{End, Span};
use crate::packet::TcpFlags;
use crate::transport::congestion::CongestionKind;
use crate::transport::stream::{Reading, StreamConfig};

/// Bytes acknowledged with and without echo, if every `period`-th run of three data segments is marked; and cuts of the window.
fn echoed(kind: CongestionKind, period: u64) -> (u64, u64, u32) {
    let config = StreamConfig { ecn: true, ..linux() };
    let mut data = 0;
    let mut path = Path::new(kind, &config, Reading::default()).with(Span::from_millis(10), 1000).with_fate(
        move |end, _, segment| {
            if end == End::Sink || segment.len == 0 {
                return Fate::Arrives;
            }
            data += 1;
            if data / 3 % period == period - 1 { Fate::Marked } else { Fate::Arrives }
        },
    );
    path.start(Some(300 * 1448));
    path.run(ms(5_000));
    assert_eq!(path.delivered[1], 300 * 1448);
    let (mut una, mut with, mut without) = (1, 0, 0);
    for seen in path.seen.iter().filter(|seen| !seen.segment.is_forward() && !seen.segment.flags.has(TcpFlags::SYN)) {
        let bytes = seen.segment.ack.saturating_sub(una);
        una = una.max(seen.segment.ack);
        *(if seen.segment.flags.has(TcpFlags::ECE) { &mut with } else { &mut without }) += bytes;
    }
    let cuts =
        path.seen.iter().filter(|seen| seen.segment.is_forward() && seen.segment.flags.has(TcpFlags::CWR)).count();
    (with, without, cuts as u32)
}

#[test]
fn exact_marks_are_echoed_byte_by_byte() {
    let (with, without, cuts) = echoed(CongestionKind::Dctcp, 4);
    // The FIN is one more byte.
    assert_eq!((with / 1448, with + without), (75, 300 * 1448 + 1), "{cuts}");
    assert!(cuts > 2);
}

#[test]
fn other_controllers_see_an_echo_until_they_reduce() {
    let (with, without, cuts) = echoed(CongestionKind::Reno, 4);
    assert!(with > 75 * 1448 && cuts > 2, "{with}, {without}, {cuts}");
}

/// Kinds of segments that leave ECT, if the third data segment is lost.
fn covered(kind: CongestionKind) -> Vec<&'static str> {
    let config = StreamConfig { ecn: true, ..linux() };
    let mut data = 0;
    let mut path = Path::new(kind, &config, Reading::default()).with(Span::from_millis(10), 1000).with_fate(
        move |end, _, segment| {
            data += u32::from(end == End::Source && segment.len > 0);
            if data == 3 && segment.len > 0 { Fate::Lost } else { Fate::Arrives }
        },
    );
    path.start(Some(20 * 1448));
    path.run(ms(5_000));
    let mut kinds: Vec<&str> = path
        .seen
        .iter()
        .map(|seen| &seen.segment)
        .filter(|segment| segment.is_ect)
        .map(|segment| match segment {
            segment if segment.flags.has(TcpFlags::SYN) => "SYN",
            segment if segment.is_retransmission => "retransmission",
            segment if segment.len > 0 => "data",
            _ => "control",
        })
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

#[test]
fn exact_marks_cover_all_segments_and_others_new_data() {
    assert_eq!(covered(CongestionKind::Dctcp), ["SYN", "control", "data", "retransmission"]);
    assert_eq!(covered(CongestionKind::Reno), ["data"]);
}
