"""The import closure: every document once, its faults where they are, its constants kept apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from r4.imports import Closure, ImportedStream, ImportErrors, Locations, load
from r4.imports import import_closure as closures
from r4.imports.constant_scopes import with_locals_of
from r4.imports.profiles import STREAM, Profile
from rif.syntax.ast import Atom, Constant, Group
from rif.syntax.terms import IRI, GroundList, Local
from tests.generators.rules.parsers import parse, unparse

NOWHERE = Locations()


def document(body: str = "", *imports: str, window: str = "") -> str:
    lines = "\n".join(f"  Import({each})" for each in imports)
    group = f"\n  Group(\n    {body}\n  )" if body else ""
    return f"Document(\n  Prefix(ex <http://e/>)\n{lines}{window}{group}\n)"


def write(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.rif").write_text(text, "utf-8")
    return folder / "main.rif"


def closure_of(main: Path, where: Locations = NOWHERE, first: int = 7, **options) -> Closure:
    return load(parse(main.read_text("utf-8")), str(main), where, first, **options)


def faults(main: Path, where: Locations = NOWHERE) -> list[str]:
    """``file:line CODE`` of each."""
    with pytest.raises(ImportErrors) as caught:
        closure_of(main, where)
    assert len(caught.value.errors) == sum(len(part.errors) for part in caught.value.parts)
    return [
        f"{Path(part.name).stem}:{fault.span.line} {fault.code}"
        for part in caught.value.parts
        for fault in part.errors
    ]


def heads(closure: Closure) -> list[str]:
    return [unparse(each).split("Group(")[1].split()[0] for each in closure.documents]


def test_a_document_without_imports_is_its_own_closure() -> None:
    parsed = parse(document("ex:a(ex:b)"))
    closure = load(parsed, None, NOWHERE, 3)
    assert closure.documents == (parsed.document,)
    assert (closure.graphs, closure.streams, closure.profile) == ((), (), None)
    assert (closure.warnings, closure.report(), closure.next_number) == ((), "", 3)
    assert closure.name == "<text>"


def test_documents_come_nearest_first_and_once(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    main = write(
        tmp_path,
        main=document("ex:main(0)", "<b.rif>", "<c.rif>", "<./b.rif>"),
        b=document("ex:b(0)", "<sub/d.rif>", "<c>"),
        c=document("ex:c(0)"),
    )
    (tmp_path / "sub/d.rif").write_text(document("ex:d(0)"), "utf-8")
    closure = closure_of(main)
    assert heads(closure) == ["ex:main(0)", "ex:b(0)", "ex:c(0)", "ex:d(0)"]
    names = [Path(source.name).name for source in closure.sources]
    assert names == ["main.rif", "b.rif", "c.rif", "d.rif"]
    assert closure.next_number == 10


def test_a_circle_of_imports_ends(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        main=document("ex:main(0)", "<b.rif>", "<main.rif>", "<>"),
        b=document("ex:b(0)", "<main.rif>", "<http://e/b>", "<b>"),
    )
    closure = closure_of(main, Locations(catalogue={"http://e/b": tmp_path / "b.rif"}))
    assert heads(closure) == ["ex:main(0)", "ex:b(0)"]


def test_a_long_chain_of_imports_ends_at_the_limit(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(closures, "MOST", 5)
    chain = {f"c{i}": document(f"ex:c{i}(0)", f"<c{i + 1}.rif>") for i in range(9)}
    main = write(tmp_path, main=document("ex:main(0)", "<c0.rif>"), **chain)
    assert faults(main) == ["c3:3 R4307"]


def test_local_constants_of_imported_documents_are_their_own(tmp_path: Path) -> None:
    body = 'Forall ?x ( And( _p(?x) _o[_k -> List(_m "s" List(_n))] ) :- ?x = _v )'
    main = write(tmp_path, main=document(body, "<b.rif>", "<c.rif>"), b=document(body))
    (tmp_path / "c.rif").write_text(document("ex:c(ex:v)"), "utf-8")
    closure = closure_of(main)

    def locals_in(node: object) -> set[Local]:
        match node:
            case Local():
                return {node}
            case tuple():
                return set().union(*map(locals_in, node))
            case GroundList():
                return locals_in(node.items)
            case _ if hasattr(node, "__dataclass_fields__"):
                parts = (getattr(node, name) for name in node.__dataclass_fields__)
                return locals_in(tuple(parts))
        return set()

    first, second, third = closure.documents
    assert locals_in(first) == {Local(name) for name in "pokmnv"}
    assert locals_in(second) == {Local(name, 7) for name in "pokmnv"}
    assert locals_in(third) == set()
    assert with_locals_of(second, 0).group == first.group
    assert with_locals_of(third, 9) is third


def test_a_constant_has_one_role_in_all_documents(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        main=document("ex:discount(5)\n ex:ok(ex:i) _l(1)", "<b.rif>", "<c.rif>"),
        b=document("ex:ok(ex:x) \n ex:c[ex:discount -> 10]\n ex:i(_l)"),
        c=document("ex:c[ex:discount -> _p]  ex:ok(ex:y)"),
    )
    assert faults(main) == ["b:6 RIF203", "b:7 RIF203", "c:5 RIF203"]
    with pytest.raises(ImportErrors, match=r"individual here, but as predicate in .*main\.rif:6"):
        closure_of(main)


def test_faults_are_told_with_their_own_file_line_and_text(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        main=document("ex:a(0)", "<b.rif>", "<missing.rif>", "<c.rif>"),
        b=document("Forall ?x ?y ( ex:b(?y) :- ex:a(?x) )"),
        c="Document( Group( ex:unknown(0) ) )",
    )
    with pytest.raises(ImportErrors) as caught:
        closure_of(main)
    report = caught.value.report()
    assert f"{tmp_path / 'b.rif'}:5:" in report
    assert "Forall ?x ?y ( ex:b(?y) :- ex:a(?x) )" in report
    assert f"{tmp_path / 'c.rif'}:1:18: RIF" in report
    assert f"{main}:4:3: R4301" in report
    assert "rules:4:3: R4301" in caught.value.report("rules")
    assert faults(main)[0] == "main:4 R4301"


@pytest.mark.parametrize("data", [b"\xff\xfeD", b"D\xff", b""])
def test_what_is_no_text_or_no_document_is_refused(data: bytes, tmp_path: Path) -> None:
    main = write(tmp_path, main=document("ex:a(0)", "<b.rif>"))
    (tmp_path / "b.rif").write_bytes(data)
    assert faults(main)[0].startswith("b:1 RIF1")


def test_a_rule_document_may_be_written_in_xml(tmp_path: Path) -> None:
    main = write(tmp_path, main=document("ex:main(0)", "<b.rif>"))
    (tmp_path / "b.rif").write_text(
        '<Document xmlns="http://www.w3.org/2007/rif#"><directive><Import>'
        "<location>c.rif</location></Import></directive></Document>"
    )
    (tmp_path / "c.rif").write_text(document("ex:c(0)"), "utf-8")
    assert len(closure_of(main).documents) == 3


def test_a_document_that_is_too_large_is_not_read_to_its_end(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(closures, "LARGEST", 1000)
    main = write(tmp_path, main=document("ex:a(0)", "<b.rif>"), b=" " * 1001)
    assert faults(main) == ["main:3 R4306"]


def test_an_imported_document_may_be_lenient_if_the_main_one_is(tmp_path: Path) -> None:
    main = write(tmp_path, main=document("", "<b.rif>"), b=document("ex:a[ex:b -> word]"))
    assert faults(main)[0].startswith("b:5 RIF")
    closure = closure_of(main, lenient=True)
    assert [len(each.errors) for each in closure.warnings] == [1]
    assert "b.rif:5:" in closure.report()


def test_the_window_of_an_imported_document_is_not_used(tmp_path: Path) -> None:
    window = "\n  Window(5 s)"
    main = write(
        tmp_path,
        main=document("", "<b.rif>", window="\n  Window(1 s)"),
        b=document("ex:a(0)", window=window),
    )
    closure = closure_of(main)
    amounts = [each.window.amount if each.window else None for each in closure.documents]
    assert amounts == ["1", None]
    assert "b.rif:4:3: R4311 warning" in closure.report()


def test_graphs_and_documents_are_numbered_as_they_are_met(tmp_path: Path) -> None:
    for name in ("g.ttl", "h.nt"):
        (tmp_path / name).touch()
    simple, rdfs = (f"<http://www.w3.org/ns/entailment/{name}>" for name in ("Simple", "RDFS"))
    main = write(
        tmp_path,
        main=document("", f"<g.ttl> {simple}", "<b.rif>", f"<g> {rdfs}"),
        b=document("ex:b(_x)", f"<h.nt> {simple}"),
    )
    closure = closure_of(main)
    numbers = [(Path(each.path).name, each.number) for each in closure.graphs]
    assert numbers == [("g.ttl", 7), ("h.nt", 9)]
    fact = Atom(IRI("http://e/b"), (Constant(Local("x", 8)),))
    assert closure.documents[1].group == Group((fact,))
    assert closure.profile is Profile.RDFS
    assert closure.next_number == 10


def test_profiles_that_do_not_go_together_are_refused_over_documents(tmp_path: Path) -> None:
    (tmp_path / "g.ttl").touch()
    profile = "<http://www.w3.org/ns/entailment/"
    main = write(
        tmp_path,
        main=document("", f"<g.ttl> {profile}RDF>", "<b.rif>"),
        b=document("", f"<g.ttl> {profile}Simple>", f"<g.ttl> {profile}OWL-Direct>"),
    )
    assert faults(main) == ["b:4 R4313"]


def test_an_unknown_profile_is_refused(tmp_path: Path) -> None:
    main = write(tmp_path, main=document("", "<g.ttl> <http://e/profile>"))
    assert faults(main) == ["main:3 R4312"]


def test_a_stream_is_named_and_not_read(tmp_path: Path) -> None:
    (tmp_path / "s.nq").write_text("no quads", "utf-8")
    main = write(tmp_path, main=document("", f"<s> <{STREAM}>", f"<http://e/in> <{STREAM}>"))
    closure = closure_of(main, Locations(catalogue={"http://e/in": Path("-")}))
    path = tmp_path / "s.nq"
    assert closure.streams == (
        ImportedStream(str(path), path.as_uri()),
        ImportedStream("-", "http://e/in"),
    )
    assert closure.profile is None
    assert closure.next_number == 7


def test_rules_from_standard_input_have_that_name() -> None:
    parsed = parse(document("", "<b.rif>"))
    with pytest.raises(ImportErrors, match="R4301") as caught:
        load(parsed, "-", NOWHERE, 1)
    assert caught.value.report().startswith("<stdin>:3:3: R4301")
