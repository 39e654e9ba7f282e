"""Rust: the items of a module, what they implement, call and answer."""

from __future__ import annotations

import pytest

from .code_notation import Case, check, lines, read

DECLARED = (("Cargo.toml", "acme-shop"),)
PATH, MODULE, CRATE = "src/orders.rs", "rs:acme_shop::orders", "rs:acme_shop"

CASES = {
    "items": Case(
        "pub struct Order { id: u32 }\nenum E { A }\n"
        "pub trait Tr: Base { fn go(&self); }\nfn f() {}\ntype Al = Order;\n"
        "pub const C: u8 = 1;\nmod inner { pub fn g() {} }\nmod model;\nuse crate::x::Base;",
        (
            "struct .::Order",
            "enum .::E",
            "trait .::Tr",
            "function .::f",
            "type .::Al",
            "variable .::C",
            "module .::inner",
            "function .::inner::g",
            ". defines .::Order",
            ". contains .::inner",
            ". contains .::model",
            ".::inner defines .::inner::g",
            ".::Tr contains .::Tr::go",
            ".::Tr inherits rs:acme_shop::x::Base",
            ". uses .::Order",
        ),
        ("module .::model",),
    ),
    "use": Case(
        "use std::collections::HashMap;\nuse crate::pay::{self, Gateway as Gw, inner::*};\n"
        "use super::db;\nmod model;\nuse model::Order;",
        (
            ". imports rs:std::collections::HashMap",
            ". imports rs:acme_shop::pay",
            ". imports rs:acme_shop::pay::Gateway",
            ". imports rs:acme_shop::pay::inner",
            ". imports rs:acme_shop::db",
            ". imports .::model::Order",
        ),
    ),
    "pub use": Case(
        "pub use self::model::Order;\npub use crate::x::*;\npub use serde::Serialize as S;\nuse crate::y::Z;",
        (".::Order = .::model::Order", ".::* = rs:acme_shop::x::*", ".::S = rs:serde::Serialize"),
        (".::Z =",),
    ),
    "impl": Case(
        "struct Order;\ntrait Tr { fn go(&self); }\nimpl Tr for Order { fn go(&self) { self.a(); Self::b(); } }\n"
        "impl Order { pub fn a(&self) {} fn b() {} }\nimpl<T> Tr for T { fn go(&self) {} }",
        (
            ".::Order inherits .::Tr",
            "method .::Order::go",
            ".::Order contains .::Order::a",
            ".::Order::go calls .::Order::a",
            ".::Order::go calls .::Order::b",
        ),
        ("::T ", "::T:"),
    ),
    "calls by path": Case(
        "use crate::pay;\n"
        "fn f() { g(); pay::run(); crate::a::b(); self::g(); super::h(); tokio::spawn(x); inner::k(); }\n"
        "fn g() {}\nmod inner { pub fn k() { super::g(); } }",
        (
            ".::f calls .::g",
            ".::f calls rs:acme_shop::pay::run",
            ".::f calls rs:acme_shop::a::b",
            ".::f calls rs:acme_shop::h",
            ".::f calls rs:tokio::spawn",
            ".::f calls .::inner::k",
            ".::inner::k calls .::g",
        ),
    ),
    "fields and pointers": Case(
        "use crate::pay::{Gateway, Log};\nstruct S { gw: Gateway, log: std::sync::Arc<dyn Log>, list: Vec<Gateway> }\n"
        "impl S { fn a(&self) { self.gw.pay(); self.log.write(); self.log.clone(); self.list.push(1); } }",
        (
            ".::S::a calls rs:acme_shop::pay::Gateway::pay",
            ".::S::a calls rs:acme_shop::pay::Log::write",
            ".::S uses rs:acme_shop::pay::Gateway",
        ),
        ("clone", "push"),
    ),
    "variables with a type": Case(
        "use crate::db::{Session, Row};\n"
        "fn f(p: &mut Session, r: Option<Row>) { let s = Session::new(); s.open(); p.close();\n"
        " let t: Row = x(); t.bar(); let u = Row { a: 1 }; u.z(); r.unwrap(); let mut w = &s; w.flush(); }",
        (
            ".::f calls rs:acme_shop::db::Session::new",
            ".::f calls rs:acme_shop::db::Session::open",
            ".::f calls rs:acme_shop::db::Session::close",
            ".::f calls rs:acme_shop::db::Session::flush",
            ".::f calls rs:acme_shop::db::Row::bar",
            ".::f calls rs:acme_shop::db::Row::z",
        ),
        ("Row::unwrap",),
    ),
    "results of functions of the file": Case(
        "struct Repo;\nimpl Repo { fn open() -> Result<Self, E> { Ok(Repo) } fn find(&self) {} }\n"
        "fn make() -> Repo { Repo }\n"
        "fn f() { let r = Repo::open()?; r.find(); make().find(); "
        "Repo::open().map(1); let q = Repo::open().unwrap(); q.find2(); }",
        (".::f calls .::Repo::find", ".::f calls .::Repo::open", ".::f calls .::make", ".::f calls .::Repo::find2"),
        ("map",),
    ),
    "outcomes and clones of pointers": Case(
        "struct Pool;\nimpl Pool { fn get(&self) {} }\nstruct S { pool: Option<Pool> }\nimpl S {\n"
        " fn a(&self) { self.pool.as_ref().unwrap().get(); let this = Arc::clone(&self); this.b(); self.pool.get(); }\n"
        " fn b(&self) { self.pool.map(1); } }",
        (".::S::a calls .::Pool::get", ".::S::a calls .::S::b"),
        ("Pool::map", "Pool::as_ref", ".::S::b calls"),
    ),
    "hidden and unknown names": Case(
        "use crate::x::go;\nfn f(go: impl Fn()) { go(); }\nfn g() { let go = 1; go(); xs.iter().map(|go| go()); }\n"
        "fn h() { match y { Some(go) => go(), _ => {} } }\n"
        "fn i<T: Tr>(t: T) { t.run(); } fn j() { Some(1); Vec::new(); u32::from(1); q.go(); }",
        (),
        (" calls ",),
    ),
    "a name is not hidden in its own declaration": Case(
        "fn total() {}\nfn f() { let total = total(); }", (".::f calls .::total",)
    ),
    "variants are uses of the enum": Case("enum E { A(u8) }\nfn f() { E::A(1); }", (".::f uses .::E",), (" calls ",)),
    "calls in macros": Case(
        'fn g() -> u8 { 1 }\nfn f() { println!("{}", g()); vec![x.g2(), nobody()]; }',
        (".::f calls .::g",),
        ("g2", "nobody", "println"),
    ),
    "tests see the file": Case(
        "fn g() {}\n#[cfg(test)]\nmod tests { use super::*;\n #[test] fn t() { g(); assert_eq!(g(), ()); } }",
        (".::tests::t calls .::g", ".::tests imports ."),
    ),
    "routes": Case(
        '#[get("/orders/{id}")]\nasync fn one() {}\nfn two() {}\n'
        'fn app() { Router::new().route("/x", get(h).post(h2)).route("/y", axum::routing::delete(h)); }\n'
        'fn act() { App::new().route("/z", web::put().to(h)); }\nfn h() {}\nfn h2() {}',
        (
            "endpoint http:GET /orders/{id}",
            "http:GET /orders/{id} uses .::one",
            "http:GET /x uses .::h",
            "http:POST /x uses .::h2",
            "http:DELETE /y uses .::h",
            "http:PUT /z uses .::h",
        ),
        ("uses .::two",),
    ),
    "what only looks like a route": Case(
        '#[doc("/x")]\nfn a() { m.get("/x"); m.route("x", get(a)); }', (), ("endpoint",)
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_rust(case: Case) -> None:
    check(case, read(case.text, PATH, "Cargo.toml", declared=DECLARED), MODULE)


@pytest.mark.parametrize(
    ("path", "module"),
    [
        ("src/lib.rs", "rs:acme_shop"),
        ("src/main.rs", "rs:acme_shop"),
        ("src/a/mod.rs", "rs:acme_shop::a"),
        ("src/a/b.rs", "rs:acme_shop::a::b"),
        ("tests/api.rs", "rs:acme_shop::tests::api"),
        ("crates/pay-core/src/card.rs", "rs:pay_core::card"),
    ],
)
def test_the_module_of_a_file(path: str, module: str) -> None:
    assert f"module {module}" in lines(read("", path, "crates/pay-core/Cargo.toml", declared=DECLARED))


def test_methods_stay_in_the_chunks_of_their_impl() -> None:
    body = "\n".join(f"    fn m{at}(&self) {{\n        // {'x' * 80}\n    }}" for at in range(40))
    reading = read(f"struct A;\n\nimpl A {{\n{body}\n}}\n\nfn after() {{}}\n", "src/lib.rs")
    assert len(reading.chunks) > 2
    assert [each.start for each in reading.chunks] == sorted(each.start for each in reading.chunks)
