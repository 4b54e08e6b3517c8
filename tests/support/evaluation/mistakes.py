"""Mistakes that users make in manifests: wrong names, places and types of fields, values that Kubernetes does not have."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from support.lint.changed_examples import at_steps, parts_of, shown_value, written_steps

Steps = tuple[str | int, ...]

JOB: dict[str, Any] = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "etl", "labels": {"app": "etl"}, "annotations": {"team": "data"}},
    "spec": {
        "activeDeadlineSeconds": 3600,
        "backoffLimitPerIndex": 1,
        "completionMode": "Indexed",
        "completions": 4,
        "maxFailedIndexes": 2,
        "parallelism": 2,
        "podFailurePolicy": {
            "rules": [
                {
                    "action": "FailJob",
                    "onExitCodes": {"containerName": "main", "operator": "In", "values": [1, 42]},
                },
                {
                    "action": "Ignore",
                    "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}],
                },
            ]
        },
        "podReplacementPolicy": "Failed",
        "successPolicy": {"rules": [{"succeededIndexes": "0-1", "succeededCount": 1}]},
        "suspend": False,
        "ttlSecondsAfterFinished": 600,
        "template": {
            "metadata": {"labels": {"app": "etl"}},
            "spec": {
                "restartPolicy": "Never",
                "serviceAccountName": "etl",
                "terminationGracePeriodSeconds": 30,
                "tolerations": [{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}],
                "volumes": [{"name": "data", "emptyDir": {}}],
                "containers": [
                    {
                        "name": "main",
                        "image": "registry.example.com/etl:1.4",
                        "imagePullPolicy": "Always",
                        "command": ["etl"],
                        "env": [{"name": "MODE", "value": "fast"}],
                        "ports": [{"containerPort": 8080, "protocol": "TCP"}],
                        "resources": {"requests": {"cpu": "1", "memory": "1Gi"}},
                        "securityContext": {"runAsUser": 1000, "privileged": False},
                        "volumeMounts": [{"name": "data", "mountPath": "/data"}],
                    }
                ],
            },
        },
    },
}
CRON_JOB: dict[str, Any] = {
    "apiVersion": "batch/v1",
    "kind": "CronJob",
    "metadata": {"name": "nightly"},
    "spec": {
        "concurrencyPolicy": "Forbid",
        "failedJobsHistoryLimit": 1,
        "jobTemplate": {
            "spec": {
                "backoffLimit": 3,
                "template": {
                    "spec": {
                        "restartPolicy": "OnFailure",
                        "containers": [{"name": "main", "image": "registry.example.com/etl:1.4"}],
                    }
                },
            }
        },
        "schedule": "0 3 * * *",
        "startingDeadlineSeconds": 200,
        "successfulJobsHistoryLimit": 3,
        "suspend": False,
        "timeZone": "Europe/Berlin",
    },
}

SCHEDULES = [
    "0 6 * * 7", "0 6 * * 5-7", "0 6 * * 1-7", "0 6 * * 0-7", "0 6 * * 7-2", "0 6 * * 6-7", "0 6 * * 7-7",
    "0 6 * * 7/2", "0 6 * * 1-7/2", "0 6 * * 7-2/2", "0 6 * * 5-7/2", "0 6 * * fri-mon", "0 6 * * sat-sun",
    "0 6 * * FRI-MON", "0 6 * * Fri-Mon", "0 6 * * sat-0", "0 6 * * 6-mon", "0 6 * * fri-mon/2", "0 6 * * monday",
    "0 6 * * Sunday,TUESDAY", "0 6 * * mond", "0 6 * january *", "0 6 1 sept *", "0 6 1 nov-feb *", "0 6 1 11-2 *",
    "0 6 1 dec-jan *", "0 6 1 11-2/2 *", "0 22-2 * * *", "0 23-0 * * *", "0 22-2/2 * * *", "50-10 6 * * *", "0 6 28-3 * *",
    "0 6 31-1 * *", "60 6 * * *", "0 24 * * *", "0 6 32 * *", "0 6 0 * *", "0 6 * 13 *", "0 6 * 0 *", "0 6 * * 8",
    "0 6 * *", "0 6 * * * *", "0 6 * * mo", "*/0 * * * *", "TZ=Europe/Berlin 0 6 * * *", "CRON_TZ=Etc/UTC 0 6 * * *",
    "TZ=Nowhere 0 6 * * *", "TZ= 0 6 * * *", "TZ=Etc/UTC", "TZ=Etc/UTC 0 6 * * 7", " 0 6 * * *", "0  6 * * 7", "daily", "@dayly",
    "hourly", "@hurly", "weekly", "@reboot", "noon", "every day", "@every 1x", "", "1-x * * * *", "1,,2 * * * *",
    "0 6 * * * /bin/x", "0 6 * * * root /bin/x", "0 6, 18 * * *", "0,30 8 -18 * *", "0 0 6 * * MON",
]  # fmt: skip
QUANTITIES = [
    "1GB", "1gb", "100mi", "1gi", "1Kb", "1KB", "1 Gi", "1.5 GB", "500MB", "1TB", "1g", "1K", "1MiB", "1GiB", "1M i", "1000mb",
    "one", "-1", "1,5Gi", "1Gi ", "0.5cpu", "100mcpu", "500MIB", "2tb", "1pb", "1eb", "1Pib", "10B", "1KiB", "",
]  # fmt: skip
ZONES = [
    "CST", "CDT", "MDT", "PST", "PDT", "EDT", "IST", "HKT", "JST", "AEST", "AEDT", "CEST", "EEST", "WEST", "BST", "utc", "z",
    "Zulu", "gmt", "utc+0", "gmt+0", "UTC+00:00", "UTC+1", "cest", "europe/berlin", "Europe/Berlni", "Berlin", "US/New_York",
    "US/Boston", "America/Lisa", "Europe/", "/Berlin", "Nowhere", "", "Local", "Asia/Calcuta", "Australia/Sidney",
]  # fmt: skip
OTHER_VALUES: dict[str, list[Any]] = {
    "activeDeadlineSeconds": [
        "1s", "2sec", "3m", "4min", "2h", "1d", "1w", "1h30m", "90 s", "h", "1x", "soon", "", "1234567890s", "1.5", "3600.0",
        3600.0, 3600.5, "3600", "-3600", "03600", "0", 10**20, True, None, [3600], {}, -1, 0,
    ],
    "action": ["failjob", "FailIndx", "Fail", "count", "Ignored", ""],
    "completionMode": ["indexed", "Index", "Nonindexed", ""],
    "concurrencyPolicy": ["forbid", "Replaced", "Deny"],
    "containerName": ["man", "other", ""],
    "imagePullPolicy": ["always", "ifNotPresent", "IfMissing"],
    "maxFailedIndexes": [5, 4, -1],
    "memory": QUANTITIES,
    "name": ["a_b", "A.B", "Data", "dat", "x" * 64, 7, True, 1.5, "", "ätl", "my etl", "data-"],
    "operator": ["in", "NotIn", "Notin", "Equal", "exists"],
    "podReplacementPolicy": ["failed", "TerminatingOrFailed", "Terminating"],
    "protocol": ["tcp", "HTTP"],
    "restartPolicy": ["never", "Always", "OnFailure", "onfailure", "OnFail", "No", "", "Sometimes"],
    "schedule": SCHEDULES,
    "status": ["Unknown", "true", "Yes", ""],
    "succeededIndexes": ["1-0", "0,0", "0-9", "a", "0-", ""],
    "suspend": ["true", "False", "yes", 1, 0],
    "timeZone": ZONES,
    "values": [[42, 1], [1, 1], [0, 1], [0], [42, 1, 42, 0], [], ["1"], 42, "42", True, [256], [-1], [1, None]],
}  # fmt: skip


def mistakes_in(value: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each mistake, and an object that has it."""
    for steps, part in parts_of(value):
        *above, name = steps
        place = written_steps(steps)
        if name in ("apiVersion", "kind"):
            continue
        yield f"without {place}", _without(value, steps)
        if isinstance(name, str):
            for other in (name.lower(), name[:-1], f"{name}s", name.replace("Policy", "Polcy")):
                if other != name:
                    yield f"{place} as {other}", _moved(value, steps, (*above, other))
            for target in dict.fromkeys((("spec",), ("metadata",), tuple(above[:-1]), ())):
                here = (*target, name)
                if target not in (tuple(above), steps) and _can_hold(value, target, name):
                    yield (
                        f"{place} in {written_steps(target) or 'the object'}",
                        _moved(value, steps, here),
                    )
        for new in _wrong(name, part):
            yield f"{place}: {shown_value(repr(new))}", _with(value, steps, new)


