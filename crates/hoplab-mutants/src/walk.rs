//! Goes through a file and writes its mutants.

use crate::edits::Edits;
use crate::operators::{self, Kind};
use crate::values;
use proc_macro2::Span;
use serde::Serialize;
use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, Expr, ExprBinary, ExprMatch, ExprUnary, File, ImplItemFn, Item, ItemFn, Signature, UnOp};

/// A change of a program.
#[derive(Debug, Serialize)]
pub struct Mutant {
    /// Its number, by which it is switched on.
    pub id: u32,
    pub file: String,
    pub line: usize,
    pub column: usize,
    /// The function that it is in.
    pub function: String,
    /// What is changed into what.
    pub change: String,
    /// It is left out of the program.
    pub is_dropped: bool,
}

struct Walk<'a> {
    source: &'a str,
    path: &'a Path,
    dropped: &'a HashSet<u32>,
    all: &'a mut Vec<Mutant>,
    edits: Edits,
    functions: Vec<String>,
}

/// The file with its mutants, which are added to `all`.
pub fn rewrite(source: &str, file: &File, path: &Path, dropped: &HashSet<u32>, all: &mut Vec<Mutant>) -> String {
    let mut walk = Walk { source, path, dropped, all, edits: Edits::default(), functions: Vec::new() };
    walk.visit_file(file);
    walk.edits.apply(source)
}

fn on(id: u32) -> String {
    format!("crate::mutation::on({id})")
}

fn is_of_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg") && quoted(attribute.meta.span()).contains("test")
    })
}

fn quoted(span: Span) -> String {
    span.source_text().unwrap_or_default()
}

fn range(of: &impl Spanned) -> Range<usize> {
    of.span().byte_range()
}

/// Whether a condition binds names, on its own level.
fn binds(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(binary) => binds(&binary.left) || binds(&binary.right),
        _ => false,
    }
}

