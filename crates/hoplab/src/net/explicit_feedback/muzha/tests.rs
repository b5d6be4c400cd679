//! Levels, estimators and state of TCP Muzha routers.

use super::*;

fn busy(busy: f64) -> Observed {
    Observed { busy, ..Observed::default() }
}

fn ms(ms: u64) -> Time {
    Time(ms * 1_000_000)
}

/// With the constants of docs/specs/muzha.md section 7, which its numbers are computed for.
fn drai() -> Drai {
    Drai::new(&DraiConfig { q1: 0.1, q3: 0.8, q4: 2.0, tau: Span::from_millis(500), ..DraiConfig::default() }, 50)
}

#[test]
fn constant_queue_lowers_the_level_in_steps() {
    // docs/specs/muzha.md section 9, T7: from empty, one packet waits from 0 on. With tau = 0.5 s the mean reaches 0.8
    // after 0.805 s.
    let mut node = drai();
    node.on_queue(Time::ZERO, 1);
    let mut levels = Vec::new();
    for step in 1..=300u64 {
        node.advance(ms(10 * step), &busy(0.0));
        levels.push((10 * step, node.level(ms(10 * step))));
    }
    let first = |level: u8| levels.iter().find(|(_, found)| *found <= level).map(|(at, _)| *at);
    // -0.5 ln(0.9), ln(0.6), ln(0.2) seconds; steps of 10 ms.
    assert_eq!((first(4), first(3), first(2), first(1)), (Some(60), Some(260), Some(810), None));
    assert!((node.queue - (1.0 - exp(-6.0))).abs() < 1e-12);
}

#[test]
fn means_are_independent_of_sampling_times() {
    let (mut often, mut seldom) = (drai(), drai());
    for node in [&mut often, &mut seldom] {
        node.on_queue(ms(100), 3);
    }
    for step in 11..=70 {
        often.advance(ms(10 * step), &busy(0.6));
    }
    for node in [&mut often, &mut seldom] {
        node.on_queue(ms(705), 0);
        node.advance(ms(1000), &busy(0.6));
    }
    assert!((often.queue - seldom.queue).abs() < 1e-12, "{} {}", often.queue, seldom.queue);
    // Three packets for 605 ms, none for 295.
    let expected = 3.0 * (1.0 - exp(-1.21)) * exp(-0.59);
    assert!((seldom.queue - expected).abs() < 1e-12);
    // Changes of the queue between two updates leave the mean of the medium unchanged.
    for node in [often, seldom] {
        assert!((node.busy - 0.6 * (1.0 - exp(-2.0))).abs() < 1e-12, "{}", node.busy);
    }
}

#[test]
fn hysteresis_holds_the_level_near_a_threshold() {
    // T8: 0.4 plus and minus 5 % leaves level 3; only below 0.34 it rises.
    let mut scale = Scale { signal: Signal::Queue, thresholds: [0.1, 0.4, 0.8, 2.0], level: 5 };
    let slack = Slack::Share(0.15);
    let levels: Vec<u8> =
        [0.2, 0.42, 0.38, 0.42, 0.38, 0.35, 0.33, 0.38, 0.42, 0.33].map(|q| scale.follow(q, slack)).to_vec();
    assert_eq!(levels, [4, 3, 3, 3, 3, 3, 4, 4, 3, 4]);
}

#[test]
fn levels_fall_at_once_and_rise_one_at_a_time() {
    let mut node = drai();
    node.on_queue(Time::ZERO, 100);
    node.advance(ms(100), &busy(0.0));
    assert_eq!(node.level(ms(100)), 1);
    node.on_queue(ms(100), 0);
    // After 5 s the queue no longer contributes to the mean.
    let levels: Vec<u8> = [5000, 5050, 5100, 5199, 5200, 5300, 5400]
        .map(|at| {
            node.advance(ms(at), &busy(0.0));
            node.level(ms(at))
        })
        .to_vec();
    assert_eq!(levels, [2, 2, 3, 3, 4, 5, 5]);
}

#[test]
fn the_channel_caps_and_never_halves() {
    let config = DraiConfig::default();
    for (share, level) in [(0.6, 5), (0.75, 4), (0.92, 3), (0.99, 2), (1.0, 2)] {
        let mut node = Drai::new(&config, 50);
        node.advance(Time::from_secs(60.0), &busy(share));
        assert_eq!(node.level(Time::from_secs(60.0)), level, "busy {share}");
    }
    let mut node = Drai::new(&DraiConfig { mode: DraiMode::Queue, ..config.clone() }, 50);
    node.advance(Time::from_secs(60.0), &busy(1.0));
    assert_eq!(node.level(Time::from_secs(60.0)), 5);
    let mut node = Drai::new(&DraiConfig { mode: DraiMode::Channel, ..config }, 50);
    node.on_queue(Time::ZERO, 40);
    node.advance(Time::from_secs(60.0), &busy(0.92));
    assert_eq!(node.level(Time::from_secs(60.0)), 3);
}

