"""Ways around a policy that an author may not see, for ``policy check``.

Limits can be avoided by what they do not count: a Job with ``backoffLimitPerIndex`` has no ``backoffLimit``,
an affinity chooses nodes as a node selector does, and devices can be claimed without an amount.

An expression judges a CronJob by the Job that it creates. It can still tell the two apart, by ``cronJob`` and
by ``request``, and admit in a CronJob what it denies in a Job. Each expression is therefore evaluated on
samples: a Job, and the CronJob that carries it. The first sample is a Job of which only the kind is known, so
that a part of the expression that decides by the kind alone decides (``false && error`` is false), and any
other part has no value. An expression that has no value for a Job because it reads the null ``cronJob`` does
not test the kind: :mod:`jobsworth.policy.failing_expressions` reports it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.policy.cel.expressions import Expressions, variables_of
from jobsworth.policy.cel.programs import CannotEvaluate, Program
from jobsworth.policy.job_policy import JobPolicy
from jobsworth.policy.limits.limits import Limits
from jobsworth.policy.request import CREATE, KINDS, JobView, PolicyRequest
from kube_cel.budget import MAX_STEPS, Steps
from kube_cel.nodes import Call, Literal, Name, Node, Select, walk

Sample = tuple[str, "dict[str, Any]", "dict[str, Any]"]
"""A Job in words, the Job, and the CronJob that carries it, both with the API server's defaults."""


@dataclass(frozen=True, slots=True)
class WayAround:
    """A way around a part of a policy.

    Attributes:
        field: the path of the part.
        message: the problem, and what to do.
    """

    field: str
    message: str

    def __str__(self) -> str:
        return self.message


def ways_around(
    policy: JobPolicy, samples: Iterable[Sample], server: ApiServer
) -> Iterator[WayAround]:
    """Yield the ways around a policy, at most one for each limit and expression.

    Args:
        policy: the policy.
        samples: Jobs to evaluate.
        server: the API server that sets the defaults.
    """
    if policy.cron_job_jobs == "audit" and not policy.matching.includes_cron_jobs:
        yield WayAround(
            "spec.cronJobJobs",
            "a CronJob is a way around this policy: match or exempt leaves out CronJobs whose Jobs are only "
            "audited (set cronJobJobs: enforce)",
        )
    if policy.limits is not None:
        yield from _around_limits(policy.limits, policy.expressions)
    if policy.expressions is None or policy.matching.kinds != frozenset(KINDS):
        return
    variables = [*_known_by_kind(), *_of_samples(samples, server)]
    for index, expression in enumerate(policy.expressions.items):
        field = f"spec.expressions[{index}].expression"
        message = _misread(expression.program.tree) or _difference(expression.program, variables)
        if message:
            yield WayAround(field, message)


def _around_limits(limits: Limits, expressions: Expressions | None) -> Iterator[WayAround]:
    retries, modes = limits.fields.get("backoffLimit"), limits.fields.get("completionMode")
    is_indexed = modes is None or "Indexed" in modes.value.get("allowed", ("Indexed",))
    if (
        retries is not None
        and "maximum" in retries.value
        and is_indexed
        and "backoffLimitPerIndex" not in limits.fields
    ):
        yield WayAround(
            "spec.limits.backoffLimit",
            "Indexed Jobs with backoffLimitPerIndex have no backoffLimit, and retry each index without a "
            "limit of this policy (limit backoffLimitPerIndex, too, or forbid it)",
        )
    for name, limit in limits.fields.items():
        if name.startswith("pod.nodeSelector[") and not limit.value.get("required"):
            yield WayAround(
                f"spec.limits.{name}",
                "a Pod can choose its node by affinity instead (set required: true, or deny "
                "affinity by the expression !has(object.spec.template.spec.affinity))",
            )
    devices = sorted(name for name in limits.resources if "/" in name)
    sources = [] if expressions is None else [each.program.source for each in expressions.items]
    if devices and not any("resourceClaims" in source for source in sources):
        yield WayAround(
            "spec.limits.resources",
            f"devices that a Pod claims by resourceClaims are not counted as {', '.join(devices)} (deny "
            "them by the expression !has(object.spec.template.spec.resourceClaims), or use a ResourceQuota)",
        )