impl Walk<'_> {
    /// A number for a change, if it is to be in the program.
    fn mutant(&mut self, at: Span, change: String) -> Option<u32> {
        let id = self.all.len() as u32;
        let is_dropped = self.dropped.contains(&id);
        let (start, function) = (at.start(), self.functions.join("::"));
        let file = self.path.display().to_string();
        self.all.push(Mutant { id, file, line: start.line, column: start.column + 1, function, change, is_dropped });
        (!is_dropped).then_some(id)
    }

    /// `if .. { } else if .. { } else { }` over forms of an expression, the last of which is the right one.
    fn choice(&mut self, at: Span, from: &str, into: &[&str], form: impl Fn(&str) -> String) -> Option<String> {
        let mut text = String::new();
        for to in into {
            if let Some(id) = self.mutant(at, format!("{from} as {to}")) {
                text += &format!("if {} {{ {} }} else ", on(id), form(to));
            }
        }
        (!text.is_empty()).then(|| format!("{text}{{ {} }}", form(from)))
    }

    fn function(&mut self, signature: &Signature, block: &Block) -> bool {
        if signature.constness.is_some() || signature.unsafety.is_some() {
            return false;
        }
        self.functions.push(signature.ident.to_string());
        let name = signature.ident.to_string();
        if name == "default" || name == "new" || block.stmts.is_empty() {
            return true;
        }
        let at = block.brace_token.span.open().byte_range().end;
        for value in values::of(&signature.output) {
            if quoted(block.span()).trim_matches(['{', '}', ' ', '\n']) == value {
                continue;
            }
            if let Some(id) = self.mutant(signature.ident.span(), format!("its body as {value}")) {
                self.edits.open(at, format!(" if {} {{ return {value}; }}", on(id)));
            }
        }
        true
    }

    fn binary(&mut self, binary: &ExprBinary) {
        let Some((op, kind, into)) = operators::of(&binary.op) else {
            visit::visit_expr_binary(self, binary);
            return;
        };
        let at = binary.op.span();
        let (all, place, right) = (range(binary), range(&binary.op), range(&binary.right));
        match kind {
            Kind::Lazy => {
                let id = if binds(&binary.left) || binds(&binary.right) {
                    None
                } else {
                    self.mutant(at, format!("{op} as {}", into[0]))
                };
                let Some(id) = id else {
                    visit::visit_expr_binary(self, binary);
                    return;
                };
                let (flip, last) =
                    if op == "&&" { (on(id), on(id)) } else { (format!("!{}", on(id)), format!("!{}", on(id))) };
                self.edits.open(all.start, "(if (");
                self.visit_expr(&binary.left);
                self.edits.replace(place, format!(") ^ {flip} {{"));
                self.visit_expr(&binary.right);
                self.edits.close(all.end, format!("}} else {{ {last} }})"));
            }
            Kind::Assignment => {
                let left = self.source[range(&binary.left)].split_whitespace().collect::<Vec<_>>().join(" ");
                let Some(choice) = self.choice(at, op, into, |op| format!("{left} {op} r")) else {
                    self.visit_expr(&binary.right);
                    return;
                };
                self.edits.open_over(all.start..right.start, "(match (");
                self.visit_expr(&binary.right);
                self.edits.close(all.end, format!(") {{ r => {choice} }})"));
            }
            Kind::Arithmetic | Kind::Comparison => {
                let (by, mark) = if kind == Kind::Comparison { ("&(", "*") } else { ("(", "") };
                let Some(choice) = self.choice(at, op, into, |op| format!("{mark}l {op} {mark}r")) else {
                    visit::visit_expr_binary(self, binary);
                    return;
                };
                self.edits.open(all.start, format!("(match ({by}"));
                self.visit_expr(&binary.left);
                self.edits.replace(place, format!("), {by}"));
                self.visit_expr(&binary.right);
                self.edits.close(all.end, format!(")) {{ (l, r) => {choice} }})"));
            }
        }
    }

    fn unary(&mut self, unary: &ExprUnary) {
        let (op, of) = match unary.op {
            UnOp::Not(_) => ("!", range(&unary.op)),
            UnOp::Neg(_) if !matches!(*unary.expr, Expr::Lit(_)) => ("-", range(&unary.op)),
            _ => return visit::visit_expr_unary(self, unary),
        };
        let Some(id) = self.mutant(unary.op.span(), format!("{op} left out")) else {
            return visit::visit_expr_unary(self, unary);
        };
        self.edits.open_over(of, "(match (");
        self.visit_expr(&unary.expr);
        let end = range(unary).end;
        self.edits.close(end, format!(") {{ v => if {} {{ v }} else {{ {op}v }} }})", on(id)));
    }

    fn arms(&mut self, of: &ExprMatch) {
        self.visit_expr(&of.expr);
        let rest = of.arms.iter().position(|arm| matches!(arm.pat, syn::Pat::Wild(_)) && arm.guard.is_none());
        for (count, arm) in of.arms.iter().enumerate() {
            let guard = arm.guard.as_ref().map(|(_, guard)| &**guard);
            let change =
                || format!("arm {} left out", quoted(arm.pat.span()).split_whitespace().collect::<Vec<_>>().join(" "));
            let left_out = if rest.is_some_and(|rest| count < rest) && guard.is_none_or(|guard| !binds(guard)) {
                self.mutant(arm.pat.span(), change())
            } else {
                None
            };
            let left_out = left_out.map(|id| format!("!{}", on(id)));
            match (guard, left_out) {
                (None, Some(left_out)) => self.edits.close(range(&arm.pat).end, format!(" if {left_out}")),
                (Some(guard), left_out) if !binds(guard) => {
                    let mut before = String::from("(");
                    if let Some(left_out) = left_out {
                        before += &format!("{left_out} && ");
                    }
                    let yes = self.mutant(guard.span(), "guard as true".to_owned());
                    let no = self.mutant(guard.span(), "guard as false".to_owned());
                    before += "(";
                    if let Some(id) = yes {
                        before += &format!("{} || ", on(id));
                    }
                    if let Some(id) = no {
                        before += &format!("!{} && ", on(id));
                    }
                    before += "(";
                    self.edits.open(range(guard).start, before);
                    self.visit_expr(guard);
                    self.edits.close(range(guard).end, ")))");
                }
                (Some(guard), _) => self.visit_expr(guard),
                (None, None) => {}
            }
            self.visit_expr(&arm.body);
        }
    }
}

