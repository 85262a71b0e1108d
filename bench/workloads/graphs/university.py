"""A university after LUBM [Guo05]: an ontology, and as many assertions as requested.

The ontology stands in ``university.ttl``; ``university-more.ttl`` adds what some contestant leaves
out. Their blank nodes become IRIs here, so that two closures can be compared as sets. The
assertions come department by department, ten to a university, and go on for ever; the first n are
the same however many are requested. Some people and cards are met under two names, which
owl:sameAs, a functional and an inverse functional property make one. Nothing is inconsistent.

Everything follows from `random.Random(seed).random()`, whose sequence Python keeps from release to
release.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import chain, count, islice
from pathlib import Path
from typing import Final, TypeAlias

from pyoxigraph import BlankNode, NamedNode, RdfFormat, parse

from bench.workloads.stream_terms import INTEGER, RDF_TYPE, SAME_AS

ONTOLOGY: Final = "http://university.example/ontology#"
DATA: Final = "http://university.example/data/"
DEPARTMENTS: Final = 10
"""Departments of a university."""
UNIVERSITIES: Final = 500
"""How many universities degrees are from; those beyond the described ones are only named."""
_SEED: Final = 20050101
_COUNTRIES: Final = ("Nordland", "Sudland", "Ostland", "Westland")
_RANKS: Final = ("FullProfessor", "AssociateProfessor", "AssistantProfessor", "Lecturer")
_KINDS: Final = ("JournalArticle", "ConferencePaper", "TechnicalReport", "Book")
_GROUPS: Final = 4
_COURSES: Final = 20
_STAFF: Final = 14
_GRADUATES: Final = 16
_UNDERGRADUATES: Final = 44

Individual: TypeAlias = tuple[str, list[str]]
"""An IRI, and the triples about it as N-Triples without the final dot."""
_Draw: TypeAlias = Callable[[], float]


def ontology(*, more: bool = False) -> list[str]:
    """The triples of the ontology as N-Triples lines, in the order of the file."""
    names = ["university.ttl", "university-more.ttl"] if more else ["university.ttl"]
    return [line for name in names for line in _lines(Path(__file__).with_name(name))]


def _lines(path: Path) -> Iterator[str]:
    met: dict[str, NamedNode] = {}
    for quad in parse(path=path, format=RdfFormat.TURTLE):
        s, o = (
            met.setdefault(str(term), NamedNode(f"{ONTOLOGY}{path.stem}-{len(met) + 1}"))
            if isinstance(term, BlankNode)
            else term
            for term in (quad.subject, quad.object)
        )
        yield f"{s} {quad.predicate} {o} .\n"


def assertions(triples: int) -> Iterator[str]:
    """The first ``triples`` assertions as N-Triples lines."""
    lines = (f"{triple} .\n" for _, triples in individuals() for triple in triples)
    return islice(lines, triples)


def graph(triples: int, *, more: bool = False) -> Iterator[str]:
    """A graph of ``triples`` in all: the ontology first, then assertions."""
    schema = ontology(more=more)
    return chain(schema, assertions(max(triples - len(schema), 0)))


def individuals() -> Iterator[Individual]:
    """Everybody and everything, without end."""
    draw = random.Random(_SEED).random  # noqa: S311 - a workload, not a secret
    for number in count():
        university = _data(f"university{number}")
        yield (
            university,
            [
                f"{university} {RDF_TYPE} {_term('University')}",
                f'{university} {_term("name")} "University {number}"',
                f"{university} {_term('country')} {_term(_COUNTRIES[number % 4])}",
            ],
        )
        for place in range(DEPARTMENTS):
            yield from _department(f"{number}/department{place}", university, draw)


def _department(key: str, university: str, draw: _Draw) -> Iterator[Individual]:
    department = _data(f"university{key}")
    yield (
        department,
        [
            f"{department} {RDF_TYPE} {_term('Department')}",
            f'{department} {_term("name")} "Department {key}"',
            f"{department} {_term('subOrganizationOf')} {university}",
        ],
    )
    for number in range(_GROUPS):
        group = _part(key, "group", number)
        yield (
            group,
            [
                f"{group} {RDF_TYPE} {_term('ResearchGroup')}",
                f"{group} {_term('subOrganizationOf')} {department}",
            ],
        )
    for number in range(_COURSES):
        course = _part(key, "course", number)
        kind = "GraduateCourse" if number % 2 else "Course"
        yield (
            course,
            [
                f"{course} {RDF_TYPE} {_term(kind)}",
                f'{course} {_term("name")} "Course {number}"',
            ],
        )
    for number in range(_STAFF):
        yield from _teacher(key, number, department, draw)
    for number in range(_GRADUATES + _UNDERGRADUATES):
        yield from _student(key, number, department, draw)


def _teacher(key: str, number: int, department: str, draw: _Draw) -> Iterator[Individual]:
    teacher = _part(key, "teacher", number)
    triples = _person(
        teacher, _RANKS[number * len(_RANKS) // _STAFF], key, f"teacher{number}", draw
    )
    role = "worksFor" if number else "headOf"
    triples.append(f"{teacher} {_term(role)} {department}")
    triples.extend(
        f"{teacher} {_term(degree)} {_somewhere(draw)}"
        for degree in ("undergraduateDegreeFrom", "mastersDegreeFrom", "doctoralDegreeFrom")
    )
    triples.extend(
        f"{teacher} {_term('teacherOf')} {_part(key, 'course', course)}"
        for course in range(number, _COURSES, _STAFF)
    )
    if number % 3 == 1:
        other = _part(key, "teacher", int(draw() * number))
        triples.append(f"{teacher} {_term('collaboratesWith')} {other}")
    yield teacher, triples
    for place in range(2 + int(draw() * 6)):
        paper = _part(key, f"teacher{number}/paper", place)
        student = _part(key, "student", int(draw() * _GRADUATES))
        yield (
            paper,
            [
                f"{paper} {RDF_TYPE} {_term(_KINDS[int(draw() * len(_KINDS))])}",
                f'{paper} {_term("name")} "Paper {place} of {number}"',
                f"{paper} {_term('publicationAuthor')} {teacher}",
                f"{paper} {_term('publicationAuthor')} {student}",
            ],
        )
    if number in {3, 8}:
        yield _alias(teacher, key, f"teacher{number}", draw)


def _student(key: str, number: int, department: str, draw: _Draw) -> Iterator[Individual]:
    student = _part(key, "student", number)
    graduate = number < _GRADUATES
    kind = "GraduateStudent" if graduate else "UndergraduateStudent"
    triples = _person(student, kind, key, f"student{number}", draw)
    triples.append(f"{student} {_term('memberOf')} {department}")
    courses = {int(draw() * _COURSES / 2) * 2 + graduate for _ in range(2 if graduate else 4)}
    triples.extend(
        f"{student} {_term('takesCourse')} {_part(key, 'course', course)}"
        for course in sorted(courses)
    )
    if graduate or number % 5 == 0:
        advisor = _part(key, "teacher", int(draw() * _STAFF * 0.75))
        triples.append(f"{student} {_term('advisor')} {advisor}")
    if graduate:
        triples.append(f"{student} {_term('undergraduateDegreeFrom')} {_somewhere(draw)}")
        if number % 4 == 0:
            course = _part(key, "course", int(draw() * _COURSES))
            triples.append(f"{student} {_term('teachingAssistantOf')} {course}")
        elif number % 4 == 1:
            group = _part(key, "group", int(draw() * _GROUPS))
            triples.append(f"{student} {_term('worksFor')} {group}")
    if number % 20 == 0:
        cards = (_part(key, f"student{number}/card", place) for place in range(2))
        triples.extend(f"{student} {_term('hasCard')} {card}" for card in cards)
    yield student, triples
    if number in {5, 30}:
        yield _alias(student, key, f"student{number}", draw)


def _person(iri: str, kind: str, key: str, name: str, draw: _Draw) -> list[str]:
    return [
        f"{iri} {RDF_TYPE} {_term(kind)}",
        f'{iri} {_term("name")} "{name.capitalize()}"',
        f'{iri} {_term("emailAddress")} "{name}@{key.replace("/", ".")}.example"',
        f'{iri} {_term("telephone")} "{int(draw() * 1e7):07}"',
        f'{iri} {_term("age")} "{18 + int(draw() * 50)}"^^{INTEGER}',
        f"{iri} {_term('mailbox')} {_mailbox(key, name)}",
    ]


def _alias(person: str, key: str, name: str, draw: _Draw) -> Individual:
    """A second name of somebody: every other one is told to be, the rest shares the mailbox."""
    alias = _part(key, "alias", int(draw() * 1e6))
    triples = [
        f"{alias} {RDF_TYPE} {_term('Person')}",
        f"{alias} {_term('mailbox')} {_mailbox(key, name)}",
        f"{alias} {_term('degreeFrom')} {_somewhere(draw)}",
    ]
    if draw() < 0.5:  # noqa: PLR2004 - a half
        triples.append(f"{alias} {SAME_AS} {person}")
    return alias, triples


def _somewhere(draw: _Draw) -> str:
    return _data(f"university{int(draw() * UNIVERSITIES)}")


def _mailbox(key: str, name: str) -> str:
    return f"<mailto:{name}@{key.replace('/', '.')}.example>"


def _part(key: str, kind: str, number: int) -> str:
    return _data(f"university{key}/{kind}{number}")


def _data(path: str) -> str:
    return f"<{DATA}{path}>"


def _term(name: str) -> str:
    return f"<{ONTOLOGY}{name}>"
