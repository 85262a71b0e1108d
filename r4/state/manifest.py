"""The manifest of a state: which command it belongs to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Final, NoReturn

from r4.checkpoint import other_version
from r4.options.option import options_of
from r4.options.run_options import RunCommandOptions
from r4.state.errors import DamagedState, NoState, OtherCommand, OtherStateVersion
from r4.state.files import SystemFiles, as_lost
from rif.builtins import Builtin

FORMAT: Final = "r4 state"
VERSION: Final = 4
_BEGIN_ANEW: Final = "name another folder to begin anew, or give the command of this one"
_OTHER_R4: Final = "go on with the R4 that wrote it, or name another folder to begin anew"
TAKE_OVER: Final = (
    "put changed imports back; `r4 state migrate DIR` lets this R4 take over what another one wrote"
)
OTHER_PROGRAM: Final = (
    "the state is of an R4 that compiles its rules otherwise, or reads other imports"
)


@dataclass(frozen=True, slots=True)
class RunCommandLine:
    """A command, as far as it decides what is told.

    Attributes:
        arguments: those of the command line, to give it again; of an engine there are none.
        options: the value of each option, as it stands behind its name; several with the name
            between them.
        streams: the streams, in order.
        numbered: whether lines have sequence numbers, as they go to standard output.
    """

    arguments: Sequence[str]
    options: Mapping[str, str]
    streams: Sequence[str]
    numbered: bool


@dataclass(frozen=True, slots=True)
class Manifest:
    """Which command a state belongs to; to refuse another raises `OtherCommand`.

    Attributes:
        state: a name of chance, which its journals bear.
        program: the fingerprint of the compiled rules.
        functions: the versions of the functions of one's own that the rules call, by IRI.
        rules: what the file of the rules said when the run began, in Latin-1.
        command: the command.
    """

    state: str
    program: str
    functions: Mapping[str, str]
    rules: str
    command: RunCommandLine

    @classmethod
    def of(
        cls, program: str, functions: Mapping[str, str], rules: bytes, command: RunCommandLine
    ) -> Manifest:
        """The manifest of a new state."""
        return cls(token_hex(8), program, functions, rules.decode("latin-1"), command)

    def check_is_run(self) -> None:
        """Refuse the state of an engine."""
        if not self.command.arguments:
            message = "the state is of an engine of the library, not of `r4 run`"
            raise OtherCommand(message, "name another folder; `r4.Engine` opens this one")

    def check_command(self, command: RunCommandLine) -> None:
        """Refuse other options or streams."""
        if self.command.streams != command.streams:
            message = f"the state is of the streams {' '.join(self.command.streams) or '(none)'}"
            raise OtherCommand(message, _BEGIN_ANEW)
        for name in sorted({*self.command.options, *command.options}):
            was, now = self.command.options.get(name), command.options.get(name)
            if was != now:
                keys = {each.name: each.key for each in options_of(RunCommandOptions)}
                option = keys.get(name, name.replace("_", "-"))
                message = f"the state is of a run with --{option} {was or '(not given)'}"
                raise OtherCommand(message, _BEGIN_ANEW)

    def check_program(self, program: str) -> None:
        """Refuse rules that are compiled otherwise."""
        if self.program != program:
            raise OtherCommand(OTHER_PROGRAM, _OTHER_R4)

    def refuse_rules(self, folder: Path) -> NoReturn:
        """Refuse what the file of the rules says now; the state is in ``folder``."""
        message = "the state is of other rules than the file has now"
        hint = (
            f"`r4 state migrate {folder}` lets these take it over; or put back what was read last"
        )
        raise OtherCommand(message, hint)

    def write(self, files: SystemFiles, path: Path) -> None:
        """Write it, whole or not at all."""
        content = asdict(self)
        document = {"format": FORMAT, "version": VERSION, "sha256": _sum(content), **content}
        data = json.dumps(document, indent=1).encode() + b"\n"
        with as_lost(path):
            files.replace(path, lambda file: file.write(data))

    @classmethod
    def read(cls, path: Path) -> Manifest:
        """Read it.

        Raises:
            StateError: it is none, of another format, not as it was written, or cannot be read.
        """
        with as_lost(path):
            data = path.read_bytes()
        try:
            found = json.loads(data)
            if not isinstance(found, dict) or found.get("format") != FORMAT:
                message = f"{path} is no manifest of a state"
                raise NoState(message, "name an empty folder, or one that does not exist")
            if found.get("version") != VERSION:
                message = f"{path} has version {found.get('version')!r:.20}, not {VERSION}"
                raise OtherStateVersion(message, _OTHER_R4)
            content = {each.name: found[each.name] for each in fields(cls)}
            if found.get("sha256") == _sum(content) and _is_content(content):
                command = RunCommandLine(**content.pop("command"))
                return cls(command=command, **content)
        except (ValueError, KeyError, TypeError, RecursionError):
            pass
        message = f"{path} is damaged"
        raise DamagedState(message)


def check_functions(saved: Mapping[str, str], builtins: Mapping[str, Builtin]) -> None:
    """Refuse other functions than those of a saved run, its versions by IRI.

    Raises:
        OtherCommand: one is missing, or of another version.
    """
    if wrong := other_version(saved, builtins):
        message = f"the state is of a run that {wrong}"
        raise OtherCommand(message, "give the function that it had, or name another folder")


def _is_content(content: Mapping[str, object]) -> bool:
    """Whether values have their types; a checksum is no signature."""
    command = content["command"]
    if not isinstance(command, dict):
        return False
    texts = [content[name] for name in ("state", "program", "rules")]
    for mapping in (content["functions"], command["options"]):
        if not isinstance(mapping, dict):
            return False
        texts += mapping.values()
    for sequence in (command["arguments"], command["streams"]):
        if not isinstance(sequence, list):
            return False
        texts += sequence
    str(content["rules"]).encode("latin-1")  # a ValueError if it is none
    return all(isinstance(text, str) for text in texts) and isinstance(command["numbered"], bool)


def _sum(content: object) -> str:
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
