"""Check that what the defaults of policies produce satisfies limits and rules, for every apply method.

Two checks: :func:`conflicts_between` compares defaults with limits, for every set of policies that is loaded;
:func:`inconsistencies` also evaluates sample objects, for ``policy check``.

An object reaches a webhook with the API server's defaults. After a plain create it is unknown if a client
wrote them, so that a default with ``ifUnset`` does not apply, and a limit of the same field denies a Job that
passes as a file. The check sends sample objects in every way and compares the violations with and without
the defaults.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.findings.edits import is_part_of
from jobsworth.policy import matching, pod_defaults
from jobsworth.policy.defaults import IF_SERVER_DEFAULT, IF_UNSET, METADATA
from jobsworth.policy.enforcement import EnforcedViolation
from jobsworth.policy.job_policy import JobPolicy
from jobsworth.policy.limits.limits import Limit, Limits
from jobsworth.policy.patterns import is_wild
from jobsworth.policy.places import field_path
from jobsworth.policy.pod_defaults import PodDefault, sample_job, with_server_defaults
from jobsworth.policy.policy_fields import FIELDS
from jobsworth.policy.policy_set import PolicySet
from jobsworth.policy.request import CREATE, JobView, PolicyRequest
from jobsworth.policy.violation import REQUIRED, Effect
from jobsworth.provenance.field_ownership import (
    APPLY_METHODS,
    PLAIN_CREATE,
    ApplyMethod,
    as_written,
)
from jobsworth.validation.engine import engine_for


@dataclass(frozen=True, slots=True)
class Conflict:
    """A default that a limit would reject.

    Attributes:
        policy: the name of the policy with the default.
        holder: the name of the policy with the limit.
        field: the field path of the default.
        message: the problem.
        hint: how to fix it.
    """

    policy: str
    holder: str
    field: str
    message: str
    hint: str = "change the default or the limit"


def conflicts_between(policies: Collection[JobPolicy]) -> Iterator[Conflict]:
    """Yield the defaults that a limit would reject as soon as they are set.

    A policy's defaults are checked against its own limits and against those of every policy that applies to
    all requests and denies.
    """
    everywhere = [
        policy
        for policy in policies
        if policy.matching.is_unconditional and policy.enforcement == "deny"
    ]
    for policy in policies:
        others = [other for other in everywhere if other is not policy]
        for holder in (policy, *others):
            if policy.defaults is not None and holder.limits is not None:
                by = "" if holder is policy else f" of policy {holder.name}"
                for field, message in _rejected(policy, holder.limits):
                    yield Conflict(
                        policy.name,
                        holder.name,
                        f"spec.defaults.{field}",
                        f"the limits{by} reject this default: {message}",
                    )


def exclusive_limits(policies: Collection[JobPolicy]) -> Iterator[Conflict]:
    """Yield limits of two policies that no value satisfies; both apply to all requests and deny."""
    before: dict[str, list[tuple[str, Limit]]] = {}
    for policy in policies:
        limits = policy.limits if policy.matching.is_unconditional else None
        if limits is None or policy.enforcement != "deny":
            continue
        metadata = {f"{part}[{key}]": each for (part, key), each in limits.metadata.items()}
        for name, limit in {**limits.fields, **metadata}.items():
            always_set = name in FIELDS and FIELDS[name].always_set
            for holder, other in before.setdefault(name, []):
                if _exclude(limit, other, always_set) or _exclude(other, limit, always_set):
                    message = f"no value satisfies this limit and that of policy {holder}"
                    hint = "change one of the two, or where one applies"
                    yield Conflict(policy.name, holder, f"spec.limits.{name}", message, hint)
            before[name].append((policy.name, limit))


def _exclude(limit: Limit, other: Limit, always_set: bool) -> bool:
    one, two = limit.value, other.value
    if not (always_set or one.get("required") or two.get("required")):
        return False
    least, most = one.get("minimum"), two.get("maximum")
    if isinstance(least, int) and isinstance(most, int) and least > most:
        return True
    values = one.get("allowed", ())
    named = values and not any(isinstance(each, str) and is_wild(each) for each in values)
    return bool(
        (one.get("required") and two.get("forbidden"))
        or (named and all(any(_messages(other, each)) for each in values))
    )


def _rejected(policy: JobPolicy, limits: Limits) -> Iterator[tuple[str, str]]:
    assert policy.defaults is not None
    for name, default in policy.defaults.fields.items():
        limit = limits.fields.get(name)
        if limit is not None:
            for message in _messages(limit, default.value):
                yield name, message
    yield from _rejected_in_pod(policy.defaults.pod, limits)
    for part in ("labels", "annotations"):
        for key, default in getattr(policy.defaults, part).items():
            limit = limits.metadata.get((part, key))
            if limit is not None:
                for message in _messages(limit, default.value):
                    yield f"{part}[{key}]", message
    found = policy.defaults.failure_policy
    limit = limits.fields.get("podFailurePolicy")
    if limit is None or found is None:
        return
    if limit.value.get("forbidden") and found.value is not None:
        yield "podFailurePolicy.value", "Forbidden: may not be set"
    allowed = limit.value.get("allowedActions")
    for path, rules in found.parts():
        for index, rule in enumerate(rules):
            if allowed is not None and rule["action"] not in allowed:
                yield (
                    f"podFailurePolicy.{path}[{index}].action",
                    f'"{rule["action"]}" is not among the allowed actions {", ".join(allowed)}',
                )


def _rejected_in_pod(defaults: tuple[PodDefault, ...], limits: Limits) -> Iterator[tuple[str, str]]:
    """Yield the defaults of the Pod template that a limit rejects in a Pod with all of them."""
    if not defaults:
        return
    template, places = pod_defaults.sample(defaults)
    of = [
        (field_path(("spec", "template", *steps), {"spec": {"template": template}}), one.path)
        for one, steps in places
    ]
    job = with_server_defaults(sample_job({"template": template}))
    for found in limits.violations(JobView("Job", job, ApiServer())):
        path = next((path for field, path in of if is_part_of(found.field, field)), "")
        if path and found.code != REQUIRED:
            yield path, found.message


def _messages(limit: Limit, value: Any) -> Iterator[str]:
    """Yield the violations of a value. Percentages are comparable with percentages only."""
    is_share = isinstance(value, str) and value.endswith("%")
    bounds = [limit.value.get(name) for name in ("minimum", "maximum")]
    has_shares = any(isinstance(bound, str) for bound in bounds)
    if is_share != has_shares and (is_share or has_shares):
        return
    number = int(value[:-1]) if is_share and has_shares else value
    # Of 100 completions, a percentage is a number of indexes.
    for violation in limit.violations("", number, completions=100):
        yield violation.message


COMPLETIONS = (1, 10, 1_000)
"""The completions of the Indexed samples: a share of few rounds down to 0, of many exceeds a number."""

_OWN_RULE = {"action": "Count", "onExitCodes": {"operator": "In", "values": [1]}}
_SCHEDULED = {"schedule": "0 6 * * *", "timeZone": "Etc/UTC", "concurrencyPolicy": "Forbid"}
"""The part of a CronJob for which lint rules have nothing to say about long runs."""
_EVERYTHING = matching.matching([], [])


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """A default with which a sample object violates a limit or a rule.

    Attributes:
        policy: the name of the policy with the default.
        field: the path of the default in the document.
        effect: ``deny`` or ``warn``.
        methods: the apply methods with which the violation occurs.
        sample: the sample object, in words.
        violation: the violation, in words.
        remedy: the correction of the policy, as a clause.
    """

    policy: str
    field: str
    effect: Effect
    methods: tuple[ApplyMethod, ...]
    sample: str
    violation: str
    remedy: str

    def __str__(self) -> str:
        verb = "denies" if self.effect == "deny" else "warns about"
        written = (
            "however it is written"
            if self.methods == APPLY_METHODS
            else f"after {', '.join(self.methods)}"
        )
        return (
            f"with its defaults, the policy {verb} {self.sample} {written}: "
            f"{self.violation} ({self.remedy})"
        )


def inconsistencies(policies: PolicySet, server: ApiServer) -> Iterator[Inconsistency]:
    """Yield the defaults of each policy with which samples violate limits, rules or expressions.

    The samples are checked against the policy itself and the policies that apply to every request.

    Args:
        policies: the policies that are loaded together.
        server: the API server that sets the defaults.
    """
    everywhere = [policy for policy in policies.policies if policy.matching.is_unconditional]
    for policy in policies.policies:
        if policy.defaults is None or CREATE not in policy.matching.operations:
            continue
        others = [other for other in everywhere if other is not policy]
        yield from _of_policy(policy, others, server)


def kept_after_create(policy: JobPolicy, server: ApiServer) -> Iterator[tuple[str, str]]:
    """Yield the defaults that the webhook does not set after a plain create: their path, and why."""
    if CREATE not in policy.matching.operations:
        return
    found = {}
    for _, manifest in _samples(policy):
        request = PolicyRequest(
            operation=CREATE,
            kind=manifest["kind"],
            namespace="default",
            name="sample",
            object=engine_for(server).default(manifest),
            manifest=as_written(manifest, PLAIN_CREATE),
        )
        always = PolicySet((replace(policy, matching=_EVERYTHING),))
        for kept in always.default(request, server).kept:
            found[_default_of(policy, kept.field)] = kept.reason
    yield from found.items()


def _of_policy(
    policy: JobPolicy, others: list[JobPolicy], server: ApiServer
) -> Iterator[Inconsistency]:
    reported: set[tuple[str, str]] = set()
    for sample, manifest in _samples(policy):
        found = _violations_by_way(policy, others, manifest, server)
        for violation in {
            key: each for by_key in found.values() for key, each in by_key.items()
        }.values():
            field = _default_of(policy, violation.violation.field)
            if (field, violation.violation.code) in reported:
                continue
            reported.add((field, violation.violation.code))
            key = _key(violation)
            yield Inconsistency(
                policy=policy.name,
                field=field,
                effect=violation.effect,
                methods=tuple(method for method in APPLY_METHODS if key in found[method]),
                sample=sample,
                violation=str(violation),
                remedy=_remedy(policy, others, field, manifest, server),
            )


def _remedy(
    policy: JobPolicy,
    others: list[JobPolicy],
    field: str,
    manifest: dict[str, Any],
    server: ApiServer,
) -> str:
    """Return a correction that makes the sample pass."""
    assert policy.defaults is not None
    name = field.removeprefix("spec.defaults.")
    default = policy.defaults.single.get(name)
    if default is not None and default.when == IF_UNSET:
        defaults = policy.defaults.with_condition(name, IF_SERVER_DEFAULT)
        better = replace(policy, defaults=defaults)
        left = _violations_by_way(better, others, manifest, server)
        if all(
            _default_of(policy, one.violation.field) != field for one in left[PLAIN_CREATE].values()
        ):
            return f"set when: {IF_SERVER_DEFAULT}"
    return "change the default or what it violates"


Key = tuple[str, str]


def _key(violation: EnforcedViolation) -> Key:
    return violation.violation.code, violation.violation.field


def _violations_by_way(
    policy: JobPolicy, others: list[JobPolicy], manifest: dict[str, Any], server: ApiServer
) -> dict[ApplyMethod, dict[Key, EnforcedViolation]]:
    """Return, by apply method, the violations that the defaults cause or fail to prevent."""
    always = replace(policy, matching=_EVERYTHING)
    with_defaults = PolicySet((always, *others))
    without = PolicySet(
        (replace(always, defaults=None), *(replace(o, defaults=None) for o in others))
    )
    filled = engine_for(server).default(manifest)
    found: dict[ApplyMethod, dict[Key, EnforcedViolation]] = {}
    for method in APPLY_METHODS:
        request = PolicyRequest(
            operation=CREATE,
            kind=manifest["kind"],
            namespace="default",
            name="sample",
            object=filled,
            manifest=as_written(manifest, method),
            user="",
        )
        plain = set(map(_key, without.evaluate(request, server).findings))
        defaulted = replace(request, object=with_defaults.default(request, server).object)
        found[method] = {
            _key(one): one
            for one in with_defaults.evaluate(defaulted, server).findings
            if one.effect != "audit"
            and (_key(one) not in plain or _is_left_to(policy, one, manifest))
        }
    return found


def _is_left_to(policy: JobPolicy, violation: EnforcedViolation, manifest: dict[str, Any]) -> bool:
    """Return True if a violation is of a field that the sample leaves to a default."""
    field = _default_of(policy, violation.violation.field)
    spec = manifest["spec"]
    own = spec if manifest["kind"] == "Job" else spec["jobTemplate"]["spec"]
    return field != "spec.defaults" and field.rpartition(".")[2] not in own


def _default_of(policy: JobPolicy, field: str) -> str:
    """Return the path of the default for a field; of all defaults if the field has none."""
    defaults = policy.defaults
    assert defaults is not None
    inner = field.removeprefix("spec.jobTemplate.")
    for name in (*defaults.single, *(["podFailurePolicy"] if defaults.failure_policy else [])):
        place = name.replace("pod.", "template.spec.")
        if f"{inner}.".startswith(f"spec.{place}."):
            return f"spec.defaults.{name}"
    for part in METADATA:
        key = field.removeprefix(f"metadata.{part}[").removesuffix("]")
        if key in getattr(defaults, part) and field == f"metadata.{part}[{key}]":
            return f"spec.defaults.{part}[{key}]"
    return "spec.defaults"


def _samples(policy: JobPolicy) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield Jobs and CronJobs that leave to defaults what they can, each with a description."""
    for what, job, cron_job in _pairs():
        if "Job" in policy.matching.kinds:
            yield f"a Job{what}", job
        if "CronJob" in policy.matching.kinds:
            yield f"a CronJob{what}", cron_job


