//! Limits that the tables of several protocols share.

use crate::kernel::{Bytes, Rate, Span};
use crate::scenario::schema::reader::Reader;
use crate::scenario::schema::section::Section;
use crate::scenario::syntax::problem::OUT_OF_RANGE;
use std::ops::RangeInclusive;

/// The period of a control loop at routers.
pub(crate) fn check_control_time(reader: &mut Reader<'_>, section: Section<'_>, key: &str, time: Span) {
    let holds = (Span::from_micros(100)..=Span::from_millis(10_000)).contains(&time);
    section.rule(reader, key, holds, OUT_OF_RANGE, "time from 0.1 ms to 10 s");
}

/// The capacity of a link, where it is given.
pub(crate) fn check_capacity(reader: &mut Reader<'_>, section: Section<'_>, key: &str, rate: Option<Rate>) {
    let holds = rate.is_none_or(|rate| (1e3..=1e12).contains(&rate.0));
    section.rule(reader, key, holds, OUT_OF_RANGE, "rate from 1 kb/s to 1000 Gb/s");
}

/// A number of bytes.
pub(crate) fn check_bytes(
    reader: &mut Reader<'_>,
    section: Section<'_>,
    key: &str,
    bytes: Bytes,
    range: RangeInclusive<u32>,
) {
    let expected = format!("{} to {} bytes", range.start(), range.end());
    section.rule(reader, key, range.contains(&bytes.0), OUT_OF_RANGE, &expected);
}
