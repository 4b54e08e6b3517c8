"""Lint rules about a JobSet as a whole: its failure policy, and what restarts do to its Jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from jobsworth.api.jobset.message_patterns import malformation
from jobsworth.findings.finding import Finding
from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint.lint_rule import Rule
from jobsworth.wording import duration

TTL_OF_CHILD = Rule(
    "JW801",
    "ttl-of-child",
    severity="warning",
    summary="A TTL in the template of a JobSet deletes a finished Job, which the JobSet creates again.",
    fixable="unsafe",
    confidence="certain",
)
RESTART_AFTER_FAIL_JOB = Rule(
    "JW802",
    "restart-after-fail-job",
    severity="warning",
    summary="A failure that FailJob ends for good restarts every Job of the JobSet.",
    fixable="unsafe",
)
MESSAGE_PATTERN = Rule(
    "JW803",
    "message-pattern",
    severity="warning",
    summary="A pattern for failure messages is not a regular expression, so its rule never matches.",
    confidence="certain",
)
DEFAULT_NOT_WRITTEN = Rule(
    "JW804",
    "default-not-written",
    severity="info",
    summary="A client-side kubectl apply removes a default of JobSet, and its webhook rejects the update.",
    fixable="safe",
    confidence="certain",
)
REPLACED_FIELD = Rule(
    "JW805",
    "replaced-field",
    severity="warning",
    summary="A field of a template has no effect: the operator takes the value of a field beside it.",
    fixable="unsafe",
    confidence="certain",
)
JOB_SET_RULES = (
    TTL_OF_CHILD, RESTART_AFTER_FAIL_JOB, MESSAGE_PATTERN, DEFAULT_NOT_WRITTEN, REPLACED_FIELD,
)  # fmt: skip

REASON = "PodFailurePolicy"
"""The reason of a Job that a rule of its Pod failure policy has failed."""


def job_set_findings(
    job_set: dict[str, Any], written: dict[str, Any], selects: Callable[[Rule], bool]
) -> list[Finding]:
    """Return the findings about a JobSet, except those about each of its Jobs.

    Args:
        job_set: the JobSet with its defaults, valid for its CRD.
        written: the JobSet without them, as the client sends it.
        selects: returns True for a rule to run.
    """
    spec = job_set.get("spec")
    if not isinstance(spec, dict):
        return []
    checks = (
        (TTL_OF_CHILD, _ttls),
        (RESTART_AFTER_FAIL_JOB, _restarts),
        (MESSAGE_PATTERN, _patterns),
    )
    found = [finding for rule, check in checks if selects(rule) for finding in check(spec)]
    if selects(DEFAULT_NOT_WRITTEN):
        found += _defaults(written.get("spec") or {})
    return found


def replaced_fields(replaced: Mapping[str, str]) -> Iterator[Finding]:
    """Yield a finding for each field of a template that the operator replaces.

    Args:
        replaced: the paths of the fields, with those of the fields that it takes.
    """
    for path, source in replaced.items():
        name = path.rpartition(".")[2]
        yield REPLACED_FIELD.finding(
            path,
            f"{name} has no effect here: the operator takes {source}, or its default. Set it there.",
            Fix(f"Remove {name} here", Edit("delete", path), safe=False),
        )


def _defaults(spec: dict[str, Any]) -> Iterator[Finding]:
    """Yield a finding for each template without the defaults of JobSet's webhook.

    kubectl replaces the list of ReplicatedJobs as a whole, so that the default is gone, and the API server
    calls the webhook that sets it for a create only.
    """
    for _, path, job_spec in _templates(spec):
        pod = (job_spec.get("template") or {}).get("spec") or {}
        missing = [
            ("completionMode", f"{path}.completionMode", "Indexed", job_spec),
            ("restartPolicy", f"{path}.template.spec.restartPolicy", "OnFailure", pod),
        ]
        edits = [
            (f"{name}: {default}", Edit("set", field, default))
            for name, field, default, holder in missing
            if not holder.get(name)
        ]
        if edits:
            words = " and ".join(word for word, _ in edits)
            yield DEFAULT_NOT_WRITTEN.finding(
                path,
                f"Add {words}: JobSet sets that anyway, and a second client-side kubectl apply without it is "
                "rejected (field is immutable). Or apply with --server-side.",
                Fix(f"Set {words}", *(edit for _, edit in edits), safe=True),
            )


def _templates(spec: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the name of each ReplicatedJob, and the field path and value of its JobSpec."""
    for index, replicated in enumerate(spec.get("replicatedJobs") or ()):
        job_spec = replicated.get("template", {}).get("spec") or {}
        yield (
            replicated.get("name", ""),
            f"spec.replicatedJobs[{index}].template.spec",
            job_spec,
        )


