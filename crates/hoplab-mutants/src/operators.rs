//! What an operator is changed into.

use syn::BinOp;

/// How a binary expression takes its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// By value.
    Arithmetic,
    /// By reference.
    Comparison,
    /// The second one only if the first one does not decide.
    Lazy,
    /// The first one is a place that is changed.
    Assignment,
}

/// An operator, its kind and what it is changed into.
pub fn of(op: &BinOp) -> Option<(&'static str, Kind, &'static [&'static str])> {
    use Kind::{Arithmetic, Assignment, Comparison, Lazy};
    Some(match op {
        BinOp::Add(_) => ("+", Arithmetic, &["-", "*"]),
        BinOp::Sub(_) => ("-", Arithmetic, &["+", "/"]),
        BinOp::Mul(_) => ("*", Arithmetic, &["+", "/"]),
        BinOp::Div(_) => ("/", Arithmetic, &["%", "*"]),
        BinOp::Rem(_) => ("%", Arithmetic, &["/", "+"]),
        BinOp::BitAnd(_) => ("&", Arithmetic, &["|", "^"]),
        BinOp::BitOr(_) => ("|", Arithmetic, &["&", "^"]),
        BinOp::BitXor(_) => ("^", Arithmetic, &["&", "|"]),
        BinOp::Shl(_) => ("<<", Arithmetic, &[">>"]),
        BinOp::Shr(_) => (">>", Arithmetic, &["<<"]),
        BinOp::Eq(_) => ("==", Comparison, &["!="]),
        BinOp::Ne(_) => ("!=", Comparison, &["=="]),
        BinOp::Lt(_) => ("<", Comparison, &["==", ">", "<="]),
        BinOp::Gt(_) => (">", Comparison, &["==", "<", ">="]),
        BinOp::Le(_) => ("<=", Comparison, &[">"]),
        BinOp::Ge(_) => (">=", Comparison, &["<"]),
        BinOp::And(_) => ("&&", Lazy, &["||"]),
        BinOp::Or(_) => ("||", Lazy, &["&&"]),
        BinOp::AddAssign(_) => ("+=", Assignment, &["-=", "*="]),
        BinOp::SubAssign(_) => ("-=", Assignment, &["+=", "/="]),
        BinOp::MulAssign(_) => ("*=", Assignment, &["+=", "/="]),
        BinOp::DivAssign(_) => ("/=", Assignment, &["%=", "*="]),
        BinOp::BitAndAssign(_) => ("&=", Assignment, &["|=", "^="]),
        BinOp::BitOrAssign(_) => ("|=", Assignment, &["&=", "^="]),
        _ => return None,
    })
}
