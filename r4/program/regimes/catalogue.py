"""The catalogue of entailment regimes: by name, which rule texts each is made of."""

from __future__ import annotations

from collections.abc import Container, Iterator
from functools import cache
from types import MappingProxyType
from typing import Final

from rif.syntax import ast
from rif.syntax.terms import IRI, RDF_LANG_STRING, XSD_STRING
from rif.syntax.traversal import clause_of, rules, subformulas
from rif.text.parser import parse

AUXILIARY: Final = "urn:r4:entailment#"
"""The namespace of the predicates that only rules of a regime read."""

_TEXTS: Final = MappingProxyType(
    {
        "simple": (),
        "rdf": ("datatypes", "rdf"),
        "rdfs": ("datatypes", "rdf", "rdfs"),
        "d": ("datatypes", "rdf", "rdfs", "d"),
        "owl-rl": ("datatypes", "owl-rl"),
    }
)
REGIMES: Final = tuple(_TEXTS)
"""The names of the regimes."""

_RECOGNISED: Final = IRI(AUXILIARY + "recognised")
_ALWAYS: Final = frozenset({XSD_STRING, RDF_LANG_STRING})
"""What every interpretation of RDF recognises [RDF11-MT, 8]."""


@cache
def regime(name: str, recognised: frozenset[str] | None = None) -> ast.Document:
    """The rules of a regime, each annotated with its name.

    They expect literals of one value to be one term, as `rif.values.datatypes.value_of` makes them.

    Args:
        name: one of `REGIMES`. ``simple`` has no rules; ``d`` is ``rdfs`` with all datatypes of
            RIF-DTB [RIF-RDF-OWL, 5.1].
        recognised: the IRIs of the datatypes whose literals have a meaning, beside xsd:string and
            rdf:langString, which always have; None: those of the text.

    Raises:
        KeyError: there is no such regime.
    """
    parts = [_text(part) for part in _TEXTS[name]]
    groups: list[ast.Rule | ast.Group] = [part.group for part in parts if part.group]
    prefixes = {prefix: iri for part in parts for prefix, iri in part.prefixes}
    if recognised is not None:
        groups = list(_without(groups, _RECOGNISED))
        groups += [_is_recognised(datatype) for datatype in sorted(recognised | _ALWAYS)]
    return ast.Document(prefixes=tuple(prefixes.items()), group=ast.Group(tuple(groups)))


def rule_name(rule: ast.Rule) -> str | None:
    """The name of a rule of a regime in its table, such as ``prp-dom``; None: it has none.

    Rules that derive only auxiliary predicates have no name in a table.
    """
    if _derives(rule) or rule.meta is None or not isinstance(rule.meta.iri, IRI):
        return None
    return rule.meta.iri.value.rpartition("#")[2]


def select(document: ast.Document, names: Container[str]) -> ast.Document:
    """The rules of a regime that have one of ``names``, with the auxiliary ones they need."""
    everything = list(rules(document))
    kept = [rule for rule in everything if rule_name(rule) in names]
    needed = {op for rule in kept for op in _reads(rule)}
    queue = list(needed)
    by_head: dict[IRI, list[ast.Rule]] = {}
    for rule in everything:
        for op in _derives(rule):
            by_head.setdefault(op, []).append(rule)
    while queue:
        for rule in by_head.get(queue.pop(), ()):
            found = set(_reads(rule)) - needed
            needed |= found
            queue += found
    items = tuple(
        rule
        for rule in everything
        if rule_name(rule) in names or needed.intersection(_derives(rule))
    )
    return ast.Document(prefixes=document.prefixes, group=ast.Group(items))


@cache
def _text(name: str) -> ast.Document:
    from importlib.resources import files

    source = files(__package__).joinpath(f"{name}.rif").read_text("utf-8")
    return parse(source, name=f"{name}.rif", check=False).document


def _heads(rule: ast.Rule) -> tuple[ast.Formula, ...]:
    clause = clause_of(rule)
    return clause.head if isinstance(clause, ast.Implies) else (clause,)


def _auxiliaries(formula: ast.Formula) -> Iterator[IRI]:
    atoms = (each for each in subformulas(formula) if isinstance(each, ast.Atom))
    names = (atom.op for atom in atoms if isinstance(atom.op, IRI))
    return (name for name in names if name.value.startswith(AUXILIARY))


def _derives(rule: ast.Rule) -> set[IRI]:
    return {op for head in _heads(rule) for op in _auxiliaries(head)}


def _reads(rule: ast.Rule) -> set[IRI]:
    clause = clause_of(rule)
    return set(_auxiliaries(clause.body)) if isinstance(clause, ast.Implies) else set()


def _without(items: list[ast.Rule | ast.Group], op: IRI) -> Iterator[ast.Rule | ast.Group]:
    """The items but for the rules and facts that derive ``op``."""
    for item in items:
        if isinstance(item, ast.Group):
            yield ast.Group(tuple(_without(list(item.items), op)), meta=item.meta)
        elif op not in _derives(item):
            yield item


def _is_recognised(datatype: str) -> ast.Atom:
    return ast.Atom(_RECOGNISED, (ast.Constant(IRI(datatype)),), meta=ast.Meta(_RECOGNISED))
