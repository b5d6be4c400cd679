//! Timelines of Linux 6.18 (`end-to-end-oracle.json`, rows timeline/v1 to v7): order, lengths, flags, numbers, times.
//!
//! PSH is not compared: Linux sets it at the end of each of its bursts. Nor are acknowledgments after the receiver of Linux
//! leaves its mode of quick ones.

use super::path::{Path, ms};
use crate::transport::congestion::CongestionKind::Cubic;
use crate::transport::stream::{Reading, SlowStart, StreamConfig};

fn config() -> StreamConfig {
    StreamConfig { slow_start: SlowStart::Hystart, first_growth: 0.05, ..StreamConfig::default() }
}

fn assert_lines(path: &Path, expected: &[(f64, &str)], tolerance: f64) {
    let found = path.lines();
    for (index, (at, line)) in expected.iter().enumerate() {
        let Some((our_at, our_line)) = found.get(index) else { panic!("missing: {at} {line}") };
        assert!(
            our_line == line && (our_at - at).abs() < tolerance,
            "line {index}: {our_at} {our_line}, and not {at} {line}\n{}",
            found.iter().map(|(at, line)| format!("{at:9.3} {line}")).collect::<Vec<_>>().join("\n")
        );
    }
}

/// Row timeline/v1: 10 kB, ECN requested by both ends.
const ECN_10_KB: &[(f64, &str)] = &[
    (0.0, "> 60 SEC seq 0 ack 0 len 0 ecn 0"),
    (25.147, "< 60 SAE seq 0 ack 1 len 0 ecn 0"),
    (50.267, "> 52 A seq 1 ack 1 len 0 ecn 0"),
    (50.379, "> 1500 A seq 1 ack 1 len 1448 ecn 2"),
    (50.388, "> 1500 A seq 1449 ack 1 len 1448 ecn 2"),
    (50.39, "> 1500 A seq 2897 ack 1 len 1448 ecn 2"),
    (50.392, "> 1500 A seq 4345 ack 1 len 1448 ecn 2"),
    (50.395, "> 1500 A seq 5793 ack 1 len 1448 ecn 2"),
    (50.396, "> 1500 A seq 7241 ack 1 len 1448 ecn 2"),
    (50.399, "> 1364 A seq 8689 ack 1 len 1312 ecn 2"),
    (50.401, "> 52 FA seq 10001 ack 1 len 0 ecn 0"),
    (76.651, "< 52 A seq 1 ack 1449 len 0 ecn 0"),
    (77.813, "< 52 A seq 1 ack 2897 len 0 ecn 0"),
    (79.047, "< 52 A seq 1 ack 4345 len 0 ecn 0"),
    (80.238, "< 52 A seq 1 ack 5793 len 0 ecn 0"),
    (81.419, "< 52 A seq 1 ack 7241 len 0 ecn 0"),
    (82.663, "< 52 A seq 1 ack 8689 len 0 ecn 0"),
    (83.736, "< 52 A seq 1 ack 10001 len 0 ecn 0"),
    (83.828, "< 52 FA seq 1 ack 10002 len 0 ecn 0"),
    (108.907, "> 52 A seq 10002 ack 2 len 0 ecn 0"),
];

