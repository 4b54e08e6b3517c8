"""A registry for images and charts on this machine."""

from __future__ import annotations

import json
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE_SECONDS = 20


@contextmanager
def running_registry(folder: Path, port: int) -> Iterator[str]:
    """Run Debian's docker-registry with its data in a folder; yield its host and port."""
    host = f"127.0.0.1:{port}"
    settings = {
        "version": 0.1,
        "log": {"level": "error"},
        "storage": {"filesystem": {"rootdirectory": str(folder / "data")}},
        "http": {"addr": host},
    }
    (folder / "registry.json").write_text(json.dumps(settings))  # JSON is YAML
    with subprocess.Popen(
        ["docker-registry", "serve", str(folder / "registry.json")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            end = time.monotonic() + PATIENCE_SECONDS
            while not _answers(host):
                if process.poll() is not None or time.monotonic() > end:
                    raise AssertionError(f"no registry answers on {host}")
                time.sleep(0.1)
            yield host
        finally:
            process.terminate()


def _answers(host: str) -> bool:
    try:
        with urllib.request.urlopen(f"http://{host}/v2/", timeout=2):
            return True
    except (urllib.error.URLError, ConnectionError):
        return False
