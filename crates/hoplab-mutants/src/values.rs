//! What a function may return without doing anything.

use syn::{GenericArgument, PathArguments, ReturnType, Type};

/// Expressions of a function's type, as text; none if nothing is known to fit.
pub fn of(output: &ReturnType) -> Vec<&'static str> {
    match output {
        ReturnType::Default => vec!["()"],
        ReturnType::Type(_, of) => of_type(of),
    }
}

fn of_type(of: &Type) -> Vec<&'static str> {
    match of {
        Type::Tuple(tuple) if tuple.elems.is_empty() => vec!["()"],
        Type::Tuple(_) | Type::Array(_) => vec!["Default::default()"],
        Type::Reference(to) if is_str(&to.elem) => vec!["\"\""],
        Type::Path(path) => {
            let Some(last) = path.path.segments.last() else { return Vec::new() };
            match last.ident.to_string().as_str() {
                "bool" => vec!["true", "false"],
                "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => vec!["0", "1"],
                "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => vec!["0", "1", "-1"],
                "f32" | "f64" => vec!["0.0", "1.0", "-1.0"],
                "Option" => {
                    [vec!["None"], inside(&last.arguments, "Some(true)", "Some(false)", "Some(Default::default())")]
                        .concat()
                }
                "Result" => inside(&last.arguments, "Ok(true)", "Ok(false)", "Ok(Default::default())"),
                _ => vec!["Default::default()"],
            }
        }
        _ => Vec::new(),
    }
}

/// What may be in an `Option` or `Result`.
fn inside(arguments: &PathArguments, yes: &'static str, no: &'static str, usual: &'static str) -> Vec<&'static str> {
    let PathArguments::AngleBracketed(arguments) = arguments else { return vec![usual] };
    match arguments.args.first() {
        Some(GenericArgument::Type(Type::Path(path))) if path.path.is_ident("bool") => vec![yes, no],
        Some(GenericArgument::Type(Type::Reference(_) | Type::ImplTrait(_))) => Vec::new(),
        _ => vec![usual],
    }
}

fn is_str(of: &Type) -> bool {
    matches!(of, Type::Path(path) if path.path.is_ident("str"))
}
