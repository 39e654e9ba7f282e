"""Small projects of several files: what one file writes down and another defines are the same thing in the end."""

from __future__ import annotations

import pytest

from recollect.graph.meanings import Facts, Meanings
from recollect.knowledge import Relation
from recollect.reading.code import read_code
from recollect.reading.manifests import declared_names, is_manifest
from recollect.reading.outline import Layout

TYPESCRIPT = {
    "packages/pay/package.json": '{"name": "@acme/pay"}',
    "packages/pay/src/index.ts": "export * from './gateway';\nexport { Card as PaymentCard } from './card';\n",
    "packages/pay/src/card.ts": "export class Card {\n  check() {}\n}\n",
    "packages/pay/src/gateway.ts": (
        "import { Card } from './card';\n\nexport abstract class Base {\n  log() {}\n}\n\n"
        "export class Gateway extends Base {\n  charge(card: Card) {\n    card.check();\n    this.log();\n  }\n}\n"
    ),
    "apps/shop/orders.ts": (
        "import { Gateway, PaymentCard } from '@acme/pay';\nimport repo from './repo';\n\n"
        "export class OrderService {\n  constructor(private readonly gateway: Gateway) {}\n\n"
        "  place(card: PaymentCard) {\n    card.check();\n    this.gateway.charge(card);\n"
        "    this.gateway.log();\n    repo.save();\n  }\n}\n"
    ),
    "apps/shop/repo.ts": "const repo = {\n  save() {},\n};\nexport default repo;\n",
    "apps/shop/server.js": (
        "const express = require('express');\nconst { OrderService } = require('./orders');\nconst app = express();\n"
        "const service = new OrderService();\n\napp.post('/orders', (req, res) => {\n  service.place(req.body);\n});\n"
    ),
}
GO = {
    "go.mod": "module acme.io/shop\n",
    "orders/service.go": (
        'package orders\n\nimport "acme.io/shop/pay"\n\n'
        "type Service struct {\n\tgateway *pay.Gateway\n\trepo    *Repo\n}\n\n"
        "func (s *Service) Place() error {\n\ts.gateway.Charge()\n"
        "\ts.gateway.Log()\n\ts.repo.Save()\n\treturn check()\n}\n"
    ),
    "orders/repo.go": (
        "package orders\n\ntype Repo struct{}\n\nfunc (r *Repo) Save() {}\n\nfunc check() error { return nil }\n"
    ),
    "pay/gateway.go": (
        "package pay\n\ntype Base struct{}\n\nfunc (b *Base) Log() {}\n\n"
        "type Gateway struct {\n\tBase\n}\n\nfunc (g *Gateway) Charge() {}\n"
    ),
    "cmd/shop/main.go": (
        'package main\n\nimport (\n\t"net/http"\n\n\t"acme.io/shop/orders"\n)\n\nfunc main() {\n'
        "\tservice := &orders.Service{}\n"
        '\thttp.HandleFunc("POST /orders", func(w http.ResponseWriter, r *http.Request) {\n'
        "\t\tservice.Place()\n\t})\n}\n"
    ),
}
JAVA = {
    "src/main/java/com/acme/pay/Gateway.java": (
        "package com.acme.pay;\n\npublic class Gateway extends Base {\n  public void charge() { log(); }\n}\n"
    ),
    "src/main/java/com/acme/pay/Base.java": "package com.acme.pay;\n\nclass Base {\n  void log() {}\n}\n",
    "src/main/java/com/acme/orders/Repo.java": "package com.acme.orders;\n\ninterface Repo {\n  void save();\n}\n",
    "src/main/java/com/acme/orders/OrderService.java": (
        "package com.acme.orders;\n\nimport com.acme.pay.*;\n\n@RestController\n"
        '@RequestMapping("/orders")\npublic class OrderService {\n'
        "  private final Gateway gateway;\n  private Repo repo;\n\n  @PostMapping\n"
        "  public void place() {\n    gateway.charge();\n    repo.save();\n  }\n}\n"
    ),
}
RUST = {
    "Cargo.toml": '[package]\nname = "acme-shop"\n',
    "src/lib.rs": "pub mod orders;\npub mod pay;\npub use pay::Gateway;\n",
    "src/pay.rs": (
        "pub trait Log {\n    fn log(&self) {}\n}\n\npub struct Gateway;\n\nimpl Log for Gateway {}\n\nimpl Gateway {\n"
        "    pub fn new() -> Self {\n        Gateway\n    }\n    pub fn charge(&self) {}\n}\n"
    ),
    "src/orders/mod.rs": (
        "mod repo;\n\nuse self::repo::Repo;\nuse crate::Gateway;\n\n"
        "pub struct Service {\n    gateway: Gateway,\n    repo: Box<Repo>,\n}\n\n"
        "impl Service {\n    pub fn place(&self) {\n        self.gateway.charge();\n"
        "        self.gateway.log();\n        self.repo.save();\n        crate::pay::Gateway::new();\n    }\n}\n"
    ),
    "src/orders/repo.rs": "pub struct Repo;\n\nimpl Repo {\n    pub fn save(&self) {}\n}\n",
}
PROJECTS = {
    "typescript": (
        TYPESCRIPT,
        {
            "packages/pay/src/gateway#Gateway.charge -> packages/pay/src/card#Card.check",
            "packages/pay/src/gateway#Gateway.charge -> packages/pay/src/gateway#Base.log",
            "apps/shop/orders#OrderService.place -> packages/pay/src/card#Card.check",
            "apps/shop/orders#OrderService.place -> packages/pay/src/gateway#Gateway.charge",
            "apps/shop/orders#OrderService.place -> packages/pay/src/gateway#Base.log",
            "apps/shop/orders#OrderService.place -> apps/shop/repo#repo.save",
            "apps/shop/server -> apps/shop/orders#OrderService",
            "POST /orders -> apps/shop/orders#OrderService.place",
        },
        {"packages/pay/src/gateway#Gateway -> packages/pay/src/gateway#Base"},
    ),
    "go": (
        GO,
        {
            "acme.io/shop/orders.Service.Place -> acme.io/shop/pay.Gateway.Charge",
            "acme.io/shop/orders.Service.Place -> acme.io/shop/pay.Base.Log",
            "acme.io/shop/orders.Service.Place -> acme.io/shop/orders.Repo.Save",
            "acme.io/shop/orders.Service.Place -> acme.io/shop/orders.check",
            "POST /orders -> acme.io/shop/orders.Service.Place",
        },
        {"acme.io/shop/pay.Gateway -> acme.io/shop/pay.Base"},
    ),
    "java": (
        JAVA,
        {
            "com.acme.pay.Gateway.charge -> com.acme.pay.Base.log",
            "com.acme.orders.OrderService.place -> com.acme.pay.Gateway.charge",
            "com.acme.orders.OrderService.place -> com.acme.orders.Repo.save",
        },
        {"com.acme.pay.Gateway -> com.acme.pay.Base"},
    ),
    "rust": (
        RUST,
        {
            "acme_shop::orders::Service::place -> acme_shop::pay::Gateway::charge",
            "acme_shop::orders::Service::place -> acme_shop::pay::Log::log",
            "acme_shop::orders::Service::place -> acme_shop::orders::repo::Repo::save",
            "acme_shop::orders::Service::place -> acme_shop::pay::Gateway::new",
        },
        {"acme_shop::pay::Gateway -> acme_shop::pay::Log"},
    ),
}