#[test]
fn table_mode_uses_the_given_signals() {
    let mut config = DraiConfig { mode: DraiMode::Table, ..DraiConfig::default() };
    config.table.share = Some([0.1, 0.2, 0.4, 0.7]);
    let mut node = Drai::new(&config, 50);
    node.on_queue(Time::ZERO, 15);
    node.advance(Time::from_secs(60.0), &busy(1.0));
    // 15 of 50 packets are 0.3.
    assert_eq!(node.level(Time::from_secs(60.0)), 3);
    config.table.busy = Some([0.1, 0.2, 0.3, 0.9]);
    let mut node = Drai::new(&config, 50);
    node.advance(Time::from_secs(60.0), &busy(1.0));
    assert_eq!(node.level(Time::from_secs(60.0)), 1);
}

#[test]
fn queueing_time_is_the_wait_of_the_last_packet() {
    let mut config = DraiConfig { mode: DraiMode::Table, ..DraiConfig::default() };
    config.table.delay = Some([0.01, 0.1, 0.2, 0.4]);
    let mut node = Drai::new(&config, 50);
    // Packets arrive at 0, 10 and 20 ms, the first two leave after 300 ms each, the last is purged.
    for (at, waiting) in [(0, 1), (10, 2), (20, 3)] {
        node.delay.on_packet(ms(at), At::Arrival, waiting);
    }
    node.delay.on_packet(ms(300), At::Departure, 2);
    node.delay.on_packet(ms(310), At::Departure, 1);
    assert!((node.delay.last - 0.3).abs() < 1e-12);
    node.advance(Time::from_secs(60.0), &busy(1.0));
    assert_eq!(node.level(Time::from_secs(60.0)), 2, "the mean is 0.3 s");
    node.delay.on_lost(Time::from_secs(60.0), 0);
    node.delay.on_packet(Time::from_secs(61.0), At::Arrival, 1);
    node.delay.on_packet(Time::from_secs(61.0), At::Departure, 0);
    node.advance(Time::from_secs(70.0), &busy(1.0));
    assert_eq!((node.delay.last, node.level(Time::from_secs(70.0))), (0.0, 3), "a purged packet leaves no wait");
}

#[test]
fn used_share_of_an_estimated_capacity_gives_the_level() {
    let mut config = DraiConfig { mode: DraiMode::Table, ..DraiConfig::default() };
    config.table.used = Some([0.5, 0.7, 0.9, 0.98]);
    for (used, level) in [(0.0, 5), (0.6, 4), (0.8, 3), (0.95, 2), (1.0, 1)] {
        let mut node = Drai::new(&config, 50);
        node.advance(Time::from_secs(60.0), &Observed { busy: 1.0, used });
        assert_eq!(node.level(Time::from_secs(60.0)), level, "{used}");
    }
}

#[test]
fn loss_limits_the_level_temporarily() {
    let lose = |drop_override, lost| {
        let mut node = Drai::new(&DraiConfig { drop_override, ..DraiConfig::default() }, 50);
        node.on_lost(ms(100), lost);
        (node.level(ms(299)), node.level(ms(300)))
    };
    assert_eq!(lose(DropOverride::Ifq, Lost::QueueFull), (1, 5));
    assert_eq!(lose(DropOverride::Ifq, Lost::MacRetry), (5, 5));
    assert_eq!(lose(DropOverride::Both, Lost::MacRetry), (2, 5));
    assert_eq!(lose(DropOverride::None, Lost::QueueFull), (5, 5));
    let mut node = Drai::new(&DraiConfig { drop_override: DropOverride::Both, ..DraiConfig::default() }, 50);
    node.on_lost(ms(100), Lost::QueueFull);
    node.on_lost(ms(200), Lost::MacRetry);
    assert_eq!((node.level(ms(399)), node.level(ms(400))), (1, 5));
    node.on_lost(ms(400), Lost::MacRetry);
    assert_eq!(node.level(ms(400)), 2, "what held it down before is over");
}

#[test]
fn grid_gives_a_level_to_signals_together() {
    let mut config = DraiConfig { mode: DraiMode::Grid, ..DraiConfig::default() };
    (config.grid.queue, config.grid.busy) = (Some(vec![1.0, 4.0]), Some(vec![0.5]));
    // Rows of the queue; the busy share counts only while packets wait.
    config.grid.levels = Some(vec![5, 5, 4, 2, 3, 1]);
    for (waiting, used, level) in
        [(0, 0.0, 5), (0, 1.0, 5), (2, 0.0, 4), (2, 1.0, 2), (9, 0.0, 3), (9, 1.0, 1), (4, 0.5, 1)]
    {
        let mut node = Drai::new(&config, 50);
        node.on_queue(ms(0), waiting);
        node.advance(Time::from_secs(60.0), &busy(used));
        assert_eq!(node.level(Time::from_secs(60.0)), level, "{waiting} {used}");
    }
}

#[test]
fn grid_rises_only_clearly_below_a_step() {
    let mut config = DraiConfig { mode: DraiMode::Grid, ..DraiConfig::default() };
    (config.grid.busy, config.grid.levels) = (Some(vec![0.5]), Some(vec![5, 3]));
    let mut node = Drai::new(&config, 50);
    let mut at = |share: f64, s: f64| {
        node.advance(Time::from_secs(s), &busy(share));
        node.level(Time::from_secs(s))
    };
    assert_eq!(at(0.6, 60.0), 3);
    assert_eq!(at(0.49, 120.0), 3, "within the hysteresis of 0.02");
    assert_eq!((at(0.47, 180.0), at(0.47, 180.2)), (4, 5), "one level at a time");
}
