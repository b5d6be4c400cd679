//! Links of a scenario: the table of listed ones, and the link budget of shortest distances.

pub(crate) mod link_budget;
pub(super) mod listed;
