"""Put random JobSets to an API server with JobSet's CRD, webhooks and controller, and record its answers.

    cd tests
    PYTHONPATH=../webhook:. python -m cluster.job_set_recording              # writes tests/recorded/data/job-sets.jsonl.xz
    PYTHONPATH=../webhook:. python -m cluster.job_set_recording --compare --count 2000 --seed 9

Each JobSet that the server accepts is created in a namespace of its own, and the Jobs that JobSet's controller creates of
it are part of the answer, or the API server's refusal. That is taken from the controller's log: it is in no Event if it is
longer than the 1,024 bytes that an Event may have.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
import time
from collections.abc import Iterator
from typing import Any

from cluster.bed import TestBed
from cluster.jobset_manager import JobSetManager
from cluster.random_job_sets import JobSetGenerator
from support.api_server.job_set_answers import (
    JobSetCase,
    answered,
    child_difference,
    difference,
    write_job_set_cases,
)
from support.validation.server_comparison import without_generated

STRICT = "fieldValidation=Strict"
CREATES, UPDATES, STORED = 300, 100, 40
SETTLED_AFTER = 5.0
"""The seconds without a new Job or Event after which the controller has done what it can."""
STARTED_WITHIN = 60.0
"""The seconds within which the controller has created something, on a busy machine."""
NO_CONTROLLER = "acme.io/nobody"
"""The managedBy of stored JobSets: their controller changes nothing in them."""


def ask(
    bed: TestBed, manager: JobSetManager, *, creates: int, updates: int, seed: int
) -> Iterator[JobSetCase]:
    """Yield creates with their answers and Jobs, then stored JobSets, and updates of them.

    Args:
        bed, manager: the server.
        creates, updates: how many of each.
        seed: of the first object.
    """
    generator = JobSetGenerator(manager.openapi())
    namespace = bed.namespace()
    path = manager.path(namespace)
    made = [generator.object(number) for number in range(seed, seed + creates)]
    accepted: dict[int, str] = {}
    answers = []
    for number, manifest in enumerate(made):
        answer = bed.request("POST", f"{path}?dryRun=All&{STRICT}", manifest)
        answers.append(answered(answer.code, answer.body, manifest))
        if answer.code == 201 and _is_small(manifest):
            accepted[number] = bed.namespace("job-set")
            bed.request("POST", f"{manager.path(accepted[number])}?{STRICT}", manifest)
    _settle(bed)
    refusals = manager.refusals()
    for number, (manifest, answer) in enumerate(zip(made, answers, strict=True)):
        where = accepted.get(number)
        created = _created(bed, where, refusals.get(where, {})) if where else None
        yield JobSetCase(f"create-{number}", manifest, answer, created=created)
    stored = list(_stored(bed, path, made, accepted))
    for number in range(updates):
        old = stored[number % len(stored)]
        changed = generator.change(old, seed + number)
        name = old["metadata"]["name"]
        answer = bed.request("PUT", f"{path}/{name}?dryRun=All&{STRICT}", changed)
        yield JobSetCase(
            f"update-{number}", changed, answered(answer.code, answer.body, changed), old=old
        )


def _is_small(manifest: dict[str, Any]) -> bool:
    """Return False for a JobSet of which a controller would create thousands of Jobs."""
    replicas = [job.get("replicas") for job in manifest["spec"].get("replicatedJobs") or ()]
    return all(each is None or each <= 20 for each in replicas)


def _stored(
    bed: TestBed, path: str, made: list[dict[str, Any]], accepted: dict[int, str]
) -> Iterator[dict[str, Any]]:
    for number in [*accepted][:STORED]:
        manifest = copy.deepcopy(made[number])
        manifest["metadata"] = {"name": f"stored-{number}"}
        manifest["spec"]["managedBy"] = NO_CONTROLLER
        answer = bed.request("POST", f"{path}?{STRICT}", manifest)
        if answer.code == 201:
            answer.body["metadata"].pop("managedFields", None)
            yield answer.body


def _settle(bed: TestBed) -> None:
    """Wait until the controller has created something, and creates nothing more."""
    seen, since = 0, time.monotonic()
    while time.monotonic() < since + (SETTLED_AFTER if seen else STARTED_WITHIN):
        jobs = bed.get("/apis/batch/v1/jobs")["items"]
        events = bed.get("/apis/events.k8s.io/v1/events")["items"]
        if len(jobs) + len(events) != seen:
            seen, since = len(jobs) + len(events), time.monotonic()
        time.sleep(0.2)


def _created(bed: TestBed, namespace: str, refused: dict[str, str]) -> dict[str, Any]:
    """Return the Jobs of a namespace, and those that the API server refused."""
    jobs = bed.get(f"/apis/batch/v1/namespaces/{namespace}/jobs")["items"]
    uid = [job["metadata"]["ownerReferences"][0]["uid"] for job in jobs][:1]
    text = json.dumps(
        {
            "namespace": namespace,
            "jobs": {
                job["metadata"]["name"]: {
                    "spec": without_generated(job["spec"]),
                    "labels": job["metadata"].get("labels", {}),
                    "annotations": job["metadata"].get("annotations", {}),
                }
                for job in jobs
            },
            "refused": refused,
        }
    )
    for each in uid:
        text = text.replace(each, "<uid>")
    found: dict[str, Any] = json.loads(text)
    return found


def compare(cases: Iterator[JobSetCase]) -> tuple[dict[str, int], list[str]]:
    """Return the numbers of cases by kind, and the differences between the verdict and the server."""
    counts: dict[str, int] = {}
    differences = []
    for case in cases:
        kind = f"{case.id.partition('-')[0]} {case.answer.code}"
        counts[kind] = counts.get(kind, 0) + 1
        found = difference(case.object, case.answer, case.old)
        if not found and case.created is not None:
            found, number = child_difference(case.object, case.created)
            counts["Jobs"] = counts.get("Jobs", 0) + number
        if found:
            differences.append(f"{case.id}: {found}")
    return counts, differences


def main() -> int:
    """Record, or compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--compare", action="store_true", help="compare, record nothing")
    parser.add_argument("--count", type=int, default=CREATES, help="of creates")
    parser.add_argument("--updates", type=int, default=UPDATES)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with TestBed() as bed, JobSetManager(bed) as manager:
        cases = ask(
            bed,
            manager,
            creates=arguments.count,
            updates=arguments.updates,
            seed=arguments.seed,
        )
        if not arguments.compare:
            write_job_set_cases(cases)
            return 0
        counts, differences = compare(cases)
    print(", ".join(f"{number} {kind}" for kind, number in sorted(counts.items())))
    print(f"differences: {len(differences)}", *differences[:20], sep="\n")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
