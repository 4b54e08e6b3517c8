"""Random Jobs and CronJobs, made from the declarations: typed, mostly plausible, sometimes wrong.

A generator of values rather than a Hypothesis strategy of a hundred types: it is fast enough for tens of
thousands of objects, and a seed names each. Laws are stated over seeds.

    >>> random_job(7) == random_job(7)
    True
"""

from __future__ import annotations

import random
from typing import Any

from jobsworth.api.batch.cron_job import CronJob
from jobsworth.api.declare import Field, ListOf, MapOf, Pointer, Scalar, Struct
from jobsworth.api.declared_types import struct_below
from jobsworth.api.kinds import Job

STRINGS = ("", "a", "main", "x-1", "A.b", "example.com/name", "-bad-", "$(X)", "a b", "1", "café")
NUMBERS = (0, 1, 2, 3, 5, 10, 100, 65535, 100000, 100001, -1, 2**31 - 1)
QUANTITIES = ("0", "1", "100m", "1Gi", "1.5", "1e3", 2, 0.5, "-1")
LABELS = ("app", "example.com/name", "tier", "bad key", "x/y/z")


def random_job(seed: int) -> dict[str, Any]:
    """A Job or CronJob; the same for the same seed."""
    rng = random.Random(seed)
    template = {
        "spec": {
            "restartPolicy": rng.choice(("Never", "Never", "OnFailure")),
            "containers": [{"name": "main", "image": "busybox:1.36"}],
        }
    }
    spec: dict[str, Any] = {"template": template}
    metadata = {"name": rng.choice(("sample", "train-42"))}
    if rng.random() < 0.2:
        job: dict[str, Any] = {
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "metadata": metadata,
            "spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": spec}},
        }
        root = CronJob
    else:
        job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}
        root = Job
    for _ in range(rng.choice((0, 1, 2, 3, 5, 8))):
        decorate(rng, root, job)
    return job


def decorate(rng: random.Random, struct: Struct, value: dict[str, Any]) -> None:
    """Set one more random field in an object of this type, somewhere below."""
    while True:
        inner = [
            (below, part)
            for name, part in value.items()
            if name in struct.fields and (below := struct_below(struct.fields[name])) is not None
        ]
        if not inner or rng.random() < 0.2:
            break
        struct, part = rng.choice(inner)
        if isinstance(part, list):
            if not part:
                return
            part = rng.choice(part)
        if not isinstance(part, dict):
            return
        value = part
    candidates = [
        field
        for field in struct.fields.values()
        if field.name not in ("apiVersion", "kind", "status", "managedFields", "resourceVersion")
    ]
    if candidates:
        field = rng.choice(candidates)
        value[field.name] = _value(rng, field)


def _value(rng: random.Random, field: Field) -> Any:
    if rng.random() < 0.03:
        return None
    kind = field.type
    if isinstance(kind, ListOf):
        return [_part(rng, kind.item, field) for _ in range(rng.choice((0, 1, 1, 2, 3)))]
    if isinstance(kind, MapOf):
        below = kind.value
        return {
            rng.choice(LABELS): [_scalar(rng, below.item, field)]
            if isinstance(below, ListOf) and isinstance(below.item, Scalar)
            else _part(rng, below, field)  # type: ignore[arg-type]
            for _ in range(rng.choice((0, 1, 2)))
        }
    return _part(rng, kind.target if isinstance(kind, Pointer) else kind, field)


def _part(rng: random.Random, kind: Scalar | Struct, field: Field) -> Any:
    if isinstance(kind, Scalar):
        return _scalar(rng, kind, field)
    fields = list(kind.fields.values())
    chosen = [below for below in fields if below.always or below.required or rng.random() < 0.25]
    return {below.name: _value(rng, below) for below in chosen if rng.random() < 0.95}


def _scalar(rng: random.Random, kind: Scalar, field: Field) -> Any:
    if rng.random() < 0.01:
        return rng.choice((True, 1, 1.5, "x", [], {}))
    names = field.enum or field.values
    if names and rng.random() < 0.85:
        return rng.choice(names)
    match kind.name:
        case "boolean":
            return rng.random() < 0.5
        case "int32" | "int64":
            return rng.choice(NUMBERS)
        case "double":
            return rng.choice((0, 0.5, 1))
        case "quantity":
            return rng.choice(QUANTITIES)
        case "int-or-string":
            return rng.choice((80, "http", 0, "8080", 70000))
        case "date-time":
            return "2026-01-31T09:00:00Z"
        case _:
            return rng.choice(STRINGS)
