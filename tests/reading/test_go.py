"""Go: what a file adds to its package, what it calls and answers."""

from __future__ import annotations

import pytest

from recollect.reading.go import imported_path
from recollect.reading.outline import Layout

from .code_notation import Case, check, read

DECLARED = (("go.mod", "acme.io/shop"),)
PATH, MODULE = "orders/a.go", "go:acme.io/shop/orders"
HEAD = 'package orders\nimport (\n\t"net/http"\n\tpg "acme.io/shop/db/postgres"\n\t"acme.io/shop/pay/v2"\n)\n'

CASES = {
    "types, functions and methods": Case(
        "type Order struct { ID int }\ntype Repo interface { Find(id string) *Order }\n"
        "func New() *Order { return nil }\n"
        "func (o *Order) Total() int { return 0 }\ntype Money int",
        (
            "struct .Order",
            "interface .Repo",
            "type .Money",
            "function .New",
            "method .Order.Total",
            "method .Repo.Find",
            ". defines .Order",
            ".Order contains .Order.Total",
            ".Repo contains .Repo.Find",
            ".Repo.Find uses .Order",
            ".New uses .Order",
        ),
        (".Order.Total uses .Order",),
    ),
    "imports": Case(
        "", (". imports go:net/http", ". imports go:acme.io/shop/db/postgres", ". imports go:acme.io/shop/pay/v2")
    ),
    "embedding": Case(
        "type Order struct { Base; *pg.Conn; name string }\ntype All interface { Reader; pg.Writer }",
        (
            ".Order inherits .Base",
            ".Order inherits go:acme.io/shop/db/postgres.Conn",
            ".All inherits .Reader",
            ".All inherits go:acme.io/shop/db/postgres.Writer",
        ),
        ("uses .Base", "string"),
    ),
    "calls of packages, of the file, of the package": Case(
        "func f() { pg.Open(); pay.Charge(); g(); elsewhere() }\nfunc g() {}",
        (
            ".f calls go:acme.io/shop/db/postgres.Open",
            ".f calls go:acme.io/shop/pay/v2.Charge",
            ".f calls .g",
            ".f calls .elsewhere",
        ),
    ),
    "receivers and fields": Case(
        "type Repo struct { conn *pg.Conn; next *Repo }\n"
        "func (r *Repo) a() { r.b(); r.conn.Do(); r.next.b(); r.unknown.Do() }\n"
        "func (r *Repo) b() {}",
        (".Repo.a calls .Repo.b", ".Repo.a calls go:acme.io/shop/db/postgres.Conn.Do"),
        ("unknown",),
    ),
    "variables with a type": Case(
        "func f(p pg.Conn) { s := Session{}; s.Open(); q := &pg.Conn{}; "
        "q.Do(); var z *Foo; z.Bar(); w := new(Foo); w.Qux()\n"
        "p.Close() }",
        (
            ".f calls .Session.Open",
            ".f calls go:acme.io/shop/db/postgres.Conn.Do",
            ".f calls .Foo.Bar",
            ".f calls .Foo.Qux",
            ".f calls go:acme.io/shop/db/postgres.Conn.Close",
            ".f uses .Session",
        ),
    ),
    "results of functions of the file": Case(
        "func New() (*Repo, error) { return nil, nil }\n"
        "func f() { r, err := New(); r.Find(); err.Error(); New2().Go() }\n"
        "func New2() *Repo { return nil }",
        (".f calls .Repo.Find", ".f calls .Repo.Go"),
        ("Error",),
    ),
    "variables of the package": Case(
        "func f() { db.Do() }\nvar db *pg.Conn\nvar x = other()",
        (".f calls go:acme.io/shop/db/postgres.Conn.Do",),
        ("calls .x",),
    ),
    "built-in names, conversions and hidden names": Case(
        "type Money int\nfunc f(g func(), s []string) { len(s); make([]int, 0); g(); string(s[0]); Money(3)\n"
        "for _, h := range s { h() }\nif k := s; k != nil { k() }\n"
        "switch v := x.(type) { case int: v() }\n func(pg int) { pg.Open() }(1) }",
        (".f uses .Money",),
        (" calls ",),
    ),
    "a name is not hidden in its own declaration": Case(
        "func total() int { return 1 }\nfunc f() { total := total(); _ = total }", (".f calls .total",)
    ),
    "type parameters": Case(
        "type G[T any] struct { v T }\nfunc (g *G[T]) Len() int { return g.size() }\n"
        "func Map[T any](x T, g G[T]) T { return x }",
        (".G contains .G.Len", ".G.Len calls .G.size", ".Map uses .G"),
        ("uses .T",),
    ),
    "an open import makes bare names unknown": Case('import . "math"\nfunc f() { Sqrt(2) }', (), (" calls ",)),
    "routes": Case(
        'func main() { http.HandleFunc("/x", h); mux.Handle("GET '
        '/p/{id}", X{}); r.HandleFunc("/z", h).Methods("POST", "PUT")\n'
        'e.GET("/y/:id", mw, h); r.Get("/chi", func(w http.ResponseWriter, q *http.Request) { helper() }) }\n'
        "func h() {}",
        (
            "endpoint http:ANY /x",
            "http:ANY /x uses .h",
            "endpoint http:GET /p/{id}",
            "http:POST /z uses .h",
            "http:PUT /z uses .h",
            "http:GET /y/{id} uses .h",
            "http:GET /chi calls .helper",
        ),
        ("ANY /z",),
    ),
    "groups of routes": Case(
        'func main() { api := r.Group("/api"); v1 := api.Group("/v1"); v1.GET("/x", h)\n'
        'r.Route("/admin", func(r chi.Router) { r.Get("/y", h) }); r.Get("/z", h) }\nfunc h() {}',
        ("http:GET /api/v1/x uses .h", "http:GET /admin/y uses .h", "http:GET /z uses .h"),
    ),
    "what only looks like a route": Case(
        'func f() { http.Get("/x"); client.Get("/x", opts); cache.Get("/y", &out); c.Get("/x"); r.Get(path, f) }',
        (),
        ("endpoint",),
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_go(case: Case) -> None:
    check(case, read(HEAD + case.text, PATH, declared=DECLARED), MODULE)


def test_without_a_manifest_a_package_is_its_folder() -> None:
    paths = frozenset({"internal/pay/card.go", "cmd/main.go"})
    layout = Layout("shop", paths, 1500)
    assert imported_path("acme.io/shop/internal/pay", layout) == "internal/pay"
    assert imported_path("github.com/other/lib", layout) == "github.com/other/lib"
    assert imported_path("net/http", layout) == "net/http"


def test_a_package_may_be_initialised_several_times() -> None:
    reading = read("package a\nfunc init() { f() }\nfunc init() { g() }\n", "a/a.go")
    assert [each.key for each in reading.entities] == ["go:a"]
    assert [(each.subject, each.object) for each in reading.statements] == [("go:a", "go:a.f"), ("go:a", "go:a.g")]
