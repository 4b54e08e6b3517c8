"""Compare the engine with a live API server, on random Jobs and CronJobs.

    cd tests
    PYTHONPATH=../webhook:. python -m cluster.differential --count 5000 --seed 7                # starts a server
    PYTHONPATH=../webhook:. python -m cluster.differential --count 5000 --kubeconfig ~/.kube/config

Creations are server-side dry runs: nothing is stored. To compare updates something must be: ``--updates`` does so in
a namespace of its own, which is deleted afterwards. The release, its feature gates and ``--allow-privileged`` are read
from the server. Exits with 1 where verdict, causes or defaults differ.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from cluster.dry_run_server import Server, from_kubeconfig
from cluster.linked_server import LinkedServer
from cluster.programs import NEWEST
from cluster.random_manifests import Generator
from jobsworth.validation.engine import Engine, engine_for
from support.api_server.recorded_answers import answered, difference, keeps_users, unlike_warnings

if TYPE_CHECKING:
    from cluster.bed import Answer

STORED = 40  # so many Jobs and CronJobs are stored, to be updated
THREADS = 4


class Difference(NamedTuple):
    """An object on which the engine and the server do not agree.

    Attributes:
        seed: that made the object.
        what: differs, in words.
        manifest: the object.
        old: of an update: the stored object.
    """

    seed: int
    what: str
    manifest: dict[str, Any]
    old: dict[str, Any] | None = None


class Outcome(NamedTuple):
    """The result of a run.

    Attributes:
        validated: how many objects the server accepted, found invalid, or could not decode.
        not_validated: how many it rejected for what is not a property of the object, by HTTP status.
        differences: between the engine's errors and the server's.
        untried: fields of a Job that no object had, of how many.
        seconds: that it took.
    """

    validated: Counter[str]
    not_validated: Counter[int]
    differences: list[Difference]
    untried: tuple[int, int]
    seconds: float


def compare(
    engine: Engine, manifest: dict[str, Any], answer: Answer, old: dict[str, Any] | None = None
) -> str:
    """Return the differences between the engine and the server's answer; empty if there are none.

    Verdict, every cause of a 422 (field, reason, message), the unknown fields of a 400, and the spec with its
    defaults and the warnings of what was accepted. What the server makes up is left out, and so are answers about
    users that the server keeps (:func:`keeps_users`).
    """
    theirs = answered(answer.code, answer.body, manifest)
    if keeps_users(engine.server, theirs):
        return ""
    found = difference(engine, manifest, theirs, old)
    if not found and answer.code in (200, 201):
        return unlike_warnings(engine, manifest, answer.warnings, old)
    if answer.code == 400:
        return found.replace("not decoded", f"not decoded: {answer.body['message']}", 1)
    return found


def agree(
    server: Server | LinkedServer,
    count: int,
    seed: int,
    *,
    updates: bool,
    given: Sequence[dict[str, Any]] = (),
) -> Outcome:
    """Put so many objects to a server, and hold the engine against its answers.

    Args:
        server: a live one.
        count: how many objects; with updates, half of them are.
        seed: of the first object; another run with other seeds tries others.
        updates: also store objects, and update them.
        given: further objects to create.
    """
    began = time.monotonic()
    engine = engine_for(server.api_server)
    generator = Generator(server.openapi())
    validated: Counter[str] = Counter()
    not_validated: Counter[int] = Counter()
    differences: list[Difference] = []

    def hold(case: tuple[int, dict[str, Any], dict[str, Any] | None], answer: Answer) -> None:
        number, manifest, old = case
        if answer.code not in (200, 201, 400, 422) or _is_about_the_url(answer):
            not_validated[answer.code] += 1
            return
        validated[{400: "not decoded", 422: "invalid"}.get(answer.code, "accepted")] += 1
        what = compare(engine, manifest, answer, old)
        if what:
            differences.append(Difference(number, what, manifest, old))

    creations = count // 2 if updates else count
    with ThreadPoolExecutor(THREADS) as threads:
        made = [
            (number, generator.object(number), None) for number in range(seed, seed + creations)
        ]
        made += [(number, each, None) for number, each in enumerate(given)]
        answers = threads.map(lambda case: server.create(case[1]), made)
        for case, answer in zip(made, answers, strict=True):
            hold(case, answer)
        if updates:
            with server.namespace():
                stored = list(_stored(server, generator, engine, seed))
                changes = [
                    (number, generator.change(old := stored[number % len(stored)], number), old)
                    for number in range(seed + creations, seed + count)
                ]
                answers = threads.map(lambda case: server.update(case[1], case[2]), changes)
                for change, answer in zip(changes, answers, strict=True):
                    hold(change, answer)
    untried = len(generator.untried), len(generator.paths["Job"])
    return Outcome(validated, not_validated, differences, untried, time.monotonic() - began)


def _is_about_the_url(answer: Answer) -> bool:
    """Return True if a request was rejected because name or namespace differ from those in its URL."""
    return answer.code == 400 and answer.body["message"].startswith(
        ("the name of the object", "the namespace of the provided object")
    )


def _stored(
    server: Server | LinkedServer, generator: Generator, engine: Engine, seed: int
) -> Iterator[dict[str, Any]]:
    """Objects as the server has stored them: running, suspended, and suspended before they ever ran."""
    number, found = seed, 0
    while found < STORED:
        number += 1
        manifest = generator.object(number)
        if any(finding.severity == "error" for finding in engine.validate(manifest)):
            continue
        if manifest["kind"] == "Job":
            manifest["spec"]["suspend"] = found % 3 > 0
        started = found % 2 == 0
        stored = server.store(manifest, f"stored-{found}", started=started)
        if stored is not None:
            found += 1
            yield stored


def report(server: Server | LinkedServer, outcome: Outcome, show: int) -> str:
    """A run's outcome as text."""
    total = sum(outcome.validated.values())
    numbers = ", ".join(f"{number} {what}" for what, number in sorted(outcome.validated.items()))
    left, fields = outcome.untried
    lines = [
        f"{server.api_server}: {total} objects in {outcome.seconds:.0f} s ({numbers})",
        f"fields of a Job that were set: {fields - left} of {fields}",
        f"differences: {len(outcome.differences)}",
    ]
    if outcome.not_validated:
        codes = ", ".join(f"{n} with {code}" for code, n in sorted(outcome.not_validated.items()))
        lines.append(f"rejected for other reasons, not validated: {codes}")
    lines += [f"  seed {each.seed}: {each.what}" for each in outcome.differences[:show]]
    return "\n".join(lines)


