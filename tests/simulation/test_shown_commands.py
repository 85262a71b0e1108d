"""The reader of cases: files, commands, what they print, and how that is replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.simulation.command import CommandOutput
from tests.simulation.shown_commands import as_text, read_cases, read_document, rewritten

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """# Title

`common.txt`: there in each case.

```
one
```

## First

`folder/own.txt`:

```
two
```

```
$ cat common.txt
one
$ r4 no-such-command
2> said
2>
[2]
$ python program.py
text
```

## Second

```
# named.txt
three
```

```
$ cat named.txt | r4 --version
```
"""


def test_each_heading_is_a_case_with_the_files_above_all() -> None:
    first, second = read_cases(TEXT)
    assert (first.title, second.title) == ("First", "Second")
    assert first.files == {"common.txt": "one\n", "folder/own.txt": "two\n"}
    assert second.files == {"common.txt": "one\n", "named.txt": "three\n"}
    assert [each.args for each in first.commands] == [None, ("no-such-command",)]
    assert first.commands[1].shown == CommandOutput(2, "", "said\n\n")
    (piped,) = second.commands
    assert (piped.piped, piped.args) == ("named.txt", ("--version",))


def test_a_document_is_one_case() -> None:
    found = read_document(TEXT)
    assert list(found.files) == ["common.txt", "folder/own.txt", "named.txt"]
    assert len(found.commands) == 3


def test_what_is_shown_is_replaced_by_what_is_printed() -> None:
    found = read_document(TEXT)
    outputs = {command: CommandOutput(3, "new\n", "and errors\n") for command in found.commands}
    text = rewritten(TEXT, outputs)
    assert [command.shown for command in read_document(text).commands] == list(outputs.values())
    assert "$ python program.py\ntext\n" in text
    same = {command: command.shown for command in found.commands}
    assert rewritten(TEXT, same) == TEXT


def test_a_command_is_run_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first, second = read_cases(TEXT)
    first.write_files(tmp_path)
    assert as_text(first.commands[0].run()) == "one\n"
    refused = as_text(first.commands[1].run())
    assert refused.startswith("2> Usage: r4")
    assert refused.endswith("\n[2]\n")
    second.write_files(tmp_path)
    assert second.commands[0].run().code == 0


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("```\n$ r4\n", "has no end"),
        ("`a.txt`:\n```\n```\n`a.txt`:\n```\n```\n", "a.txt stands there twice"),
        ("```\n$ r4 check\n```\n## Case\n", "above the first case"),
    ],
)
def test_a_text_that_is_wrong_is_refused(text: str, fault: str) -> None:
    with pytest.raises(AssertionError, match=fault):
        read_cases(text)
