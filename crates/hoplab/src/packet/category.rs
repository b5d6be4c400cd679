//! Access categories of 802.11e: which frames of a station wait for which others.
//!
//! IEEE 802.11-2016 table 10-1 maps user priorities to categories; RFC 8325 section 4.3 maps DSCPs to user priorities. A packet
//! keeps its category on all hops.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Access categories, from the lowest priority to the highest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Category {
    /// AC_BK: background.
    Background,
    /// AC_BE: best effort.
    #[default]
    BestEffort,
    /// AC_VI: video.
    Video,
    /// AC_VO: voice.
    Voice,
}

impl Category {
    /// Number of categories.
    pub const COUNT: usize = 4;

    /// All, from the lowest priority to the highest.
    pub const ALL: [Category; Category::COUNT] =
        [Category::Background, Category::BestEffort, Category::Video, Category::Voice];

    /// That of routing messages: Linux sends packets of class selector 6, which routing daemons set, as voice (RFC 8325
    /// section 4.2.1).
    pub const ROUTING: Category = Category::Voice;

    /// Its name in scenarios and results.
    pub fn name(self) -> &'static str {
        match self {
            Category::Background => "background",
            Category::BestEffort => "best_effort",
            Category::Video => "video",
            Category::Voice => "voice",
        }
    }

    /// User priority, which is the TID of its frames (IEEE 802.11-2016 table 10-1; of two, the one that Linux uses for the DSCP).
    pub fn user_priority(self) -> u8 {
        match self {
            Category::Background => 1,
            Category::BestEffort => 0,
            Category::Video => 4,
            Category::Voice => 6,
        }
    }

    /// DSCP of its packets: CS1, default, AF41, EF (RFC 8325 section 4.3).
    pub fn dscp(self) -> u8 {
        match self {
            Category::Background => 8,
            Category::BestEffort => 0,
            Category::Video => 34,
            Category::Voice => 46,
        }
    }
}
