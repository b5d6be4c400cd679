//! Quality of a voice call by the E-model, ITU-T G.107 (06/2015).
//!
//! `R = Ro - Is - Id - Ie,eff` (clause 7.1) with the default values of clause 7.7 for all that concerns the terminals: a G.711
//! call with packet loss concealment, random losses and echo control. Delay is that of the network, without packetization
//! and playout. It is the absolute delay Ta, the delay T of the echo path, and half the round trip Tr of the four-wire loop.
//! Sources of the codec: ITU-T G.113 appendix I (Ie = 0, Bpl = 25.1).

use crate::kernel::exp;
use libm::{log10, pow, sqrt};

/// Mean opinion score, 1 to 4.5, of a call with this one-way delay in seconds and this share of packets lost.
pub fn mean_opinion_score(delay_s: f64, loss: f64) -> f64 {
    score(rating(delay_s, loss))
}

/// The E-model's R.
fn rating(delay_s: f64, loss: f64) -> f64 {
    let millis = delay_s.max(0.0) * 1e3;
    signal_to_noise() - simultaneous_impairment(millis) - delay_impairment(millis) - loss_impairment(loss * 100.0)
}

/// `Ro`: basic signal-to-noise ratio (clause 7.2).
fn signal_to_noise() -> f64 {
    15.0 - 1.5 * (SLR + noise())
}

/// `No`: power of all noise at the 0 dBr point, dBm0p (clause 7.2).
fn noise() -> f64 {
    let sender = PS - SLR - DS - 100.0 + 0.004 * square(PS - OLR - DS - 14.0);
    let room = PR + 10.0 * log10(1.0 + power(10.0 - LSTR));
    let receiver = RLR - 121.0 + room + 0.008 * square(room - 35.0);
    10.0 * log10(power(NC) + power(sender) + power(receiver) + power(NFOR + RLR))
}

/// `Is`: impairments that occur with the voice: loudness, sidetone and quantization (clause 7.3).
fn simultaneous_impairment(millis: f64) -> f64 {
    let loudness = (OLR + 0.2 * (64.0 + noise() - RLR)) / 8.0;
    let too_loud = 20.0 * (root(1.0 + pow(loudness, 8.0), 8.0) - loudness);
    let masking = -10.0 * log10(power(-STMR) + exp(-millis / 4.0) * power(-TELR));
    let knee = |offset: f64, scale: f64, order: f64| root(1.0 + pow((masking + offset) / scale, order), order);
    let sidetone = 12.0 * knee(-13.0, 6.0, 8.0) - 28.0 * knee(1.0, 19.4, 35.0) - 13.0 * knee(-3.0, 33.0, 13.0) + 29.0;
    let q = 37.0 - 15.0 * log10(QDU);
    let g = 1.07 + 0.258 * q + 0.0602 * q * q;
    let y = (signal_to_noise() - 100.0) / 15.0 + 46.0 / 8.4 - g / 9.0;
    let z = 46.0 / 30.0 - g / 40.0;
    too_loud + sidetone + 15.0 * log10(1.0 + pow(10.0, y) + pow(10.0, z))
}

/// `Id`: impairment by the delay, with its echoes (clause 7.4).
fn delay_impairment(millis: f64) -> f64 {
    talker_echo(millis) + listener_echo(2.0 * millis) + absolute_delay(millis)
}

/// `Idte`: STMR is between 9 and 20 dB, and less than 1 ms of delay is no echo.
fn talker_echo(millis: f64) -> f64 {
    if millis < 1.0 {
        return 0.0;
    }
    let echo_loss =
        TELR - 40.0 * log10((1.0 + millis / 10.0) / (1.0 + millis / 150.0)) + 6.0 * exp(-0.3 * square(millis));
    let half = (-1.5 * (noise() - RLR) - 80.0 - 2.5 * (echo_loss - 14.0)) / 2.0;
    (half + sqrt(half * half + 100.0) - 1.0) * (1.0 - exp(-millis))
}

/// `Idle`: the echo that a listener hears.
fn listener_echo(round_trip: f64) -> f64 {
    let half = (signal_to_noise() - 10.5 * (WEPL + 7.0) * pow(round_trip + 1.0, -0.25)) / 2.0;
    half + sqrt(half * half + 169.0)
}

/// `Idd`, for the default sensitivity sT = 1 and the minimum perceivable delay mT = 100 ms.
fn absolute_delay(millis: f64) -> f64 {
    if millis <= LEAST_PERCEIVED {
        return 0.0;
    }
    let x = log10(millis / LEAST_PERCEIVED) / log10(2.0);
    25.0 * (root(1.0 + pow(x, 6.0), 6.0) - 3.0 * root(1.0 + pow(x / 3.0, 6.0), 6.0) + 2.0)
}

/// `Ie,eff` (clause 7.5) with BurstR = 1 for random losses.
fn loss_impairment(percent: f64) -> f64 {
    IE + (95.0 - IE) * percent / (percent + BPL)
}

