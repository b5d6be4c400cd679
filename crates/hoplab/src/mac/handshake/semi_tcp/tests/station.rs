//! Refusals and parking at a station with a MAC.

use super::*;

/// Spec sections 4 and 12 (T6): an own RTS in place of a CTS needs NAV and carrier sense idle. Otherwise the station is
/// silent.
#[test]
fn own_rts_refuses_with_nav_and_carrier_idle_alone() {
    for config in [MacConfig::default(), MacConfig::std()] {
        for (is_nav_set, is_busy) in [(false, false), (true, false), (false, true)] {
            let mut station = Station::new(&config, Handshake::SemiTcp(Box::new(policy(&paper()))));
            station.mac.set_backlog(Backlog { data: 1, head: Some(C), ..Backlog::default() });
            station.send(C, 552);
            if is_nav_set {
                station
                    .hear(&Frame { duration: 5_000, ..frame(FrameKind::Cts, C, RadioId(3), false) }, Reception::Clean);
            }
            station.hear(&Frame { duration: 4_000, ..rts(A, ME, false) }, Reception::Clean);
            station.has_carrier(is_busy);
            station.run_until(station.ctx.now + timing().sifs);
            let reused = station.ctx.trace.counters.steps(Step::Reused);
            assert_eq!(reused, u64::from(!is_nav_set && !is_busy), "{config:?}: {is_nav_set} {is_busy}");
            assert_eq!(station.mac.retry_state(), (31, 0));
        }
    }
}

/// A station that has received an RTSC of C.
fn station_near_congestion() -> Station {
    let rules = SemiTcpRules { exchange: Some(HOLD), ..paper() };
    let mut station = Station::new(&MacConfig::default(), Handshake::SemiTcp(Box::new(policy(&rules))));
    station.hear(&rts(C, RadioId(3), true), Reception::Clean);
    station
}

/// An RTS of A ends now. Returns until when its data are awaited, which do not arrive.
fn receive_rts(station: &mut Station) -> Time {
    let timing = timing();
    let duration = timing.rts_duration(timing.data(552, false), timing.unicast);
    station.hear(&Frame { duration, ..rts(A, ME, false) }, Reception::Clean);
    station.ctx.now + timing.sifs + timing.cts_timeout(timing.cts, timing.cts_duration(duration, timing.cts))
}

#[test]
fn station_parked_while_responding_reports_it_afterwards() {
    let mut station = station_near_congestion();
    let over = receive_rts(&mut station);
    station.send(C, 552);
    assert!(station.mac.is_parked() && station.out.is_empty());
    station.run_until(Time(over.0 - 1));
    assert!(station.out.is_empty());
    station.run_until(over);
    assert_eq!(station.out, [MacOut::Parked]);
}

#[test]
fn packet_unparked_while_responding_draws_afterwards() {
    let mut station = station_near_congestion();
    station.send(C, 552);
    station.run_until(Time(HOLD.0 - 5_000));
    let over = receive_rts(&mut station);
    station.run_until(Time::ZERO + HOLD);
    assert_eq!(station.out, [MacOut::Parked, MacOut::Unparked]);
    for (until, has_drawn) in [(Time::ZERO + HOLD, false), (Time(over.0 - 1), false), (over, true)] {
        station.run_until(until);
        assert_eq!(station.mac.has_backoff(), has_drawn, "{until}");
    }
}
