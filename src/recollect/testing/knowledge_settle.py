"""What keys mean across files and projects, as tests; a part of `knowledge_contract`."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.knowledge import Alias, FileMark, Kept, Named, Reading, Said, Way, kept_of
from recollect.ports import Knowledge

SPACE = "contract"


def file(
    project: str,
    path: str,
    defines: Sequence[str] = (),
    *,
    said: Sequence[tuple[str, str, str]] = (),
    aliases: Sequence[tuple[str, str]] = (),
    kind: str = "class",
) -> Kept:
    """A file that defines these keys, called what they end in."""
    entities = tuple(Named(key, key.rpartition(".")[2], kind, line) for line, key in enumerate(defines, start=1))
    statements = tuple(Said(*each, line) for line, each in enumerate(said, start=1))
    named = tuple(Alias(*each) for each in aliases)
    return kept_of(Reading(project, path, FileMark(path, 1, 1), "python", (), entities, statements, named))


def meant(graph: Knowledge, files: Sequence[Kept], project: str, *keys: str) -> list[str]:
    """What these keys mean in that project."""
    uses = file(project, "uses.py", said=[("py:uses", f"r{number}", key) for number, key in enumerate(keys)])
    graph.put(SPACE, [*files, uses])
    graph.settle(SPACE)
    found = graph.about(SPACE, ["::py:uses"], way=Way.OUT)
    return [said.object for said in sorted(found, key=lambda said: int(said.relation[1:]))]


class SettleContract:
    """Rule by rule."""

    def test_a_key_defined_in_the_project_means_it(self, graph: Knowledge) -> None:
        files = [file("a", "m.py", ["py:m.X"]), file("b", "m.py", ["py:m.X"])]
        assert meant(graph, files, "b", "py:m.X", "py:m.Y") == ["b::py:m.X", "::py:m.Y"]

    def test_re_exports_are_followed_on_the_longest_head(self, graph: Knowledge) -> None:
        files = [
            file("req", "s.py", ["py:req.sessions.Session", "py:req.sessions.Session.get"]),
            file("req", "i.py", aliases=[("py:req.Session", "py:req.api.Session")]),
            file("req", "j.py", aliases=[("py:req.api.Session", "py:req.sessions.Session")]),
        ]
        found = meant(graph, files, "req", "py:req.Session", "py:req.Session.get", "py:req.Session.put")
        assert found == [
            "req::py:req.sessions.Session",
            "req::py:req.sessions.Session.get",
            "::py:req.sessions.Session.put",
        ]
        (node,) = graph.named(SPACE, ["req session get"])["req session get"]
        assert node.id == "req::py:req.sessions.Session.get"

    def test_a_star_means_every_name_below(self, graph: Knowledge) -> None:
        files = [
            file("p", "one.py", ["py:p.one.A"]),
            file("p", "two.py", ["py:p.two.B", "py:p.two.B.m"]),
            file("p", "i.py", aliases=[("py:p.*", "py:p.one.*"), ("py:p.*", "py:p.two.*")]),
        ]
        found = meant(graph, files, "p", "py:p.A", "py:p.B", "py:p.B.m", "py:p.C")
        assert found == ["p::py:p.one.A", "p::py:p.two.B", "p::py:p.two.B.m", "::py:p.C"]

    def test_an_alias_may_lead_outside(self, graph: Knowledge) -> None:
        files = [file("p", "i.py", aliases=[("py:p.np", "py:numpy")])]
        assert meant(graph, files, "p", "py:p.np", "py:p.np.array") == ["::py:numpy", "::py:numpy.array"]

    def test_aliases_in_a_circle_end(self, graph: Knowledge) -> None:
        circle = [("py:p.a", "py:p.b"), ("py:p.b", "py:p.a"), ("py:p.*", "py:p.*"), ("py:p.c", "py:p.c.d")]
        found = meant(graph, [file("p", "i.py", aliases=circle)], "p", "py:p.a", "py:p.c.x")
        assert all(id.startswith("::py:p.") for id in found)

    def test_a_member_may_come_from_a_base(self, graph: Knowledge) -> None:
        files = [
            file("p", "base.py", ["py:p.base.Base", "py:p.base.Base.run", "py:p.base.Base.stop"]),
            file("p", "left.py", ["py:p.left.Left", "py:p.left.Left.stop"],
                 said=[("py:p.left.Left", "inherits", "py:p.base.Base")]),
            file("p", "right.py", ["py:p.right.Right", "py:p.right.Right.run"],
                 said=[("py:p.right.Right", "inherits", "py:p.base.Base")]),
            file("p", "both.py", ["py:p.Both"],
                 said=[("py:p.Both", "inherits", "py:p.left.Left"), ("py:p.Both", "inherits", "py:p.right.Right")]),
        ]  # fmt: skip
        found = meant(graph, files, "p", "py:p.Both.run", "py:p.Both.stop", "py:p.left.Left.run", "py:p.Both.none")
        assert found == [
            "p::py:p.right.Right.run",
            "p::py:p.left.Left.stop",
            "p::py:p.base.Base.run",
            "::py:p.Both.none",
        ]

    def test_a_base_may_be_re_exported_by_another_project(self, graph: Knowledge) -> None:
        files = [
            file("lib", "core.py", ["py:lib.core.Base", "py:lib.core.Base.run"]),
            file("lib", "i.py", aliases=[("py:lib.Base", "py:lib.core.Base")]),
            file("app", "a.py", ["py:app.Mine"], said=[("py:app.Mine", "inherits", "py:lib.Base")]),
        ]
        assert meant(graph, files, "app", "py:app.Mine.run", "py:lib.Base.run") == ["lib::py:lib.core.Base.run"] * 2
        (inherits,) = graph.about(SPACE, ["app::py:app.Mine"], relations=frozenset({"inherits"}))
        assert inherits.object == "lib::py:lib.core.Base"

    def test_classes_that_inherit_in_a_circle_end(self, graph: Knowledge) -> None:
        said = [("py:p.A", "inherits", "py:p.B"), ("py:p.B", "inherits", "py:p.A")]
        files = [file("p", "a.py", ["py:p.A", "py:p.B", "py:p.B.run"], said=said)]
        assert meant(graph, files, "p", "py:p.A.run", "py:p.A.none") == ["p::py:p.B.run", "::py:p.A.none"]

    def test_of_several_other_projects_the_one_called_like_the_key_is_meant(self, graph: Knowledge) -> None:
        files = [file(project, "m.py", ["py:my_lib.X", "py:util.Y"]) for project in ("zeta", "my-lib", "alpha")]
        assert meant(graph, files, "app", "py:my_lib.X", "py:util.Y") == ["my-lib::py:my_lib.X", "alpha::py:util.Y"]

    def test_the_standard_library_is_not_another_projects_copy_of_it(self, graph: Knowledge) -> None:
        files = [file("stubs", "l.py", ["py:logging", "py:logging.info"]), file("app", "a.py", ["py:app.X"])]
        assert meant(graph, files, "app", "py:logging.info", "py:logging") == ["::py:logging.info", "::py:logging"]
        assert [node.project for node in graph.nodes(SPACE, ["stubs::py:logging.info"])] == ["stubs"]

    def test_a_name_means_the_one_thing_called_so(self, graph: Knowledge) -> None:
        files = [
            file("app", "a.py", ["py:app.Order"]),
            file("app", "t.sql", ["sql:lines.order"], kind="column"),
            file("other", "a.py", ["py:other.Order", "py:other.Invoice", "py:other.Bill"]),
            file("third", "a.py", ["py:third.Bill"]),
        ]
        found = meant(graph, files, "app", "name:order", "name:invoice", "name:bill", "name:nobody")
        assert found == ["app::py:app.Order", "other::py:other.Invoice", "::name:bill", "::name:nobody"]

    def test_settling_follows_what_changes(self, graph: Knowledge) -> None:
        files = [file("lib", "m.py", ["py:lib.X"])]
        assert meant(graph, files, "app", "py:lib.X") == ["lib::py:lib.X"]
        graph.remove(SPACE, "lib", ["m.py"])
        assert meant(graph, [], "app", "py:lib.X") == ["::py:lib.X"]
        graph.settle(SPACE)
        assert meant(graph, [file("lib", "n.py", ["py:lib.X"])], "app", "py:lib.X") == ["lib::py:lib.X"]