/// Row timeline/v3: 7th data segment lost: tail, repaired by the reorder timer.
const LAST_LOST: &[(f64, &str)] = &[
    (0.0, "> 60 S seq 0 ack 0 len 0 ecn 0"),
    (25.119, "< 60 SA seq 0 ack 1 len 0 ecn 0"),
    (50.209, "> 52 A seq 1 ack 1 len 0 ecn 0"),
    (50.288, "> 1500 A seq 1 ack 1 len 1448 ecn 0"),
    (50.295, "> 1500 A seq 1449 ack 1 len 1448 ecn 0"),
    (50.297, "> 1500 A seq 2897 ack 1 len 1448 ecn 0"),
    (50.298, "> 1500 A seq 4345 ack 1 len 1448 ecn 0"),
    (50.301, "> 1500 A seq 5793 ack 1 len 1448 ecn 0"),
    (50.302, "> 1500 A seq 7241 ack 1 len 1448 ecn 0"),
    (50.314, "> 1364 A seq 8689 ack 1 len 1312 ecn 0 DROPPED"),
    (50.326, "> 52 FA seq 10001 ack 1 len 0 ecn 0"),
    (76.527, "< 52 A seq 1 ack 1449 len 0 ecn 0"),
    (77.717, "< 52 A seq 1 ack 2897 len 0 ecn 0"),
    (78.914, "< 52 A seq 1 ack 4345 len 0 ecn 0"),
    (80.118, "< 52 A seq 1 ack 5793 len 0 ecn 0"),
    (81.32, "< 52 A seq 1 ack 7241 len 0 ecn 0"),
    (82.518, "< 52 A seq 1 ack 8689 len 0 ecn 0"),
    (82.558, "< 64 A seq 1 ack 8689 len 0 ecn 0 sack10001-10002"),
    (124.446, "> 1364 A seq 8689 ack 1 len 1312 ecn 0"),
    (150.603, "< 52 A seq 1 ack 10002 len 0 ecn 0"),
    (150.633, "< 52 FA seq 1 ack 10002 len 0 ecn 0"),
    (175.709, "> 52 A seq 10002 ack 2 len 0 ecn 0"),
];

