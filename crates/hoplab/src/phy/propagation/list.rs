//! The list of propagation models, from which names, schema and dispatch are derived: one row each. The line above a row
//! describes it in the schema.

/// Calls a macro with the rows.
macro_rules! propagations {
    ($callback:ident) => {
        $callback! {
            /// Direct path and its reflection on flat ground.
            TwoRay = "two_ray";
            /// Direct path only.
            FreeSpace = "free_space";
            /// Loss with a configurable exponent, and a random part.
            Shadowing = "shadowing";
        }
    };
}

pub(super) use propagations;
