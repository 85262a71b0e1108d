"""A process that runs ``r4`` commands, each in a fork, and tells what each cost and touched.

Standard input has a command a line, a JSON list of arguments; standard output answers each with a
JSON object. What starting takes is paid once, before the forks. In a fork the audit hook of Python
notes what is opened, and limits end what explodes.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import tempfile
import traceback
from importlib import import_module

from r4.cli import COMMANDS, main
from r4.cli.mtl import COMMANDS as MTL

CPU_SECONDS = 3
"""What a command may use; each takes well under one on an ordinary machine."""
WALL_SECONDS = 60
"""After that it waits for something that does not come."""
BYTES = 2 << 30
"""Address space, so that an explosion of memory ends in an error, not in swapping."""

NOT_LOADED = {"r4.cli.commands.demo", "r4.cli.commands.bench", "r4.cli.commands.doctor"}
"""Commands that get no hostile input."""

CHANGES = {
    *("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate"),
    *("os.chmod", "os.chown", "os.utime", "shutil.copyfile", "shutil.move", "shutil.rmtree"),
}
"""What changes files without opening them."""
PROGRAMS = ("socket.", "subprocess.", "os.exec", "os.posix_spawn", "os.spawn", "os.system", "pty.")
"""How names begin of what reaches out of the process."""

Events = list[tuple[str, str]]


def _watch() -> Events:
    events: Events = []

    def note(event: str, args: tuple[object, ...]) -> None:
        if event in {"open", "os.listdir", "os.scandir"}:
            events.append((event, os.fsdecode(args[0]) if isinstance(args[0], str | bytes) else ""))
        elif event in CHANGES or event.startswith(PROGRAMS):
            events.append((event, repr(args)))

    sys.addaudithook(note)
    return events


def _in_fork(args: list[str], out: int, err: int, told: int) -> None:
    """Run the command; what was opened goes to ``told``."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(out, 1)
    os.dup2(err, 2)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(WALL_SECONDS)
    code = 70
    events = _watch()
    try:
        code = main(args)
    except BaseException:  # noqa: BLE001 - whatever it is, it is to be seen
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os.write(told, json.dumps(events[:1000]).encode())
    os._exit(code)


def run(args: list[str]) -> dict[str, object]:
    """What became of a command."""
    with (
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
        tempfile.TemporaryFile() as told,
    ):
        child = os.fork()
        if child == 0:
            _in_fork(args, out.fileno(), err.fileno(), told.fileno())
        _, status, usage = os.wait4(child, 0)
        texts = []
        for file in (out, err, told):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "surrogateescape"))
    return {
        "code": os.waitstatus_to_exitcode(status),
        "out": texts[0],
        "err": texts[1],
        "events": json.loads(texts[2] or "[]"),
        "cpu": usage.ru_utime + usage.ru_stime,
        "megabytes": usage.ru_maxrss / 1024,
    }


def serve() -> None:
    """Answer until standard input ends."""
    assert {each.module for each in COMMANDS.values()} >= NOT_LOADED
    commands = [each.module for each in (*COMMANDS.values(), *MTL.values())]
    for module in (*commands, "r4.imports", "r4.program.regimes"):
        if module not in NOT_LOADED:
            import_module(module)
    for line in sys.stdin:
        sys.stdout.write(json.dumps(run(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
