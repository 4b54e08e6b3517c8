"""Change the code at random, and report the changes that no test notices.

    PYTHONPATH=tests nice python -m mutation.check --count 100 --seed 7 --jobs 2

The first run takes as long as all tests, and notes which lines each test runs; ``--map`` keeps that for the next. Then
each mutant meets the tests that run its lines, in a copy of the clone, until one of them fails. What survives meets
the tests that only start commands, whose lines run in other processes.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import queue
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from mutation.mutants import Mutant, is_valid, mutants_of

ROOT = Path(__file__).parents[2]
CODE = Path("webhook/jobsworth")
PACKAGES = ("api", "validation", "lint", "policy", "evaluation", "controller", "certificates")
USERS = {"api": ("validation/", "recorded/"), "lint": ("cli/test_rule.py",)}
"""Further tests that use the declarations of a package: no line of its modules runs for them."""
FALLBACK = "tests/cli"
"""What a mutant meets that none of them runs: the tests of the command line, which apply fixes."""
PROSE = {"descriptions"}
"""Packages whose texts explain fields to readers: no behavior."""
AT_MOST = 900.0
"""Seconds of tests a mutant meets, by the time that they took unchanged."""
AT_MOST_IN_PROCESSES = 120.0
"""Seconds of the tests that start processes: a mutant meets them if it survives those that run its lines."""
NO_TESTS_RAN = 5


class Map:
    """What each test runs.

    Args:
        read: what the plugin ``coverage_of_tests`` wrote.
    """

    def __init__(self, read: dict[str, Any]) -> None:
        self.seconds: dict[str, float] = read["seconds"]
        self._lines: dict[str, dict[str, list[str]]] = read["lines"]

    def tests_of(self, mutant: Mutant) -> list[str]:
        """Return the tests to run: those of the same package first, then the quick ones."""
        lines = self._lines.get(mutant.path, {})
        changed = {str(line) for line in range(mutant.line, mutant.last_line + 1)} & lines.keys()
        # Python makes a tuple of constants one, which has no lines of its own.
        run = changed or {str(mutant.statement)} & lines.keys()
        found = {test for line in run for test in lines[line]} if mutant.in_function else set()
        if not found:
            # An import runs the line, not a test: take the tests that use anything of the module, and of the package.
            found = {test for tests in lines.values() for test in tests}
            where = self._folders(mutant)
            if mutant.in_function and not run:
                where = (*where, f"{FALLBACK}/")  # perhaps no test runs it, but a process of a test
            found |= {test for test in self.seconds if test.startswith(where)}
        known = [test for test in found if test in self.seconds]
        own = self._folders(mutant)
        known.sort(
            key=lambda test: (self.seconds[test] > 1, not test.startswith(own), self.seconds[test])
        )
        return _up_to(AT_MOST, known, self.seconds)

    def in_processes(self) -> list[str]:
        """Return the tests that run no line of the code themselves, the quick ones first."""
        running = {
            test for lines in self._lines.values() for each in lines.values() for test in each
        }
        others = [test for test in self.seconds if test not in running]
        return _up_to(
            AT_MOST_IN_PROCESSES, sorted(others, key=self.seconds.__getitem__), self.seconds
        )

    def _folders(self, mutant: Mutant) -> tuple[str, ...]:
        package = Path(mutant.path).relative_to(CODE).parts[0]
        return (
            f"tests/{package}/",
            *(f"tests/{each}" for each in USERS.get(package, ())),
            "tests/oracle/",
            f"webhook/jobsworth/{package}/",
        )


def _up_to(most: float, tests: list[str], seconds: dict[str, float]) -> list[str]:
    taken, total = [], 0.0
    for test in tests:
        total += seconds[test]
        if taken and total > most:
            break
        taken.append(test)
    return taken


class Copy:
    """A copy of the clone, in which one mutant at a time is tested."""

    def __init__(self, folder: Path, number: int) -> None:
        self.root = folder / f"copy-{number}"
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
            cwd=ROOT, check=True, capture_output=True,
        ).stdout.decode()  # fmt: skip
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                target = self.root / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, target, follow_symlinks=False)
        subprocess.run(["git", "init", "-q"], cwd=self.root, check=True)

    def pytest(
        self, *arguments: str, timeout: float | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        paths = os.pathsep.join(str(self.root / each) for each in ("webhook", "tests"))
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        command += ["-m", "not network and not cluster", *arguments]
        scripts = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        process = subprocess.Popen(
            command,
            cwd=self.root,
            env={**os.environ, "PYTHONPATH": paths, "PATH": scripts, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            raise
        return subprocess.CompletedProcess(command, process.returncode, output)

    def test(self, mutant: Mutant, tests: list[str], expected: float) -> str:
        """Return the result: ``killed``, ``timeout``, or ``survived``."""
        file = self.root / mutant.path
        original = file.read_bytes()
        listed = self.root / "tests.json"
        listed.write_text(json.dumps(tests))
        files = dict.fromkeys(test.partition("::")[0] for test in tests)
        try:
            file.write_bytes(mutant.applied(original))
            done = self.pytest(
                "-x", "-p", "mutation.selected_tests", *files,
                timeout=60 + 4 * expected, MUTATION_TESTS=str(listed), PYTHONDONTWRITEBYTECODE="1",
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return "timeout"
        finally:
            file.write_bytes(original)
        if done.returncode == NO_TESTS_RAN:
            raise SystemExit(f"no test was collected for {mutant.path}:\n{done.stdout}")
        return "killed" if done.returncode else "survived"

    def test_without_map(self, mutant: Mutant) -> str:
        """Return the result of all tests of the fallback."""
        file = self.root / mutant.path
        original = file.read_bytes()
        try:
            file.write_bytes(mutant.applied(original))
            done = self.pytest("-x", FALLBACK, timeout=1800, PYTHONDONTWRITEBYTECODE="1")
        except subprocess.TimeoutExpired:
            return "timeout"
        finally:
            file.write_bytes(original)
        return "killed" if done.returncode else "survived"


def make_map(copy: Copy, folder: Path, arguments: list[str]) -> dict[str, Any]:
    """Run all tests once."""
    folder.mkdir()
    plugin = ("-p", "mutation.coverage_of_tests")
    done = copy.pytest(*plugin, *arguments, MUTATION_MAP=str(folder), COVERAGE_CORE="ctrace")
    print("\n".join(done.stdout.splitlines()[-12:]), flush=True)
    seconds: dict[str, float] = {}
    lines: dict[str, dict[str, set[str]]] = {}
    for part in folder.glob("*.json"):
        read = json.loads(part.read_text())
        seconds |= read["seconds"]
        for name, of_file in read["lines"].items():
            for line, tests in of_file.items():
                lines.setdefault(name, {}).setdefault(line, set()).update(tests)
    return {
        "seconds": seconds,
        "lines": {name: {k: sorted(v) for k, v in each.items()} for name, each in lines.items()},
    }


def all_mutants(packages: Sequence[str], only: str = "") -> Iterator[Mutant]:
    """Yield the mutants of these packages; ``only`` is a part of the path."""
    for package in packages:
        for path in sorted((ROOT / CODE / package).rglob("*.py")):
            name = str(path.relative_to(ROOT))
            if only in name and not any(part in PROSE for part in path.parts):
                yield from mutants_of(name, path.read_bytes())


def sample_of(mutants: Sequence[Mutant], count: int, seed: int) -> list[Mutant]:
    """Return so many of the mutants that Python can compile, or all."""
    shuffled = random.Random(seed).sample(mutants, len(mutants))
    valid = (mutant for mutant in shuffled if is_valid(mutant, (ROOT / mutant.path).read_bytes()))
    return list(itertools.islice(valid, count))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--count", type=int, default=100, help="number of mutants")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="mutants tested at once")
    parser.add_argument("--packages", default=",".join(PACKAGES))
    parser.add_argument("--map", type=Path, help="file that keeps what each test runs")
    parser.add_argument(
        "--only", metavar="PATH", default="", help="mutants of paths with this text"
    )
    options = parser.parse_args()
    chosen = list(all_mutants(options.packages.split(","), options.only))
    sample = sample_of(chosen, options.count, options.seed)
    with tempfile.TemporaryDirectory(prefix="mutation-") as temporary:
        folder = Path(temporary)
        copies = [Copy(folder, number) for number in range(options.jobs)]
        if options.map is not None and options.map.exists():
            read = json.loads(options.map.read_text())
        else:
            read = make_map(copies[0], folder / "map", ["-n", str(options.jobs)])
            if options.map is not None:
                options.map.write_text(json.dumps(read))
        print(
            f"{len(chosen)} mutants, of which {len(sample)}; {len(read['seconds'])} tests",
            flush=True,
        )
        results = _test_all(sample, copies, Map(read))
    killed = results["killed"] + results["timeout"]
    print(f"killed {killed} of {len(sample)}: {100 * killed / max(1, len(sample)):.1f} %")
    return 0


def _test_all(sample: list[Mutant], copies: list[Copy], tests: Map) -> Counter[str]:
    waiting: queue.SimpleQueue[Mutant] = queue.SimpleQueue()
    for mutant in sample:
        waiting.put(mutant)
    results: Counter[str] = Counter()

    last = tests.in_processes()

    def work(copy: Copy) -> None:
        while True:
            try:
                mutant = waiting.get_nowait()
            except queue.Empty:
                return
            began = time.monotonic()
            selected = tests.tests_of(mutant)
            expected = sum(tests.seconds[test] for test in selected)
            result = (
                copy.test(mutant, selected, expected) if selected else copy.test_without_map(mutant)
            )
            if result == "survived" and last:
                result = copy.test(mutant, last, sum(tests.seconds[test] for test in last))
            results[result] += 1
            source = (copy.root / mutant.path).read_bytes()
            took = f"{len(selected)} tests, {time.monotonic() - began:.0f} s"
            print(f"{result}: {mutant.described(source)}  ({took})", flush=True)

    workers = [threading.Thread(target=work, args=(copy,)) for copy in copies]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return results


if __name__ == "__main__":
    sys.exit(main())
