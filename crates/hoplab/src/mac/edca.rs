//! Table `[mac.edca]`: channel access of the four categories of 802.11e.

use super::config::MacConfig;
use crate::kernel::Span;
use crate::packet::Category;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Table `[mac.edca]` of a scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EdcaConfig {
    /// Background. Default: AIFSN 7, windows of best effort, one exchange.
    pub background: CategoryConfig,
    /// Best effort. Default: `mac.aifsn`, `mac.cw_min`, `mac.cw_max`, `mac.txop_limit`.
    pub best_effort: CategoryConfig,
    /// Video. Default: AIFSN 2, 7 to 15 slots, 4096 us.
    pub video: CategoryConfig,
    /// Voice. Default: AIFSN 2, 3 to 7 slots, 2080 us.
    pub voice: CategoryConfig,
}

/// Channel access of one category.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CategoryConfig {
    /// Slots of AIFS behind SIFS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aifsn: Option<u32>,
    /// First contention window, in slots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cw_min: Option<u32>,
    /// Last contention window, in slots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cw_max: Option<u32>,
    /// Time for which the category keeps the medium; 0 s: one exchange.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub txop_limit: Option<Span>,
}

impl EdcaConfig {
    /// The keys of a category.
    pub fn of(&self, category: Category) -> &CategoryConfig {
        match category {
            Category::Background => &self.background,
            Category::BestEffort => &self.best_effort,
            Category::Video => &self.video,
            Category::Voice => &self.voice,
        }
    }

    /// The keys of a category.
    pub fn of_mut(&mut self, category: Category) -> &mut CategoryConfig {
        match category {
            Category::Background => &mut self.background,
            Category::BestEffort => &mut self.best_effort,
            Category::Video => &mut self.video,
            Category::Voice => &mut self.voice,
        }
    }

    /// The same with every key: where none is given, the defaults of IEEE 802.11-2016 table 9-137 for OFDM, whose windows follow
    /// from that of best effort.
    #[must_use]
    pub fn completed(&self, mac: &MacConfig) -> EdcaConfig {
        let (cw_min, cw_max) = (mac.cw_min, mac.cw_max);
        let (half, quarter) = (cw_min.div_ceil(2), cw_min.div_ceil(4));
        let usual = |category| match category {
            Category::Background => (BACKGROUND_AIFSN, cw_min, cw_max, Span::ZERO),
            Category::BestEffort => {
                (mac.aifsn.unwrap_or(super::AIFSN), cw_min, cw_max, mac.txop_limit.unwrap_or(Span::ZERO))
            }
            Category::Video => (URGENT_AIFSN, half.saturating_sub(1).max(1), cw_min, VIDEO_TXOP),
            Category::Voice => {
                (URGENT_AIFSN, quarter.saturating_sub(1).max(1), half.saturating_sub(1).max(1), VOICE_TXOP)
            }
        };
        let mut completed = self.clone();
        for category in Category::ALL {
            let (aifsn, cw_min, cw_max, txop_limit) = usual(category);
            let keys = completed.of_mut(category);
            keys.aifsn.get_or_insert(aifsn);
            keys.cw_min.get_or_insert(cw_min);
            keys.cw_max.get_or_insert(cw_max);
            keys.txop_limit.get_or_insert(txop_limit);
        }
        completed
    }
}

/// AIFSN of background, and of video and voice.
const BACKGROUND_AIFSN: u32 = 7;
const URGENT_AIFSN: u32 = 2;
/// TXOP limits with OFDM.
const VIDEO_TXOP: Span = Span::from_micros(4_096);
const VOICE_TXOP: Span = Span::from_micros(2_080);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{Phy, Standard};

    #[test]
    fn defaults_are_those_of_the_standard() {
        let phy = Phy::usual(Standard::A, Phy::DSSS.width);
        let mac = MacConfig { qos: Some(true), ..MacConfig::std().of_phy(phy) };
        let edca = EdcaConfig::default().completed(&mac);
        let keys = |category| {
            let keys = edca.of(category);
            (keys.aifsn, keys.cw_min, keys.cw_max, keys.txop_limit.map(|limit| limit.0 / 1000))
        };
        assert_eq!(keys(Category::Background), (Some(7), Some(15), Some(1023), Some(0)));
        assert_eq!(keys(Category::BestEffort), (Some(3), Some(15), Some(1023), Some(0)));
        assert_eq!(keys(Category::Video), (Some(2), Some(7), Some(15), Some(4096)));
        assert_eq!(keys(Category::Voice), (Some(2), Some(3), Some(7), Some(2080)));
    }
}
