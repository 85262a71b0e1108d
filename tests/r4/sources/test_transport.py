"""Transports that other threads put payloads into."""

from __future__ import annotations

import select
from threading import Thread

import pytest

from r4.sources.transport import QueuedTransport, ResumableTransport, Transport


class Kept(QueuedTransport):
    def seek(self, position: bytes) -> None:
        del position

    def acknowledge(self, position: bytes) -> None:
        del position


def is_ready(transport: QueuedTransport) -> bool:
    descriptor = transport.descriptor
    assert descriptor is not None
    return bool(select.select([descriptor], [], [], 0)[0])


def test_its_descriptor_can_be_read_while_anything_waits() -> None:
    transport = QueuedTransport()
    assert not is_ready(transport)
    transport.put(b"a", b"1")
    transport.put(b"")
    transport.put(b"b", b"2")
    assert is_ready(transport)
    assert transport.read() == b"ab"
    assert transport.position == b"2"
    assert not is_ready(transport)
    transport.put(b"c", b"3")
    transport.end()
    assert transport.read() == b"c"
    assert is_ready(transport)
    assert transport.read() == b""
    assert transport.position == b"3"
    transport.close()


def test_large_payloads_are_read_one_by_one() -> None:
    transport = QueuedTransport()
    transport.put(b"a" * (1 << 20), b"1")
    transport.put(b"b", b"2")
    assert len(transport.read()) == 1 << 20
    assert transport.position == b"1"
    assert is_ready(transport)
    assert transport.read() == b"b"
    assert not is_ready(transport)
    transport.close()


def test_an_error_comes_behind_what_was_put_before_it() -> None:
    transport = QueuedTransport()
    transport.put(b"a")
    transport.end(ConnectionResetError("reset"))
    assert transport.read() == b"a"
    with pytest.raises(ConnectionResetError, match="reset"):
        transport.read()
    transport.close()


def test_who_puts_waits_while_many_payloads_do_and_goes_on_when_it_is_closed() -> None:
    transport = QueuedTransport(most=2)
    done: list[int] = []

    def put() -> None:
        for number in range(8):
            transport.put(b"x")
            done.append(number)

    thread = Thread(target=put)
    thread.start()
    thread.join(0.2)
    assert thread.is_alive()
    assert len(done) == 2
    assert transport.read() == b"xx"
    thread.join(0.2)
    assert thread.is_alive()
    transport.close()
    thread.join(10)
    assert not thread.is_alive()


def test_who_reads_waits_for_a_payload() -> None:
    transport, found = QueuedTransport(), list[bytes]()
    thread = Thread(target=lambda: found.append(transport.read()))
    thread.start()
    thread.join(0.1)
    assert thread.is_alive()
    transport.put(b"a")
    thread.join(10)
    assert found == [b"a"]
    transport.close()


def test_with_seek_and_acknowledge_it_is_resumable() -> None:
    plain, kept = QueuedTransport(), Kept()
    assert isinstance(plain, Transport)
    assert not isinstance(plain, ResumableTransport)
    assert isinstance(kept, ResumableTransport)
    plain.close()
    kept.close()
