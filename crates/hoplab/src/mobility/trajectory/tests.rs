//! Positions, legs and bounds of trajectories.

use super::*;
use proptest::prelude::*;

fn secs(secs: f64) -> Time {
    Time::from_secs(secs)
}

/// (0, 0) to (30, 40) at 5 m/s from 1 s on, there from 11 s to 20 s, then to (30, 0), cut short at 24 s; a jump at 30 s.
fn tour() -> Trajectory {
    let mut path = Path::at(0.0, 0.0);
    assert_eq!(path.go(secs(1.0), (30.0, 40.0), 5.0), secs(11.0));
    assert_eq!(path.go(secs(20.0), (30.0, 0.0), 5.0), secs(28.0));
    assert_eq!(path.stop(secs(24.0)), (30.0, 20.0));
    path.jump(secs(30.0), (-5.0, 7.0));
    path.finish()
}

#[test]
fn positions_follow_legs_and_jumps() {
    let tour = tour();
    let mut cursor = Cursor::default();
    for (t, place) in [
        (0.0, (0.0, 0.0)),
        (1.0, (0.0, 0.0)),
        (6.0, (15.0, 20.0)),
        (11.0, (30.0, 40.0)),
        (15.0, (30.0, 40.0)),
        (22.0, (30.0, 30.0)),
        (24.0, (30.0, 20.0)),
        (29.999_999_999, (30.0, 20.0)),
        (30.0, (-5.0, 7.0)),
        (1e9, (-5.0, 7.0)),
    ] {
        assert_eq!(tour.position(secs(t)), place, "at {t}");
        assert_eq!(tour.course_from(&mut cursor, secs(t)).position, place, "at {t}");
    }
    assert_eq!(tour.course_from(&mut cursor, secs(6.0)).position, (15.0, 20.0), "back in time");
}

#[test]
fn changes_are_the_ends_of_legs_and_rests() {
    let tour = tour();
    let mut t = Time::ZERO;
    let changes: Vec<f64> = std::iter::from_fn(|| {
        t = tour.next_change(t);
        (t != Time::NEVER).then(|| t.secs())
    })
    .collect();
    assert_eq!(changes, [1.0, 11.0, 20.0, 24.0, 30.0]);
    let course = tour.course_from(&mut Cursor::default(), secs(6.0));
    assert_eq!(course, Course { position: (15.0, 20.0), velocity: (3.0, 4.0), until: secs(11.0) });
    let course = tour.course_from(&mut Cursor::default(), secs(12.0));
    assert_eq!(course, Course { position: (30.0, 40.0), velocity: (0.0, 0.0), until: secs(20.0) });
}

#[test]
fn bounding_box_and_speed_cover_all_legs() {
    let tour = tour();
    assert_eq!(tour.bounding_box(), ((-5.0, 0.0), (30.0, 40.0)));
    assert_eq!(tour.max_speed(), 5.0);
    assert!(tour.has_jumps());
    let still = Trajectory::still(3.0, 4.0);
    assert!(still.is_still() && !still.has_jumps());
    assert_eq!(still.bounding_box(), ((3.0, 4.0), (3.0, 4.0)));
    assert_eq!((still.position(Time::NEVER), still.next_change(Time::ZERO)), ((3.0, 4.0), Time::NEVER));
}

#[test]
fn new_destination_replaces_the_current_leg() {
    let mut path = Path::at(0.0, 0.0);
    path.go(secs(0.0), (100.0, 0.0), 10.0);
    path.go(secs(2.0), (20.0, 50.0), 5.0);
    let trajectory = path.finish();
    assert_eq!(trajectory.position(secs(2.0)), (20.0, 0.0));
    assert_eq!(trajectory.position(secs(4.0)), (20.0, 10.0));
    assert_eq!(trajectory.position(secs(12.0)), (20.0, 50.0));
}

