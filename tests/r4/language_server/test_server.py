"""A client talks with ``r4 lsp`` over its standard input and output."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("pygls")

RULES = """@prefix ex: <urn:ex:> .
?x[ex:hot->"😋"] :- ?x # ex:Oven, pred:is-list(?x), ex:q(?w, ?x), ?v > 1.
"""


class Client:
    """Speaks JSON-RPC with a process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.uri = (folder / "rules.rif").as_uri()
        self.notes: list[dict] = []
        self._last = 0
        command = [sys.executable, "-m", "r4", "lsp", "--stdio"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder
        )

    def send(self, method: str, params: object, **more: object) -> None:
        data = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
        self._process.stdin.flush()

    def ask(self, method: str, params: object):
        self._last += 1
        self.send(method, params, id=self._last)
        while (message := self.read()).get("id") != self._last:
            self.notes.append(message)
        assert "error" not in message, message
        return message["result"]

    def at(self, method: str, line: int, character: int):
        place = {"line": line, "character": character}
        return self.ask(method, {"textDocument": {"uri": self.uri}, "position": place})

    def read(self):
        assert self._process.stdout is not None
        length = 0
        while (line := self._process.stdout.readline().strip()) != b"":
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        assert length
        return json.loads(self._process.stdout.read(length))

    def diagnostics(self):
        """Those that come next."""
        while (message := self.read()).get("method") != "textDocument/publishDiagnostics":
            self.notes.append(message)
        return message["params"]

    def end(self) -> int:
        self.ask("shutdown", None)
        self.send("exit", None)
        return self._process.wait(60)

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    found = Client(tmp_path)
    yield found
    found.kill()


def where(text: str, word: str) -> tuple[int, int]:
    """Line and column, in UTF-16, of the second character of a word."""
    before = text[: text.index(word) + 1]
    return before.count("\n"), len(before.rpartition("\n")[2].encode("utf-16-le")) // 2


@pytest.mark.slow
def test_a_client_is_answered(client: Client) -> None:
    (client.folder / "data.ttl").write_text("<urn:ex:a> <urn:ex:wet> 1 .", "utf-8")
    options = {"data": ["data.ttl", "missing.ttl"]}
    asked: dict[str, object] = {"processId": None, "rootUri": None, "capabilities": {}}
    found = client.ask("initialize", {**asked, "initializationOptions": options})
    assert found["serverInfo"]["name"] == "r4"
    client.send("initialized", {})
    document = {"uri": client.uri, "languageId": "rif", "version": 1, "text": RULES}
    client.send("textDocument/didOpen", {"textDocument": document})
    told = client.diagnostics()
    assert (told["uri"], told["version"]) == (client.uri, 1)
    (fault,) = told["diagnostics"]
    assert fault["code"] == "RIF302"
    assert "\nhint: " in fault["message"]
    line, column = where(RULES, "?v > 1")
    assert fault["range"]["start"] == {"line": line, "character": column - 1}

    line, column = where(RULES, "pred:is-list")
    hover = client.at("textDocument/hover", line, column)
    assert hover["contents"]["value"].startswith("`pred:is-list`: predicate, arguments: 1")
    assert hover["range"]["start"] == {"line": line, "character": column - 1}

    changed = f"{RULES}ex:q(?x, 1) :- ex:w"
    client.send(
        "textDocument/didChange",
        {"textDocument": {"uri": client.uri, "version": 2}, "contentChanges": [{"text": changed}]},
    )
    told = client.diagnostics()
    assert told["version"] == 2
    assert {each["code"] for each in told["diagnostics"]} == {"RIF101", "RIF302"}
    items = client.at("textDocument/completion", 2, 19)["items"]
    assert [each["label"] for each in items] == ["ex:wet"]
    assert items[0]["textEdit"]["newText"] == "ex:wet"
    assert items[0]["textEdit"]["range"]["start"] == {"line": 2, "character": 15}
    assert any("missing.ttl" in str(note) for note in client.notes)
    style = {"tabSize": 2, "insertSpaces": True}
    formatting = {"textDocument": {"uri": client.uri}, "options": style}
    assert client.ask("textDocument/formatting", formatting) is None

    fixed = RULES.replace("?v > 1", "?w > 1") + "ex:q(1, 2).\n"
    client.send(
        "textDocument/didChange",
        {"textDocument": {"uri": client.uri, "version": 3}, "contentChanges": [{"text": fixed}]},
    )
    assert client.diagnostics()["diagnostics"] == []
    (place,) = client.at("textDocument/definition", *where(RULES, "ex:q"))
    assert place["range"]["start"] == {"line": 2, "character": 0}
    (edit,) = client.ask("textDocument/formatting", formatting)
    assert edit["newText"].startswith('@prefix ex: <urn:ex:> .\n\n?x[ex:hot -> "😋"] :-')
    assert edit["range"]["end"] == {"line": 3, "character": 0}

    client.send("textDocument/didClose", {"textDocument": {"uri": client.uri}})
    assert client.diagnostics()["diagnostics"] == []
    assert client.at("textDocument/hover", 0, 0) is None
    assert client.end() == 0
