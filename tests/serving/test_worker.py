"""A worker that receives a second stop signal while it stops."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from support.admission.running_webhook import SOURCES

ENDING = """
import os, signal, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
from jobsworth.serving.worker import Worker

worker = Worker.__new__(Worker)
worker.alive, worker.tpool = True, ThreadPoolExecutor(1)
number = getattr(signal, sys.argv[1])
signal.signal(number, worker.handle_quit if number == signal.SIGQUIT else worker.handle_abort)
main = threading.main_thread()

def when_the_interpreter_shuts_down():
    while main.is_alive():
        time.sleep(0.001)
    os.kill(os.getpid(), number)
    time.sleep(1)

threading.Thread(target=when_the_interpreter_shuts_down).start()
"""


@pytest.mark.parametrize(("signal", "code"), [("SIGQUIT", 0), ("SIGABRT", 1)])
def test_a_worker_that_is_ending_is_asked_to_stop_and_prints_nothing(
    signal: str, code: int
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ENDING, signal],
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stderr) == (code, "")
