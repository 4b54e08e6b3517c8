"""Rules about the Pods of a Job, as far as a Job makes them matter more than other Pods."""

from __future__ import annotations

from jobsworth.api.core.images import default_pull_policy
from jobsworth.api.formats.quantity import parse
from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import examples
from jobsworth.lint.rule import Complaint, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from jobsworth.lint.linted_job import Subject

COMPUTED = ("cpu", "memory")
MEBIBYTE = 2**20
CLIENTS_OF_THE_API = ("kubectl", "helm", "kustomize", "argocd")
MAX_COMPLETIONS, MAX_PARALLELISM = 100_000, 10_000

PER_INDEX = "https://github.com/kubernetes/enhancements/tree/master/keps/sig-apps/3850-backoff-limits-per-index-for-indexed-jobs"
WARNINGS = "pkg/api/pod/warnings.go, Kubernetes 1.36"
NAMES_PAGE = "https://kubernetes.io/docs/concepts/overview/working-with-objects/names/"
IMAGES_PAGE = "https://kubernetes.io/docs/concepts/containers/images/#image-names"
RESOURCES_PAGE = "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/"
EVICTION_PAGE = "https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/"
TOKEN_PAGE = "https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/"
ENVIRONMENT_PAGE = "https://kubernetes.io/docs/tasks/inject-data-application/define-environment-variable-container/"


def _moving_image(job: Subject) -> Iterator[Complaint]:
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


def _no_resource_requests(job: Subject) -> Iterator[Complaint]:
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


def _needless_token(job: Subject) -> Iterator[Complaint]:
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


def _memory_unit(job: Subject) -> Iterator[Complaint]:
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


def _hidden_variable(job: Subject) -> Iterator[Complaint]:
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


def _too_many_indexes(job: Subject) -> Iterator[Complaint]:
    completions, parallelism = job.spec.get("completions", 0), job.spec.get("parallelism", 0)
    if job.indexed and completions > MAX_COMPLETIONS and parallelism > MAX_PARALLELISM:
        yield Complaint(
            f"{job.path}.completions",
            f"with more than {MAX_COMPLETIONS} completions and more than {MAX_PARALLELISM} Pods at a "
            "time, the status may have no room for the indexes that have completed: lower one",
        )


def _name_not_dns_label(job: Subject) -> Iterator[Complaint]:
    if "." in job.written["metadata"].get("name", ""):
        yield Complaint(
            "metadata.name",
            "the name goes into the hostnames of Pods, where what follows a dot is taken for a "
            "domain: use hyphens",
        )


def _with(lines: str) -> str:
    return examples.job("", examples.POD + lines)


RULES = (
    Rule(
        "JW217",
        "name-not-dns-label",
        severity="info",
        summary="The name of a Job or CronJob has dots.",
        why="""\
The name is the beginning of the names of Pods, and with them of hostnames. Programs take what
follows a dot in a hostname for a domain: `hostname -s` gives the part before it, the same for
every Pod of the Job, and what looks up or compares its own name goes wrong. The API server
accepts the name, and warns of it.""",
        sources=(
            f"Kubernetes, Object names and IDs, {NAMES_PAGE}",
            "pkg/registry/batch/job/strategy.go, WarningsOnCreate, Kubernetes 1.36",
        ),
        bad=examples.job("").replace("name: train\n", "name: train.v2\n", 1),
        good=examples.job("").replace("name: train\n", "name: train-v2\n", 1),
        check=_name_not_dns_label,
    ),
    Rule(
        "JW221",
        "too-many-indexes",
        severity="warning",
        summary="An Indexed Job has so many indexes and Pods that its status may not hold them.",
        why="""\
The completed indexes are kept in one field of the status, as a list of ranges. When many indexes
in between fail, the ranges get many and short, until the text is too long to be stored. The API
server warns of it, and refuses such numbers only together with a limit per index.""",
        sources=("pkg/api/job/warnings.go, Kubernetes 1.36", f"KEP-3850, {PER_INDEX}"),
        bad=examples.job(
            "  completionMode: Indexed\n  completions: 200000\n  parallelism: 20000\n"
        ),
        good=examples.job(
            "  completionMode: Indexed\n  completions: 200000\n  parallelism: 2000\n"
        ),
        check=_too_many_indexes,
    ),
    Rule(
        "JW501",
        "moving-image",
        severity="warning",
        summary="An image has the tag latest, or none.",
        why="""\
Each Pod of a Job pulls the image that the tag names at that moment: a retry, or a later index,
may run a program that did not exist when the Job was created, on data that the older one has half
processed. What ran last night cannot be told afterwards either.""",
        sources=(f"Kubernetes, Images, {IMAGES_PAGE}",),
        bad=_with("").replace("train:1.4", "train:latest"),
        good=_with(""),
        check=_moving_image,
    ),
    Rule(
        "JW502",
        "no-resource-requests",
        severity="info",
        summary="A container asks for neither CPU nor memory.",
        why="""\
The scheduler then takes the Pod for one that needs nothing: many of them land on one node, starve
each other, and are the first that the kubelet evicts or the kernel kills. A service is started
again within seconds; of a Job the work since its last checkpoint is lost, and a retry is used up.
A LimitRange of the namespace may fill requests in, which a manifest does not show.""",
        sources=(
            f"Kubernetes, Resource management, {RESOURCES_PAGE}",
            f"Kubernetes, Node-pressure eviction, {EVICTION_PAGE}",
        ),
        bad=_with(""),
        good=_with("          resources: {requests: {cpu: 500m, memory: 1Gi}}\n"),
        check=_no_resource_requests,
    ),
    Rule(
        "JW503",
        "needless-token",
        severity="info",
        summary="The token of the default service account is mounted.",
        why="""\
Most Jobs never talk to the API server, and whoever gets into one of their containers finds a
credential for it. Off by default: what the token may do, and whether the program uses it, the
manifest does not say. Jobs with a service account of their own, and those that seem to run
kubectl or helm, are left alone.""",
        sources=(f"Kubernetes, Configure service accounts for Pods, {TOKEN_PAGE}",),
        bad=_with(""),
        good=_with("      automountServiceAccountToken: false\n"),
        check=_needless_token,
        fixable="unsafe",
        on=False,
    ),
    Rule(
        "JW504",
        "memory-unit",
        severity="warning",
        summary="An amount of memory is below a mebibyte, as when its unit is missing or wrong.",
        why="""\
`memory: 512m` is half a byte, as m is a thousandth, and `memory: 512` is 512 bytes. As a limit it
keeps the container from starting; as a request it asks for nothing. The API server accepts both,
and warns only of the first.""",
        sources=(f"Kubernetes, Resource management, Memory units, {RESOURCES_PAGE}", WARNINGS),
        bad=_with("          resources: {requests: {memory: 512m}}\n"),
        good=_with("          resources: {requests: {memory: 512Mi}}\n"),
        check=_memory_unit,
    ),
    Rule(
        "JW505",
        "hidden-variable",
        severity="warning",
        summary="A container sets the same environment variable twice.",
        why="""\
The container sees the last one. But `kubectl apply` merges the list by name, so that after a
later change either of the two can be left over. A variable that extends the one before it, as in
`$(OPTIONS) --fast`, is left alone.""",
        sources=(WARNINGS, f"Kubernetes, Define environment variables, {ENVIRONMENT_PAGE}"),
        bad=_with(
            "          env:\n"
            "            - {name: EPOCHS, value: '10'}\n"
            "            - {name: EPOCHS, value: '100'}\n"
        ),
        good=_with("          env:\n            - {name: EPOCHS, value: '100'}\n"),
        check=_hidden_variable,
    ),
)
