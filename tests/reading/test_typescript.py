"""TypeScript and JavaScript: what a module defines, imports, calls and answers."""

from __future__ import annotations

import pytest

from recollect.reading.outline import Layout
from recollect.reading.typescript_paths import imported_key

from .code_notation import Case, check, lines, read

PATH, MODULE = "src/a.ts", "ts:src/a"
OTHERS = ("src/b.ts", "src/db/index.ts", "src/c.tsx", "lib/util.js")

CASES = {
    "a class, its methods and what it extends": Case(
        "import { Base } from './b';\nexport class Foo extends Base implements Named {\n"
        "  run() {}\n}\ninterface Named {}",
        (
            "class .#Foo",
            "method .#Foo.run",
            ". defines .#Foo",
            ".#Foo contains .#Foo.run",
            ".#Foo inherits ts:src/b#Base",
            ".#Foo inherits .#Named",
        ),
    ),
    "a function and an arrow": Case(
        "function f() { g(); }\nexport const g = async () => { f(); };",
        ("function .#f", "function .#g", ".#f calls .#g", ".#g calls .#f"),
    ),
    "interface, enum, type": Case(
        "interface A extends B { m(x: C): void }\ninterface B {}\nenum C { X }\ntype D = A | C;",
        ("interface .#A", "enum .#C", "type .#D", ".#A inherits .#B", "method .#A.m", ".#A.m uses .#C", ".#D uses .#A"),
        (".#D calls", ".#A uses .#B"),
    ),
    "every form of import": Case(
        "import d, { x as y } from './b';\nimport * as ns from './db';\n"
        "import type { T } from '@scope/p';\nimport './side';",
        (
            ". imports ts:src/b",
            ". imports ts:src/b#default",
            ". imports ts:src/b#x",
            ". imports ts:src/db/index",
            ". imports ts:@scope/p#T",
            ". imports ts:src/side",
        ),
    ),
    "calls through imports": Case(
        "import d, { x as y } from './b';\nimport * as ns from './db';\nimport ax from 'axios';\n"
        "function f() { d(); y(); ns.open(); ax.get('/x'); }",
        (
            ".#f calls ts:src/b#default",
            ".#f calls ts:src/b#x",
            ".#f calls ts:src/db/index#open",
            ".#f calls ts:axios#default.get",
        ),
        ("endpoint",),
    ),
    "require": Case(
        "const b = require('./b');\nconst { open: o } = require('./db');\nfunction f() { b.go(); o(); b(); }",
        (". imports ts:src/b", ".#f calls ts:src/b#go", ".#f calls ts:src/db/index#open", ".#f calls ts:src/b#default"),
    ),
    "this, fields and constructor parameters": Case(
        "import { Repo } from './b';\nclass Log { write() {} }\nclass S {\n  log = new Log();\n"
        "  constructor(private repo: Repo) {}\n  a() { this.b(); this.log.write(); this.repo.find(); }\n  b() {}\n}",
        (
            ".#S.a calls .#S.b",
            ".#S.a calls .#Log.write",
            ".#S.a calls ts:src/b#Repo.find",
            ".#S calls .#Log",
        ),
        (".#S.a calls .#S.log", ".#S.a calls .#S.repo"),
    ),
    "a field set in the constructor": Case(
        "class Log { write() {} }\nclass S { constructor(log) { this.log = new Log(); this.other = log; }\n"
        "  a() { this.log.write(); this.other.run(); } }",
        (".#S.a calls .#Log.write",),
        ("run",),
    ),
    "super": Case(
        "import { Base } from './b';\nclass S extends Base { go() { super.go(); } }",
        (".#S.go calls ts:src/b#Base.go",),
    ),
    "variables and parameters with a type": Case(
        "import { Session } from './b';\nfunction f(p: Session, q?: Session | null) {\n"
        "  const s = new Session(); s.open(); p.close(); q.flush();\n}",
        (
            ".#f calls ts:src/b#Session",
            ".#f calls ts:src/b#Session.open",
            ".#f calls ts:src/b#Session.close",
            ".#f calls ts:src/b#Session.flush",
        ),
    ),
    "a hidden name is not the import": Case(
        "import { go, Session } from './b';\nfunction f(go) { go(); }\n"
        "function g() { const Session = pick(); new Session(); }\n"
        "function h() { for (const go of all) go(); }\nfunction i({ go }) { go(); }\nconst j = go => go();",
        (),
        ("calls",),
    ),
    "a name is hidden only in its block": Case(
        "import { go } from './b';\nfunction f() { { const go = 1; } go(); }",
        (".#f calls ts:src/b#go",),
    ),
    "unknown objects are not guessed": Case(
        "function f(x, y: any) { x.go(); y.go(); unknown(); a.b.c(); g().h(); list[0].run(); }\n"
        "const app = make();\napp.use(f);",
        (),
        (" calls ",),
    ),
    "this in a plain function is not the class": Case(
        "class S { a() { run(function () { this.b(); }); run(() => this.c()); } b() {} c() {} }",
        (".#S.a calls .#S.c",),
        ("calls .#S.b",),
    ),
    "a type parameter is no type": Case(
        "import { T } from './b';\nfunction f<T>(x: T): T { return x; }\nfunction g(x: T) {}",
        (".#g uses ts:src/b#T",),
        (".#f uses",),
    ),
    "re-exports": Case(
        "export { q, r as s } from './b';\nexport * from './c';\nexport * as all from './db';",
        (
            ".#q = ts:src/b#q",
            ".#s = ts:src/b#r",
            ".#* = ts:src/c#*",
            ".#all = ts:src/db/index",
            ".#all.* = ts:src/db/index#*",
        ),
    ),
    "default exports": Case("class Foo {}\nexport default Foo;", (".#default = .#Foo",)),
    "a default export without a name": Case("export default () => f();\nfunction f() {}", (".#default calls .#f",)),
    "names exported under others": Case("function f() {}\nexport { f as g };", (".#g = .#f",)),
    "functions in objects and wrappers": Case(
        "const api = { load() { f(); }, save: () => f() };\nconst V = React.memo(() => f());\nfunction f() {}",
        ("object .#api", "method .#api.load", ".#api.load calls .#f", ".#api.save calls .#f", ".#V calls .#f"),
    ),
    "a namespace": Case("namespace N { export function in_() {} }", ("namespace .#N", ".#N contains .#N.in_")),
    "routes": Case(
        "const app = express();\napp.get('/x/:id', auth, (req, res) => { f(); });\nrouter.route('/y').post(f).get(g);\n"
        "function f() {}\nfunction g() {}",
        (
            "endpoint http:GET /x/{id}",
            "http:GET /x/{id} calls .#f",
            "endpoint http:POST /y",
            "http:POST /y uses .#f",
            "http:GET /y uses .#g",
            ". defines http:POST /y",
        ),
    ),
    "what only looks like a route": Case(
        "app.get('title');\nclient.get('/x', done);\ncache.delete('/x');\n"
        "request(app).get('/x').expect(200);\napp.get(path, f);",
        (),
        ("endpoint",),
    ),
    "controllers": Case(
        "@Controller('orders')\nexport class C {\n  @Get(':id')\n"
        "  one(@Param('id') id: string) {}\n\n  @Post()\n  add() {}\n"
        "  plain() {}\n}\nclass D { @Get('x') y() {} }",
        (
            "endpoint http:GET /orders/{id}",
            "http:GET /orders/{id} uses .#C.one",
            "http:POST /orders uses .#C.add",
        ),
        ("plain uses", "/x"),
    ),
}