def pairs(server: ApiServer) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Return sample Jobs with a description and the CronJob that carries each, with the API's defaults."""
    default = engine_for(server).default
    return [(f"a Job{what}", default(job), default(cron_job)) for what, job, cron_job in _pairs()]


def smallest(kind: str, server: ApiServer) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a Job or CronJob with the fields that it must have, as written and with the API's defaults."""
    spec = _job_spec({})
    if kind == "CronJob":
        spec = {"schedule": _SCHEDULED["schedule"], "jobTemplate": {"spec": spec}}
    manifest = _object(kind, spec)
    return manifest, engine_for(server).default(manifest)


def _pairs() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    for what, spec in _specs():
        cron = {**_SCHEDULED, "jobTemplate": {"spec": _job_spec(spec)}}
        yield what, _object("Job", _job_spec(spec)), _object("CronJob", cron)


def _specs() -> Iterator[tuple[str, dict[str, Any]]]:
    yield "", {}
    for completions in COMPLETIONS:
        words = f" of {completions:,} completions" if completions > 1 else " of one completion"
        yield f" (Indexed,{words})", {"completionMode": "Indexed", "completions": completions}
    yield " with a failure policy of its own", {"podFailurePolicy": {"rules": [_OWN_RULE]}}


def _job_spec(spec: dict[str, Any]) -> dict[str, Any]:
    pod = {
        "restartPolicy": "Never",
        "containers": [{"name": "main", "image": "example.com/main:1"}],
    }
    return {**spec, "template": {"spec": pod}}


def _object(kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": "batch/v1", "kind": kind, "metadata": {"name": "sample"}, "spec": spec}
