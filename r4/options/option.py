"""An option as a field of a frozen dataclass: its type, default and help stand once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from enum import Enum, IntEnum, auto
from functools import cache
from inspect import get_annotations
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

OPTION: Final = "option"
"""The key of an `Option` in the metadata of a field."""
REQUIRED: Final = object()
"""In place of the default of an option that is not left out."""
_DECLARED: Final[dict[type, list[Option]]] = {}
_SEVERAL: Final = {tuple, Sequence, Iterable}


class ValueKind(Enum):
    """What a value is, where its type does not say it."""

    TEXT = auto()
    DURATION = auto()
    DURATIONS = auto()
    """Durations by name, as a mapping."""
    PERIOD = auto()
    """A duration, or months."""
    SIZE = auto()
    MEMORY = auto()
    """A size that the process itself has to fit in."""
    FORM = auto()
    """A form of answers, perhaps of another package."""
    PREFIXES = auto()
    """Pairs of a prefix and what it stands for, as a mapping."""
    ARGUMENT = auto()
    """No option: what stands on the line without a name."""


class Places(Enum):
    """Where a value has the path of a file or folder that is read or written."""

    NOWHERE = auto()
    WHOLE = auto()
    """``FILE``."""
    FRONT = auto()
    """``FILE[=INPUT]``: a file, perhaps for one input."""
    BACK = auto()
    """``IRI=FILE``."""
    INPUT = auto()
    """``VALUE[=INPUT]``: an input by its name."""


_PLACES: Final = {
    "FILE": Places.WHOLE,
    "DIR": Places.WHOLE,
    "FILE|FOLDER": Places.WHOLE,
    "FILE[=TABLE]": Places.FRONT,
    "IRI=FILE": Places.BACK,
    "FORMAT[=FILE]": Places.INPUT,
}
"""By what stands for a value in help."""
_PLACEHOLDERS: Final = {
    ValueKind.DURATION: "DURATION",
    ValueKind.DURATIONS: "IRI=DURATION",
    ValueKind.PERIOD: "DURATION",
    ValueKind.SIZE: "SIZE",
    ValueKind.MEMORY: "SIZE",
}


class Topic(IntEnum):
    """What an option is about, in the order in which they are shown."""

    COMMAND = 1
    DATA = 2
    RULES = 3
    TIME = 4
    ANSWERS = 5
    POSSIBLE = 6
    BOUNDS = 7
    STATE = 8
    SPARK = 9
    HOST = 10


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a class.

    Attributes:
        help: what it does, in a sentence.
        topic: what it is about.
        name: the field.
        default: the value without it; `REQUIRED`: it is not left out.
        annotation: the type of the field.
        spelling: on the command line; ``""``: its name with dashes.
        metavar: what stands for the value in help, if its kind does not say it; it says where a
            value has a path, too, see `places`.
        kind: what a value is.
        choices: the values, if the type does not say them.
        least: the smallest number.
        most: the largest number.
        table: the table, inside that of the command, in which files have values of the form
            ``KEY=VALUE`` by their keys; ``""``: there is none.
        bare: what it stands for without a value; None: it needs one, or is a flag.
        otherwise: the default in words, where it depends on more than the option.
        note: more for the reference and the library.
        library: what a user of `Engine` has instead; None: `Engine` has the option, or nobody
            would ask for it there.
        decides: whether answers depend on it, so that a state belongs to its value.
        shows_default: whether help shows the default.
        of_line: whether it has no sense but on the command line.
        hidden: whether help passes it over.
        repeats: whether an argument may stand several times.
        is_required: whether an argument that repeats stands once at least.
    """

    help: str
    topic: Topic
    name: str = ""
    default: Any = REQUIRED
    annotation: Any = str
    spelling: str = ""
    metavar: str = ""
    kind: ValueKind = ValueKind.TEXT
    choices: Sequence[str] = ()
    least: int | None = None
    most: int | None = None
    table: str = ""
    bare: str | None = None
    otherwise: str = ""
    note: str = ""
    library: str | None = None
    decides: bool = True
    shows_default: bool = False
    of_line: bool = False
    hidden: bool = False
    repeats: bool = False
    is_required: bool = False

    @property
    def spellings(self) -> tuple[str, ...]:
        """Its names on the command line, as ``-i --input-format``."""
        return tuple(self.spelling.split()) or ("--" + self.name.replace("_", "-"),)

    @property
    def key(self) -> str:
        """Its name in files and messages: the long one without dashes."""
        return next(name for name in self.spellings if name.startswith("--"))[2:]

    @property
    def placeholder(self) -> str:
        """What stands for the value in help; ``""``: its type says it."""
        return self.metavar or _PLACEHOLDERS.get(self.kind, "N" if self.is_number else "")

    @property
    def places(self) -> Places:
        """Where a value has a path."""
        default = Places.WHOLE if Path in self.types else Places.NOWHERE
        return _PLACES.get(self.metavar, default)

    @property
    def is_flag(self) -> bool:
        """Whether it is on or off."""
        return self.annotation is bool

    @property
    def is_number(self) -> bool:
        """Whether its values are whole numbers."""
        return self.kind is ValueKind.TEXT and int in self.types

    @property
    def is_multiple(self) -> bool:
        """Whether it may be given several times."""
        is_several = any(get_origin(each) in _SEVERAL for each in self.types)
        return is_several or self.kind in {ValueKind.PREFIXES, ValueKind.DURATIONS}

    @property
    def words(self) -> Sequence[str]:
        """The values, if they are a few words."""
        found = [get_args(each) for each in self.types if get_origin(each) is Literal]
        return self.choices or [word for some in found for word in some]

    @property
    def types(self) -> Sequence[Any]:
        """The types of its values, None left out."""
        is_union = get_origin(self.annotation) in {Union, UnionType}
        types = get_args(self.annotation) if is_union else (self.annotation,)
        return [each for each in types if each is not NoneType]


