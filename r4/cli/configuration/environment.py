"""The options that variables of the environment give: ``R4_RUN_DELAY`` is ``--delay`` of a run."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping

from r4.cli.terminal.console import say
from r4.options.option import Option
from r4.options.settings import BadSettings, Setting, nearest

_ON = frozenset({"1", "true", "yes", "on"})
_OFF = frozenset({"0", "false", "no", "off"})


def variable(prefix: str, name: str) -> str:
    """The variable of the option ``--name``."""
    return prefix + name.replace("-", "_").upper()


def environment_settings(
    prefix: str, options: Mapping[str, Option], environment: Mapping[str, str]
) -> dict[str, Setting]:
    """The settings of the variables that begin with ``prefix``, by the keys of ``options``.

    A variable that is empty gives nothing. Of an option that may be repeated it has values as a
    shell splits them.

    Raises:
        BadSettings: a flag is neither on nor off, or quotes are not closed.
    """
    return {
        name: _setting(option, value, variable(prefix, name))
        for name, option in options.items()
        if (value := environment.get(variable(prefix, name)))
    }


def warn_of_unknown(prefix: str, names: Iterable[str], environment: Mapping[str, str]) -> None:
    """Warn of variables that begin with ``prefix`` and give no option."""
    known = [variable(prefix, name) for name in names]
    for name in sorted(environment):
        if name.startswith(prefix) and name not in known:
            say(f"warning: {name} gives no option{nearest(name, known)}")


def _setting(option: Option, value: str, name: str) -> Setting:
    if option.is_flag:
        if value.lower() in _ON | _OFF:
            return Setting((), name, value.lower() in _ON)
        message = f"{name}: write 1 or 0"
        raise BadSettings(message)
    if not option.is_multiple:
        return Setting((value,), name)
    try:
        values = tuple(shlex.split(value))
    except ValueError as error:
        message = f"{name}: {error}"
        raise BadSettings(message) from None
    return Setting(values, name, bool(values))
