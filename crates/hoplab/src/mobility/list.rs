//! The list of movement models and file formats, from which names, schema and dispatch are derived: one row each. The line
//! above a row is its summary in the schema.

/// Calls a macro with the rows.
macro_rules! movements {
    ($callback:ident) => {
        $callback! {
            /// All nodes are stationary.
            #[default]
            Still = "still", Model(models::still);
            /// Random waypoint.
            Waypoint = "waypoint", Model(models::random_waypoint);
            /// A movement file of ns-2, as `setdest` writes it.
            Setdest = "setdest", File(import::setdest);
            /// A `.movements` file of BonnMotion.
            Bonnmotion = "bonnmotion", File(import::bonnmotion);
            /// A table with the columns t, node, x, y.
            Csv = "csv", File(import::csv);
        }
    };
}

pub(super) use movements;
