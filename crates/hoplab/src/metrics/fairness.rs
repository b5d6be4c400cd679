//! Fairness among flows: the index of Jain, Chiu and Hawe (1984).

/// Jain's index `(sum x)^2 / (n sum x^2)`: 1 for equal shares, 1/n if one flow has everything (Jain 1984).
/// `None` without flows, or if all shares are zero.
pub fn jain(shares: &[f64]) -> Option<f64> {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|x| x * x).sum();
    (squares > 0.0).then(|| sum * sum / (shares.len() as f64 * squares))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_matches_hand_computed_values() {
        assert!((jain(&[1.0, 2.0, 3.0]).expect("an index") - 0.857_143).abs() < 1e-6);
        assert_eq!(jain(&[7.0, 7.0]), Some(1.0));
        assert_eq!(jain(&[5.0, 0.0, 0.0, 0.0]), Some(0.25));
        assert_eq!(jain(&[]), None);
        assert_eq!(jain(&[0.0, 0.0]), None);
    }
}
