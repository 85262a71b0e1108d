"""The language server on standard input and output."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from r4 import __version__
from r4.language import LANGUAGE
from r4.language_server.completion import Completion, completions
from r4.language_server.data_names import DataNames
from r4.language_server.definitions import definitions
from r4.language_server.diagnostics import faults, is_text_of_xml
from r4.language_server.hover import hover
from r4.language_server.positions import Position, Positions
from rif.errors.base import RuleError, Span
from rif.errors.report import RuleErrors
from rif.text.formatter import format_text

_SEVERITIES: Final = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
}
_KINDS: Final = {
    "prefix": types.CompletionItemKind.Module,
    "builtin": types.CompletionItemKind.Function,
    "keyword": types.CompletionItemKind.Keyword,
    "predicate": types.CompletionItemKind.Property,
}


class RuleServer(LanguageServer):
    """Speaks the protocol with a client, about the documents that it has open.

    Attributes:
        data: The names in the data files that the client has named.
    """

    def __init__(self) -> None:
        # Whole texts: a part would be counted in lines that pygls splits at other characters, too.
        super().__init__("r4", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self.data = DataNames((), self.say)

    def say(self, message: str) -> None:
        """A line in the log that the client shows."""
        self.window_log_message(types.LogMessageParams(types.MessageType.Warning, message))

    def positions(self, uri: str) -> Positions | None:
        """The text of an open document; None: the client has none, and nothing is read for it."""
        document = self.workspace.text_documents.get(uri)
        if document is None:
            return None
        encoding = types.PositionEncodingKind(self.workspace.position_encoding)
        return Positions(document.source, encoding.value)

    def check(self, uri: str) -> None:
        """Tell the client what is wrong with a document."""
        positions = self.positions(uri)
        if positions is None:
            return
        found = faults(positions.text, uri)
        diagnostics = [_diagnostic(fault, positions) for fault in found.errors]
        if found.more:
            self.say(f"{uri}: {found.more} more faults are not listed")
        version = self.workspace.text_documents[uri].version
        params = types.PublishDiagnosticsParams(uri, diagnostics, version)
        self.text_document_publish_diagnostics(params)


# what a client tells


def initialise(ls: RuleServer, params: types.InitializeParams) -> None:
    """Take the options: ``{"data": ["readings.nq"]}``."""
    options = params.initialization_options
    given = options.get("data", []) if isinstance(options, dict) else []
    if isinstance(given, list) and all(isinstance(path, str) for path in given):
        ls.data = DataNames(tuple(given), ls.say)
    else:
        ls.say("the initialisation option data is a list of paths; it is left out")


def opened(ls: RuleServer, params: types.DidOpenTextDocumentParams) -> None:
    """Check a document that was opened."""
    ls.check(params.text_document.uri)


def changed(ls: RuleServer, params: types.DidChangeTextDocumentParams) -> None:
    """Check a document that was changed."""
    ls.check(params.text_document.uri)


def closed(ls: RuleServer, params: types.DidCloseTextDocumentParams) -> None:
    """Take back what was wrong with a document."""
    ls.text_document_publish_diagnostics(
        types.PublishDiagnosticsParams(params.text_document.uri, [])
    )


# what a client asks


def describe(ls: RuleServer, params: types.HoverParams) -> types.Hover | None:
    """What is known of a built-in or a keyword."""
    positions = ls.positions(params.text_document.uri)
    if positions is None:
        return None
    found = hover(positions.text, _offset(positions, params.position))
    if found is None:
        return None
    content = types.MarkupContent(types.MarkupKind.Markdown, found.text)
    return types.Hover(content, _range_of(positions, found.begin, found.end))


def complete(ls: RuleServer, params: types.CompletionParams) -> types.CompletionList | None:
    """What may go on."""
    uri = params.text_document.uri
    positions = ls.positions(uri)
    if positions is None:
        return None
    path = to_fs_path(uri)
    names = frozenset[str]() if path is None else ls.data.beside(Path(path).parent)
    offset = _offset(positions, params.position)
    found = completions(positions.text, offset, names)
    place = _range_of(positions, found.begin, offset)
    items = [_item(each, place) for each in found.items]
    return types.CompletionList(is_incomplete=False, items=items)


def define(ls: RuleServer, params: types.DefinitionParams) -> list[types.Location] | None:
    """The heads with a predicate."""
    uri = params.text_document.uri
    positions = ls.positions(uri)
    if positions is None:
        return None
    spans = definitions(positions.text, _offset(positions, params.position))
    return [types.Location(uri, _range(positions, span)) for span in spans]


def lay_out(ls: RuleServer, params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
    """The text as ``r4 fmt`` lays it out; nothing where it cannot be read, or is XML."""
    positions = ls.positions(params.text_document.uri)
    if positions is None or is_text_of_xml(positions.text):
        return None
    try:
        text = format_text(positions.text, language=LANGUAGE)
    except RuleErrors:  # they are among the diagnostics
        return None
    if text == positions.text:
        return []
    return [types.TextEdit(_range_of(positions, 0, len(positions.text)), text)]


def make_server() -> RuleServer:
    """A server that does all of the above."""
    server = RuleServer()
    server.feature(types.INITIALIZE)(initialise)
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(opened)
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(changed)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(closed)
    server.feature(types.TEXT_DOCUMENT_HOVER)(describe)
    options = types.CompletionOptions(trigger_characters=[":", "@", "<"])
    server.feature(types.TEXT_DOCUMENT_COMPLETION, options)(complete)
    server.feature(types.TEXT_DOCUMENT_DEFINITION)(define)
    server.feature(types.TEXT_DOCUMENT_FORMATTING)(lay_out)
    return server


def serve() -> None:
    """Serve on standard input and output until the client ends it."""
    # It closes what it writes to, and the command has to flush standard output at its end.
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as output:
        make_server().start_io(stdout=output)


def _diagnostic(fault: RuleError, positions: Positions) -> types.Diagnostic:
    hint = f"\nhint: {fault.hint}" if fault.hint else ""
    return types.Diagnostic(
        range=_range(positions, fault.span),
        message=fault.message + hint,
        severity=_SEVERITIES[fault.severity],
        code=fault.code,
        source="r4",
    )


def _item(completion: Completion, place: types.Range) -> types.CompletionItem:
    return types.CompletionItem(
        label=completion.text,
        kind=_KINDS[completion.kind],
        detail=completion.detail or None,
        filter_text=completion.text,
        text_edit=types.TextEdit(place, completion.text),
    )


def _offset(positions: Positions, position: types.Position) -> int:
    return positions.offset(position.line, position.character)


def _range(positions: Positions, span: Span) -> types.Range:
    begin, end = positions.ends(span)
    return _between(begin, end)


def _range_of(positions: Positions, begin: int, end: int) -> types.Range:
    return _between(positions.position(begin), positions.position(end))


def _between(begin: Position, end: Position) -> types.Range:
    return types.Range(types.Position(*begin), types.Position(*end))
