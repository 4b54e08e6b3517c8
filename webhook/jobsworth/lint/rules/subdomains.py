"""Rules for ``subdomain``, which names the headless Service that gives Pods their DNS names."""

from __future__ import annotations

from collections.abc import Iterator

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import needs
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.neighbors import SERVICE, Neighbor
from jobsworth.lint.pod_labels import labels_of_pods

MAX_SERVICES = 500
"""The maximum number of Services among which the one that is meant is looked for."""


def _of_subdomain(job: LintedJob) -> list[Neighbor]:
    """Return the Services of the name that the subdomain is, which may be in the namespace of the Job."""
    subdomain = job.pod.get("subdomain")
    if not subdomain or job.neighbors is None:
        return []
    return job.neighbors.reachable(SERVICE, subdomain, job.namespace)


def _unselected(service: Neighbor, labels: dict[str, str | None]) -> str:
    """Return the first label that a Service selects and Pods do not have; empty if it selects them."""
    for key, value in service.selector.items():
        if key not in labels or labels[key] not in (None, value):
            return f"{key}={value}"
    return ""


@lint_rule(
    "JW704",
    "subdomain-without-service",
    severity="warning",
    summary="The Service that a subdomain names does not select the Pods, or another Service is meant.",
    fixable="unsafe",
    needs=needs.neighbors_and_subdomain,
)
def subdomain_without_service(job: LintedJob) -> Iterator[Diagnostic]:
    subdomain = job.pod.get("subdomain")
    if not subdomain or job.neighbors is None:
        return
    named, labels = _of_subdomain(job), labels_of_pods(job)
    field = f"{job.pod_path}.subdomain"
    lost = "so that no Pod has a DNS name below it"
    if named:
        # A Service without a selector gets its endpoints from elsewhere.
        if any(not each.selector or not _unselected(each, labels) for each in named):
            return
        yield Diagnostic(
            field,
            f"The Service {subdomain}{named[0].place} selects {_unselected(named[0], labels)}, which is not "
            f"a label of these Pods, {lost}. Correct its selector or the labels of the template.",
        )
        return
    beside = job.neighbors.in_namespace(SERVICE, job.namespace)
    if len(beside) > MAX_SERVICES:
        return
    fitting = {
        name: each
        for name, each in beside.items()
        if each.headless
        and each.selector
        and all(labels.get(key) == value for key, value in each.selector.items())
    }
    if len(fitting) == 1 and not job.neighbors.may_make(subdomain):
        ((name, service),) = fitting.items()
        yield Diagnostic(
            field,
            f"No Service is named {subdomain} beside this manifest, {lost}. The headless Service that "
            f"selects them is {name}{service.place}. Write {name}, or rename the Service.",
            Fix(f"Set subdomain: {name}", Edit("set", field, name), safe=False),
        )


@lint_rule(
    "JW705",
    "service-not-headless",
    severity="info",
    summary="The Service that a subdomain names is not headless.",
    needs=needs.neighbors_and_subdomain,
)
def service_not_headless(job: LintedJob) -> Iterator[Diagnostic]:
    named = _of_subdomain(job)
    if named and not any(each.headless or not each.selector for each in named):
        yield Diagnostic(
            f"{job.pod_path}.subdomain",
            f"The Service {named[0].name}{named[0].place} is not headless, and Kubernetes specifies DNS "
            "names of Pods only below a headless one; CoreDNS answers nevertheless, other servers need not. "
            "Set clusterIP: None.",
        )
