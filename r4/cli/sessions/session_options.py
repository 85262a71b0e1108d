"""The options of a run from the command line, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from r4.cli.terminal.status_files import StatusFiles
from r4.sinks.file import ByteWriter
from rete.drawing.names import Names
from rete.terms.dictionary import LONGEST_COMPUTED

if TYPE_CHECKING:
    from r4.state.run_state import RunState
    from temporal.hypothetical.rif_rules.rewriting.program_rewriting import HypothesisOptions


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """The options of a run beside its rules and streams.

    Attributes:
        instances: answers are instances, not facts.
        form: a name of `r4.sinks.formats.FORMATS`, or one of another package.
        only, fail_on: see `Output`.
        drain: ticks after the last stamp up to which changes are written; None: all.
        late: where late elements go; None: nowhere.
        limit: the most facts that may be derived at once; None: any number.
        memory: the most bytes that may be in use; None: any number.
        max_term: characters of the longest term that a built-in computes.
        by_value: literals of equal values are one term.
        idle: seconds after which a silent source does not count; None: never.
        quiet: seconds of silence after which an element is complete; None: never.
        arrival: changes are written as soon as time reaches them.
        status: where the status goes every second; None: nowhere.
        hypotheses: the options of possible answers; None: they are not followed.
        state: from where the run goes on, and where it is written down; None: nowhere.
        is_quiet: no summary follows the run.
        lookback: how many ticks facts are kept after they ended, for rules that join; None: rules
            that join see what holds alone.
        lenient: what is against the letter of the standard is read in rules.
        watch: rules and static files are read again when they change.
        names: how IRIs are written.
        prefixes: the namespace of each prefix.
        of_dates: a warning that counts if the stamps are dateTimes; "" if there is none.
    """

    instances: bool
    form: str
    only: tuple[str, ...]
    fail_on: str | None
    drain: int | None
    late: ByteWriter | None
    limit: int | None
    by_value: bool
    idle: float | None = None
    quiet: float | None = None
    arrival: bool = False
    status: StatusFiles | None = None
    hypotheses: HypothesisOptions | None = None
    state: RunState | None = None
    memory: int | None = None
    max_term: int = LONGEST_COMPUTED
    is_quiet: bool = False
    lookback: int | None = None
    lenient: bool = False
    watch: bool = False
    names: Names = field(default_factory=Names)
    prefixes: Mapping[str, str] = field(default_factory=dict)
    of_dates: str = ""
