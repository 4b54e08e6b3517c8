"""Record the answers of real API servers of several releases: see tests/recorded/README.md.

    tests/cluster/install --recorded                                  # builds the servers, with Go
    cd tests
    PYTHONPATH=../webhook:. python -m cluster.recording               # asks every release
    PYTHONPATH=../webhook:. python -m cluster.recording --only 1.35   # or one of them
    PYTHONPATH=../webhook:. python -m cluster.recording --new-cases   # also makes the cases anew
    PYTHONPATH=../webhook:. python -m cluster.recording --more-cases  # adds cases about gates without any
    PYTHONPATH=../webhook:. python -m cluster.recording --warning-cases --only 1.28   # makes those with warnings
    PYTHONPATH=../webhook:. python -m cluster.recording --tracking-cases  # makes those about the tracking annotation
    PYTHONPATH=../webhook:. python -m cluster.recording --warnings    # adds warnings, and cases that are missing
    PYTHONPATH=../webhook:. python -m cluster.recording --linked --only 1.36   # compares with the linked code

Stored objects are written straight into etcd, so that every release has the same ones, with any status and with
fields that a gate has kept out meanwhile. Requests are dry runs with strict decoding.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import datetime
import json
import random
import re
import sys
import time
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen

from cluster.dry_run_server import PLURALS, Server
from cluster.linked_server import LinkedServer
from cluster.programs import LINKED_RELEASES, RECORDED, MissingProgram, linked_version
from cluster.recorded_cases import cases_about_gates, make_cases, tracking_cases
from cluster.warning_cases import warning_cases
from jobsworth.api.api_server import ApiServer
from jobsworth.api.feature_gates import FEATURE_GATES
from jobsworth.validation.verdict_findings import MAX_CUT_WARNING, MAX_WARNINGS
from support.api_server.gates import can_change
from support.api_server.recorded_answers import (
    Answered,
    Cases,
    Recording,
    Section,
    answered,
    recorded_releases,
    write_cases,
    write_recording,
)

if TYPE_CHECKING:
    from cluster.bed import TestBed

SEED = 17
COUNT = 3000
OF_A_GATE = 24
PER_PART = 15
UPDATES_WITH_WARNINGS = 120
OTHERS = 200
"""So many cases about other gates are put to a server with one gate changed."""
THREADS = 4
NEEDS = re.compile(r"(\w+) is enabled, but depends on features that are disabled: \[([\w ]+)\]")


def record(release: str, cases: Cases) -> Recording:
    """Ask a server of a release, as it starts by default and with each gate that can be changed."""
    with _bed(release, {}) as bed:
        server = Server(bed.connection)
        version = bed.get("/version")["gitVersion"].removeprefix("v")
        _put_into_etcd(bed, cases.stored.values())
        stored = {name: _read_back(bed, each) for name, each in cases.stored.items()}
        default = dict(_ask(server, cases, cases.requests))
    sections = []
    for gate in _changeable(release):
        gates, section = _with_gate(release, gate, cases, default)
        sections.append(Section(gates, section))
        print(f"{version} {gates}: {len(section)} answers differ", flush=True)
    today = datetime.date.today().isoformat()
    return Recording(version, today, stored, [Section({}, default), *sections], has_warnings=True)


def _changeable(release: str) -> Iterator[str]:
    server = ApiServer(release)
    yield from (gate for gate in FEATURE_GATES if can_change(server, gate))


def _with_gate(
    release: str, gate: str, cases: Cases, default: dict[str, Answered]
) -> tuple[dict[str, bool], dict[str, Answered]]:
    """Return the gates and the answers that differ from the default server's.

    Other gates follow, where the server does not start without.
    """
    wanted = {gate: not ApiServer(release).enabled(gate)}
    about = [each for each in cases.requests if each.get("gate") == gate]
    others = [each for each in cases.requests if each.get("gate") not in (None, gate)]
    asked = about + random.Random(gate).sample(others, min(OTHERS, len(others)))
    with _bed(release, wanted) as bed:
        _put_into_etcd(bed, cases.stored.values())
        answers = dict(_ask(Server(bed.connection), cases, asked))
    return wanted, {name: each for name, each in answers.items() if each != default[name]}


@contextlib.contextmanager
def _bed(release: str, gates: dict[str, bool]) -> Iterator[TestBed]:
    """Start a server; changes `gates` to those that it needs, by what it says when it does not start."""
    from cluster.bed import ProcessDied, TestBed

    server = ApiServer(release)
    for _ in range(4):
        # Some gates wait for the API groups of their objects.
        flags = ("--runtime-config=api/all=true",) if gates else ()
        named = {server.name_of(gate): on for gate, on in gates.items()}
        bed = TestBed(release, audit=False, feature_gates=named, api_server_flags=flags)
        try:
            bed.start()
        except ProcessDied as died:
            found = NEEDS.findall(str(died))
            if not found:
                raise
            for dependent, needed in found:
                if gates.get(dependent):
                    gates.update(dict.fromkeys(needed.split(), True))
                else:
                    gates[dependent] = False
            continue
        try:
            yield bed
        finally:
            bed.stop()
        return
    raise RuntimeError(f"kube-apiserver {release} does not start with {gates}")


def _ask(
    server: Server, cases: Cases, requests: Iterable[dict[str, Any]]
) -> Iterator[tuple[str, Answered]]:
    def ask(case: dict[str, Any]) -> tuple[str, Answered]:
        manifest = case["object"]
        if "of" in case:
            answer = server.update(manifest, cases.stored[case["of"]])
        else:
            answer = server.create(manifest)
        return case["id"], answered(answer.code, answer.body, manifest, answer.warnings)

    with ThreadPoolExecutor(THREADS) as threads:
        yield from threads.map(ask, requests)


def _put_into_etcd(bed: TestBed, stored: Iterable[dict[str, Any]]) -> None:
    for each in stored:
        meta = each["metadata"]
        key = f"/registry/{PLURALS[each['kind']]}/{meta['namespace']}/{meta['name']}"
        pair = {"key": key.encode(), "value": json.dumps(each).encode()}
        body = json.dumps({name: base64.b64encode(part).decode() for name, part in pair.items()})
        urlopen(Request(f"{bed.etcd_url}/v3/kv/put", body.encode()), timeout=30).close()


def _read_back(bed: TestBed, stored: dict[str, Any]) -> dict[str, Any]:
    """Return a stored object as this release reads it: without the fields that it does not have."""
    meta = stored["metadata"]
    path = f"/apis/batch/v1/namespaces/{meta['namespace']}/{PLURALS[stored['kind']]}/{meta['name']}"
    read = bed.get(path)
    read["metadata"]["resourceVersion"] = "1"
    return read


def record_more(release: str, cases: Cases, more: Collection[str]) -> Recording:
    """Add the answers to some cases, by their names, to what is recorded of a release."""
    recorded = Recording.read(release)
    added = Cases(
        {name: each for name, each in cases.stored.items() if name in more},
        [each for each in cases.requests if each["id"] in more],
    )
    with _bed(release, {}) as bed:
        _put_into_etcd(bed, added.stored.values())
        recorded.stored.update({name: _read_back(bed, each) for name, each in added.stored.items()})
        recorded.sections[0].answers.update(_ask(Server(bed.connection), added, added.requests))
    return recorded


def record_warnings(release: str, cases: Cases) -> Recording:
    """Add the warnings of the default server to what is recorded of a release, and the cases that it lacks.

    Raises:
        RuntimeError: a server answers otherwise than recorded.
    """
    recorded = Recording.read(release)
    default = recorded.sections[0].answers
    with _bed(release, {}) as bed:
        _put_into_etcd(bed, cases.stored.values())
        for name, each in cases.stored.items():
            if name not in recorded.stored:
                recorded.stored[name] = _read_back(bed, each)
        for name, answer in _ask(Server(bed.connection), cases, cases.requests):
            known = default.get(name)
            if known is not None and known._replace(warnings=None) != answer._replace(
                warnings=None
            ):
                raise RuntimeError(f"{release} answers {name} otherwise than recorded: {answer}")
            default[name] = answer
    return recorded._replace(has_warnings=True)


def unlike_linked(release: str, cases: Cases) -> Iterator[str]:
    """Yield how the code of a release, linked without a server, answers otherwise than recorded, in words.

    The last line counts the answers that were compared. Warnings and defaults are compared where they were recorded.
    """
    recorded = Recording.read(release)
    default, compared = recorded.sections[0].answers, 0
    requests = {each["id"]: each for each in cases.requests}
    for section in recorded.sections:
        with LinkedServer(release, section.gates) as server:
            for name, wanted in section.answers.items():
                case = requests.get(name)
                if case is None or not wanted.is_about_the_object:
                    continue
                manifest = case["object"]
                if "of" in case:
                    answer = server.update(manifest, recorded.stored[case["of"]])
                else:
                    answer = server.create(manifest)
                found = answered(answer.code, answer.body, manifest, answer.warnings)
                compared += 1
                if not _are_alike(wanted, found, warnings=section.answers is default):
                    yield f"{name} {section.gates}: {wanted.code}, linked {found.code}"
    yield f"{release}: {compared} answers of {recorded.version} compared with {linked_version(release)}"


def _are_alike(wanted: Answered, found: Answered, *, warnings: bool) -> bool:
    if wanted._replace(warnings=None, causes=None) != found._replace(warnings=None, causes=None):
        return False
    given = sorted(map(tuple, found.causes or ()))
    if sorted(map(tuple, wanted.causes or ())) != given:
        return False
    texts = {*(found.warnings or ())}
    if not warnings or wanted.warnings is None:
        return True
    if sum(map(len, texts)) > MAX_WARNINGS:  # a server's endpoint cuts each, and leaves some out
        return {*wanted.warnings} <= {text[:MAX_CUT_WARNING] for text in texts}
    return {*wanted.warnings} == texts


def make_warning_cases(release: str) -> list[dict[str, Any]]:
    """Make the cases with warnings, with a server of a release that accepts a time zone in a schedule."""
    with _bed(release, {}) as bed:
        made = warning_cases(
            Server(bed.connection), per_part=PER_PART, updates=UPDATES_WITH_WARNINGS, seed=SEED
        )
        return list(made)


def new_cases() -> list[dict[str, Any]]:
    """Make the cases with the oldest and the newest recorded release, all of whose gates are on."""
    oldest = RECORDED[0]
    with _bed(oldest, _all_on(oldest)) as old, _newest() as new:
        servers = Server(old.connection), new
        return list(make_cases(*servers, count=COUNT, of_a_gate=OF_A_GATE, seed=SEED))


def more_cases() -> list[dict[str, Any]]:
    """Make the cases about gates that no case is about, with the newest recorded release."""
    known = {each.get("gate") for each in Cases.read().requests}
    with _newest() as new:
        return list(cases_about_gates(new, count=OF_A_GATE, seed=SEED, known=known))


@contextlib.contextmanager
def _newest() -> Iterator[Server]:
    with _bed(RECORDED[-1], _all_on(RECORDED[-1])) as bed:
        yield Server(bed.connection)


def _all_on(release: str) -> dict[str, bool]:
    return dict.fromkeys(_changeable(release), True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m cluster.recording", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "--only", action="append", choices=RECORDED, metavar="RELEASE", help=", ".join(RECORDED)
    )
    parser.add_argument("--new-cases", action="store_true", help="make the cases anew")
    parser.add_argument(
        "--more-cases", action="store_true", help="add cases about gates that have none"
    )
    parser.add_argument(
        "--warnings",
        action="store_true",
        help="add the warnings to what is recorded, and the answers to cases that it lacks",
    )
    parser.add_argument(
        "--warning-cases",
        action="store_true",
        help="make the cases with warnings anew, and nothing else; with --only a release up to 1.28",
    )
    parser.add_argument(
        "--tracking-cases",
        action="store_true",
        help="make the cases about the annotation of tracked Jobs anew, and nothing else",
    )
    parser.add_argument(
        "--linked",
        action="store_true",
        help="record nothing: compare what is recorded with the linked code of the releases that have it",
    )
    arguments = parser.parse_args()
    try:
        if arguments.linked:
            for release in arguments.only or LINKED_RELEASES:
                print("\n".join(unlike_linked(release, Cases.read())), flush=True)
            return 0
        if arguments.tracking_cases:
            others = [
                each for each in Cases.read().lines() if not each["id"].startswith("tracked-")
            ]
            write_cases([*others, *tracking_cases()])
            return 0
        if arguments.warning_cases:
            others = [each for each in Cases.read().lines() if not each["id"].startswith("warned-")]
            write_cases([*others, *make_warning_cases((arguments.only or ["1.28"])[0])])
            return 0
        more: set[str] = set()
        if arguments.new_cases:
            write_cases(new_cases())
        elif arguments.more_cases:
            found = more_cases()
            more = {each["id"] for each in found}
            write_cases([*Cases.read().lines(), *found])
        cases = Cases.read()
        for release in arguments.only or RECORDED:
            began = time.monotonic()
            if arguments.warnings:
                recorded = record_warnings(release, cases)
            elif more and release in recorded_releases():
                recorded = record_more(release, cases, more)
            else:
                recorded = record(release, cases)
            write_recording(release, recorded)
            print(f"{release}: recorded in {time.monotonic() - began:.0f} s", flush=True)
    except (MissingProgram, OSError, RuntimeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
