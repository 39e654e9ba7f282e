"""Java: the types of a file, what their methods call and answer."""

from __future__ import annotations

import pytest

from .code_notation import Case, check, lines, read

PATH, MODULE = "src/main/java/com/acme/orders/Order.java", "java:com.acme.orders"
OTHERS = ("src/main/java/com/acme/orders/Repo.java", "src/main/java/com/acme/pay/Gateway.java")
HEAD = "package com.acme.orders;\nimport com.acme.crm.Customer;\nimport static com.acme.Util.max;\n"

CASES = {
    "types and members": Case(
        "public class Order<T> extends Base<T> implements Runnable, com.x.Y {\n"
        "  void run() {}\n  static class Inner { void z() {} }\n"
        "  enum Color { RED; void c() {} }\n}\ninterface I extends A { void m(); }\n"
        "record Point(int x) implements I {}\n@interface Ann {}",
        (
            "class .Order",
            "class .Order.Inner",
            "enum .Order.Color",
            "interface .I",
            "record .Point",
            "annotation .Ann",
            "method .Order.run",
            "method .Order.Color.c",
            ". defines .Order",
            ".Order contains .Order.Inner",
            ".Order.Inner contains .Order.Inner.z",
            ".Order inherits .Base",
            ".Order inherits java:java.lang.Runnable",
            ".Order inherits java:com.x.Y",
            ".I inherits .A",
            ".Point inherits .I",
        ),
        (" uses .T", "inherits .T"),
    ),
    "imports": Case("", (". imports java:com.acme.crm.Customer", ". imports java:com.acme.Util.max")),
    "calls of the own type": Case(
        "class S extends Base { void a() { b(); this.b(); super.c(); d(); max(1); }\n"
        " void b() {}\n class In { void e() { b(); } } }",
        (
            ".S.a calls .S.b",
            ".S.a calls .Base.c",
            ".S.a calls .S.d",
            ".S.a calls java:com.acme.Util.max",
            ".S.In.e calls .S.b",
        ),
    ),
    "without a base, an unknown method is not guessed": Case("class S { void a() { d(); } }", (), (" calls ",)),
    "fields, parameters and variables": Case(
        "class S { private final Repo repo; Customer[] all;\n S(Repo repo) { this.repo = repo; }\n"
        " void a(Customer c, String s) { repo.find(); this.repo.save(); c.rename(); var g = new Gateway(); g.pay();\n"
        "  Gateway h = make(); h.refund(); s.trim(); all.clone(); for (Customer d : all) d.drop(); } }",
        (
            ".S.a calls .Repo.find",
            ".S.a calls .Repo.save",
            ".S.a calls java:com.acme.crm.Customer.rename",
            ".S.a calls java:com.acme.crm.Customer.drop",
            ".S.a calls .Gateway",
            ".S.a calls .Gateway.pay",
            ".S.a calls .Gateway.refund",
            ".S uses .Repo",
            ".S.a uses java:com.acme.crm.Customer",
        ),
        ("clone", "uses java:java.lang"),
    ),
    "results of methods of the file": Case(
        "class S { Repo repo() { return null; } void a() { repo().find(); var r = repo(); r.save(); } }",
        (".S.a calls .S.repo", ".S.a calls .Repo.find", ".S.a calls .Repo.save"),
    ),
    "static calls and references": Case(
        "class S { void a() { Customer.load(); list.map(Repo::find).map(this::b); "
        "java.util.Objects.hash(1); } void b() {} }",
        (
            ".S.a calls java:com.acme.crm.Customer.load",
            ".S.a uses .Repo.find",
            ".S.a uses .S.b",
            ".S.a calls java:java.util.Objects.hash",
        ),
    ),
    "unknown objects are not guessed": Case(
        "class S { void a() { x.go(); list.forEach(y -> y.go()); "
        "a.b.c(); try { } catch (Exception e) { e.fail(); } } }",
        (),
        ("go", "fail", " calls "),
    ),
    "a variable hides a field": Case(
        "class S { Repo repo; void a(Customer repo) { repo.go(); } void b() { list.map(repo -> repo.went()); } }",
        (".S.a calls java:com.acme.crm.Customer.go",),
        (".Repo.go", "went"),
    ),
    "this in a class without a name is not the outer one": Case(
        "class S { void a() { new Runnable() { public void run() { this.b(); } }; } void b() {} }",
        (),
        ("calls .S.b",),
    ),
    "constants and classes inside methods are no types of the package": Case(
        "class S { void a() { LOG_OF.write(); Color.RED.paint(); class Local {} new Local(); UUID.make(); } }",
        (".S.a calls .UUID.make",),
        ("write", "paint", "Local"),
    ),
    "Spring": Case(
        '@RestController @RequestMapping("/orders")\nclass S {\n @GetMapping("/{id}") Customer one() { return null; }\n'
        ' @RequestMapping(value = "/q", method = RequestMethod.POST) void q() {}\n'
        ' @PutMapping(path = {"/a", "/b"}) void ab() {}\n'
        " @PostMapping void add() {}\n void none() {} }",
        (
            "endpoint http:GET /orders/{id}",
            "http:GET /orders/{id} uses .S.one",
            "http:POST /orders/q uses .S.q",
            "http:PUT /orders/a uses .S.ab",
            "http:PUT /orders/b uses .S.ab",
            "http:POST /orders uses .S.add",
        ),
        ("uses .S.none",),
    ),
    "JAX-RS": Case(
        '@Path("/x")\nclass S { @GET @Path("{id}") String one() { return null; } }', ("http:GET /x/{id} uses .S.one",)
    ),
    "a client is no server": Case('@FeignClient("x") interface C { @GetMapping("/y") void y(); }', (), ("endpoint",)),
    "annotations of others are used": Case("@Customer class S {}", (".S uses java:com.acme.crm.Customer",)),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_java(case: Case) -> None:
    check(case, read(HEAD + case.text, PATH, *OTHERS), MODULE)


def test_a_package_imported_whole_is_searched_by_its_files() -> None:
    text = "package com.acme.orders;\nimport com.acme.pay.*;\nclass S { Gateway g; Repo r; Other o; }"
    found = lines(read(text, PATH, *OTHERS))
    assert "java:com.acme.orders.S uses java:com.acme.pay.Gateway" in found
    assert "java:com.acme.orders.S uses java:com.acme.orders.Repo" in found
    assert not any("Other" in each for each in found)


def test_a_file_without_a_package_stands_for_itself() -> None:
    assert {"class java:Main", "file:Main.java defines java:Main"} <= lines(read("class Main {}", "Main.java"))


def test_the_detail_of_a_method_has_no_annotations() -> None:
    reading = read("class A {\n  @Override\n  public int f(int a) { return 1; }\n}", "A.java")
    assert [each.detail for each in reading.entities if each.name == "f"] == ["public int f(int a)"]
