"""Answers that begin and end, as numbers that do not depend on their order."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(slots=True)
class AnswerTally:
    """The answers of an output, counted and hashed."""

    begun: int = 0  # how many answers begin and end at some instant
    ended: int = 0
    digest: int = 0  # the sum of a hash of each, so that lines may come in any order

    def add(self, op: str, at: str, answer: str) -> None:
        """Count what begins (``+``) or ends (``-``) at an instant."""
        self.begun += op == "+"
        self.ended += op == "-"
        line = hashlib.blake2b(f"{op} {at} {answer}".encode(), digest_size=16).digest()
        self.digest = (self.digest + int.from_bytes(line)) % (1 << 128)

    @staticmethod
    def of_output(lines: Iterable[bytes]) -> AnswerTally:
        """The tally of the lines of `r4 run`, without those about static data alone."""
        tally = AnswerTally()
        for line in lines:
            change = json.loads(line)
            if change["at"] is not None:
                fact = change.get("atom") or f"{change['s']} {change['p']} {change['o']}"
                tally.add(change["op"], change["at"], fact)
        return tally

    def difference(self, right: AnswerTally) -> str:
        """In what it differs from what is right; empty if in nothing."""
        found, expected = (self.begun, self.ended), (right.begun, right.ended)
        if found != expected:
            return f"{found} instead of {expected} answers"
        return "" if self.digest == right.digest else "the counts are right, the lines are not"
