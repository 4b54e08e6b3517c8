"""Rules for what the namespace of a Job demands of its Pods: quotas, limit ranges, security, injection."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from jobsworth.api.core.pod_resources import aggregate
from jobsworth.lint import needs
from jobsworth.lint.agents import stopped_by_command
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.neighbors import LIMIT_RANGE, NAMESPACE, QUOTA, Neighbor, mapping, part, parts
from jobsworth.wording import listing
from kube_cel.formats.quantity import BadQuantity, ExactQuantity, Quantity, parse

COUNTED = {
    "cpu": ("requests", "cpu"), "requests.cpu": ("requests", "cpu"), "limits.cpu": ("limits", "cpu"),
    "memory": ("requests", "memory"), "requests.memory": ("requests", "memory"),
    "limits.memory": ("limits", "memory"),
}  # fmt: skip
"""The resources of a quota that each container has to state (podEvaluator.Constraints, Kubernetes 1.36)."""

DEFAULTING = {
    "requests": ("defaultRequest", "default", "max", "min"),
    "limits": ("default", "max"),
}
"""The fields of a LimitRange from which a container gets a value that it does not state."""

SUMS_WHAT_IS_STATED_SINCE = 28
"""The minor version since which a container that states nothing counts as 0 in the sums of a Pod; before, a
sum was missing unless all containers state it."""
ENFORCE = "pod-security.kubernetes.io/enforce"


def _items(job: LintedJob, kind: str = "Container") -> list[tuple[Neighbor, dict[str, Any]]]:
    """Return the limits of containers, or of Pods, in the LimitRanges beside a Job."""
    if job.neighbors is None:
        return []
    return [
        (each, item)
        for each in job.neighbors.beside(job.namespace, LIMIT_RANGE)
        for item in parts(each.value, "spec", "limits")
        if item.get("type") == kind
    ]


@lint_rule(
    "JW711",
    "quota-rejects-pods",
    severity="warning",
    summary="A ResourceQuota counts a resource that a container does not state.",
    needs=needs.neighbors,
)
def quota_rejects_pods(job: LintedJob) -> Iterator[Diagnostic]:
    if job.neighbors is None or "resources" in job.pod:
        return
    defaults = [item for _, item in _items(job)]
    for quota in job.neighbors.beside(job.namespace, QUOTA):
        spec = mapping(quota.value, "spec")
        if not _counts(spec, job):
            continue
        for path, container in job.containers:
            missing = [
                name
                for name in mapping(spec, "hard")
                if name in COUNTED and not _is_stated(container, *COUNTED[name], defaults)
            ]
            if missing:
                fields = list(dict.fromkeys(".".join(COUNTED[name]) for name in missing))
                yield Diagnostic(
                    f"{path}.resources",
                    f"The ResourceQuota {quota.name}{quota.place} counts {listing(missing)}, and the API "
                    f"server rejects each Pod of this Job, because {container.get('name', '')} does not "
                    f"state it: the Job waits without Pods. Set resources.{listing(fields)}.",
                )
                return


def _counts(spec: dict[str, Any], job: LintedJob) -> bool:
    """Return True if the scopes of a quota certainly include the Pods of a Job."""
    if spec.get("scopeSelector"):
        return False
    limited = "activeDeadlineSeconds" in job.pod
    return all(
        scope == ("Terminating" if limited else "NotTerminating")
        for scope in spec.get("scopes") or ()
    )


def _is_stated(
    container: dict[str, Any], part_: str, name: str, defaults: list[dict[str, Any]]
) -> bool:
    resources = container.get("resources", {})
    if name in resources.get(part_, {}) or name in resources.get("limits", {}):
        return True
    return any(name in mapping(item, field) for item in defaults for field in DEFAULTING[part_])


@lint_rule(
    "JW712",
    "outside-limit-range",
    severity="warning",
    summary="The resources of a container or Pod are outside of the LimitRange of its namespace.",
    confidence="certain",
    needs=needs.neighbors,
)
def outside_limit_range(job: LintedJob) -> Iterator[Diagnostic]:
    defaults = [item for _, item in _items(job)]
    for limits, item in _items(job):
        for path, container in job.containers:
            resources = container.get("resources", {})
            found = _outside(resources, item) or _ratio(
                item, "limits", **_with_defaults(resources, defaults)
            )
            if found is not None:
                yield _rejected(f"{path}.resources.{found[0]}", found[1], limits)
                return
    if "resources" in job.pod:  # override the sums
        return
    requests, totals = (_total(job, field, defaults) for field in ("requests", "limits"))
    for limits, item in _items(job, "Pod"):
        problem = _pod_outside(requests, totals, item)
        if problem:
            yield _rejected(f"{job.pod_path}.containers", problem, limits)
            return


def _rejected(field: str, problem: str, limits: Neighbor) -> Diagnostic:
    return Diagnostic(
        field,
        f"{problem} of the LimitRange {limits.name}{limits.place}, and the API server rejects each Pod of "
        "this Job: it waits without Pods. Change the value.",
    )


def _with_defaults(
    resources: dict[str, Any], defaults: list[dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Return the requests and limits of a container after the API server has filled them in."""
    limits = dict(resources.get("limits", {}))
    requests = {**limits, **resources.get("requests", {})}
    for given, field in ((requests, "requests"), (limits, "limits")):
        for item in defaults:
            for source in DEFAULTING[field]:
                for name, text in mapping(item, source).items():
                    if _amount(text) is not None:
                        given.setdefault(name, text)
    return {"requests": requests, "limits": limits}


