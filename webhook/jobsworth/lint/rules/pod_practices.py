"""Rules about the Pods of a Job, as far as a Job makes them matter more than other Pods."""

from __future__ import annotations

from jobsworth.api.core.images import default_pull_policy
from jobsworth.api.formats.quantity import parse
from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint.rule import Complaint, lint_rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from jobsworth.lint.linted_job import Subject

COMPUTED = ("cpu", "memory")
MEBIBYTE = 2**20
CLIENTS_OF_THE_API = ("kubectl", "helm", "kustomize", "argocd")
MAX_COMPLETIONS, MAX_PARALLELISM = 100_000, 10_000


@lint_rule(
    "JW501",
    "moving-image",
    severity="warning",
    summary="An image has the tag latest, or none.",
)
def moving_image(job: Subject) -> Iterator[Complaint]:
    for path, container in job.containers():
        image = container.get("image", "")
        if image and "@" not in image and default_pull_policy(image) == "Always":
            said = (
                "has the tag latest" if image.endswith(":latest") else "has no tag, that is latest"
            )
            yield Complaint(
                f"{path}.image",
                f"{image} {said}: a retry may run another program than the Pod before it; name a "
                "version or a digest",
            )


@lint_rule(
    "JW502",
    "no-resource-requests",
    severity="info",
    summary="A container asks for neither CPU nor memory.",
)
def no_resource_requests(job: Subject) -> Iterator[Complaint]:
    if _amounts(job.pod):
        return
    for index, container in enumerate(job.pod.get("containers", ())):
        if not _amounts(container):
            yield Complaint(
                f"{job.pod_path}.containers[{index}]",
                "no CPU and no memory is asked for: the Pod goes to any node, however full, and is "
                "the first to be evicted from it; set resources.requests",
            )


def _amounts(holder: dict[str, Any]) -> bool:
    """Whether CPU or memory is asked for; where there is only a limit, it is the request as well."""
    resources = holder.get("resources", {})
    return any(
        name in resources.get(kind, {}) for kind in ("requests", "limits") for name in COMPUTED
    )


@lint_rule(
    "JW503",
    "needless-token",
    severity="info",
    summary="The token of the default service account is mounted.",
    fixable="unsafe",
    on=False,
)
def needless_token(job: Subject) -> Iterator[Complaint]:
    pod = job.pod
    if pod.get("automountServiceAccountToken") is False:
        return
    if pod.get("serviceAccountName", "default") != "default":
        return
    if any(_calls_the_api(container) for _, container in job.containers()):
        return
    field = f"{job.pod_path}.automountServiceAccountToken"
    yield Complaint(
        field,
        "each container gets a token of the default service account: set this to false where none "
        "talks to the API server",
        Fix("mount no token", Edit("set", field, False), safe=False),
    )


def _calls_the_api(container: dict[str, Any]) -> bool:
    words = [container.get("image", ""), *container.get("command", ()), *container.get("args", ())]
    return any(client in word for word in words for client in CLIENTS_OF_THE_API)


@lint_rule(
    "JW504",
    "memory-unit",
    severity="warning",
    summary="An amount of memory is below a mebibyte, as when its unit is missing or wrong.",
)
def memory_unit(job: Subject) -> Iterator[Complaint]:
    for path, container in job.containers():
        for kind in ("requests", "limits"):
            for name, amount in container.get("resources", {}).get(kind, {}).items():
                quantity = parse(amount)
                fraction = quantity.milli_value() % 1000 != 0
                tiny = name == "memory" and 0 < quantity.value() < MEBIBYTE
                if tiny or (name == "ephemeral-storage" and fraction):
                    yield Complaint(
                        f"{path}.resources.{kind}[{name}]",
                        f"{amount} is {'not a whole number' if fraction else 'only this number'} of "
                        "bytes: mebibytes are written Mi, and m is a thousandth",
                    )


@lint_rule(
    "JW505",
    "hidden-variable",
    severity="warning",
    summary="A container sets the same environment variable twice.",
)
def hidden_variable(job: Subject) -> Iterator[Complaint]:
    for path, container in job.containers():
        first: dict[str, int] = {}
        for index, variable in enumerate(container.get("env", ())):
            name = variable.get("name", "")
            earlier = first.setdefault(name, index)
            reference = f"$({name})"
            value = variable.get("value", "")
            builds_on_it = reference in value and value != reference
            if earlier != index and ("valueFrom" in variable or not builds_on_it):
                yield Complaint(
                    f"{path}.env[{index}]",
                    f"{name} hides the one of the same name at env[{earlier}], and `kubectl apply` may "
                    "drop either of them",
                )


@lint_rule(
    "JW221",
    "too-many-indexes",
    severity="warning",
    summary="An Indexed Job has so many indexes and Pods that its status may not hold them.",
)
def too_many_indexes(job: Subject) -> Iterator[Complaint]:
    completions, parallelism = job.spec.get("completions", 0), job.spec.get("parallelism", 0)
    if job.indexed and completions > MAX_COMPLETIONS and parallelism > MAX_PARALLELISM:
        yield Complaint(
            f"{job.path}.completions",
            f"with more than {MAX_COMPLETIONS} completions and more than {MAX_PARALLELISM} Pods at a "
            "time, the status may have no room for the indexes that have completed: lower one",
        )


@lint_rule(
    "JW217",
    "name-not-dns-label",
    severity="info",
    summary="The name of a Job or CronJob has dots.",
)
def name_not_dns_label(job: Subject) -> Iterator[Complaint]:
    if "." in job.written["metadata"].get("name", ""):
        yield Complaint(
            "metadata.name",
            "the name goes into the hostnames of Pods, where what follows a dot is taken for a "
            "domain: use hyphens",
        )
