"""The findings of lint rules for Jobs, in a short form for tables of cases."""

from __future__ import annotations

import copy
from collections.abc import Container
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.files.context.neighbor_files import repeated_keys
from jobsworth.findings.finding import Finding
from jobsworth.lint.edit import Edit, edit_of
from jobsworth.lint.lint_rule import Rule
from jobsworth.lint.linter import RULES, Linter
from jobsworth.lint.neighbors import Neighbors
from jobsworth.validation.engine import Engine, engine_for
from support.lint.recorded_messages import SEEN

RULE_OF = {rule.code: rule for rule in RULES}

POD = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox:1.36"}]}
SIDECAR = {"name": "proxy", "image": "proxy:2.1", "restartPolicy": "Always"}
INIT = {"name": "download", "image": "busybox:1.36"}
DISRUPTED = [{"type": "DisruptionTarget", "status": "True"}]


def job(pod: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    """A Job with these fields of its Pod and of its spec."""
    template = {"spec": copy.deepcopy({**POD, **(pod or {})})}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "sample"},
        "spec": {**copy.deepcopy(spec), "template": template},
    }


def cron_job(inner: dict[str, Any], **spec: Any) -> dict[str, Any]:
    """A CronJob that makes such Jobs."""
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "sample"},
        "spec": {"schedule": "0 3 * * *", **spec, "jobTemplate": {"spec": inner["spec"]}},
    }


def with_policy(
    *rules: dict[str, Any], pod: dict[str, Any] | None = None, **spec: Any
) -> dict[str, Any]:
    """A Job with these rules in its failure policy."""
    return job(pod, podFailurePolicy={"rules": list(rules)}, **spec)


def on_codes(action: str, operator: str, *values: int, of: str | None = None) -> dict[str, Any]:
    """A rule on exit codes, of one container or of all."""
    requirement: dict[str, Any] = {"operator": operator, "values": list(values)}
    if of is not None:
        requirement["containerName"] = of
    return {"action": action, "onExitCodes": requirement}


def on_condition(action: str, type_: str, status: str = "True") -> dict[str, Any]:
    """A rule on one condition."""
    return {"action": action, "onPodConditions": [{"type": type_, "status": status}]}


def lint(
    value: Any,
    engine: Engine,
    rules: Container[Rule],
    neighbors: Neighbors | None = None,
    edit: Edit | None = None,
) -> list[Finding]:
    """Return the findings of some rules, in the order of their codes."""
    linter = Linter(rules.__contains__)
    return linter.lint(engine.decode_object(value), engine, neighbors=neighbors, edit=edit)


def found(code: str, value: dict[str, Any], release: str = "1.36") -> list[Finding]:
    """Return the findings of the rule of a code."""
    engine = engine_for(ApiServer(release))
    findings = lint(value, engine, [RULE_OF[code]])
    SEEN.extend(findings)
    return findings


def found_beside(code: str, value: dict[str, Any], *beside: dict[str, Any]) -> list[Finding]:
    """Return the findings of the rule of a code for a Job with some objects beside it."""
    engine = engine_for(ApiServer("1.36"))
    neighbors = Neighbors.of([value, *beside], repeats=repeated_keys)
    findings = lint(value, engine, [RULE_OF[code]], neighbors)
    SEEN.extend(findings)
    return findings


def fields_beside(code: str, value: dict[str, Any], *beside: dict[str, Any]) -> list[str]:
    """The fields that the rule of a code complains about, below the spec, with some objects beside a Job."""
    return [
        finding.field.removeprefix("spec.jobTemplate.").removeprefix("spec.")
        for finding in found_beside(code, value, *beside)
    ]


def found_in_edit(
    code: str, before: dict[str, Any], value: dict[str, Any], now: float
) -> list[Finding]:
    """Return the findings of the rule of a code for the update of a CronJob."""
    engine = engine_for(ApiServer("1.36"))
    findings = lint(value, engine, [RULE_OF[code]], edit=edit_of(before, now))
    SEEN.extend(findings)
    return findings


def with_metadata(value: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    """The object with these fields of its metadata."""
    return {**value, "metadata": {**value["metadata"], **metadata}}


def with_labels(value: dict[str, Any], **labels: str) -> dict[str, Any]:
    """The Job or CronJob with these labels of its Pod template."""
    changed = copy.deepcopy(value)
    spec = changed["spec"].get("jobTemplate", changed)["spec"]
    spec["template"].setdefault("metadata", {})["labels"] = labels
    return changed


def stored(
    kind: str,
    name: str = "beside",
    *,
    version: str = "v1",
    namespace: str = "",
    annotations: Any = None,
    **fields: Any,
) -> dict[str, Any]:
    """An object beside a Job."""
    metadata: dict[str, Any] = {"name": name}
    if namespace:
        metadata["namespace"] = namespace
    if annotations is not None:
        metadata["annotations"] = annotations
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **fields}


def server(
    pod: dict[str, Any] | None = None,
    *,
    kind: str = "Deployment",
    name: str = "server",
    **labels: str,
) -> dict[str, Any]:
    """A workload beside a Job, with these fields of its Pod and labels of its Pods."""
    labels = labels or {"app": "server"}
    template = {"metadata": {"labels": labels}, "spec": copy.deepcopy(pod or {"containers": []})}
    return stored(
        kind,
        name,
        version="apps/v1",
        spec={"selector": {"matchLabels": labels}, "template": template},
    )


def fields(code: str, value: dict[str, Any], release: str = "1.36") -> list[str]:
    """The fields that the rule of a code complains about, below the spec."""
    return [
        finding.field.removeprefix("spec.jobTemplate.").removeprefix("spec.")
        for finding in found(code, value, release)
    ]


def after_fix(code: str, value: dict[str, Any]) -> dict[str, Any]:
    """The object after the fix of the one finding of a rule."""
    from jobsworth.findings.edits import edited

    (finding,) = found(code, value)
    assert finding.fix is not None
    changed: dict[str, Any] = edited(value, *finding.fix.edits)
    return changed


def defaults_of(value: dict[str, Any]) -> dict[str, Any]:
    """The spec of an object with the server's defaults."""
    spec: dict[str, Any] = engine_for(ApiServer("1.36")).default(value)["spec"]
    return spec