def settled(files: dict[str, str], relation: Relation) -> set[str]:
    """The statements of a relation whose both ends some file of the project defines, as `subject -> object`."""
    declared = declared_names((path, text.encode()) for path, text in files.items() if is_manifest(path))
    layout = Layout("shop", frozenset(files), 1500, declared)
    readings = [read_code(path, text.encode(), layout) for path, text in files.items() if not is_manifest(path)]
    facts = Facts()
    for reading in readings:
        for entity in reading.entities:
            facts.define("shop", entity.key, entity.kind, (entity.name,))
        for alias in reading.aliases:
            facts.alias("shop", alias.key, alias.target)
        for said in reading.statements:
            if said.relation == Relation.INHERITS:
                facts.inherit("shop", said.subject, said.object)
    meanings = Meanings(facts)
    found = [
        (meanings.means("shop", said.subject), meanings.means("shop", said.object))
        for reading in readings
        for said in reading.statements
        if said.relation == relation
    ]
    return {
        f"{subject[1].partition(':')[2]} -> {object[1].partition(':')[2]}"
        for subject, object in found
        if meanings.is_own(*subject) and meanings.is_own(*object)
    }


@pytest.mark.parametrize("language", PROJECTS)
def test_calls_across_files_are_exactly_those_of_the_project(language: str) -> None:
    files, calls, _ = PROJECTS[language]
    assert settled(files, Relation.CALLS) == calls


@pytest.mark.parametrize("language", PROJECTS)
def test_bases_across_files_are_exactly_those_of_the_project(language: str) -> None:
    files, _, bases = PROJECTS[language]
    assert settled(files, Relation.INHERITS) == bases


def test_imports_lead_to_the_files_they_name() -> None:
    found = settled(TYPESCRIPT, Relation.IMPORTS)
    assert "apps/shop/orders -> packages/pay/src/gateway#Gateway" in found
    assert "apps/shop/orders -> packages/pay/src/index" in found
    assert "apps/shop/orders -> packages/pay/src/card#Card" in found
    assert "apps/shop/server -> apps/shop/orders#OrderService" in found