JAVASCRIPT = {
    "exports": Case(
        "exports.k = function () { h(); };\nmodule.exports.l = () => h();\nfunction h() {}\nexports.m = h;",
        ("function .#k", ".#k calls .#h", ".#l calls .#h", ".#m = .#h"),
    ),
    "module.exports as an object": Case(
        "const { b } = require('./b');\nfunction f() {}\nmodule.exports = { f, g: f, b2: b, h() { f(); } };",
        (".#g = .#f", ".#b2 = ts:src/b#b", ".#h calls .#f"),
    ),
    "module.exports as a class": Case("module.exports = class Foo { a() {} };", ("class .#Foo", ".#default = .#Foo")),
    "prototypes": Case(
        "function Foo() {}\nFoo.prototype.run = function () { this.stop(); };\nFoo.prototype.stop = function () {};",
        (".#Foo contains .#Foo.run", ".#Foo.run calls .#Foo.stop"),
    ),
    "JSX": Case(
        "import { Card } from './b';\nexport function Page() { return <div><Card.Title/><Card>x</Card><span/></div>; }",
        (".#Page uses ts:src/b#Card", ".#Page uses ts:src/b#Card.Title"),
        ("span", "div"),
    ),
    "extends": Case("const { B } = require('./b');\nclass A extends B {}", (".#A inherits ts:src/b#B",)),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_typescript(case: Case) -> None:
    check(case, read(case.text, PATH, *OTHERS), MODULE)


@pytest.mark.parametrize("case", JAVASCRIPT.values(), ids=JAVASCRIPT)
def test_javascript(case: Case) -> None:
    check(case, read(case.text, "src/a.jsx", *OTHERS), MODULE)


def test_tsx_reads_types_and_tags() -> None:
    text = "import { Card, Props } from './b';\nexport const Page = (props: Props) => <Card {...props} />;"
    assert {".#Page uses ts:src/b#Card", ".#Page uses ts:src/b#Props"} <= lines(
        read(text, "src/a.tsx", *OTHERS), MODULE
    )


@pytest.mark.parametrize(
    ("specifier", "key"),
    [
        ("./b", "ts:src/b"),
        ("./b.js", "ts:src/b"),
        ("./db", "ts:src/db/index"),
        ("../lib/util", "ts:lib/util"),
        ("./missing", "ts:src/missing"),
        ("@/db", "ts:src/db/index"),
        ("lib/util", "ts:lib/util"),
        ("react", "ts:react"),
        ("react/jsx-runtime", "ts:react/jsx-runtime"),
        ("node:fs", "ts:fs"),
        ("@acme/pay", "ts:packages/pay/src/index"),
        ("@acme/pay/card", "ts:packages/pay/src/card"),
        ("@acme/payment", "ts:@acme/payment"),
    ],
)
def test_what_an_import_means(specifier: str, key: str) -> None:
    paths = frozenset({PATH, *OTHERS, "packages/pay/src/index.ts", "packages/pay/src/card.ts"})
    layout = Layout("shop", paths, 1500, (("packages/pay/package.json", "@acme/pay"),))
    assert imported_key(specifier, PATH, layout) == key


def test_a_package_is_known_by_the_name_others_import() -> None:
    reading = read("export const x = 1;", "pay/src/index.ts", declared=(("pay/package.json", "@acme/pay"),))
    assert "ts:@acme/pay = ." in lines(reading, "ts:pay/src/index")


def test_lines_are_those_of_the_text() -> None:
    reading = read("// head\n\nexport class A {\n  run() {\n    this.go();\n  }\n  go() {}\n}\n", PATH)
    assert {(each.name, each.line, each.end) for each in reading.entities} == {
        ("a", 1, 8),
        ("A", 3, 8),
        ("run", 4, 6),
        ("go", 7, 7),
    }
    assert [each.line for each in reading.statements if each.relation == "calls"] == [5]


def test_the_detail_of_a_function_is_its_signature() -> None:
    reading = read("export async function f(\n  a: string,\n): Promise<void> {\n  g();\n}", PATH)
    assert reading.entities[1].detail == "async function f( a: string, ): Promise<void>"
