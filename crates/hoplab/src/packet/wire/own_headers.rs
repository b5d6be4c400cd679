//! Headers of protocols without a published packet format: the first bytes of IP protocol 253, in a layout of ours. Each begins
//! with kind, a byte of flags, flow and segment number.

use crate::kernel::FlowId;
use crate::packet::explicit::{AtpReport, Echo, Feedback};
use crate::packet::{Ack, SegNo, Segment};

const RCP_DATA: u8 = 1;
const RCP_ECHO: u8 = 2;
pub(super) const LACK: u8 = 3;
const ATP_DATA: u8 = 4;
const ATP_REPORT: u8 = 5;
const WCP_DATA: u8 = 6;
const WCP_ECHO: u8 = 7;

pub(super) fn rcp_header(segment: &Segment, flow: FlowId) -> Vec<u8> {
    let (rtt, rate) = match segment.feedback {
        Feedback::Rcp(header) => (header.rtt, header.rate),
        _ => (0.0, 0.0),
    };
    rcp(RCP_DATA, flow, segment.seq, rtt, rate)
}

pub(super) fn rcp_echo(ack: &Ack, flow: FlowId) -> Vec<u8> {
    let rate = if let Echo::Rcp(rate) = ack.feedback { rate } else { 0.0 };
    rcp(RCP_ECHO, flow, ack.cumulative, 0.0, rate)
}

/// Kind, flow, number, round-trip time in microseconds, rate in bits per second (all ones: no limit so far).
fn rcp(kind: u8, flow: FlowId, seq: SegNo, rtt: f64, rate: f64) -> Vec<u8> {
    let mut body = numbered(kind, flow, seq);
    body.extend(((rtt * 1e6) as u32).to_be_bytes());
    body.extend(((rate * 8.0) as u32).to_be_bytes());
    body
}

/// Kind, flow, number, largest delay in microseconds.
pub(super) fn atp_header(segment: &Segment, flow: FlowId) -> Vec<u8> {
    let delay = if let Feedback::Atp(delay) = segment.feedback { delay } else { 0.0 };
    let mut body = numbered(ATP_DATA, flow, segment.seq);
    body.extend(((delay * 1e6) as u32).to_be_bytes());
    body
}

/// Kind, flow, number, rate in thousandths of a packet per second, and the first and last segment of each block.
pub(super) fn atp_report(report: &AtpReport, flow: FlowId) -> Vec<u8> {
    let mut body = numbered(ATP_REPORT, flow, report.cumulative);
    body.extend(((report.rate * 1e3) as u32).to_be_bytes());
    for (first, beyond) in &report.blocks {
        body.extend((*first as u32).to_be_bytes());
        body.extend((*beyond as u32 - 1).to_be_bytes());
    }
    body
}

/// Kind, flow, number, mark, interval and round-trip time in microseconds, and the record for neighbors.
pub(super) fn wcp_header(segment: &Segment, flow: FlowId) -> Vec<u8> {
    let Feedback::Wcp(header) = segment.feedback else { return Vec::new() };
    let mut body = marked(WCP_DATA, flow, segment.seq, header.is_congested, header.interval);
    body.extend(((header.rtt * 1e6) as u32).to_be_bytes());
    body.extend(header.record.to_be_bytes());
    body
}

pub(super) fn wcp_echo(ack: &Ack, flow: FlowId) -> Vec<u8> {
    let Echo::Wcp { is_congested, interval } = ack.feedback else { return Vec::new() };
    marked(WCP_ECHO, flow, ack.cumulative, is_congested, interval)
}

/// Kind, flow, number, mark, and interval in microseconds.
fn marked(kind: u8, flow: FlowId, seq: SegNo, is_congested: bool, interval: f64) -> Vec<u8> {
    let mut body = numbered(kind, flow, seq);
    body[1] = u8::from(is_congested);
    body.extend(((interval * 1e6) as u32).to_be_bytes());
    body
}

/// Kind, flow, and number of a segment.
fn numbered(kind: u8, flow: FlowId, seq: SegNo) -> Vec<u8> {
    let mut body = vec![kind, 0];
    body.extend((flow.0 as u16).to_be_bytes());
    body.extend((seq as i32).to_be_bytes());
    body
}
