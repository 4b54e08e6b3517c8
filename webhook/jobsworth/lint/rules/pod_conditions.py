"""Rules for ``onPodConditions``: conditions that a failed Pod never has, or always has (KEP-3329)."""

from __future__ import annotations

from collections.abc import Iterator

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import needs
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from kube_cel.formats.bounded_cache import bounded_cache

STATUSES_OF_FAILED_PODS = {
    "AllContainersRestarting": ("True", "False"),
    "ContainersReady": ("False",),
    "DisruptionTarget": ("True",),
    "Initialized": ("True", "False"),
    "PodReadyToStartContainers": ("True", "False"),
    "PodResizeInProgress": ("True", "False"),
    "PodResizePending": ("True", "False"),
    "PodScheduled": ("True", "False"),
    "Ready": ("False",),
}
"""The conditions that Kubernetes components set, and their possible statuses in a failed Pod.

DisruptionTarget becomes False only when the disruption did not happen, and then the Pod continues
(KEP-3329, "Failing delete after a condition is added").
"""

ALWAYS_TRUE = (
    ("ContainersReady", "False"),
    ("Initialized", "True"),
    ("PodScheduled", "True"),
    ("Ready", "False"),
)
"""Conditions of nearly every failed Pod."""

REASONS_OF_DISRUPTIONS = (
    "DeletionByPodGC",
    "DeletionByTaintManager",
    "Evicted",
    "EvictionByEvictionAPI",
    "Preempted",
    "PreemptionByKubeScheduler",
    "PreemptionByScheduler",
    "TerminationByKubelet",
)
"""Reasons of the condition DisruptionTarget, or of the Pod phase, that users mistake for its type."""

FORMER_NAMES = {
    "AlphaNoCompatGuaranteeDisruptionTarget": "DisruptionTarget",  # Kubernetes 1.25
    "PodHasNetwork": "PodReadyToStartContainers",  # until Kubernetes 1.27
}

REASONS_OF_CONTAINERS = (
    "Completed",
    "ContainerCannotRun",
    "ContainerStatusUnknown",
    "CrashLoopBackOff",
    "CreateContainerConfigError",
    "DeadlineExceeded",
    "ErrImagePull",
    "ImagePullBackOff",
    "OOMKilled",
    "StartError",
    "Unschedulable",
)
"""Reasons of other objects and fields that users mistake for Pod conditions."""

CATCH_ALL = {
    "FailJob": "the first failure ends the Job, whatever its reason",
    "FailIndex": "the first failure ends its index, whatever its reason",
    "Ignore": "no failure is counted, and failing Pods are replaced without limit",
    "Count": "later rules almost never match",
}


def meant_condition(type_: str) -> str:
    """Return the built-in condition that a misspelled type probably means; empty if there is none.

    >>> meant_condition("DisruptionTargets"), meant_condition("Evicted"), meant_condition("ConfigIssue")
    ('DisruptionTarget', 'DisruptionTarget', '')
    """
    if type_ in STATUSES_OF_FAILED_PODS:
        return type_
    if type_ in REASONS_OF_DISRUPTIONS:
        return "DisruptionTarget"
    return FORMER_NAMES.get(type_) or _similar(type_)


@bounded_cache
def _similar(type_: str) -> str:
    """Return the condition of failed Pods whose name has nearly the same letters; empty if none has."""
    from jobsworth.findings.near_names import fold, slips

    folded = fold(type_)
    for known in STATUSES_OF_FAILED_PODS:
        # A short name is similar to too many words: allow one slip only.
        most = 2 if len(known) > 8 else 1
        if slips(folded, known.lower(), most) <= most:
            return known
    return ""


def _patterns(job: LintedJob) -> Iterator[tuple[str, str, str, str]]:
    """Yield the field path, the rule's action, the type and the status of each condition pattern."""
    for index, rule in enumerate(job.rules):
        for place, pattern in enumerate(rule.get("onPodConditions", ())):
            yield (
                f"{job.rule_path(index)}.onPodConditions[{place}]",
                rule.get("action", ""),
                pattern.get("type", ""),
                pattern.get("status", "True"),
            )