@contextlib.contextmanager
def _server(
    kubeconfig: Path | None, release: str | None, *, linked: bool = False
) -> Iterator[Server | LinkedServer]:
    if linked:
        with LinkedServer(release or NEWEST) as server:
            yield server
        return
    if kubeconfig is not None:
        yield Server(from_kubeconfig(kubeconfig))
        return
    from cluster.bed import TestBed

    with TestBed(release, audit=False) as bed:
        yield Server(bed.connection)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m cluster.differential", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--count", type=int, default=1000, help="how many objects (default 1000)")
    parser.add_argument("--seed", type=int, default=0, help="of the first object (default 0)")
    parser.add_argument(
        "--kubeconfig", type=Path, help="the server to ask; without, one is started"
    )
    parser.add_argument("--release", help="of the server to start, such as 1.33")
    parser.add_argument(
        "--updates", action="store_true", help="also updates, of objects that are stored for it"
    )
    parser.add_argument(
        "--linked", action="store_true", help="ask the code of the release, without a server"
    )
    parser.add_argument("--cases", type=Path, help="also of this file: a line with an object each")
    parser.add_argument("--show", type=int, default=10, help="how many differences (default 10)")
    arguments = parser.parse_args()
    try:
        with _server(arguments.kubeconfig, arguments.release, linked=arguments.linked) as server:
            given = []
            if arguments.cases:
                lines = arguments.cases.read_text(encoding="utf-8").splitlines()
                given = [json.loads(line)["object"] for line in lines]
            outcome = agree(
                server,
                arguments.count,
                arguments.seed * 1_000_000,
                updates=arguments.updates,
                given=given,
            )
            print(report(server, outcome, arguments.show))
    except ImportError as missing:
        print(f"error: {missing}: run pip install '.[cluster]'", file=sys.stderr)
        return os.EX_UNAVAILABLE
    except (OSError, ValueError, LookupError, RuntimeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return os.EX_UNAVAILABLE
    return 1 if outcome.differences else 0


if __name__ == "__main__":
    sys.exit(main())