def _ttls(spec: dict[str, Any]) -> Iterator[Finding]:
    for _, path, job_spec in _templates(spec):
        seconds = job_spec.get("ttlSecondsAfterFinished")
        if seconds is None:
            continue
        field = f"{path}.ttlSecondsAfterFinished"
        edits = [Edit("delete", field)]
        if "ttlSecondsAfterFinished" not in spec:
            edits.insert(0, Edit("set", "spec.ttlSecondsAfterFinished", seconds))
        yield TTL_OF_CHILD.finding(
            field,
            f"The TTL deletes the Job {duration(seconds)} after it has finished. If the JobSet has not "
            "finished by then, it creates the Job again, and the work runs once more. Set "
            "spec.ttlSecondsAfterFinished of the JobSet.",
            Fix("Move the TTL to the JobSet", *edits, safe=False),
        )


def _restarts(spec: dict[str, Any]) -> Iterator[Finding]:
    policy = spec.get("failurePolicy") or {}
    most = policy.get("maxRestarts", 0)
    if most <= 0:
        return
    from jobsworth.api.jobset.failure_policy import FAIL, RESTART  # few runs meet a JobSet

    for name, path, job_spec in _templates(spec):
        failing = [
            index
            for index, rule in enumerate(
                (job_spec.get("podFailurePolicy") or {}).get("rules") or ()
            )
            if rule.get("action") == "FailJob"
        ]
        if not failing or _action(spec, name) != RESTART:
            continue
        rule = {"name": "failJob", "action": FAIL, "onJobFailureReasons": [REASON]}
        edit = Edit("insert", "spec.failurePolicy.rules[0]", rule)
        if not policy.get("rules"):
            edit = Edit("set", "spec.failurePolicy.rules", [rule])
        yield RESTART_AFTER_FAIL_JOB.finding(
            f"{path}.podFailurePolicy.rules[{failing[0]}].action",
            f"FailJob says that a retry is useless, but the JobSet then restarts all its Jobs, up to {most} "
            "times. Add a rule to spec.failurePolicy with action FailJobSet and onJobFailureReasons "
            f"[{REASON}].",
            Fix("Fail the JobSet after FailJob", edit, safe=False),
        )


def _action(spec: dict[str, Any], name: str) -> str:
    """Return the action for a Job that its Pod failure policy has failed; empty if its message decides."""
    from dataclasses import replace

    from jobsworth.api.jobset.failure_policy import (
        DEFAULT_ACTION,
        FailedChildJob,
        read_failure_policy,
    )

    policy = read_failure_policy(spec)
    job = FailedChildJob("", name, 0, REASON, "")
    for rule in () if policy is None else policy.rules:
        if replace(rule, patterns=()).matches(job):
            return "" if rule.patterns else rule.action
    return DEFAULT_ACTION


def _patterns(spec: dict[str, Any]) -> Iterator[Finding]:
    rules = (spec.get("failurePolicy") or {}).get("rules") or ()
    for index, rule in enumerate(rules):
        for position, pattern in enumerate(rule.get("onJobFailureMessagePatterns") or ()):
            why = malformation(pattern)
            if why:
                yield MESSAGE_PATTERN.finding(
                    f"spec.failurePolicy.rules[{index}].onJobFailureMessagePatterns[{position}]",
                    f"The pattern is not a regular expression of RE2 ({why}), so the rule never matches. "
                    "Escape special characters with a backslash.",
                )
