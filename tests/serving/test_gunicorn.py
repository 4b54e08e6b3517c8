"""The settings for gunicorn: what it and the libraries log is JSON."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest
from gunicorn.config import Config
from gunicorn.glogging import Logger

from jobsworth.serving.settings import Files, ServingSettings, gunicorn_settings

SETTINGS = ServingSettings(files=Files(certificate=Path("tls.crt"), key=Path("tls.key")))


def test_gunicorn_and_libraries_log_json_on_standard_error(
    capfd: pytest.CaptureFixture[str],
) -> None:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    config = Config()
    for name, value in gunicorn_settings(SETTINGS).items():
        config.set(name, value)
    try:
        Logger(config).error("a %s", "problem")
        logging.getLogger("asyncio").error("another %s", "problem")
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
    out, err = capfd.readouterr()
    lines = [json.loads(line) for line in err.splitlines()]
    assert out == ""
    assert [(line["level"], line["message"]) for line in lines] == [
        ("error", "a problem"),
        ("error", "another problem"),
    ]
