"""Sources of other packages, by scheme and suffix: entry points of the group ``r4.sources``.

A scheme such as ``mqtt:`` or a suffix such as ``.log`` gives a `SourceType`, or its function alone.
The page docs/connectors.md shows a whole package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

from r4.extras import extension
from r4.rdf.documents import Format, RdfDocument
from r4.rdf.files import UNBOUNDED, ReadingBounds
from r4.sources.formats import RdfSource
from r4.sources.input_formats import GROUP, extension_key
from r4.sources.transport import Transport, TransportSource
from r4.stream.source import Source, StreamOptions

READER_OPTIONS: Final = frozenset({"input-format", "mapping", "context", "time-predicate"})
"""The options that R4's readers heed, so each source that `SourceRequest.read` makes."""
SILENCE_OPTIONS: Final = frozenset({"idle", "quiet-for", "clock"})
"""The options that need a `descriptor`, as silence is seen by it."""
INPUT_OPTIONS: Final = READER_OPTIONS | SILENCE_OPTIONS | {"max-expanded"}
"""The options that a source may ignore; what is about elements counts for all."""


@dataclass(frozen=True, slots=True)
class SourceRequest:
    """A user's request to a source of another package, from the command line.

    Attributes:
        place: the URL, or the name of the file.
        number: which document of the run it is; its blank nodes are ``_:dN_LABEL``.
        options: how streams are read: ticks, delays, the time predicate, ``strict`` and so on.
        format: what ``-i`` names for it; None: nothing.
        mapping: the file of ``--mapping`` for it; None: none. `r4.sources.tables` reads it.
        contexts: the pairs (IRI, file) of ``--context``.
        most_expanded: the bytes of ``--max-expanded``; None: not given.
    """

    place: str
    number: int
    options: StreamOptions
    format: Format | None = None
    mapping: str | None = None
    contexts: tuple[tuple[str, str], ...] = ()
    most_expanded: int | None = None

    def read(self, transport: Transport, default: Format = Format.N_QUADS) -> TransportSource:
        """A source whose payloads R4 reads as it reads a file of their format and mapping.

        ``request.read(MyTransport(request.place), Format.NDJSON)`` is all of a source.

        Args:
            transport: delivers the bytes.
            default: their format if the user names none.

        Raises:
            InputError: the format cannot be read as it arrives, or lacks its mapping.
        """
        document = RdfDocument(
            self.place,
            self.number,
            self.format or default,
            mapping=self.mapping,
            contexts=self.contexts,
            is_carried=True,
        )
        return TransportSource(document, transport, time_predicate=self.options.time_predicate)


SourceFactory: TypeAlias = Callable[[SourceRequest], Source]
"""Makes a source."""


@dataclass(frozen=True, slots=True)
class SourceType:
    """The sources of a scheme or suffix: what an entry point gives.

    Attributes:
        open: makes one.
        heeds: the long names, without hyphens in front, of the options that its sources heed;
            the others of `INPUT_OPTIONS` are refused for them.
    """

    open: SourceFactory
    heeds: frozenset[str] = frozenset()


def source_type(place: str) -> SourceType:
    """The sources of another package to which a place belongs; a bare function heeds no option."""
    key = extension_key(place)
    found = None if key is None else extension(GROUP, key)
    assert found is not None
    return found if isinstance(found, SourceType) else SourceType(cast("SourceFactory", found))


def open_sources(
    documents: Iterable[RdfDocument], options: StreamOptions, bounds: ReadingBounds = UNBOUNDED
) -> Sequence[Source]:
    """Streams, opened in their order; ``bounds`` may end the reading of those that R4 reads.

    Raises `InputError` if one cannot be opened, or is no stream.
    """
    sources = [_open_source(document, options) for document in documents]
    for each in sources:
        if isinstance(each, RdfSource):
            each.heed(bounds)
    return sources


def _open_source(document: RdfDocument, options: StreamOptions) -> Source:
    if document.format != Format.EXTENSION:
        return RdfSource(document, time_predicate=options.time_predicate)
    request = SourceRequest(
        document.path,
        document.number,
        options,
        document.asked,
        document.mapping,
        document.contexts,
        document.most_expanded,
    )
    return source_type(document.path).open(request)