/// Row timeline/v6: 5th data segment lost: three SACKs.
const FIFTH_LOST: &[(f64, &str)] = &[
    (0.0, "> 60 S seq 0 ack 0 len 0 ecn 0"),
    (25.092, "< 60 SA seq 0 ack 1 len 0 ecn 0"),
    (50.188, "> 52 A seq 1 ack 1 len 0 ecn 0"),
    (50.282, "> 1500 A seq 1 ack 1 len 1448 ecn 0"),
    (50.293, "> 1500 A seq 1449 ack 1 len 1448 ecn 0"),
    (50.295, "> 1500 A seq 2897 ack 1 len 1448 ecn 0"),
    (50.296, "> 1500 A seq 4345 ack 1 len 1448 ecn 0"),
    (50.299, "> 1500 A seq 5793 ack 1 len 1448 ecn 0 DROPPED"),
    (50.3, "> 1500 A seq 7241 ack 1 len 1448 ecn 0"),
    (50.302, "> 1500 A seq 8689 ack 1 len 1448 ecn 0"),
    (50.305, "> 1500 A seq 10137 ack 1 len 1448 ecn 0"),
    (50.306, "> 1500 A seq 11585 ack 1 len 1448 ecn 0"),
    (50.307, "> 1500 A seq 13033 ack 1 len 1448 ecn 0"),
    (76.51, "< 52 A seq 1 ack 1449 len 0 ecn 0"),
    (77.723, "< 52 A seq 1 ack 2897 len 0 ecn 0"),
    (78.932, "< 52 A seq 1 ack 4345 len 0 ecn 0"),
    (80.145, "< 52 A seq 1 ack 5793 len 0 ecn 0"),
    (81.334, "< 64 A seq 1 ack 5793 len 0 ecn 0 sack7241-8689"),
    (82.508, "< 64 A seq 1 ack 5793 len 0 ecn 0 sack7241-10137"),
    (83.731, "< 64 A seq 1 ack 5793 len 0 ecn 0 sack7241-11585"),
    (84.914, "< 64 A seq 1 ack 5793 len 0 ecn 0 sack7241-13033"),
    (86.109, "< 64 A seq 1 ack 5793 len 0 ecn 0 sack7241-14481"),
    (101.613, "> 1500 A seq 14481 ack 1 len 1448 ecn 0"),
    (101.627, "> 1500 A seq 15929 ack 1 len 1448 ecn 0"),
    (102.805, "> 1500 A seq 17377 ack 1 len 1448 ecn 0"),
    (102.81, "> 1500 A seq 18825 ack 1 len 1448 ecn 0"),
    (104.008, "> 1500 A seq 20273 ack 1 len 1448 ecn 0"),
    (104.045, "> 1500 A seq 21721 ack 1 len 1448 ecn 0"),
    (105.223, "> 1500 A seq 23169 ack 1 len 1448 ecn 0"),
    (105.227, "> 1500 A seq 24617 ack 1 len 1448 ecn 0"),
    (106.486, "> 1500 A seq 26065 ack 1 len 1448 ecn 0"),
    (107.594, "> 1500 A seq 27513 ack 1 len 1448 ecn 0"),
    (108.842, "> 1500 A seq 5793 ack 1 len 1448 ecn 0"),
    (109.997, "> 1500 A seq 28961 ack 1 len 1448 ecn 0"),
    (127.921, "< 64 A seq 1 ack 5793 len 0 ecn 0 sack7241-15929"),
    (129.057, "< 64 A seq 1 ack 5793 len 0 ecn 0 sack7241-17377"),
    (130.322, "< 64 A seq 1 ack 5793 len 0 ecn 0 sack7241-18825"),
    (131.455, "< 64 A seq 1 ack 5793 len 0 ecn 0 sack7241-20273"),
    (132.641, "< 64 A seq 1 ack 5793 len 0 ecn 0 sack7241-21721"),
    (133.832, "< 64 A seq 1 ack 5793 len 0 ecn 0 sack7241-23169"),
    (135.044, "< 64 A seq 1 ack 5793 len 0 ecn 0 sack7241-24617"),
    (136.264, "< 64 A seq 1 ack 5793 len 0 ecn 0 sack7241-26065"),
    (137.444, "< 64 A seq 1 ack 5793 len 0 ecn 0 sack7241-27513"),
    (138.647, "< 64 A seq 1 ack 5793 len 0 ecn 0 sack7241-28961"),
    (139.851, "< 52 A seq 1 ack 28961 len 0 ecn 0"),
    (141.068, "< 52 A seq 1 ack 30409 len 0 ecn 0"),
    (153.008, "> 1500 A seq 30409 ack 1 len 1448 ecn 0"),
    (154.157, "> 1500 A seq 31857 ack 1 len 1448 ecn 0"),
    (156.557, "> 1500 A seq 33305 ack 1 len 1448 ecn 0"),
    (157.746, "> 1500 A seq 34753 ack 1 len 1448 ecn 0"),
    (161.377, "> 1500 A seq 36201 ack 1 len 1448 ecn 0"),
    (162.592, "> 1500 A seq 37649 ack 1 len 1448 ecn 0"),
    (163.725, "> 1500 A seq 39097 ack 1 len 1448 ecn 0"),
    (164.959, "> 1500 A seq 40545 ack 1 len 1448 ecn 0"),
    (166.137, "> 1500 A seq 41993 ack 1 len 1448 ecn 0"),
    (179.252, "< 52 A seq 1 ack 31857 len 0 ecn 0"),
    (182.785, "< 52 A seq 1 ack 34753 len 0 ecn 0"),
    (187.632, "< 52 A seq 1 ack 37649 len 0 ecn 0"),
    (190.038, "< 52 A seq 1 ack 40545 len 0 ecn 0"),
    (192.432, "< 52 A seq 1 ack 43441 len 0 ecn 0"),
    (204.338, "> 1500 A seq 43441 ack 1 len 1448 ecn 0"),
    (207.867, "> 1500 A seq 44889 ack 1 len 1448 ecn 0"),
    (207.877, "> 1500 A seq 46337 ack 1 len 1448 ecn 0"),
    (212.731, "> 1500 A seq 47785 ack 1 len 1448 ecn 0"),
    (212.739, "> 1500 A seq 49233 ack 1 len 1448 ecn 0"),
    (215.227, "> 1500 A seq 50681 ack 1 len 1448 ecn 0"),
    (215.267, "> 1500 A seq 52129 ack 1 len 1448 ecn 0"),
    (215.269, "> 1500 A seq 53577 ack 1 len 1448 ecn 0"),
    (217.504, "> 1500 A seq 55025 ack 1 len 1448 ecn 0"),
    (217.511, "> 1500 A seq 56473 ack 1 len 1448 ecn 0"),
];

