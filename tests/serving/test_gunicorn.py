"""The parts of gunicorn that its documentation does not promise, and that jobsworth relies on.

docs/decisions/0015-own-worker.md lists them. When one of these tests fails after an upgrade, read what changed in
gunicorn before the pin moves.
"""

from __future__ import annotations

import inspect
import json
import re
import select
import socket
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.config import Config
from gunicorn.glogging import Logger
from gunicorn.http import errors
from gunicorn.http.message import Request
from gunicorn.http.unreader import IterUnreader
from gunicorn.sock import create_sockets
from gunicorn.workers.base import Worker

from jobsworth.serving.serving_settings import Files, ServingSettings, gunicorn_settings
from support.admission.running_webhook import SOURCES

RECORD = SOURCES.parent / "docs/decisions/0015-own-worker.md"
CLIENT = "", 0
SETTINGS = ServingSettings(files=Files(certificate=Path("tls.crt"), key=Path("tls.key")))


def parameters(function: Any) -> list[str]:
    return list(inspect.signature(function).parameters)


def test_the_decision_record_names_the_test_of_each_part_and_the_modules_that_use_it() -> None:
    record = RECORD.read_text(encoding="utf-8")
    tests = {name for name in globals() if name.startswith("test_") and "_record_" not in name}
    assert set(re.findall(r"`(test_\w+)` \|", record)) == tests
    modules = {
        str(file.relative_to(SOURCES / "jobsworth"))
        for file in SOURCES.rglob("*.py")
        if "\nfrom gunicorn" in file.read_text(encoding="utf-8")
    }
    named = set(re.findall(r"\| `(\w+/\w+\.py)` \|", record))
    assert named == modules | {"serving/serving_settings.py"}


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


def test_the_hooks_of_a_worker_run_before_and_after_its_fork_and_after_its_end() -> None:
    starting = inspect.getsource(Arbiter.spawn_worker)
    order = ["self.cfg.pre_fork(self, worker)", "os.fork()", "self.cfg.post_fork(self, worker)"]
    assert [starting.count(step) for step in order] == [1, 1, 1]
    places = [starting.index(step) for step in [*order, "worker.init_process()"]]
    assert places == sorted(places)
    ending = inspect.getsource(Arbiter.reap_workers)
    assert ending.index("self.WORKERS.pop") < ending.index("self.cfg.child_exit(self, worker)")


def test_an_application_is_loaded_once_and_run_by_an_arbiter() -> None:
    class Application(BaseApplication):  # type: ignore[misc]
        def load_config(self) -> None:
            self.cfg.set("threads", 7)

        def load(self) -> object:
            return object()

    application = Application()
    assert application.cfg.threads == 7
    assert application.wsgi() is application.wsgi()
    assert "Arbiter(self).run()" in inspect.getsource(BaseApplication.run)


def test_a_listening_socket_is_taken_by_its_descriptor() -> None:
    bound = socket.create_server(("127.0.0.1", 0))
    config = Config()
    port = bound.getsockname()[1]
    config.set("bind", f"fd://{bound.detach()}")
    (listener,) = create_sockets(config, Logger(config))
    with closing(listener), socket.create_connection(("127.0.0.1", port)):
        listener.setblocking(False)
        assert select.select([listener], [], [], 5)[0] == [listener]
        accepted, _ = listener.accept()
        accepted.close()
        with pytest.raises(BlockingIOError):
            listener.accept()


def test_a_worker_has_what_ours_uses() -> None:
    class Application:
        def wsgi(self) -> str:
            return "the application"

    config, application, sockets = Config(), Application(), [object()]
    log = Logger(config)
    worker = Worker(3, 4, sockets, application, 15, config, log)
    assert (worker.ppid, worker.sockets, worker.app) == (4, sockets, application)
    assert (worker.cfg, worker.log) == (config, log)
    worker.load_wsgi()
    assert worker.wsgi == "the application"
    worker.notify()
    assert abs(time.monotonic() - worker.tmp.last_update()) < 5


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
        (b"GET / HTTP/1.1\r\nX : y\r\n\r\n", errors.InvalidHeaderName),
    ],
    ids=lambda value: repr(value)[-30:],
)
def test_the_parser_rejects_malformed_heads(text: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        parse(text)
    assert issubclass(errors.LimitRequestLine, errors.ParseException)
    assert issubclass(errors.ExpectationFailed, errors.ParseException)