#[test]
fn jumps_at_one_time_are_one_jump() {
    let mut path = Path::at(1.0, 1.0);
    path.jump(Time::ZERO, (2.0, 1.0));
    assert_eq!(path.clone().finish(), Trajectory::still(2.0, 1.0), "a jump at the start is a start");
    path.jump(secs(5.0), (3.0, 1.0));
    path.jump(secs(5.0), (3.0, 4.0));
    path.go(secs(5.0), (3.0, 14.0), 1.0);
    let trajectory = path.finish();
    assert_eq!(trajectory.legs().len(), 1);
    assert_eq!((trajectory.position(Time(4_999_999_999)), trajectory.position(secs(5.0))), ((2.0, 1.0), (3.0, 4.0)));
    assert_eq!(trajectory.position(secs(15.0)), (3.0, 14.0));
}

#[test]
fn slowest_leg_is_cut_off() {
    let mut path = Path::at(0.0, 0.0);
    assert_eq!(path.go(secs(1.0), (1000.0, 0.0), 1e-9), secs(1e9 + 1.0));
    let trajectory = path.finish();
    assert!((trajectory.position(secs(1e9)).0 - 1.0).abs() < 1e-6);
}

#[test]
fn skipped_start_leaves_the_rest_in_place() {
    let tour = tour();
    for skip in [0.0, 0.5, 1.0, 6.0, 11.0, 15.0, 20.0, 21.5, 24.0, 30.0, 40.0] {
        let rest = tour.after(Span::from_secs(skip));
        for t in [0.0, 0.25, 5.0, 9.0, 10.0, 24.0, 31.0] {
            let ((x, y), (rx, ry)) = (tour.position(secs(skip + t)), rest.position(secs(t)));
            assert!(libm::hypot(x - rx, y - ry) < 1e-9, "{skip} + {t}: ({x}, {y}) is ({rx}, {ry})");
        }
    }
}

/// Orders to a node: after a pause, to go, to stop or to jump.
fn orders() -> impl Strategy<Value = Vec<(u64, Point, Option<f64>)>> {
    let place = (-500.0..500.0, -500.0..500.0);
    prop::collection::vec((0..20_000_000_000u64, place, prop::option::of(0.0..50.0)), 0..20)
}

fn follow(orders: &[(u64, Point, Option<f64>)]) -> Trajectory {
    let mut path = Path::at(0.0, 0.0);
    let mut t = Time::ZERO;
    for &(wait, place, speed) in orders {
        t += Span(wait);
        match speed {
            Some(speed) => _ = path.go(t, place, speed),
            None => path.jump(t, place),
        }
    }
    path.finish()
}

proptest! {
    #[test]
    fn random_orders_stay_within_box_and_speed(orders in orders(), times in prop::collection::vec(0..500_000_000_000u64, 1..50)) {
        let trajectory = follow(&orders);
        let ((left, bottom), (right, top)) = trajectory.bounding_box();
        let mut cursor = Cursor::default();
        for t in times.into_iter().map(Time) {
            let (x, y) = trajectory.position(t);
            prop_assert!((left..=right).contains(&x) && (bottom..=top).contains(&y));
            prop_assert_eq!(trajectory.course_from(&mut cursor, t).position, (x, y));
            let course = trajectory.course_from(&mut cursor, t);
            prop_assert_eq!(course.until, trajectory.next_change(t));
            prop_assert!(libm::hypot(course.velocity.0, course.velocity.1) <= trajectory.max_speed() * (1.0 + 1e-9));
            // Until the next change the velocity is constant: there is no jump between two changes.
            let until = Time(course.until.0.min(t.0 + 60_000_000_000).saturating_sub(1).max(t.0));
            let secs = until.since(t).secs();
            let (ux, uy) = trajectory.position(until);
            let (ex, ey) = (x + course.velocity.0 * secs, y + course.velocity.1 * secs);
            prop_assert!(libm::hypot(ux - ex, uy - ey) < 1e-6, "({ux}, {uy}) is not ({ex}, {ey})");
        }
    }
}
