"""Random Jobs: small ones, for what goes wrong goes wrong with three Pods, and is found sooner."""

from __future__ import annotations

import random
from typing import Any

from support.controller.simulated_reconciler import MANAGER

Object = dict[str, Any]
FOREIGN_FINALIZER = "example.com/hold"
EXIT_CODES = (1, 2, 3, 4, 137)


def draw_job(chance: random.Random, name: str, manager: str | None = MANAGER) -> Object:
    """A Job."""
    spec: Object = {}
    if manager is not None:
        spec["managedBy"] = manager
    if chance.random() < 0.55:
        spec |= _indexed(chance)
    else:
        spec |= _not_indexed(chance)
    spec.setdefault("backoffLimit", chance.choice([0, 1, 2, 6, 6]))
    pod: Object = {"containers": [{"name": "main", "image": "busybox:1.36"}]}
    if chance.random() < 0.2:
        pod["initContainers"] = [{"name": "prepare", "image": "busybox:1.36"}]
    pod["restartPolicy"] = "Never"
    if chance.random() < 0.4:
        spec["podFailurePolicy"] = {"rules": _failure_rules(chance, spec)}
    elif chance.random() < 0.4:
        spec["podReplacementPolicy"] = chance.choice(["Failed", "TerminatingOrFailed"])
    if "podFailurePolicy" not in spec and chance.random() < 0.2:
        pod["restartPolicy"] = "OnFailure"
    if chance.random() < 0.15:
        spec["activeDeadlineSeconds"] = chance.choice([3, 20, 100, 1500])
    if chance.random() < 0.1:
        spec["suspend"] = True
    meta = {"finalizers": [FOREIGN_FINALIZER]} if chance.random() < 0.12 else {}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {**spec, "template": {"metadata": meta, "spec": pod}},
    }


def _not_indexed(chance: random.Random) -> Object:
    spec: Object = {"parallelism": chance.choice([1, 1, 2, 3, 4])}
    if chance.random() < 0.8:
        spec["completions"] = chance.choice([0, 1, 2, 3, 5, 5])
    return spec


def _indexed(chance: random.Random) -> Object:
    completions = chance.choice([1, 2, 3, 3, 4, 6])
    elastic = chance.random() < 0.3
    spec: Object = {
        "completionMode": "Indexed",
        "completions": completions,
        "parallelism": completions if elastic else chance.choice([1, 2, 3, 4]),
    }
    if chance.random() < 0.5:
        spec["backoffLimitPerIndex"] = chance.choice([0, 0, 1, 1, 2])
        spec["backoffLimit"] = chance.choice([2, 2**31 - 1, 2**31 - 1])
        if chance.random() < 0.4:
            spec["maxFailedIndexes"] = chance.randint(0, completions)
    if chance.random() < 0.25:
        spec["successPolicy"] = {"rules": _success_rules(chance, completions)}
    return spec


def _success_rules(chance: random.Random, completions: int) -> list[Object]:
    rules = []
    for _ in range(chance.choice([1, 1, 2])):
        rule: Object = {}
        members = sorted(chance.sample(range(completions), chance.randint(1, completions)))
        if chance.random() < 0.5:
            rule["succeededIndexes"] = ",".join(map(str, members))
        if not rule or chance.random() < 0.4:
            most = len(members) if rule else completions
            rule["succeededCount"] = chance.randint(1, most)
        rules.append(rule)
    return rules


def _failure_rules(chance: random.Random, spec: Object) -> list[Object]:
    actions = ["Ignore", "Ignore", "Count", "FailJob"]
    if "backoffLimitPerIndex" in spec:
        actions += ["FailIndex", "FailIndex"]
    rules: list[Object] = []
    for _ in range(chance.randint(0, 3)):
        rule: Object = {"action": chance.choice(actions)}
        if chance.random() < 0.35:
            rule["onPodConditions"] = [{"type": "DisruptionTarget", "status": "True"}]
        else:
            codes = sorted(chance.sample(EXIT_CODES, chance.randint(1, 2)))
            operator = chance.choice(["In", "In", "In", "NotIn"])
            rule["onExitCodes"] = {"operator": operator, "values": codes}
            if chance.random() < 0.3:
                rule["onExitCodes"]["containerName"] = "main"
        rules.append(rule)
    return rules