def option(help: str, topic: Topic, *, default: Any = None, **more: Any) -> Any:  # noqa: A002, ANN401 - as `field`
    """A field that is an option.

    Args:
        help: what it does, in a sentence.
        topic: what it is about.
        default: the value without it; `REQUIRED`: it is not left out.
        more: see `Option`.
    """
    metadata = {OPTION: Option(help, topic, default=default, **more)}
    return field(default=MISSING if default is REQUIRED else default, metadata=metadata)


def flag(help: str, topic: Topic, **more: Any) -> Any:  # noqa: A002, ANN401 - as `field`
    """An option that is on or off, by default off."""
    return option(help, topic, default=False, **more)


def several(help: str, topic: Topic, **more: Any) -> Any:  # noqa: A002, ANN401 - as `field`
    """An option that may be given several times, by default not at all."""
    return option(help, topic, default=(), **more)


def argument(metavar: str = "", **more: Any) -> Any:  # noqa: ANN401 - as `field`
    """A field that stands on the command line without a name; ``more`` is as of `option`."""
    return field(
        metadata={
            OPTION: Option("", Topic.COMMAND, metavar=metavar, kind=ValueKind.ARGUMENT, **more)
        }
    )


def arguments_of(of: type) -> tuple[Option, ...]:
    """The arguments of a dataclass, in order."""
    return tuple(each for each in _declared(of) if each.kind is ValueKind.ARGUMENT)


def options_of(of: type) -> tuple[Option, ...]:
    """The options of a dataclass, by topic, then in the order of its fields."""
    found = (each for each in _declared(of) if each.kind is not ValueKind.ARGUMENT)
    return tuple(sorted(found, key=lambda each: each.topic))


def types_of(of: type) -> dict[str, Any]:
    """The types of the fields of a dataclass, those of its bases as well: each is found once."""
    return {name: kind for base in of.__mro__[::-1] for name, kind in _own_types(base).items()}


@cache
def _own_types(of: type) -> dict[str, Any]:
    return get_annotations(of, eval_str=True)


def _declared(of: type) -> list[Option]:
    if of not in _DECLARED:  # types are texts until they are asked for, which takes a while
        types = types_of(of)
        _DECLARED[of] = [
            replace(each.metadata[OPTION], name=each.name, annotation=types[each.name])
            for each in fields(of)
            if OPTION in each.metadata
        ]
    return _DECLARED[of]


def by_key(of: type) -> dict[str, Option]:
    """The options of a dataclass by their keys."""
    return {each.key: each for each in options_of(of)}