impl<'ast> Visit<'ast> for Walk<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Const(_) | Item::Static(_) | Item::Enum(_) | Item::Struct(_) | Item::Type(_) | Item::Macro(_) => {}
            Item::Mod(module) if is_of_tests(&module.attrs) => {}
            Item::Impl(item) => {
                let name = quoted(item.self_ty.span());
                self.functions.push(name.split('<').next().unwrap_or_default().to_owned());
                visit::visit_item_impl(self, item);
                self.functions.pop();
            }
            Item::Trait(item) => {
                self.functions.push(item.ident.to_string());
                visit::visit_item_trait(self, item);
                self.functions.pop();
            }
            _ => visit::visit_item(self, item),
        }
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if !is_of_tests(&item.attrs) && self.function(&item.sig, &item.block) {
            self.visit_block(&item.block);
            self.functions.pop();
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        if !is_of_tests(&item.attrs) && self.function(&item.sig, &item.block) {
            self.visit_block(&item.block);
            self.functions.pop();
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        let Some(block) = &item.default else { return };
        if !is_of_tests(&item.attrs) && self.function(&item.sig, block) {
            self.visit_block(block);
            self.functions.pop();
        }
    }

    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}

    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}

    fn visit_type(&mut self, _: &'ast syn::Type) {}

    fn visit_pat(&mut self, _: &'ast syn::Pat) {}

    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Binary(binary) => self.binary(binary),
            Expr::Unary(unary) => self.unary(unary),
            Expr::Match(of) => self.arms(of),
            Expr::Const(_) => {}
            Expr::Repeat(of) => self.visit_expr(&of.expr),
            _ => visit::visit_expr(self, expr),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The source with its mutants, which parses, and what they change.
    fn written(source: &str, dropped: &[u32]) -> (String, Vec<String>) {
        let mut all = Vec::new();
        let file = syn::parse_file(source).expect("a source");
        let dropped = dropped.iter().copied().collect();
        let text = rewrite(source, &file, Path::new("f.rs"), &dropped, &mut all);
        syn::parse_file(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        (text, all.into_iter().map(|mutant| mutant.change).collect())
    }

    #[test]
    fn operators_and_bodies_are_changed() {
        let (text, changes) = written("fn f(a: u32, b: &[u32]) -> bool { !b.is_empty() && a + 1 < b[0] }", &[]);
        let operators = ["&& as ||", "! left out", "< as ==", "< as >", "< as <=", "+ as -", "+ as *"];
        let bodies = ["its body as true", "its body as false"];
        assert_eq!(changes, [&bodies[..], &operators].concat());
        let sum = "(match ((a ), ( 1)) { (l, r) => if crate::mutation::on(7) { l - r } else if crate::mutation::on(8) \
                   { l * r } else { l + r } })";
        assert!(text.contains(sum), "{text}");
        assert!(text.contains("{ if crate::mutation::on(0) { return true; }"), "{text}");
        assert!(text.contains(") ^ crate::mutation::on(2) {"), "{text}");
    }

    #[test]
    fn an_assignment_keeps_its_place_whole() {
        let (text, changes) = written("fn f(&mut self) { self.sum[i + 1] += -x; }", &[]);
        assert_eq!(changes, ["its body as ()", "+= as -=", "+= as *=", "- left out"]);
        assert!(text.contains("{ self.sum[i + 1] -= r } else if"), "{text}");
    }

    #[test]
    fn arms_and_guards_are_changed_where_something_is_left() {
        let source = "fn f(x: u8) { match x { 0 => a(), 1 if b => c(), _ => {} } }";
        let (text, changes) = written(source, &[]);
        let arms = ["arm 0 left out", "arm 1 left out", "guard as true", "guard as false"];
        assert_eq!(changes, [&["its body as ()"][..], &arms].concat());
        assert!(text.contains("0 if !crate::mutation::on(1) => a()"), "{text}");
        assert_eq!(written("fn f(x: bool) { match x { true => a(), false => b() } }", &[]).1, ["its body as ()"]);
    }

    #[test]
    fn what_must_be_known_to_the_compiler_is_left_alone() {
        let source = "const A: u32 = 1 + 2; const fn g() -> u32 { 1 + 2 } #[cfg(test)] mod tests { fn f() { a + b; } }\n\
                      fn h() { let _: [u8; 1 + 2] = [0; 1 + 2]; if let Some(x) = y && x {} assert!(1 + 2 == 3); }";
        assert_eq!(written(source, &[]).1, ["its body as ()"]);
    }

    #[test]
    fn who_is_left_out_keeps_a_number() {
        let (text, changes) = written("fn f() -> u32 { a - b }", &[0, 2]);
        assert_eq!(changes, ["its body as 0", "its body as 1", "- as +", "- as /"]);
        for (id, is_there) in [(0, false), (1, true), (2, false), (3, true)] {
            assert_eq!(text.contains(&on(id)), is_there, "{id}: {text}");
        }
    }
}
