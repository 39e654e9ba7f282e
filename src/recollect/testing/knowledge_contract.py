"""What every graph must do, as tests. Subclass it and supply a pytest fixture called `graph`:

    class TestMine(KnowledgeContract):
        @pytest.fixture
        def graph(self): return MyGraph()

Each test gets a fresh, empty graph.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.knowledge import (
    Alias,
    Chunk,
    FileMark,
    Kept,
    Named,
    Reading,
    Said,
    Statement,
    Triple,
    Way,
    kept_of,
)
from recollect.ports import Knowledge
from recollect.testing.knowledge_settle import SettleContract

SPACE = "contract"
MARK = FileMark("digest", 10, 1)


def kept(
    project: str,
    path: str,
    *,
    entities: Sequence[Named] = (),
    said: Sequence[Said] = (),
    aliases: Sequence[Alias] = (),
    chunks: Sequence[tuple[int, int, str]] = (),
    mark: FileMark = MARK,
) -> Kept:
    """A reading on its way in; chunks as first line, last line and id."""
    cut = tuple(Chunk(id, start, end) for start, end, id in chunks)
    reading = Reading(project, path, mark, "python", cut, tuple(entities), tuple(said), tuple(aliases))
    return kept_of(reading, [id for _, _, id in chunks])


def ends(found: Sequence[Statement]) -> list[tuple[str, str, str]]:
    """Statements without their places."""
    return [(each.subject, each.relation, each.object) for each in found]


ORDER = Named("py:shop.Order", "Order", "class", 3, 20, "an order", ("purchase",))
TOTAL = Named("py:shop.Order.total", "total", "method", 5, 9)
SHOP = kept(
    "shop",
    "shop.py",
    entities=[Named("py:shop", "shop", "module", 1, 30), ORDER, TOTAL],
    said=[
        Said("py:shop", "defines", "py:shop.Order", 3),
        Said("py:shop.Order", "contains", "py:shop.Order.total", 5),
        Said("py:shop.Order.total", "calls", "py:math.fsum", 7, "a sum", 0.5),
        Said("py:shop.Order.total", "calls", "py:math.fsum", 7, "a sum", 0.5),
        Said("py:shop.Order.total", "calls", "py:math.fsum", 8),
    ],
    chunks=[(1, 2, "m1"), (3, 20, "m2"), (5, 9, "m3")],
)


class FilesContract:
    """Which files are kept, and what of them."""

    def test_a_space_that_is_not_there_is_empty(self, graph: Knowledge) -> None:
        graph.settle(SPACE)
        graph.remove(SPACE, "shop", ["shop.py"])
        graph.forget(SPACE)
        assert graph.files(SPACE, "shop") == {}
        assert graph.chunks_of(SPACE, "shop", ["shop.py"]) == {}
        assert graph.projects(SPACE) == []
        assert graph.nodes(SPACE, ["shop::py:shop"]) == []
        assert graph.named(SPACE, ["shop"]) == {}
        assert graph.resembling(SPACE, "shop", limit=5) == []
        assert graph.about(SPACE, ["shop::py:shop"]) == []
        assert graph.relations(SPACE) == []

    def test_marks_and_chunks_are_given_back(self, graph: Knowledge) -> None:
        graph.put(SPACE, [SHOP, kept("shop", "empty.py")])
        assert graph.files(SPACE, "shop") == {"empty.py": MARK, "shop.py": MARK}
        assert graph.files(SPACE, "other") == {}
        found = graph.chunks_of(SPACE, "shop", ["shop.py", "empty.py", "none.py"])
        assert found == {"shop.py": ("m1", "m2", "m3"), "empty.py": ()}

    def test_a_file_that_was_left_out_keeps_only_its_mark(self, graph: Knowledge) -> None:
        graph.put(SPACE, [SHOP])
        graph.put(SPACE, [Kept("shop", "shop.py", FileMark("new", 1, 2), skipped="binary")])
        graph.settle(SPACE)
        assert graph.files(SPACE, "shop") == {"shop.py": FileMark("new", 1, 2)}
        assert graph.chunks_of(SPACE, "shop", ["shop.py"]) == {"shop.py": ()}
        assert graph.nodes(SPACE, ["shop::py:shop.Order"]) == []
        (project,) = graph.projects(SPACE)
        assert project == ("shop", 0, 0, 0, 0)

    def test_putting_a_file_again_replaces_all_of_it_and_nothing_else(self, graph: Knowledge) -> None:
        other = kept("shop", "b.py", entities=[Named("py:b", "b", "module", 1)], chunks=[(1, 1, "m9")])
        graph.put(SPACE, [SHOP, other])
        changed = kept(
            "shop",
            "shop.py",
            entities=[Named("py:shop", "shop", "module", 1)],
            said=[Said("py:shop", "imports", "py:b", 1)],
            mark=FileMark("new", 5, 6),
        )
        graph.put(SPACE, [changed])
        graph.settle(SPACE)
        assert graph.files(SPACE, "shop") == {"b.py": MARK, "shop.py": FileMark("new", 5, 6)}
        assert graph.chunks_of(SPACE, "shop", ["b.py", "shop.py"]) == {"b.py": ("m9",), "shop.py": ()}
        assert graph.named(SPACE, ["order", "total", "fsum", "purchase"]) == {}
        assert ends(graph.about(SPACE, ["shop::py:shop"])) == [("shop::py:shop", "imports", "shop::py:b")]

    def test_removed_files_are_gone(self, graph: Knowledge) -> None:
        graph.put(SPACE, [SHOP])
        graph.remove(SPACE, "other", ["shop.py"])
        graph.settle(SPACE)
        assert len(graph.nodes(SPACE, ["shop::py:shop"])) == 1
        graph.remove(SPACE, "shop", ["shop.py", "none.py"])
        graph.settle(SPACE)
        assert graph.files(SPACE, "shop") == {}
        assert graph.nodes(SPACE, ["shop::py:shop", "::py:math.fsum"]) == []
        assert graph.resembling(SPACE, "order", limit=5) == []

    def test_projects_are_counted(self, graph: Knowledge) -> None:
        graph.put(SPACE, [SHOP, kept("bank", "b.py", entities=[ORDER, ORDER._replace(line=9)])])
        graph.state(SPACE, "facts", [Triple("Ana", "knows", "Bo")])
        graph.settle(SPACE)
        assert graph.projects(SPACE) == [("bank", 1, 0, 1, 0), ("shop", 1, 3, 3, 4)]

    def test_spaces_are_apart(self, graph: Knowledge) -> None:
        graph.put(SPACE, [SHOP])
        graph.settle(SPACE)
        graph.put("another", [kept("shop", "other.py")])
        assert graph.files("another", "shop").keys() == {"other.py"}
        assert graph.named("another", ["order"]) == {}
        graph.forget("another")
        assert len(graph.nodes(SPACE, ["shop::py:shop.Order"])) == 1

    def test_forgetting_a_project_leaves_the_others(self, graph: Knowledge) -> None:
        user = kept("till", "t.py", said=[Said("py:till", "imports", "py:shop", 1)])
        graph.put(SPACE, [SHOP, user])
        graph.settle(SPACE)
        assert ends(graph.about(SPACE, ["shop::py:shop"], way=Way.IN)) == [("::py:till", "imports", "shop::py:shop")]
        graph.forget(SPACE, "shop")
        assert [project.project for project in graph.projects(SPACE)] == ["till"]
        assert ends(graph.about(SPACE, ["::py:till"])) == [("::py:till", "imports", "::py:shop")]
        assert graph.named(SPACE, ["order"]) == {}
        graph.forget(SPACE)
        assert graph.projects(SPACE) == []
        assert graph.about(SPACE, ["::py:till"]) == []


class NodesContract:
    """Named things."""

    def test_a_node_is_what_its_definitions_say(self, graph: Knowledge) -> None:
        again = kept("shop", "zoo.py", entities=[Named("py:shop.Order", "Order", "class", 1, aliases=("deal",))])
        graph.put(SPACE, [again, SHOP])
        graph.settle(SPACE)
        (node,) = graph.nodes(SPACE, ["shop::py:shop.Order"])
        assert (node.key, node.name, node.kind, node.project) == ("py:shop.Order", "Order", "class", "shop")
        assert (node.detail, node.aliases) == ("an order", ("purchase", "deal"))
        assert node.places == (("shop.py", 3), ("zoo.py", 1))

    def test_a_thing_nobody_defines_is_a_node_too(self, graph: Knowledge) -> None:
        graph.put(SPACE, [SHOP])
        graph.settle(SPACE)
        (node,) = graph.nodes(SPACE, ["::py:math.fsum", "none", "shop::py:math.fsum"])
        assert (node.key, node.name, node.project, node.places) == ("py:math.fsum", "fsum", "", ())

    def test_nodes_come_in_the_order_asked_for(self, graph: Knowledge) -> None:
        graph.put(SPACE, [SHOP])
        graph.settle(SPACE)
        ids = ["shop::py:shop.Order.total", "shop::py:shop", "shop::py:shop.Order"]
        assert [node.id for node in graph.nodes(SPACE, ids)] == ids

    def test_names_lead_to_nodes(self, graph: Knowledge) -> None:
        graph.put(SPACE, [SHOP])
        graph.settle(SPACE)
        names = [
            "order",
            "purchase",
            "order total",
            "shop order total",
            "total",
            "math fsum",
            "fsum",
            "none",
            "shop total",
        ]
        found = {name: [node.id for node in nodes] for name, nodes in graph.named(SPACE, names).items()}
        order, total = "shop::py:shop.Order", "shop::py:shop.Order.total"
        assert found == {
            "order": [order],
            "purchase": [order],
            "order total": [total],
            "shop order total": [total],
            "total": [total],
            "math fsum": ["::py:math.fsum"],
            "fsum": ["::py:math.fsum"],
        }

    def test_names_are_narrowed_to_projects_and_owned_things_come_first(self, graph: Knowledge) -> None:
        def one(project: str) -> Kept:
            here = Named(f"py:{project}.load", "load", "function", 1)
            said = [Said(here.key, "calls", "py:json.load", 2)] if project != "c" else []
            return kept(project, "a.py", entities=[here], said=said)

        graph.put(SPACE, [one("b"), one("a"), one("c")])
        graph.settle(SPACE)
        everywhere = graph.named(SPACE, ["load"])["load"]
        assert [node.id for node in everywhere] == ["a::py:a.load", "b::py:b.load", "c::py:c.load", "::py:json.load"]
        in_b = graph.named(SPACE, ["load"], projects=frozenset({"b"}))["load"]
        assert [node.id for node in in_b] == ["b::py:b.load", "::py:json.load"]
        in_c = graph.named(SPACE, ["load"], projects=frozenset({"c", "none"}))["load"]
        assert [node.id for node in in_c] == ["c::py:c.load"]
        assert graph.named(SPACE, ["load"], projects=frozenset({"none"})) == {}

    def test_names_written_alike_are_found_best_first(self, graph: Knowledge) -> None:
        names = ["PaymentGateway", "payment_gate", "PaymentAdapter", "Order"]
        entities = [Named(f"py:p.{name}", name, "class", 1) for name in names]
        graph.put(SPACE, [kept("p", "p.py", entities=entities), SHOP])
        graph.settle(SPACE)
        found = graph.resembling(SPACE, "payment gatway", limit=3)
        assert [node.name for node, _ in found] == ["PaymentGateway", "payment_gate", "PaymentAdapter"]
        likeness = [alike for _, alike in found]
        assert likeness == sorted(likeness, reverse=True)
        assert 0 < likeness[-1] < likeness[0] < 1
        assert graph.resembling(SPACE, "Payment Gateway", limit=1)[0][1] == 1.0
        assert graph.resembling(SPACE, "payment", limit=0) == []
        assert graph.resembling(SPACE, "xyzzy", limit=5) == []
        in_shop = graph.resembling(SPACE, "ordr", limit=5, projects=frozenset({"shop"}))
        assert [node.id for node, _ in in_shop] == ["shop::py:shop.Order"]
        assert [node.id for node, _ in graph.resembling(SPACE, "purchse", limit=1)] == ["shop::py:shop.Order"]


class StatementsContract:
    """What is said of them."""

    def test_statements_carry_their_place_and_the_memory_that_holds_it(self, graph: Knowledge) -> None:
        graph.put(SPACE, [SHOP])
        graph.settle(SPACE)
        first, second = graph.about(SPACE, ["::py:math.fsum"])
        total = "shop::py:shop.Order.total"
        assert first == Statement(total, "calls", "::py:math.fsum", 0.5, "shop", "shop.py", 7, "a sum", "m3")
        assert (second.line, second.weight, second.sentence, second.memory) == (8, 1.0, "", "m3")
        (defines,) = graph.about(SPACE, ["shop::py:shop"])
        assert defines.memory == "m2"

    def test_ways_and_relations_narrow(self, graph: Knowledge) -> None:
        graph.put(SPACE, [SHOP])
        graph.settle(SPACE)
        module, order, total = "shop::py:shop", "shop::py:shop.Order", "shop::py:shop.Order.total"
        inward = [(module, "defines", order)]
        outward = [(order, "contains", total)]
        assert ends(graph.about(SPACE, [order], way=Way.IN)) == inward
        assert ends(graph.about(SPACE, [order], way=Way.OUT)) == outward
        assert ends(graph.about(SPACE, [order])) == sorted(inward + outward)
        assert ends(graph.about(SPACE, [order], relations=frozenset({"contains"}))) == outward
        assert graph.about(SPACE, [order], relations=frozenset({"calls"})) == []
        assert ends(graph.about(SPACE, [module, order])) == sorted(inward + outward)
        assert graph.about(SPACE, []) == []

    def test_projects_narrow_to_what_they_say(self, graph: Knowledge) -> None:
        graph.put(SPACE, [SHOP, kept("till", "t.py", said=[Said("py:till", "calls", "py:shop.Order", 4)])])
        graph.settle(SPACE)
        found = graph.about(SPACE, ["shop::py:shop.Order"], projects=frozenset({"till"}))
        assert ends(found) == [("::py:till", "calls", "shop::py:shop.Order")]

    def test_a_limit_counts_for_each_node(self, graph: Knowledge) -> None:
        said = [Said(f"py:{user}", "calls", f"py:{used}", 1) for user in "ab" for used in ("x", "y", "z")]
        graph.put(SPACE, [kept("p", "p.py", said=said)])
        graph.settle(SPACE)
        found = graph.about(SPACE, ["::py:a", "::py:b"], limit=2)
        both = [(f"::py:{user}", "calls", f"::py:{used}") for user in "ab" for used in "xy"]
        assert ends(found) == both
        assert ends(graph.about(SPACE, ["::py:z"], limit=1)) == [("::py:a", "calls", "::py:z")]
        assert graph.about(SPACE, ["::py:z"], limit=0) == []

    def test_relations_are_counted_by_facts(self, graph: Knowledge) -> None:
        graph.put(SPACE, [SHOP, kept("till", "t.py", said=[Said("py:till", "imports", "py:shop", 1)])])
        graph.settle(SPACE)
        assert graph.relations(SPACE) == [
            ("calls", 1, "method", "external"),
            ("contains", 1, "class", "method"),
            ("defines", 1, "module", "class"),
            ("imports", 1, "external", "module"),
        ]


class TriplesContract:
    """Statements given by hand."""

    def test_triples_make_nodes_that_keep_the_name_as_written(self, graph: Knowledge) -> None:
        triples = [
            Triple("The Blue Boat", "directed by", "Ana Ortiz", "It was Ana.", "m7", 0.5),
            Triple("the blue boat", "directed by", "ana ortiz", "", "m7"),
            Triple("the blue boat", "directed by", "ana ortiz", "", "m8"),
        ]
        graph.state(SPACE, "films", triples)
        graph.settle(SPACE)
        (node,) = graph.named(SPACE, ["the blue boat"])["the blue boat"]
        assert (node.id, node.name, node.project) == ("::name:the blue boat", "The Blue Boat", "")
        first, second = graph.about(SPACE, [node.id])
        assert (first.object, first.relation) == ("::name:ana ortiz", "directed by")
        assert (first.project, first.path, first.line) == ("", "films", 0)
        assert (first.sentence, first.memory, first.weight) == ("It was Ana.", "m7", 0.5)
        assert second.memory == "m8"
        assert graph.relations(SPACE)[0][:2] == ("directed by", 1)

    def test_a_collection_is_replaced_whole_and_beside_others(self, graph: Knowledge) -> None:
        graph.state(SPACE, "one", [Triple("A", "r", "B"), Triple("A", "r", "C")])
        graph.state(SPACE, "two", [Triple("A", "r", "D")])
        graph.state(SPACE, "one", [Triple("A", "r", "E")])
        graph.settle(SPACE)
        assert [said.object for said in graph.about(SPACE, ["::name:a"])] == ["::name:d", "::name:e"]
        graph.state(SPACE, "one", [])
        graph.settle(SPACE)
        assert [said.object for said in graph.about(SPACE, ["::name:a"])] == ["::name:d"]
        assert graph.named(SPACE, ["e"]) == {}

    def test_what_a_memory_stated_is_erased_with_it_and_names_nobody_says_any_more(self, graph: Knowledge) -> None:
        graph.state(SPACE, "memories", [Triple("A", "r", "B", "A is B.", "m1"), Triple("A", "r", "C", "", "m2")])
        graph.settle(SPACE)
        graph.erase(SPACE, ["m1", "nobody"])
        assert [said.object for said in graph.about(SPACE, ["::name:a"])] == ["::name:c"]
        assert graph.named(SPACE, ["b"]) == {}
        graph.erase(SPACE, ["m2"])
        assert graph.named(SPACE, ["a", "c"]) == {}
        assert graph.relations(SPACE) == []

    def test_a_file_goes_whole_with_one_of_its_pieces_and_no_other_does(self, graph: Knowledge) -> None:
        other = kept("shop", "cart.py", entities=[Named("py:cart", "cart", "module", 1, 2)], chunks=[(1, 2, "m9")])
        graph.put(SPACE, [SHOP, other])
        graph.settle(SPACE)
        graph.erase(SPACE, ["m3"])
        assert list(graph.files(SPACE, "shop")) == ["cart.py"], "without its mark it is read again"
        assert graph.named(SPACE, ["order"]) == {}
        assert graph.named(SPACE, ["cart"])

    def test_it_knows_whether_it_may_hold_anything(self, graph: Knowledge) -> None:
        assert not graph.holds(SPACE)
        graph.state(SPACE, "one", [Triple("A", "r", "B")])
        assert graph.holds(SPACE)
        assert not graph.holds("elsewhere")


class KnowledgeContract(FilesContract, NodesContract, StatementsContract, TriplesContract, SettleContract):
    """All of it."""