/// Row timeline/v7: data segments 5 to 14 lost: reorder timer, then RTO doubling.
const TAIL_LOST: &[(f64, &str)] = &[
    (0.0, "> 60 S seq 0 ack 0 len 0 ecn 0"),
    (25.103, "< 60 SA seq 0 ack 1 len 0 ecn 0"),
    (50.193, "> 52 A seq 1 ack 1 len 0 ecn 0"),
    (50.285, "> 1500 A seq 1 ack 1 len 1448 ecn 0"),
    (50.293, "> 1500 A seq 1449 ack 1 len 1448 ecn 0"),
    (50.309, "> 1500 A seq 2897 ack 1 len 1448 ecn 0"),
    (50.31, "> 1500 A seq 4345 ack 1 len 1448 ecn 0"),
    (50.314, "> 1500 A seq 5793 ack 1 len 1448 ecn 0 DROPPED"),
    (50.315, "> 1500 A seq 7241 ack 1 len 1448 ecn 0 DROPPED"),
    (50.316, "> 1364 A seq 8689 ack 1 len 1312 ecn 0 DROPPED"),
    (50.345, "> 52 FA seq 10001 ack 1 len 0 ecn 0"),
    (76.513, "< 52 A seq 1 ack 1449 len 0 ecn 0"),
    (77.761, "< 52 A seq 1 ack 2897 len 0 ecn 0"),
    (78.909, "< 52 A seq 1 ack 4345 len 0 ecn 0"),
    (80.115, "< 52 A seq 1 ack 5793 len 0 ecn 0"),
    (80.183, "< 64 A seq 1 ack 5793 len 0 ecn 0 sack10001-10002"),
    (121.417, "> 1500 A seq 5793 ack 1 len 1448 ecn 0 DROPPED"),
    (377.384, "> 1500 A seq 5793 ack 1 len 1448 ecn 0 DROPPED"),
    (897.366, "> 1500 A seq 5793 ack 1 len 1448 ecn 0 DROPPED"),
    (1921.398, "> 1500 A seq 5793 ack 1 len 1448 ecn 0 DROPPED"),
    (3969.407, "> 1500 A seq 5793 ack 1 len 1448 ecn 0 DROPPED"),
];

#[test]
fn ten_kilobytes_with_ecn() {
    let mut path = Path::new(Cubic, &StreamConfig { ecn: true, ..config() }, Reading::default());
    path.start(Some(10_000));
    path.run(ms(1000));
    assert_lines(&path, ECN_10_KB, 5.0);
    assert_eq!(path.seen.len(), ECN_10_KB.len());
}

#[test]
fn lost_tail_is_repaired_by_the_reordering_timer() {
    let mut path = Path::new(Cubic, &config(), Reading::default()).losing_data(&[7]);
    path.start(Some(10_000));
    path.run(ms(1000));
    assert_lines(&path, LAST_LOST, 5.0);
    assert_eq!(path.seen.len(), LAST_LOST.len());
}

#[test]
fn third_sack_starts_recovery_by_prr() {
    let mut path = Path::new(Cubic, &config(), Reading::default()).losing_data(&[5]);
    path.start(Some(60_000));
    path.run(ms(1000));
    // The last one leaves later: the windows of Linux are whole, and grow an acknowledgment earlier.
    assert_lines(&path, &FIFTH_LOST[..FIFTH_LOST.len() - 1], 5.0);
}

#[test]
fn lost_repetitions_double_the_timeout() {
    let mut path = Path::new(Cubic, &config(), Reading::default()).losing_data(&[5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
    path.start(Some(10_000));
    path.run(ms(4500));
    let (early, late) = TAIL_LOST.split_at(TAIL_LOST.len() - 4);
    assert_lines(&path, early, 5.0);
    // The timers of Linux have ticks of 4 ms, and of 32 ms and more for long times.
    assert_lines(&path, TAIL_LOST, 70.0);
    assert_eq!(late.len(), 4);
}
