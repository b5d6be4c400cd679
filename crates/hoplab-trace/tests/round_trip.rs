//! What is written comes back, as the `parquet` crate's own reader sees it.

use hoplab::kernel::Time;
use hoplab::measure::Sample;
use hoplab::packet::Category;
use hoplab::trace::{EVENTS, FRAMES, NOTHING, Names, Row, reasons};
use hoplab_trace::{EventFile, SampleFile, join};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

/// Names of packet types; all but the first six occur late.
const PACKETS: [&str; 12] =
    ["segment", "ack", "datagram", "lack", "arp_request", "arp_reply", "rreq", "rrep", "rerr", "hello", "dsdv", "olsr"];

/// Numbers that look random, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

fn rows(count: usize, seed: u64) -> Vec<Row> {
    let mut numbers = Numbers(seed);
    let mut time = 0;
    (0..count)
        .map(|i| {
            time += numbers.below(1_000_000);
            let mut some = |end: u64| if numbers.below(3) == 0 { None } else { Some(numbers.below(end)) };
            // Long stretches without any value, and one in which every number is another.
            let is_empty = (40_000..120_000).contains(&i);
            let many = if i > 200_000 { 1 << 30 } else { 100 };
            let mut maybe = |end: u64| if is_empty { None } else { some(end) };
            Row {
                time: Time(time),
                node: maybe(7).map_or(-1, |n| n as i32),
                peer: maybe(70_000).map_or(-1, |n| n as i32),
                flow: maybe(1).map_or(-1, |n| n as i32),
                bytes: maybe(many).map_or(-1, |n| n as i32),
                airtime: maybe(5).map_or(-1, |n| n as i32 * 1_000_000),
                ttl: maybe(64).map_or(-1, |n| n as i32),
                delay: maybe(many).map_or(-1, |n| n as i32),
                uid: maybe(1 << 31).map_or(-1, |n| (n as i64) << 31),
                seq: maybe(9).map_or(-1, |n| n as i64 - 5),
                value: maybe(many).map_or(f64::NAN, |n| n as f64 * 0.5 - 10.0),
                frame: maybe(4).map_or(NOTHING, |n| n as u8),
                packet: maybe(11).map_or(NOTHING, |n| n as u8),
                reason: maybe(28).map_or(NOTHING, |n| n as u8),
                event: numbers.below(28) as u8,
                category: [NOTHING, 0, 2, 3][i % 4],
                is_retransmission: numbers.below(2) == 1,
                congested: false,
                has_message: is_told(i),
            }
        })
        .collect()
}

/// Whether the row at this place has a message.
fn is_told(place: usize) -> bool {
    place % 7 == 3
}

/// The message of the row at this place.
fn message(place: usize) -> String {
    "so ".repeat(place % 11) + &place.to_string()
}

fn written(rows: &[Row], seed: u64, has_categories: bool) -> Vec<u8> {
    let mut file = EventFile::new(Vec::new(), seed, has_categories).expect("memory takes everything");
    // Pieces of changing length, so that pages end anywhere.
    let mut rest = rows;
    let mut place = 0;
    for length in (1..).map(|i| i * 37) {
        let (piece, more) = rest.split_at(length.min(rest.len()));
        // Names join the others as they occur.
        let is_late = piece.iter().any(|row| row.packet != NOTHING && row.packet > 5);
        let known = if is_late { &PACKETS } else { &PACKETS[..6] };
        let messages: Vec<String> = (place..place + piece.len()).filter(|at| is_told(*at)).map(message).collect();
        place += piece.len();
        file.write(piece, &Names::new(known.iter().copied()), &messages).expect("memory takes everything");
        rest = more;
        if rest.is_empty() {
            break;
        }
    }
    file.finish().expect("memory takes everything")
}

