"""How an example is changed: at random places, by pieces of other examples, by what repeats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Final, TypeAlias

LARGE: Final = 1 << 20
"""Bytes that repetition makes at most."""
_COMMON: Final = 4096
"""The same, of most inputs."""

NUMBERS: Final = (
    *(b"0", b"-1", b"1", b"00", b"1.0", b"-0.0", b"1e999", b"NaN", b"INF", b"1/0", b"1/3"),
    *(b"%d" % (2**bits + more) for bits in (31, 32, 53, 60, 62, 63, 64) for more in (-1, 0, 1)),
    *(b"9" * 30, b"9" * 400, b"0." + b"0" * 300 + b"1", b"-" + b"9" * 60),
)
TEXT: Final = (
    *(b"\0", b"\x1b[31m", b"\x7f", b"\xc2\x85", b"\xe2\x80\xae", b"\xef\xbb\xbf", b"\xff", b"\xc3"),
    *(b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xf0\x9f\x98\x80", b"\xe2\x80\xa8", b"\r", b"\r\n"),
    *(b"\n", b"\t", b" ", b"\\", b'"', b"'", b'"""', b"\\u0000", b"\\uD800", b"\\U00110000"),
    *(b"(", b")", b"[", b"]", b"{", b"}", b"<", b">", b"<<", b">>", b",", b";", b".", b":", b"@"),
    *(b"_:", b"^^", b"#", b"/*", b"*/", b"--", b"&", b"%", b"$", b"?", b"!", b"=", b"|", b"~"),
)
"""What means something somewhere, or is written wrong."""

Change: TypeAlias = Callable[[Random, bytearray, Sequence[bytes], Sequence[bytes]], None]


def mutate(choose: Random, samples: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    """One of ``samples``, changed a few times; ``tokens`` are words of its language."""
    found = bytearray(choose.choice(samples))
    for _ in range(choose.choice((1, 1, 1, 2, 2, 3, 5, 8))):
        choose.choices(_CHANGES, _WEIGHTS)[0](choose, found, samples, tokens)
    return bytes(found[:LARGE])


def _place(choose: Random, data: bytearray) -> int:
    return choose.randint(0, len(data))


def _span(choose: Random, data: bytearray, most: int = 64) -> slice:
    begin = _place(choose, data)
    return slice(begin, begin + choose.randint(1, most))


def _flip(
    choose: Random, data: bytearray, _samples: Sequence[bytes], _tokens: Sequence[bytes]
) -> None:
    if data:
        data[choose.randrange(len(data))] ^= 1 << choose.randrange(8)


def _set(
    choose: Random, data: bytearray, _samples: Sequence[bytes], _tokens: Sequence[bytes]
) -> None:
    if data:
        data[choose.randrange(len(data))] = choose.randrange(256)


def _insert(
    choose: Random, data: bytearray, _samples: Sequence[bytes], tokens: Sequence[bytes]
) -> None:
    at = _place(choose, data)
    words = choose.choice((tokens or TEXT, TEXT, NUMBERS))
    data[at:at] = choose.choice(words)


def _delete(
    choose: Random, data: bytearray, _samples: Sequence[bytes], _tokens: Sequence[bytes]
) -> None:
    del data[_span(choose, data)]


def _copy(
    choose: Random, data: bytearray, _samples: Sequence[bytes], _tokens: Sequence[bytes]
) -> None:
    piece = data[_span(choose, data, 256)]
    at = _place(choose, data)
    data[at:at] = piece


def _splice(
    choose: Random, data: bytearray, samples: Sequence[bytes], _tokens: Sequence[bytes]
) -> None:
    other = bytearray(choose.choice(samples))
    data[_span(choose, data, 256)] = other[_span(choose, other, 512)]


def _cut(
    choose: Random, data: bytearray, _samples: Sequence[bytes], _tokens: Sequence[bytes]
) -> None:
    del data[_place(choose, data) :]


def _number(
    choose: Random, data: bytearray, _samples: Sequence[bytes], _tokens: Sequence[bytes]
) -> None:
    """Another number in place of a digit and those behind it."""
    digits = [at for at, byte in enumerate(data[:65536]) if 48 <= byte <= 57]
    if digits:
        at = choose.choice(digits)
        end = at
        while end < len(data) and 48 <= data[end] <= 57:
            end += 1
        data[at:end] = choose.choice(NUMBERS)


def _swap(
    choose: Random, data: bytearray, _samples: Sequence[bytes], _tokens: Sequence[bytes]
) -> None:
    """Exchange two lines."""
    lines = data.split(b"\n")
    if len(lines) > 1:
        one, other = choose.sample(range(len(lines)), 2)
        lines[one], lines[other] = lines[other], lines[one]
        data[:] = b"\n".join(lines)


def _repeat(
    choose: Random, data: bytearray, _samples: Sequence[bytes], tokens: Sequence[bytes]
) -> None:
    """A piece many times, perhaps with another one after it as often: what nests, too."""
    size = LARGE if choose.random() < _LARGE_SHARE else _COMMON
    piece = _piece(choose, data, tokens)
    if not piece:
        return
    count = choose.randint(2, max(2, size // len(piece)))
    at = _place(choose, data)
    made = piece * count
    if choose.random() < 1 / 4:
        made += _piece(choose, data, tokens) * min(count, 1 << 16)
    data[at:at] = made[:size]


def _piece(choose: Random, data: bytearray, tokens: Sequence[bytes]) -> bytes:
    if choose.random() < 1 / 2:
        return choose.choice(tokens or TEXT)
    return bytes(data[_span(choose, data, 24)])


_LARGE_SHARE: Final = 1 / 40
_WEIGHTED: Final[Sequence[tuple[Change, int]]] = (
    *((_flip, 3), (_set, 2), (_insert, 5), (_delete, 3), (_copy, 2), (_splice, 3), (_cut, 1)),
    *((_number, 3), (_swap, 1), (_repeat, 2)),
)
_CHANGES: Final = [change for change, _ in _WEIGHTED]
_WEIGHTS: Final = [weight for _, weight in _WEIGHTED]