def _wrong(name: str | int, part: Any) -> Iterator[Any]:
    if str(name) in OTHER_VALUES:
        yield from OTHER_VALUES[str(name)]
    elif isinstance(part, bool):
        yield from ("true", "no", 1)
    elif isinstance(part, int):
        yield from (str(part), float(part), part + 0.5, -1, True, None, [part])
    elif isinstance(part, str):
        yield from (7, True, 1.5, "", [part], {"a": part})
    elif isinstance(part, list):
        yield from ([], part[0], "text", 7, {}, None, [None], [*part, *part])
    else:
        yield from ({}, [], "text", 7, None, [part])


def _can_hold(value: dict[str, Any], target: Steps, name: str) -> bool:
    holder = at_steps(value, target)
    return isinstance(holder, dict) and name not in holder


def _without(value: dict[str, Any], steps: Steps) -> dict[str, Any]:
    changed = copy.deepcopy(value)
    del at_steps(changed, steps[:-1])[steps[-1]]
    return changed


def _moved(value: dict[str, Any], steps: Steps, to: Steps) -> dict[str, Any]:
    changed = copy.deepcopy(value)
    part = at_steps(changed, steps[:-1]).pop(steps[-1])
    at_steps(changed, to[:-1])[to[-1]] = part
    return changed


def _with(value: dict[str, Any], steps: Steps, new: Any) -> dict[str, Any]:
    changed = copy.deepcopy(value)
    at_steps(changed, steps[:-1])[steps[-1]] = copy.deepcopy(new)
    return changed
