"""The parts of gunicorn that its documentation does not promise, and that jobsworth relies on.

When one of these tests fails after an upgrade, read what changed in gunicorn before the pin moves.
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest
from gunicorn.arbiter import Arbiter
from gunicorn.config import Config
from gunicorn.glogging import Logger
from gunicorn.http import errors
from gunicorn.http.message import Request
from gunicorn.http.unreader import IterUnreader
from gunicorn.workers.base import Worker

from jobsworth.serving.serving_settings import Files, ServingSettings, gunicorn_settings

CLIENT = "", 0
SETTINGS = ServingSettings(files=Files(certificate=Path("tls.crt"), key=Path("tls.key")))


def parameters(function: Any) -> list[str]:
    return list(inspect.signature(function).parameters)


def test_the_arbiter_manages_its_workers_in_every_turn_of_its_loop() -> None:
    assert parameters(Arbiter.manage_workers) == ["self"]
    loop = inspect.getsource(Arbiter.run).partition("while True:")[2]
    assert "self.wait_for_signals(timeout=1.0)" in loop
    assert "self.murder_workers()\n                self.manage_workers()" in loop


def test_a_hanging_worker_is_killed_after_the_timeout_since_its_last_heartbeat() -> None:
    source = inspect.getsource(Arbiter.murder_workers)
    assert "time.monotonic() - worker.tmp.last_update() <= self.timeout" in source


def test_the_arbiter_stops_its_workers_with_sigterm_and_waits_for_them() -> None:
    source = inspect.getsource(Arbiter.stop)
    assert "sig = signal.SIGTERM" in source
    assert "self.cfg.graceful_timeout" in source


def test_a_worker_is_made_and_started_as_ours_expects() -> None:
    names = ["self", "age", "ppid", "sockets", "app", "timeout", "cfg", "log"]
    assert parameters(Worker.__init__) == names
    for handler in (Worker.handle_exit, Worker.handle_quit, Worker.handle_abort):
        assert parameters(handler) == ["self", "sig", "frame"]
    starting = inspect.getsource(Worker.init_process)
    assert "self.PIPE = os.pipe()" in starting
    assert "util.set_non_blocking(p)" in starting
    assert starting.rstrip().endswith("self.run()")
    signals = inspect.getsource(Worker.init_signals)
    assert "signal.set_wakeup_fd(self.PIPE[1])" in signals  # SIGTERM wakes the loop


def test_gunicorn_logs_json_on_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    config = Config()
    for name, value in gunicorn_settings(SETTINGS).items():
        config.set(name, value)
    Logger(config).error("a %s", "problem")
    out, err = capfd.readouterr()
    line = json.loads(err)
    assert (out, line["level"], line["message"]) == ("", "error", "a problem")


def parse(text: bytes) -> Any:
    return Request(Config(), IterUnreader([text]), CLIENT)


def test_the_parser_reads_a_head() -> None:
    head = parse(
        b"POST /validate?timeout=10s HTTP/1.1\r\nhost: x\r\nContent-Type: application/json\r\n"
        b"Content-Length: 12\r\n\r\n"
    )
    assert (head.method, head.path, head.query) == ("POST", "/validate", "timeout=10s")
    assert head.version == (1, 1)
    assert head.headers == [
        ("HOST", "x"),
        ("CONTENT-TYPE", "application/json"),
        ("CONTENT-LENGTH", "12"),
    ]
    assert not head.should_close()
    assert parse(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n").should_close()
    assert parse(b"GET / HTTP/1.0\r\n\r\n").should_close()


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (b"nonsense\r\n\r\n", errors.ParseException),
        (b"\r\n\r\n", (errors.ParseException, errors.NoMoreData)),
        (b"GET /" + b"x" * 5000 + b" HTTP/1.1\r\n\r\n", errors.LimitRequestLine),
        (b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 101 + b"\r\n", errors.LimitRequestHeaders),
        (b"GET / HTTP/1.1\r\nExpect: all\r\n\r\n", errors.ExpectationFailed),
        (b"GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", errors.InvalidHeader),
        (b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", errors.InvalidHeader),
        (b"GET / HTTP/1.1\r\nContent-Length: \xb2\r\n\r\n", errors.InvalidHeader),
        (b"GET / HTTP/1.1\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n", errors.InvalidHeader),
        (b"GET / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", errors.InvalidHeader),
        (b"GET / HTTP/1.1\r\nX : y\r\n\r\n", errors.InvalidHeaderName),
    ],
    ids=lambda value: repr(value)[-30:],
)
def test_the_parser_rejects_malformed_heads(text: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        parse(text)
    assert issubclass(errors.LimitRequestLine, errors.ParseException)
    assert issubclass(errors.ExpectationFailed, errors.ParseException)
