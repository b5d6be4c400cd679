//! Quality of a voice call by the E-model.
//!
//! `R = 93.2 - Id - Ie`: `Id` is the delay impairment, `Ie` the loss impairment of a G.711 call with packet loss concealment
//! and random losses. Sources: ITU-T G.107 (the model, and R to MOS in its annex B), Cole and Rosenbluth 2001 (`Id`),
//! ITU-T G.113 (Ie = 0, Bpl = 25.1). Delay is that of the network,
//! without the terminals (packetization, playout).

/// Mean opinion score, 1 to 4.5, of a call with this one-way delay in seconds and this share of packets lost.
pub fn mean_opinion_score(delay_s: f64, loss: f64) -> f64 {
    score(rating(delay_s, loss))
}

/// The E-model's R.
fn rating(delay_s: f64, loss: f64) -> f64 {
    let millis = delay_s * 1e3;
    let percent = loss * 100.0;
    let delay_impairment = 0.024 * millis + 0.11 * (millis - 177.3).max(0.0);
    let loss_impairment = 95.0 * percent / (percent + ROBUSTNESS);
    BEST - delay_impairment - loss_impairment
}

/// Mean opinion score of a rating (ITU-T G.107, annex B).
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

/// Rating with all parameters of G.107 at their defaults.
const BEST: f64 = 93.2;

/// Bpl of G.711 with loss concealment, ITU-T G.113 appendix I.
const ROBUSTNESS: f64 = 25.1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hand_computed() {
        assert!((mean_opinion_score(0.0, 0.0) - 4.409_286).abs() < 1e-5, "{}", mean_opinion_score(0.0, 0.0));
        // 100 ms cost 2.4; 300 ms cost 7.2 + 0.11 * 122.7 = 20.697; 5 % of loss cost 475 / 30.1 = 15.780731.
        assert!((rating(0.1, 0.0) - 90.8).abs() < 1e-9);
        assert!((rating(0.3, 0.0) - 72.503).abs() < 1e-9);
        assert!((rating(0.0, 0.05) - 77.419_269).abs() < 1e-6);
        assert_eq!(mean_opinion_score(3.0, 0.5), 1.0);
        assert_eq!(score(100.0), 4.5);
        assert_eq!(score(60.0), 3.1);
    }

    #[test]
    fn worse_is_never_better() {
        let scores: Vec<f64> = (0..200).map(|step| mean_opinion_score(f64::from(step) * 0.01, 0.0)).collect();
        assert!(scores.windows(2).all(|pair| pair[0] >= pair[1]));
        let scores: Vec<f64> = (0..100).map(|step| mean_opinion_score(0.0, f64::from(step) * 0.01)).collect();
        assert!(scores.windows(2).all(|pair| pair[0] >= pair[1]));
    }
}