_Pair = tuple[str, "Mapping[str, Any]", "Mapping[str, Any]"]


def _difference(program: Program, pairs: Iterable[_Pair]) -> str:
    for what, of_job, of_cron_job in pairs:
        if _truth(program, of_cron_job) is True and _denies(program, of_job):
            return (
                f"a CronJob is a way around this expression: it is true for a CronJob {what}, and not "
                "for the Job (object is the Job of a CronJob, too: leave out the test of the kind)"
            )
    return ""


def _denies(program: Program, variables: Mapping[str, Any]) -> bool:
    """Return True if an expression denies a Job by its kind, and not because ``cronJob`` is null for it."""
    try:
        return not program.truth(variables, Steps(MAX_STEPS))
    except CannotEvaluate:
        return any(map(_tests_kind, walk(program.tree)))


def _tests_kind(node: Node) -> bool:
    match node:
        case Select(operand=Name(name="request"), field="kind" | "resource"):
            return True
        case Call(function="_==_" | "_!=_", arguments=arguments):
            return any(isinstance(each, Literal) and each.value is None for each in arguments)
    return False


def _truth(program: Program, variables: Mapping[str, Any]) -> bool | None:
    try:
        return program.truth(variables, Steps(MAX_STEPS))
    except CannotEvaluate:
        return None


def _known_by_kind() -> Iterator[_Pair]:
    """Yield the variables of a Job, and of a CronJob, of which only the kind is known."""
    job = {"apiVersion": "batch/v1", "kind": "Job"}
    of_job, of_cron_job = (
        {
            "object": job,
            "oldObject": None,
            "cronJob": None if kind == "Job" else {**job, "kind": kind},
            "oldCronJob": None,
            "request": {
                "kind": {"group": "batch", "version": "v1", "kind": kind},
                "resource": {"group": "batch", "version": "v1", "resource": f"{kind.lower()}s"},
                "operation": CREATE,
            },
        }
        for kind in KINDS
    )
    yield "whatever its Job is", of_job, of_cron_job


def _of_samples(samples: Iterable[Sample], server: ApiServer) -> Iterator[_Pair]:
    for what, *values in samples:
        of_job, of_cron_job = (
            variables_of(
                PolicyRequest(
                    operation=CREATE,
                    kind=value["kind"],
                    namespace="default",
                    name=value["metadata"]["name"],
                    object=value,
                    user="",
                ),
                JobView(value["kind"], value, server),
                None,
            )
            for value in values
        )
        yield f"with {what}", of_job, of_cron_job


def _misread(tree: Node) -> str:
    """Return the problem of an expression that takes ``object`` for a CronJob; empty for none."""
    for node in walk(tree):
        match node:
            case Select(operand=Select(operand=Name(name=name), field="spec"), field="jobTemplate"):
                if name in _CRON_JOBS:
                    return (
                        f"{name} is a Job, also for a CronJob: write {name}.spec for the spec of the Job, or "
                        f"{_CRON_JOBS[name]} for the CronJob"
                    )
            case Call(function="_==_" | "_!=_", arguments=(one, other)):
                for kind, literal in ((one, other), (other, one)):
                    match kind, literal:
                        case (
                            Select(operand=Name(name=name), field="kind"),
                            Literal(value="CronJob"),
                        ) if name in _CRON_JOBS:
                            return f"{name}.kind is always Job: test {_CRON_JOBS[name]} != null for a CronJob"
    return ""


_CRON_JOBS = {"object": "cronJob", "oldObject": "oldCronJob"}
