//! The list of error models, from which names, schema and dispatch are derived: one row each. The line above a row
//! describes it in the schema.

/// Calls a macro with the rows.
macro_rules! error_models {
    ($callback:ident) => {
        $callback! {
            /// Every frame with the same probability.
            UniformPacket = "uniform_packet";
            /// Every bit with the same probability.
            UniformBit = "uniform_bit";
            /// Bits by modulation and signal-to-noise ratio.
            BerCurves = "ber_curves";
            /// Bursts: a good and a bad state.
            Gilbert = "gilbert";
            /// Every frame by the delivery ratio of its link.
            Links = "links";
        }
    };
}

pub(super) use error_models;