def _total(job: LintedJob, field: str, defaults: list[dict[str, Any]]) -> dict[str, Quantity]:
    """Return the requests or limits of a Pod whose containers have those of the LimitRanges."""
    pod = {
        name: [
            {**each, "resources": _with_defaults(each.get("resources", {}), defaults)}
            for each in job.pod.get(name, ())
        ]
        for name in ("containers", "initContainers")
    }
    if job.server.minor < SUMS_WHAT_IS_STATED_SINCE:
        stated = [each["resources"][field] for each in pod["containers"]]
        for amounts in stated:
            for name in [name for name in amounts if not all(name in each for each in stated)]:
                del amounts[name]
    return aggregate(pod, field, exact=True)


def _pod_outside(
    requests: dict[str, Quantity], limits: dict[str, Quantity], item: dict[str, Any]
) -> str:
    """Return the beginning of a sentence on what a LimitRange forbids to a Pod; empty for nothing."""
    for bound, word in (("max", "maximum"), ("min", "minimum")):
        for name, text in mapping(item, bound).items():
            allowed = _amount(text)
            if allowed is None:
                continue
            needed = limits if bound == "max" else requests
            if name not in needed:
                noun = "limit" if bound == "max" else "request"
                return (
                    f"The Pod has no {noun} for {name}, which the {word} for a Pod {text} requires"
                )
            for noun, given in (("limits", limits), ("requests", requests)):
                total = given.get(name, allowed)
                if total > allowed if bound == "max" else total < allowed:
                    side = "above" if bound == "max" else "below"
                    return (
                        f"The {noun} of all containers for {name} are {total.canonical()}, {side} the {word} "
                        f"for a Pod {text}"
                    )
    found = _ratio(item, "", requests, limits)
    return found[1] if found else ""


def _ratio(
    item: dict[str, Any], field: str, requests: dict[str, Any], limits: dict[str, Any]
) -> tuple[str, str] | None:
    """Return the field and the beginning of a sentence if limits are too many times the requests."""
    for name, text in mapping(item, "maxLimitRequestRatio").items():
        ratio = _amount(text)
        if ratio is None:
            continue
        request, limit = _amount(requests.get(name)), _amount(limits.get(name))
        wanted = f"the maximum ratio {text} of limit to request for {name}"
        if request is None or limit is None or not request.sign or not limit.sign:
            return field, f"Without a request and a limit the container does not keep {wanted}"
        power = request.exponent + ratio.exponent
        if limit > ExactQuantity(request.mantissa * ratio.mantissa, power, ratio.format):
            return f"{field}[{name}]", f"The limit {limit.canonical()} exceeds {wanted}"
    return None