@lint_rule(
    "JW115",
    "condition-false",
    severity="warning",
    summary="A rule matches a status that the condition of a failed Pod never has.",
    fixable="unsafe",
    confidence="certain",
    needs=needs.a_failure_policy,
)
def condition_false(job: LintedJob) -> Iterator[Diagnostic]:
    for path, _, type_, status in _patterns(job):
        statuses = STATUSES_OF_FAILED_PODS.get(type_, (status,))
        if status in statuses:
            continue
        right = f'"{statuses[0]}"'
        wanted = right if len(statuses) == 1 else "True or False"
        fix = None
        if len(statuses) == 1 and (type_, statuses[0]) not in ALWAYS_TRUE:
            edit = Edit("set", f"{path}.status", statuses[0])
            fix = Fix(f"Set status: {right}", edit, safe=False)
        yield Diagnostic(
            f"{path}.status",
            f'This pattern never matches: the condition {type_} of a failed Pod is never "{status}". Use '
            f"{wanted}, or delete the pattern.",
            fix,
        )


@lint_rule(
    "JW116",
    "unknown-condition",
    severity="warning",
    summary="A rule names a condition that no Pod has: a likely typo, or a reason.",
    fixable="unsafe",
    needs=needs.a_failure_policy,
)
def unknown_condition(job: LintedJob) -> Iterator[Diagnostic]:
    for path, _, type_, _ in _patterns(job):
        if type_ in STATUSES_OF_FAILED_PODS or not _undomained(job, type_):
            continue
        if type_ in REASONS_OF_CONTAINERS:
            advice = " To match out-of-memory kills, use exit code 137."
            yield Diagnostic(
                f"{path}.type",
                f"This pattern never matches: {type_} is a reason, not a Pod condition. Delete it."
                + (advice if type_ == "OOMKilled" else ""),
            )
            continue
        meant = meant_condition(type_)
        if meant:
            yield Diagnostic(
                f"{path}.type",
                f'No Pod has the condition "{type_}". Did you mean "{meant}"?',
                Fix(f"Set type: {meant}", Edit("set", f"{path}.type", meant), safe=False),
            )


@lint_rule(
    "JW120",
    "custom-condition",
    severity="info",
    summary="A rule names a condition that no Kubernetes component sets.",
    needs=needs.a_failure_policy,
)
def custom_condition(job: LintedJob) -> Iterator[Diagnostic]:
    for path, _, type_, _ in _patterns(job):
        if (
            _undomained(job, type_)
            and not meant_condition(type_)
            and type_ not in REASONS_OF_CONTAINERS
        ):
            yield Diagnostic(
                f"{path}.type",
                f'No Kubernetes component sets the condition "{type_}": this pattern matches only if another '
                "controller sets it. Check the name.",
            )


def _undomained(job: LintedJob, type_: str) -> bool:
    """Return True if a condition type has no domain prefix and no readiness gate of the Pod names it."""
    gates = job.pod.get("readinessGates", ())
    return (
        bool(type_)
        and "/" not in type_
        and all(gate.get("conditionType") != type_ for gate in gates)
    )


@lint_rule(
    "JW117",
    "condition-always-true",
    severity="warning",
    summary="A rule matches a condition that nearly every failed Pod has.",
    confidence="certain",
    needs=needs.a_failure_policy,
)
def condition_always_true(job: LintedJob) -> Iterator[Diagnostic]:
    for path, action, type_, status in _patterns(job):
        if (type_, status) in ALWAYS_TRUE:
            yield Diagnostic(
                path,
                f"Nearly every failed Pod has the condition {type_}={status}: "
                f"{CATCH_ALL.get(action, 'this rule matches all of them')}. Match a more specific "
                "condition, or use onExitCodes.",
            )
