"""A pytest plugin: note which lines each test runs, and for how long.

pytest -p mutation.coverage_of_tests      # writes a JSON file a process to the folder MUTATION_MAP
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FOLDER = "MUTATION_MAP"


class CoverageOfTests:
    """Switches the context of the measurement before each test."""

    def __init__(self, folder: Path, code: Path) -> None:
        import coverage

        self._folder = folder
        self._code = code
        self._seconds: dict[str, float] = {}
        self._failed: set[str] = set()
        self._coverage = coverage.Coverage(
            data_file=None, source=[str(code)], config_file=False, messages=False
        )
        self._coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._coverage.switch_context(item.nodeid)
        try:
            return (yield)
        finally:
            self._coverage.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid] = self._seconds.get(report.nodeid, 0.0) + report.duration
        if not report.passed:
            self._failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        self._coverage.stop()
        data = self._coverage.get_data()
        lines: dict[str, dict[int, list[str]]] = {}
        for file in data.measured_files():
            contexts = data.contexts_by_lineno(file)
            name = str(Path(file).relative_to(self._code.parent.parent))
            lines[name] = {line: sorted(filter(None, each)) for line, each in contexts.items()}
        seconds = {test: time for test, time in self._seconds.items() if test not in self._failed}
        written: dict[str, Any] = {"seconds": seconds, "lines": lines}
        (self._folder / f"{os.getpid()}.json").write_text(json.dumps(written))


def pytest_configure(config: pytest.Config) -> None:
    folder = os.environ.get(FOLDER)
    controls_others = bool(getattr(config.option, "numprocesses", None))
    if folder is not None and not controls_others:
        code = config.rootpath / "webhook/jobsworth"
        config.pluginmanager.register(CoverageOfTests(Path(folder), code))
