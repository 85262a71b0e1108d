"""Run one command and write down what it used. A program of its own, and as small as it can be.

The kernel counts towards the peak of a process what it occupied before `exec`. So the peak of a
command that a large process starts is at least that of its parent; this one is hardly any.

Where the system tells it (Linux), the memory in use is looked at once a second.

usage: launch.py REPORT COMMAND ...
"""

import json
import os
import signal
import sys
import time

_PAGE = os.sysconf("SC_PAGE_SIZE")


def _watch(process: int) -> list[int]:
    """A list that gets the resident set of a process, in bytes, once a second."""
    found: list[int] = []

    def look(*_: object) -> None:
        try:
            with open(f"/proc/{process}/statm", encoding="ascii") as file:  # noqa: PTH123
                found.append(int(file.read().split()[1]) * _PAGE)
        except (OSError, IndexError):
            pass  # it has just ended, or there is no such file

    if os.path.exists(f"/proc/{process}/statm"):  # noqa: PTH110
        signal.signal(signal.SIGALRM, look)
        signal.setitimer(signal.ITIMER_REAL, 1, 1)
    return found


def main(report: str, command: list[str]) -> int:
    """Run ``command`` on this process's own input and output; its exit code."""
    begun = time.perf_counter()
    child = os.posix_spawnp(command[0], command, os.environ)
    resident = _watch(child)
    _, status, resources = os.wait4(child, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)  # an alarm while the interpreter ends would kill it
    seconds = time.perf_counter() - begun
    unit = 1 if sys.platform == "darwin" else 1024  # bytes there, kibibytes elsewhere
    usage = {
        "seconds": seconds,
        "cpu": resources.ru_utime + resources.ru_stime,
        "peak": resources.ru_maxrss * unit,
        "resident": resident,
    }
    with open(report, "w", encoding="utf-8") as file:  # noqa: PTH123 - pathlib is too large
        json.dump(usage, file)
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