fn check(bytes: Vec<u8>, has_categories: bool, expected: &[(u64, &[Row])]) {
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).expect("a Parquet file");
    let names = reasons();
    let mut found = reader.get_row_iter(None).expect("rows");
    for (seed, rows) in expected {
        for (i, row) in rows.iter().enumerate() {
            let got = found.next().expect("as many rows as were written").expect("a row");
            let fields: Vec<&Field> = got.get_column_iter().map(|(_, field)| field).collect();
            let int = |there: bool, n: i32| if there { Field::Int(n) } else { Field::Null };
            let long = |there: bool, n: i64| if there { Field::Long(n) } else { Field::Null };
            let name = |n: u8, names: &[&str]| match n {
                NOTHING => Field::Null,
                n => Field::Str(names[usize::from(n)].to_owned()),
            };
            let category = name(row.category, &Category::ALL.map(Category::name));
            let expected = [
                Field::ULong(*seed),
                Field::Long(row.time.0 as i64),
                int(row.node >= 0, row.node),
                name(row.event, &EVENTS),
                name(row.frame, &FRAMES),
                name(row.packet, &PACKETS),
                int(row.peer >= 0, row.peer),
                int(row.flow >= 0, row.flow),
                long(row.uid >= 0, row.uid),
                long(row.seq != -1, row.seq),
                int(row.bytes >= 0, row.bytes),
                int(row.airtime >= 0, row.airtime),
                Field::Bool(row.is_retransmission),
                Field::Bool(row.congested),
                name(row.reason, &names),
                if row.value.is_nan() { Field::Null } else { Field::Double(row.value) },
                int(row.ttl >= 0, row.ttl),
                int(row.delay >= 0, row.delay),
                if is_told(i) { Field::Str(message(i)) } else { Field::Null },
            ];
            let expected: Vec<&Field> = expected.iter().chain(has_categories.then_some(&category)).collect();
            assert_eq!(fields, expected, "row {i}");
        }
    }
    assert!(found.next().is_none());
}

#[test]
fn events_come_back() {
    for count in [0, 1, 1000, 33_000] {
        let rows = rows(count, 7);
        for has_categories in [false, true] {
            check(written(&rows, u64::MAX, has_categories), has_categories, &[(u64::MAX, &rows)]);
        }
    }
}

#[test]
fn row_groups_with_gaps_are_restored() {
    let rows = rows(560_000, 3);
    let bytes = written(&rows, 1, true);
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes.clone())).expect("a Parquet file");
    assert_eq!(reader.num_row_groups(), 2);
    check(bytes, true, &[(1, &rows)]);
}

#[test]
fn equal_rows_make_equal_bytes() {
    let rows = rows(50_000, 11);
    assert_eq!(written(&rows, 1, false), written(&rows, 1, false));
}

#[test]
fn files_are_joined_in_their_order() {
    let folder = std::env::temp_dir().join(format!("hoplab-join-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a directory for temporary files");
    let (a, b, none) = (rows(40_000, 1), rows(100, 2), rows(0, 3));
    let parts: Vec<_> = [(5, &a), (6, &none), (9, &b)]
        .map(|(seed, rows)| {
            let place = folder.join(seed.to_string());
            std::fs::write(&place, written(rows, seed, true)).expect("room for temporary files");
            place
        })
        .to_vec();
    let places: Vec<_> = parts.iter().map(std::path::PathBuf::as_path).collect();
    let joined = join(&places, Vec::new());
    std::fs::remove_dir_all(&folder).expect("what was made can be removed");
    check(joined.expect("three files"), true, &[(5, &a), (9, &b)]);
    assert!(join(&[], Vec::new()).is_err());
}

#[test]
fn samples_come_back() {
    let rows: Vec<Sample> = (0..70_000)
        .map(|i| Sample {
            time: Time(i / 7 * 1000),
            node: (i % 7 != 0).then_some((i % 7) as u32),
            flow: (i % 7 == 0).then_some(0),
            metric: ["cwnd", "queue_len"][usize::from(i % 7 != 0)],
            value: if i % 100 == 0 { f64::NAN } else { i as f64 / 3.0 },
        })
        .collect();
    let mut file = SampleFile::new(Vec::new(), 4).expect("memory takes everything");
    file.write(&rows).expect("memory takes everything");
    let bytes = file.finish().expect("memory takes everything");
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).expect("a Parquet file");
    let mut found = reader.get_row_iter(None).expect("rows");
    for row in &rows {
        let got = found.next().expect("as many rows as were written").expect("a row");
        let fields: Vec<&Field> = got.get_column_iter().map(|(_, field)| field).collect();
        let id = |id: Option<u32>| id.map_or(Field::Null, |id| Field::Int(id as i32));
        let value = if row.value.is_nan() { Field::Null } else { Field::Double(row.value) };
        let metric = Field::Str(row.metric.to_owned());
        let expected = [Field::ULong(4), Field::Long(row.time.0 as i64), id(row.node), id(row.flow), metric, value];
        assert_eq!(fields, expected.iter().collect::<Vec<_>>());
    }
    assert!(found.next().is_none());
}