def _outside(resources: dict[str, Any], item: dict[str, Any]) -> tuple[str, str] | None:
    """Return the field of a container that a LimitRange forbids, with the beginning of a sentence."""
    given, limits = resources.get("requests", {}), resources.get("limits", {})
    for name in chain(limits, (each for each in given if each not in limits)):
        request, limit = given.get(name, limits.get(name)), limits.get(name)
        most, least = _amount(part(item, "max", name)), _amount(part(item, "min", name))
        default = _amount(part(item, "default", name)) or most
        for field, text in (("limits", limit), ("requests", request)):
            amount = _amount(text)
            if amount is None:
                continue
            at = (
                f"{field}[{name}]"
                if text == resources.get(field, {}).get(name)
                else f"limits[{name}]"
            )
            if most is not None and amount > most:
                return at, f"{text} is above the maximum {part(item, 'max', name)}"
            if least is not None and amount < least:
                return at, f"{text} is below the minimum {part(item, 'min', name)}"
            if limit is None and default is not None and amount > default:
                return at, f"{text} is above the default limit {part(item, 'default', name)}"
    return None


def _amount(text: Any) -> Quantity | None:
    if isinstance(text, Quantity):
        return text
    try:
        return parse(text, exact=True) if isinstance(text, (str, int)) else None
    except BadQuantity:
        return None


def _namespace(job: LintedJob) -> Neighbor | None:
    """Return the Namespace of a Job beside it; if the Job names none, the only one beside it."""
    if job.neighbors is None:
        return None
    if job.namespace:
        beside = job.neighbors.named(NAMESPACE, job.namespace)
    else:
        beside = job.neighbors.of_kind(NAMESPACE)
    return beside[0] if len(beside) == 1 else None


@lint_rule(
    "JW713",
    "namespace-injects-sidecar",
    severity="warning",
    summary="The Namespace adds a sidecar, which may keep the Pod running after its work.",
    needs=needs.neighbors,
)
def namespace_injects_sidecar(job: LintedJob) -> Iterator[Diagnostic]:
    namespace = _namespace(job)
    if namespace is None or job.pod.get("hostNetwork") or stopped_by_command(job.pod):
        return
    metadata = mapping(namespace.value, "metadata")
    labels, annotations = mapping(metadata, "labels"), mapping(metadata, "annotations")
    own = {
        **job.template_metadata.get("labels", {}),
        **job.template_metadata.get("annotations", {}),
    }
    if labels.get("istio-injection") == "enabled" or (
        labels.get("istio.io/rev") and labels.get("istio-injection") != "disabled"
    ):
        mesh, key, off, native = "Istio", "sidecar.istio.io/inject", "false", ("nativeSidecar",)
    elif annotations.get("linkerd.io/inject") in ("enabled", "ingress"):
        mesh, key, off, native = "Linkerd", "linkerd.io/inject", "disabled", ("native-sidecar",)
    else:
        return
    if key in own or any(word in each for each in own for word in native):
        return  # injected-sidecar reports the annotations of the template
    yield Diagnostic(
        f"{job.path}.template.metadata",
        f"The Namespace {namespace.name}{namespace.place} adds the proxy of {mesh} to these Pods, and "
        f"unless it is a native sidecar, it runs on after the work, so that the Job never completes. Set "
        f'{key}: "{off}" on the template if the Job needs no mesh, or stop the proxy at the end.',
    )


@lint_rule(
    "JW714",
    "namespace-rejects-pods",
    severity="warning",
    summary="The Pods violate the Pod Security Standard that their Namespace enforces.",
    needs=needs.neighbors,
)
def namespace_rejects_pods(job: LintedJob) -> Iterator[Diagnostic]:
    namespace = _namespace(job)
    if namespace is None:
        return
    level = mapping(namespace.value, "metadata", "labels").get(ENFORCE)
    if level not in ("baseline", "restricted"):
        return
    from jobsworth.lint.security_checks import baseline, restricted

    violations = list(baseline(job) if level == "baseline" else restricted(job))
    if not violations:
        return
    field, problem = violations[0]
    more = "" if len(violations) == 1 else f" There are {len(violations)} such fields."
    yield Diagnostic(
        field,
        f"The Namespace {namespace.name}{namespace.place} enforces {level}, and the API server rejects "
        f"each Pod of this Job: it waits without Pods. {problem}{more}",
    )
