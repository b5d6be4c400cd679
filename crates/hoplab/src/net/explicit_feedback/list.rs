//! The list of feedback routers, from which schema and dispatch are derived: one row each, with name, table and constructor.

use super::atp::Atp;
use super::muzha::Muzha;
use super::rcp::Rcp;
use super::router::{AnyRouter, FeedbackSetup};
use super::wcp::Wcp;
use super::xcp::Xcp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Generates the names from the rows.
macro_rules! feedback_routers {
    ($($Kind:ident = $name:literal, $summary:literal, page $page:literal: $build:expr;)+) => {
        /// Names of the feedback routers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum FeedbackKind {
            $(#[doc = $summary] $Kind,)+
        }

        impl FeedbackKind {
            /// All feedback routers, in the order of documentation.
            pub const ALL: &[FeedbackKind] = &[$(FeedbackKind::$Kind),+];

            /// Its name in scenarios.
            pub fn name(self) -> &'static str {
                match self { $(FeedbackKind::$Kind => $name,)+ }
            }

            /// What it is, in one line.
            pub fn summary(self) -> &'static str {
                match self { $(FeedbackKind::$Kind => $summary,)+ }
            }

            /// Its page below `docs/protocols`, without ending.
            pub fn page(self) -> &'static str {
                match self { $(FeedbackKind::$Kind => $page,)+ }
            }

            /// The router, before the run.
            pub fn build(self, setup: &FeedbackSetup<'_>) -> AnyRouter {
                match self { $(FeedbackKind::$Kind => Box::new($build(setup)),)+ }
            }
        }
    };
}

feedback_routers! {
    Xcp = "xcp", "XCP with a known capacity", page "xcp": Xcp::base;
    XcpB = "xcp_b", "XCP that judges by its queue alone", page "xcp": Xcp::blind;
    XcpWinf = "xcp_winf", "XCP with capacity and available bandwidth from rt-Winf", page "xcp": Xcp::winf;
    Rcp = "rcp", "RCP with a known capacity", page "rcp": Rcp::base;
    RcpWinf = "rcp_winf", "RCP with the capacity from rt-Winf", page "rcp": Rcp::winf;
    Muzha = "muzha", "levels of TCP Muzha", page "muzha": Muzha::new;
    Atp = "atp", "ATP's largest delay on the path", page "atp": Atp::new;
    Wcp = "wcp", "WCP's marks for congested neighborhoods", page "wcp": Wcp::new;
}
