"""The values of all options of ``r4 run``, and what follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import click

from r4.cli.configuration import CONFIGURATION
from r4.cli.options.durations import maybe_ticks, warn_of_bare_durations
from r4.cli.options.iri_names import IriNames
from r4.cli.options.report_arguments import OF_FACTS, report_of
from r4.cli.terminal.console import refuse
from r4.cli.terminal.status_files import StatusFiles
from r4.extras import MissingExtra, version_of
from r4.options.option import Option, ValueKind, options_of
from r4.options.run_options import SUBJECTS, RunCommandOptions
from r4.options.shared_options import AHEAD
from r4.rdf.documents import RdfDocument
from r4.sinks.formats import SinkFormat, find_format, is_foreign_place
from r4.stream.source import StreamOptions
from r4.time.ticks import Tick, TimeScale
from rif.errors.report import RuleErrors
from rif.syntax import ast

if TYPE_CHECKING:
    from r4.state.folder import StateFolder
    from r4.state.manifest import RunCommandLine
    from temporal.hypothetical.rif_rules.rewriting.program_rewriting import HypothesisOptions

ANSWERS: Final = frozenset({"answer", "any", "error"})
"""Values of ``--fail-on`` that are no IRIs."""


class RunCommandValues(RunCommandOptions):
    """The values of all options."""

    @property
    def chosen_form(self) -> str:
        """The form of answers, once it is chosen."""
        assert self.form is not None
        return self.form

    def hypothesis_options(
        self, streams: StreamOptions, sources: Sequence[RdfDocument], names: IriNames
    ) -> HypothesisOptions | None:
        """The options of possible answers; None: they are not followed."""
        if self.hypotheses is None:
            return None
        from r4.possible.chance_option import parse_chances
        from temporal.hypothetical.rif_rules.arrival_chances import UnitLateness
        from temporal.hypothetical.rif_rules.rewriting.program_rewriting import HypothesisOptions

        try:
            own = streams.delays_of([document.name for document in sources])
            lateness = UnitLateness.of(own, streams.predicate_delays)
            chances = None
            if self.chance:
                chances = parse_chances(self.chance, streams.scale, lateness, names.expand)
        except RuleErrors as errors:
            refuse(errors.report())
        expected = names.iris("--expect", self.expect) or None
        return HypothesisOptions(self.hypotheses == SUBJECTS, expected, chances, self.most)

    def ahead_ticks(self, scale: TimeScale) -> Tick | None:
        """How far ahead a stamp may be; None: there is no bound."""
        return maybe_ticks(
            self.ahead or (AHEAD if self.clock == "wall" else None), "--ahead", scale
        )

    def status_files(self, folder: StateFolder | None) -> StatusFiles | None:
        """Where the status goes; None: nowhere."""
        if self.replay or self.migrate is not None:
            return None
        paths = [] if self.status is None else [self.status]
        if folder is not None:
            paths.append(str(folder.status_path))
        try:
            files = StatusFiles(paths, self.metrics)
        except MissingExtra as error:
            refuse(str(error))
        return files if paths or self.metrics else None

    def command_line(self, arguments: Sequence[str]) -> RunCommandLine:
        """The command, as far as it decides what is told."""
        from r4.state.manifest import RunCommandLine

        values = {
            each.name: _value_text(each, value)
            for each in options_of(type(self))
            if each.decides and (value := getattr(self, each.name)) not in {None, ()}
        }
        numbered = self.output == "-"
        return RunCommandLine(list(arguments), values, list(self.streams), numbered)

    def failing_answer(self, names: IriNames) -> str | None:
        """``error``, ``answer``, ``any`` or the IRI of ``--fail-on``."""
        if self.fail_on is None or self.fail_on in ANSWERS:
            return self.fail_on
        return names.iri("--fail-on", self.fail_on, ", or answer, or error")

    def bare_durations(self, documents: Sequence[ast.Document]) -> str:
        """The warning about durations without a unit in a run over dateTimes; "" if there is none.

        ``documents`` are the rules.
        """
        options = {
            f"--{each.key}": value if isinstance(value, tuple) else (str(value),)
            for each in sorted(options_of(type(self)), key=lambda option: option.is_multiple)
            if each.kind in {ValueKind.DURATION, ValueKind.PERIOD} and each.decides
            if (value := getattr(self, each.name)) is not None
        }
        return warn_of_bare_durations(documents, options, self.tick)

    def files_beside(self, ctx: click.Context) -> list[str]:
        """The files that are read beside rules and data: configuration, mappings, contexts."""
        mappings = (value.partition("=")[0] for value in self.mapping)
        behind = (value.rpartition("=")[2] for value in (*self.context, *self.import_map))
        configuration = ctx.meta.get(CONFIGURATION)
        return [*mappings, *behind, *([] if configuration is None else [configuration])]

    def check(self) -> None:
        """Refuse forms that cannot express the answers."""
        form = find_format(self.chosen_form)
        message = self._unreported(form)
        if self.arrival and not form.undoes:
            message = f"--order arrival undoes lines, which --as {self.form} cannot say; jsonl can"
        if form.needs_file and self.output == "-":
            message = (
                f"--as {self.form} is one file of columns, and no lines: name it with --output FILE"
            )
        elif form.extra is not None and version_of(form.extra[1]) is None:
            message = str(MissingExtra(*form.extra))
        elif self.hypotheses is not None and self.lookback is not None:
            message = "--lookback is for rules that join, which none does with --hypotheses"
        elif self.retract_within is not None and self.lookback is not None:
            message = "--lookback keeps for rules that join what --retract-within lets be forgotten"
        elif self.hypotheses is not None and not form.tells_possible:
            message = f"--hypotheses tells what is possible, which --as {self.form} cannot say"
        elif self.hypotheses is None:
            message = message or self._misplaced()
        if self.state is not None:
            message = message or self._stateless()
        if message:
            refuse(message)

    def _unreported(self, form: SinkFormat) -> str:
        """The fault of options with which there are no reports; "" if there is none."""
        report_of(self, TimeScale(self.tick))
        if form.at_end and self.ops != "both" and self.every is None:
            return f"--as {self.form} tells what holds at the end, so it goes without --ops"
        if self.every is None:
            return ""
        if self.arrival or self.instances:
            of = "--order arrival" if self.arrival else "--semantics instances"
            return f"{OF_FACTS} {of}"
        if self.hypotheses is not None:
            return "--every reports what is certain, so it goes without --hypotheses"
        if self.report_form != "changes" and not form.tells_state:
            return (
                f"--as {self.form} cannot say what holds at a mark: --report changes has the"
                " difference, and jsonl, trig and csv say what holds"
            )
        return ""

    def _stateless(self) -> str:
        """The fault of options with which no state can be kept; "" if there is none."""
        if self.hypotheses is not None:
            return "--hypotheses: possible answers cannot be saved, so they go without --state"
        form = find_format(self.chosen_form)
        if form.needs_file or form.at_end:
            return f"--as {self.form} is written as a whole, so it goes without --state"
        if is_foreign_place(self.output):
            return f"--output {self.output}: a place cannot be cut back, so it goes without --state"
        if self.output == "-" and self.form != "jsonl" and not self.replay:
            return f"--state numbers lines, which --as {self.form} cannot say: name --output FILE"
        return ""

    def _misplaced(self) -> str:
        """The fault of options that need ``--hypotheses``, which is not given."""
        of_hypotheses = (
            (self.expect, "--expect says which hypotheses there are"),
            (self.chance, "--chance says how probable hypotheses are"),
            (self.most, "--most says how many sets of hypotheses are held"),
        )
        faults = (f"{what}: it needs --hypotheses" for value, what in of_hypotheses if value)
        return next(faults, "")


def _value_text(option: Option, value: object) -> str:
    """What stands behind the name of an option; of several values with the name between them."""
    if not isinstance(value, tuple):
        return str(value)
    return f" --{option.name.replace('_', '-')} ".join(map(str, value))
