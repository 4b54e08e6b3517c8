"""Decision tables compared with brute force: the planner runs once for every exit code, container and condition.

It uses no classes and no sets: each failed Pod is written as the API server returns it, read, and given to
one sync. The rule that matches is found by evaluating the rules in turn (`random_failure_policies.matches`).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.controller.jobs import read_job
from jobsworth.controller.plan import ActionResults, Memory, plan
from jobsworth.controller.pods import read_pod
from jobsworth.controller.settings import ControllerSettings
from jobsworth.runs.explanation.decision_table import decision_table
from jobsworth.runs.explanation.explained_job import ExplainedJob, explained_job
from jobsworth.runs.explanation.failure_outcome import Outcome
from jobsworth.validation.engine import engine_for
from support.controller.job_syncs import NOW, a_pod
from support.lint.random_failure_policies import matches

ENGINE = engine_for(ApiServer())
SETTINGS = ControllerSettings()
CONDITIONS = ("DisruptionTarget=True", "DisruptionTarget=False", "Ready=False", "Odd=Unknown")
CONTAINERS = ("app", "second", "init", "sidecar")

Decision = tuple[object, ...]
"""The rule; True if counted; the reason if the Job fails; True if the index fails; True if it is replaced."""


def explained(value: dict[str, Any]) -> ExplainedJob:
    """Return the Job to explain of a manifest."""
    return explained_job(ENGINE.created_job(ENGINE.decode_object(value)))


def random_job(seed: int) -> dict[str, Any]:
    """Return a valid Job with a random failure policy and random limits."""
    draw = random.Random(seed)
    per_index = draw.random() < 0.4
    actions = ["FailJob", "Ignore", "Count", *(["FailIndex"] if per_index else [])]
    rules = [_random_rule(draw, draw.choice(actions)) for _ in range(draw.randint(0, 6))]
    spec: dict[str, Any] = {
        "podFailurePolicy": {"rules": rules},
        "template": {
            "spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "app", "image": "app"}, {"name": "second", "image": "app"}],
                "initContainers": [
                    {"name": "init", "image": "app"},
                    {"name": "sidecar", "image": "app", "restartPolicy": "Always"},
                ],
            }
        },
    }
    if per_index:
        size = draw.choice((1, 2, 30))
        spec |= {"completionMode": "Indexed", "completions": size, "parallelism": size}
        spec["backoffLimitPerIndex"] = draw.choice((0, 1, 5))
        if draw.random() < 0.5:
            spec["maxFailedIndexes"] = draw.randint(0, size)
    if not per_index or draw.random() < 0.3:
        spec["backoffLimit"] = draw.choice((0, 1, 6))
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "job"}, "spec": spec}


def _random_rule(draw: random.Random, action: str) -> dict[str, Any]:
    if draw.random() < 0.35:
        patterns = draw.sample(CONDITIONS, draw.randint(1, 2))
        return {
            "action": action,
            "onPodConditions": [
                dict(zip(("type", "status"), text.split("="), strict=True)) for text in patterns
            ],
        }
    operator = draw.choice(("In", "NotIn"))
    most = draw.choice((1, 3, 200))
    codes = set(draw.choices(range(1, 256), k=most)) | set(draw.choices((1, 2, 137, 143, 256), k=2))
    requirement: dict[str, Any] = {"operator": operator, "values": sorted(codes)}
    if draw.random() < 0.5:
        requirement["containerName"] = draw.choice(CONTAINERS)
    return {"action": action, "onExitCodes": requirement}


def failures(job: ExplainedJob) -> Iterator[tuple[str, int, str]]:
    """Yield every container, exit code and condition; the condition is empty for none."""
    named = {
        f"{pattern['type']}={pattern['status']}"
        for rule in job.rules
        for pattern in rule.get("onPodConditions", ())
    }
    for container in job.containers:
        for condition in ("", *sorted(named)):
            for code in range(256):
                yield container.name, code, condition


def by_brute_force(
    job: ExplainedJob, value: dict[str, Any], container: str, code: int, condition: str
) -> Decision:
    """Return the decision about one Pod: by the rules in turn, and by one sync of the planner."""
    rule = next(
        (
            number
            for number, rule in enumerate(job.rules)
            if matches(rule, {container: code}, {condition})
        ),
        None,
    )
    named = [tuple(condition.split("="))] if condition else []
    pod = a_pod("Failed", 0, exit_code=code, container=container, finished=NOW, conditions=named)  # type: ignore[arg-type]
    init = [each.name for each in job.containers if each.role != "container"]
    if container in init:
        status = pod["status"]
        status["initContainerStatuses"] = status.pop("containerStatuses")
    read, kept = read_pod(pod, SETTINGS), read_job(value, SETTINGS)
    first = plan(kept, (read,), Memory(), NOW, SETTINGS)
    record = first.after(ActionResults(created=len(first.creations)))
    removed = frozenset(each.uid for each in record.finalizer_removals)
    end = record.after(removed).status or kept.status
    failed = next((each.reason for each in end.conditions if each.type == "FailureTarget"), None)
    created = plan(kept, (read,), Memory(), NOW + 10, SETTINGS).creations
    successor = next((each for each in created if not kept.indexed or each.index == 0), None)
    counted = end.failed == 1
    if successor is not None and kept.per_index:  # the Pod is recorded once its successor exists
        counted = successor.failure_count == 1
    index_failed = end.failed_indexes == "0"
    return rule, counted, failed, index_failed, successor is not None


def from_table(job: ExplainedJob, outcome: Outcome) -> Decision:
    """Return the same decision as a row of the table states it."""
    failure = outcome.job_failure
    reason = failure.reason if failure is not None and failure.after == 1 else None
    index_failed = outcome.index_failure == 1
    return outcome.rule, outcome.counted, reason, index_failed, outcome.delay is not None


def differences(value: dict[str, Any]) -> list[object]:
    """Return the failures about which the decision table and brute force disagree."""
    decoded = ENGINE.decode_object(value)
    created = ENGINE.created_job(decoded)
    job = explained_job(created)
    table = decision_table([job])
    planned = {
        "metadata": {"name": "job", "namespace": "default", "uid": "job-uid"},
        "spec": {**created["spec"], "suspend": False, "managedBy": "jobsworth.dev/job-controller"},
    }
    wrong: list[object] = []
    for container, code, condition in failures(job):
        row = table.find(container, code, condition)
        if code == 0:  # no rule matches exit code 0; the table has no row, but one without a code
            row = table.find(container, None, condition)
            if row is None:
                continue
        if row is None or row.outcomes[0] is None:
            wrong.append((container, code, condition, "no row"))
            continue
        outcome = row.outcomes[0]
        if outcome.kind == "restarted":
            continue
        expected = by_brute_force(job, planned, container, code, condition)
        if from_table(job, outcome) != expected:
            wrong.append((container, code, condition, expected, outcome))
    return wrong
