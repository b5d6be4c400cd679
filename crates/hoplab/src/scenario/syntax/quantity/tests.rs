//! Reading, writing and refusing quantities.

use super::*;
use crate::kernel::{Bytes, Hertz, Metres, Rate, Span, Speed, Time, Watts};
use proptest::prelude::*;
use std::fmt;

fn what<T: Quantity + fmt::Debug>(text: &str) -> String {
    let error = T::read(text).expect_err("an unreadable quantity");
    format!("{} / {}", error.what, error.hint.unwrap_or_default())
}

#[test]
fn units_and_spacing_are_read() {
    assert_eq!(Span::read("20 ms"), Ok(Span::from_millis(20)));
    assert_eq!(Span::read(" 1.5min "), Ok(Span(90_000_000_000)));
    assert_eq!(Span::read("2 h"), Ok(Span(7_200_000_000_000)));
    assert_eq!(Span::read("0.1 ms"), Ok(Span(100_000)));
    assert_eq!(Span::read("1.0000000005 s"), Ok(Span(1_000_000_001)));
    assert_eq!(Span::read("0 s"), Ok(Span::ZERO));
    assert_eq!(Span::read("-0 s"), Ok(Span::ZERO));
    assert_eq!(Time::read("25 us"), Ok(Time(25_000)));
    assert_eq!(Rate::read("2 Mb/s"), Ok(Rate(2e6)));
    assert_eq!(Rate::read("5.5Mb/s"), Ok(Rate(5.5e6)));
    assert_eq!(Metres::read("1e2 m"), Ok(Metres(100.0)));
    assert_eq!(Metres::read("2.5 km"), Ok(Metres(2500.0)));
    assert_eq!(Hertz::read("2.4 GHz"), Ok(Hertz(2.4e9)));
    assert_eq!(Watts::read("3.652e-10 W"), Ok(Watts(3.652e-10)));
    assert_eq!(Watts::read("24.5 dBm"), Ok(Watts::from_dbm(24.5)));
    assert_eq!(Watts::read("-30 dBm"), Ok(Watts::from_dbm(-30.0)));
    assert_eq!(Speed::read("10 m/s"), Ok(Speed(10.0)));
    assert_eq!(Speed::read("36 km/h"), Ok(Speed(10.0)));
    assert_eq!(Bytes::read("1460 B"), Ok(Bytes(1460)));
    assert_eq!(Bytes::read("2 KiB"), Ok(Bytes(2048)));
}

#[test]
fn refusals_give_reason_and_hint() {
    assert_eq!(what::<Metres>("200"), "{} has no unit / write \"200 m\" or \"200 km\"");
    assert_eq!(what::<Watts>("-5"), "{} has no unit / write \"-5 dBm\"");
    assert_eq!(what::<Metres>("200 ms"), "expected length, found time / units of length: m, km, cm");
    assert_eq!(what::<Rate>("2 Mbps"), "unknown unit \"Mbps\" / did you mean \"2 Mb/s\"?");
    assert_eq!(what::<Rate>("2 mb/s"), "unknown unit \"mb/s\" / did you mean \"2 Mb/s\"?");
    assert_eq!(what::<Span>("3 \u{b5}s"), "unknown unit \"\u{b5}s\" / did you mean \"3 us\"?");
    assert_eq!(what::<Span>("3 fortnights"), "unknown unit \"fortnights\" / units of time: s, ms, us, ns, min, h");
    assert_eq!(what::<Speed>("10"), "{} has no unit / write \"10 m/s\" or \"10 km/h\"");
    assert_eq!(what::<Speed>("1e9 m/s"), "{} is out of range / at most 3e8 m/s");
    assert_eq!(what::<Speed>("10 m"), "expected speed, found length / units of speed: m/s, km/h");
    assert_eq!(what::<Metres>("-1 m"), "must not be negative / ");
    assert_eq!(what::<Metres>("nan m"), "must be finite / ");
    assert_eq!(what::<Metres>("inf m"), "must be finite / ");
    assert_eq!(what::<Metres>("far"), "expected length, found {} / ");
    assert_eq!(what::<Metres>(""), "expected length, found {} / ");
    assert_eq!(what::<Metres>("1e400 m"), "{} is out of range / at most 1e6 km");
    assert_eq!(what::<Span>("1e30 s"), "{} is out of range / at most 1e9 s");
    assert_eq!(what::<Span>("1e9 h"), "{} is out of range / at most 1e9 s");
    assert_eq!(what::<Span>("1e-12 s"), "must be at least 1 ns / ");
    assert_eq!(what::<Span>("1e-5000 s"), "must be at least 1 ns / ");
    assert_eq!(what::<Bytes>("5 GB"), "unknown unit \"GB\" / units of number of bytes: B, kB, MB, KiB");
    assert_eq!(Bytes::read("1 MB"), Ok(Bytes(1_000_000)));
    assert_eq!(what::<Bytes>("5000000 kB"), "{} is out of range / at most 4294967295 B");
    assert_eq!(what::<Watts>("99999 dBm"), "{} is out of range / at most 1e9 W");
    assert_eq!(what::<Watts>("-99999 dBm"), "{} is out of range / use a larger value");
}

