//! Feedback of XCP, XCP-b and XCP-Winf routers.

use super::*;
use crate::packet::explicit::{ExplicitConfig, Form};

fn explicit() -> ExplicitConfig {
    ExplicitConfig::default()
}

fn router(explicit: &ExplicitConfig, build: fn(&FeedbackSetup<'_>) -> Xcp) -> Xcp {
    build(&FeedbackSetup { data_rate: 1.25e6, queue_limit: 50, is_wire: false, explicit })
}

/// A decision at the end of an interval of 100 ms with this traffic and standing queue, and a mean round trip of as
/// much.
fn decided(mut xcp: Xcp, traffic: f64, standing: f64, link: Option<LinkEstimate>) -> Xcp {
    (xcp.interval, xcp.arrived, xcp.standing) = (0.1, 0.1 * traffic, standing);
    (xcp.spacings, xcp.weighted_rtts) = (0.5, 0.05);
    xcp.decide(0.0, link, 1.0);
    xcp
}

fn header(delta: f64) -> XcpHeader {
    XcpHeader { kind: XcpKind::Base, rtt: 0.1, spacing: 0.01, delta }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs().max(1.0)
}

#[test]
fn vectors_of_the_specification() {
    // docs/specs/xcp.md section 6, cases 1 to 4.
    let mut xcp = decided(router(&explicit(), Xcp::base), 1e6, 0.0, None);
    let Grant { give, give_rate, take, take_rate } = xcp.grant;
    assert!(close(xcp.avg_rtt, 0.1) && close(give, 1e5) && close(give_rate, 2e5) && take == 0.0 && take_rate == 0.0);
    let mut segment = header(1e24);
    xcp.on_departure(1000.0, &mut segment);
    assert!(close(segment.delta, 2000.0) && close(xcp.grant.give, 98_000.0));

    let mut xcp = decided(router(&explicit(), Xcp::base), 1.25e6, 0.0, None);
    assert!(close(xcp.grant.give, 1.25e5) && close(xcp.grant.give_rate, 2.5e5) && close(xcp.grant.take_rate, 1.0));
    let mut less = header(500.0);
    let before = xcp.grant;
    xcp.on_departure(1000.0, &mut less);
    assert!(less.delta == 500.0 && close(before.take - xcp.grant.take, 2000.0));
    assert!(close(before.give - xcp.grant.give, 2500.0));
    xcp.grant = before;
    let mut segment = header(1e24);
    xcp.on_departure(1000.0, &mut segment);
    assert!(close(segment.delta, 1500.0));

    let xcp = decided(router(&explicit(), Xcp::base), 1.25e6, 25_000.0, None);
    assert!(close(xcp.grant.give, 68_500.0) && close(xcp.grant.take, 125_000.0));
}

#[test]
fn segment_without_rtt_gets_no_change() {
    let mut xcp = decided(router(&explicit(), Xcp::base), 1e6, 0.0, None);
    let mut first = XcpHeader { rtt: 0.0, ..header(1e24) };
    xcp.on_departure(1000.0, &mut first);
    assert_eq!(first.delta, 0.0);
    xcp.on_arrival(1000.0, Some(&first));
    assert_eq!((xcp.spacings, xcp.arrived), (0.0, 1000.0));
}

#[test]
fn xcp_b_measures_its_queue() {
    // docs/specs/xcp-b.md section 2, tests 1 to 3: no target, no bound of the probe.
    let mut explicit = explicit();
    explicit.xcp_b.target = crate::kernel::Bytes(0);
    explicit.xcp_b.max_step = 1000.0;
    let Variant::Blind(mut blind) = router(&explicit, Xcp::blind).variant else { panic!("a blind one") };
    let mut change = |queue: f64| blind.change(0.4, 0.226, queue, 0.0, 0.1, 0.1);
    assert!(close(change(3000.0), -12_000.0));
    assert!(close(change(0.0), 12_000.0));
    assert_eq!(change(0.0), 0.0);
    assert!(close(change(0.0), 112_500.0));
}

#[test]
fn winf_grants_the_available_bandwidth() {
    // docs/specs/xcp-winf.md section 6, tests 1 and 2.
    let link = |available| Some(LinkEstimate { capacity: 5e5, available });
    let mut literal = explicit();
    literal.xcp_winf.mode = Form::Literal;
    let xcp = decided(router(&explicit(), Xcp::winf), 3e5, 0.0, link(2e5));
    assert!(close(xcp.grant.give, 8e4) && xcp.grant.take == 0.0);
    let xcp = decided(router(&literal, Xcp::winf), 3e5, 0.0, link(2e5));
    assert!(close(xcp.grant.give, 1.2e5) && xcp.grant.take == 0.0);
    let xcp = decided(router(&explicit(), Xcp::winf), 5e5, 2e4, link(0.0));
    assert!(close(xcp.grant.give, 4800.0) && close(xcp.grant.take, 5e4));
    let mut xcp = decided(router(&literal, Xcp::winf), 5e5, 2e4, link(0.0));
    assert!(close(xcp.change(5e5, 0.0, 1.0), 154_800.0));
}

#[test]
fn queue_is_measured_within_a_round_trip() {
    let mut xcp = router(&explicit(), Xcp::base);
    (xcp.avg_rtt, xcp.least) = (0.1, 700.0);
    assert!(close(xcp.measure_queue(12_500.0), 0.045));
    assert_eq!((xcp.standing, xcp.least), (700.0, 12_500.0));
    assert!(close(xcp.measure_queue(1e9), 0.002));
    let mut literal = explicit();
    literal.xcp_winf.mode = Form::Literal;
    let mut xcp = router(&literal, Xcp::winf);
    xcp.avg_rtt = 0.05;
    assert_eq!((xcp.measure_queue(0.0), xcp.measure_queue(1500.0)), (10.0, 10.0));
    // Eq. 24 as printed, max(q, 1 / rtt - q / (C / 2)), whatever the units.
    xcp.avg_rtt = 0.5;
    assert_eq!(xcp.measure_queue(0.0), 2.0);
    (xcp.avg_rtt, xcp.link.capacity) = (0.125, 4.0);
    assert_eq!(xcp.measure_queue(3.0), 8.0 - 3.0 / 2.0);
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]
    #[test]
    fn routers_lower_and_never_run_out(
        variant in 0usize..3,
        literal: bool,
        steps in proptest::collection::vec(
            (0.0f64..1.0, 0.0f64..0.2, 0.0f64..80_000.0, -1e6f64..1e7, 40.0f64..1500.0, 0.0f64..2e6, 0.0f64..1.0),
            1..60,
        ),
    ) {
        let mut explicit = explicit();
        explicit.xcp_winf.mode = if literal { Form::Literal } else { Form::Consistent };
        let mut xcp = router(&explicit, [Xcp::base as fn(&FeedbackSetup<'_>) -> Xcp, Xcp::blind, Xcp::winf][variant]);
        let kind = xcp.kind;
        for (rtt, spacing, queue, delta, bytes, capacity, free) in steps {
            let mut header = XcpHeader { kind, rtt, spacing, delta };
            xcp.on_arrival(bytes, Some(&header));
            let link = LinkEstimate { capacity: capacity.max(1.0), available: capacity * free };
            xcp.decide(queue, (variant == 2).then_some(link), 3.0);
            proptest::prop_assert!(xcp.interval >= 0.001 && xcp.interval <= 1.0, "interval {}", xcp.interval);
            let Grant { give, take, .. } = xcp.grant;
            proptest::prop_assert!(give >= 0.0 && take >= 0.0 && give.is_finite() && take.is_finite());
            xcp.on_departure(bytes, &mut header);
            let requested = if rtt > 0.0 { delta } else { delta.max(0.0) };
            proptest::prop_assert!(header.delta <= requested, "{} for {requested}", header.delta);
            proptest::prop_assert!(xcp.grant.give >= 0.0 && xcp.grant.take >= 0.0);
            proptest::prop_assert!(xcp.grant.take <= take, "the taken share is subtracted");
            // A request to slow down by more than is to be taken leaves the rest to others, as in ns-2.
            proptest::prop_assert!(xcp.grant.give <= give + (-requested).max(0.0), "the given share is subtracted");
            let next = xcp.measure_queue(queue);
            proptest::prop_assert!((0.002..=LITERAL_MAX_INTERVAL).contains(&next), "queue interval {next}");
        }
    }
}