/// Mean opinion score of a rating (annex B).
fn score(r: f64) -> f64 {
    if r <= 0.0 {
        1.0
    } else if r >= 100.0 {
        4.5
    } else {
        // The polynomial falls below 1 for the smallest ratings.
        (1.0 + 0.035 * r + r * (r - 60.0) * (100.0 - r) * 7e-6).max(1.0)
    }
}

/// The ratio of powers that is this many decibels.
fn power(decibels: f64) -> f64 {
    pow(10.0, decibels / 10.0)
}

fn root(x: f64, order: f64) -> f64 {
    pow(x, 1.0 / order)
}

fn square(x: f64) -> f64 {
    x * x
}

// Default values of G.107, clause 7.7.

/// Send loudness rating, dB.
const SLR: f64 = 8.0;
/// Receive loudness rating, dB.
const RLR: f64 = 2.0;
/// Overall loudness rating, dB.
const OLR: f64 = SLR + RLR;
/// Sidetone masking rating, dB.
const STMR: f64 = 15.0;
/// Listener sidetone rating, dB.
const LSTR: f64 = 18.0;
/// D-value of the telephone at the sender.
const DS: f64 = 3.0;
/// Talker echo loudness rating, dB: echo control.
const TELR: f64 = 65.0;
/// Weighted echo path loss, dB.
const WEPL: f64 = 110.0;
/// Quantization distortion units.
const QDU: f64 = 1.0;
/// Circuit noise referred to the 0 dBr point, dBm0p.
const NC: f64 = -70.0;
/// Noise floor at the receiver, dBmp.
const NFOR: f64 = -64.0;
/// Room noise at the sender, dB(A).
const PS: f64 = 35.0;
/// Room noise at the receiver, dB(A).
const PR: f64 = 35.0;
/// One-way delay without impairment, ms.
const LEAST_PERCEIVED: f64 = 100.0;

/// Impairment of G.711, ITU-T G.113 appendix I.
const IE: f64 = 0.0;
/// Robustness of G.711 with loss concealment, ITU-T G.113 appendix I.
const BPL: f64 = 25.1;

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64, by: f64) {
        assert!((found - expected).abs() <= by, "{found}, expected {expected}");
    }

    #[test]
    fn rating_without_impairments_is_that_of_g107() {
        // G.107 clause 7.7: all parameters at their defaults give R = 93.2.
        near(rating(0.0, 0.0), 93.2, 0.05);
        near(mean_opinion_score(0.0, 0.0), 4.41, 0.005);
    }

    #[test]
    fn scores_by_delay_are_those_of_g107() {
        for (delay_s, expected) in [
            (0.1, 4.36),
            (0.15, 4.33),
            (0.2, 4.22),
            (0.25, 3.99),
            (0.3, 3.72),
            (0.4, 3.22),
            (0.6, 2.55),
            (1.0, 2.02),
            (2.0, 1.72),
        ] {
            near(mean_opinion_score(delay_s, 0.0), expected, 0.01);
        }
    }

    #[test]
    fn absolute_delay_is_the_closed_form_by_hand() {
        // X = 1 at 200 ms: 25 * (2^(1/6) - 3 (1 + 3^-6)^(1/6) + 2); X = 2 at 400 ms.
        near(absolute_delay(200.0), 25.0 * (1.122_462_048_3 - 3.0 * 1.000_228_493_5 + 2.0), 1e-6);
        near(absolute_delay(400.0), 25.0 * (2.005_174_745_2 - 3.0 * 1.014_123_725_5 + 2.0), 1e-6);
        assert_eq!(absolute_delay(100.0), 0.0);
    }

    #[test]
    fn loss_impairment_by_hand() {
        near(loss_impairment(5.0), 475.0 / 30.1, 1e-12);
        near(rating(0.0, 0.0) - rating(0.0, 0.05), 15.780_731, 1e-6);
    }

    #[test]
    fn score_is_within_its_ends() {
        assert_eq!(mean_opinion_score(3.0, 0.5), 1.0);
        assert_eq!(score(-1.0), 1.0);
        assert_eq!(score(3.0), 1.0);
        assert_eq!(score(100.0), 4.5);
        assert_eq!(score(60.0), 3.1);
    }

    #[test]
    fn score_falls_with_delay_and_loss() {
        let scores: Vec<f64> = (0..1000).map(|step| mean_opinion_score(f64::from(step) * 0.002, 0.0)).collect();
        // Below 4 ms the echo loss has a hump, which G.107 gives its talker echo.
        assert!(scores.windows(2).all(|pair| pair[0] + 2e-5 >= pair[1]));
        let scores: Vec<f64> = (0..100).map(|step| mean_opinion_score(0.0, f64::from(step) * 0.01)).collect();
        assert!(scores.windows(2).all(|pair| pair[0] >= pair[1]));
    }
}