#[test]
fn bare_numbers_get_likely_units() {
    assert_eq!(RATE.likely("2000000"), "write \"2 Mb/s\", \"2000000 Mb/s\" or \"2000000 kb/s\"");
    assert_eq!(TIME.likely("0.02"), "write \"20 ms\", \"0.02 s\" or \"0.02 ms\"");
    assert_eq!(TIME.likely("100"), "write \"100 s\" or \"100 ms\"");
    assert_eq!(POWER.likely("0.28"), "write \"0.28 W\", \"0.28 dBm\" or \"0.28 mW\"");
    assert_eq!(POWER.likely("15"), "write \"15 dBm\", \"15 mW\" or \"15 W\"");
    assert_eq!(FREQUENCY.likely("914e6"), "write \"914 MHz\", \"914e6 MHz\" or \"914e6 GHz\"");
    assert_eq!(LENGTH.likely("1e99"), "write \"1e99 m\" or \"1e99 km\"");
}

#[test]
fn values_are_written_in_a_suitable_unit() {
    let spans = [0, 667, 25_000, 22_500_000, 1_500_000_000, 100_000_000_000];
    assert_eq!(spans.map(|ns| Span(ns).write()), ["0 s", "667 ns", "25 us", "22.5 ms", "1.5 s", "100 s"]);
    assert_eq!([2e6, 5.5e6, 64e3, 0.5].map(|bps| Rate(bps).write()), ["2 Mb/s", "5.5 Mb/s", "64 kb/s", "0.5 b/s"]);
    assert_eq!([250.0, 0.001, 12345.5].map(|m| Metres(m).write()), ["250 m", "0.001 m", "12345.5 m"]);
    assert_eq!([0.281_838_15, 3.652e-10].map(|w| Watts(w).write()), ["0.28183815 W", "3.652e-10 W"]);
    assert_eq!(Hertz(914e6).write(), "914 MHz");
}

#[test]
fn bare_numbers_are_accepted_for_bytes_only() {
    assert_eq!(serde_json::from_str::<Bytes>("1460").ok(), Some(Bytes(1460)));
    let error = serde_json::from_str::<Rate>("2").expect_err("no unit");
    assert!(error.to_string().starts_with(
        "2 has no unit: expected rate with unit, such as \"2 Mb/s\"; write \"2 Mb/s\", \"2 kb/s\" or \"2 b/s\""
    ));
}

proptest! {
    #[test]
    fn written_values_read_back_exactly(ns in 0..1_000_000_000_000_000_000u64, bits in any::<u64>(), bytes: u32) {
        prop_assert_eq!(Span::read(&Span(ns).write()), Ok(Span(ns)));
        prop_assert_eq!(Bytes::read(&Bytes(bytes).write()), Ok(Bytes(bytes)));
        let real = f64::from_bits(bits).abs();
        if real <= 1e9 {
            prop_assert_eq!(Rate::read(&Rate(real).write()), Ok(Rate(real)));
            prop_assert_eq!(Metres::read(&Metres(real).write()), Ok(Metres(real)));
            prop_assert_eq!(Watts::read(&Watts(real).write()), Ok(Watts(real)));
            if real <= 3e8 {
                prop_assert_eq!(Speed::read(&Speed(real).write()), Ok(Speed(real)));
            }
            prop_assert_eq!(Hertz::read(&Hertz(real).write()), Ok(Hertz(real)));
        }
    }

    #[test]
    fn arbitrary_text_does_not_panic(text in ".{0,40}", number in "[0-9.eE+-]{0,30} ?(s|m|W|dBm|B|Mb/s)?") {
        for text in [text, number] {
            let _ = (Span::read(&text), Rate::read(&text), Metres::read(&text), Watts::read(&text), Bytes::read(&text));
        }
    }
}
