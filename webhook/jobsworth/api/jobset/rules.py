"""The rules of JobSet's validating webhook ``vjobset.kb.io`` for creates.

The webhook states most of its errors without a field: the API server then names none. Their `entry` is the
path of what they are about, for positions. Source: ``ValidateCreate`` in ``pkg/webhooks/jobset_webhook.go``,
JobSet 0.8 to 0.12.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.api.field_errors import (
    WEBHOOK,
    FieldError,
    go_json,
    invalid,
    quoted,
    required,
    too_long,
)
from jobsworth.api.formats.keys import domain_prefixed_path
from jobsworth.api.jobset.definition import DEPENDENCY_OF_FIRST_SINCE, FIRST_DEPENDS
from jobsworth.api.jobset.failure_policy import RESTART_JOB, RESTART_JOB_UNCOUNTED
from jobsworth.api.jobset.job_set import JOB_FAILURE_REASONS
from jobsworth.api.jobset.names import claim_name, coordinator_endpoint, job_name
from jobsworth.api.jobset.versions import at_least
from kube_cel.formats.names import (
    byte_length,
    dns_1035_label,
    dns_subdomain,
    label_value,
    max_length,
)

MAX_INT32 = 2**31 - 1
MAX_NAME_LENGTH = 63
"""The maximum length of managedBy, and of the name of a claim."""
MAX_RULE_NAME_LENGTH = 128
RULE_NAME = re.compile(r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?")
MAX_RESTARTED_REPLICAS = 1024
"""The maximum number of Jobs of a ReplicatedJob beside a rule that restarts single Jobs."""

GATE_IS_OFF = "gate_is_off"
"""The key of the rules that a feature gate of JobSet would lift."""

FIELDS_SINCE = "0.10"
"""The first version that names the fields of names and subdomains."""
INVALID_SINCE = "0.12"
"""The first version that answers with a list of causes, and calls an error without field an internal one."""

TOO_LONG = max_length(63)
GROUP_TOO_LONG = ".spec.replicatedJob[].groupName is too long, must be less than 63 characters"
JOB_TOO_LONG = (
    "JobSet name is too long, job names generated for this JobSet will exceed 63 characters"
)
POD_TOO_LONG = (
    "JobSet name is too long, pod names generated for this JobSet will exceed 63 characters"
)
SUBDOMAIN_TOO_LONG = ".spec.network.subdomain is too long, must be less than 63 characters"


class Creation:
    """A JobSet that is created.

    Attributes:
        job_set: decoded, with the defaults of the CRD and of the mutating webhook.
        version: of JobSet.
        gates: the server that has the feature gates of JobSet.
        name: of the JobSet.
        spec: of the JobSet.
        replicated_jobs: of the spec.
        names: of the ReplicatedJobs.
        printed_jobs: returns the ReplicatedJobs as JSON in the order of their Go types, for a message.
    """

    def __init__(
        self,
        job_set: dict[str, Any],
        version: str,
        gates: ApiServer,
        printed_jobs: Callable[[], Any],
    ) -> None:
        self.job_set = job_set
        self.version = version
        self.gates = gates
        self.name: str = job_set["metadata"].get("name", "")
        self.spec: dict[str, Any] = job_set["spec"]
        self.replicated_jobs: list[dict[str, Any]] = self.spec.get("replicatedJobs", [])
        self.names = dict.fromkeys(job.get("name", "") for job in self.replicated_jobs)
        self.printed_jobs = printed_jobs

    def since(self, version: str) -> bool:
        """Return True if the webhook is of this version or a later one."""
        return at_least(self.version, version)

    def error(
        self, detail: str, place: str, supported: Iterable[str] = (), rule: str = WEBHOOK
    ) -> FieldError:
        """Return an error without field.

        Args:
            detail: the words of the webhook.
            place: the path of what it is about.
            supported: the values that it can have instead.
            rule: the key of the rule.
        """
        message = f"Internal error: {detail}" if self.since(INVALID_SINCE) else detail
        values = tuple(supported)
        return FieldError("InternalError", "", message, rule=rule, supported=values, entry=place)

    def name_error(self, path: str, value: str, detail: str) -> FieldError:
        """Return an error about a name, whose field earlier versions do not state."""
        if self.since(FIELDS_SINCE):
            return invalid(path, value, detail, WEBHOOK)
        return self.error(detail, path)


def creation_errors(creation: Creation) -> Iterator[FieldError]:
    """Yield the errors of the validating webhook for a new JobSet."""
    yield from _gated_strategy(creation)
    yield from _network(creation)
    yield from _managed_by(creation)
    yield from _replicated_jobs(creation)
    yield from _success_policy(creation)
    yield from _failure_policy(creation)
    yield from _coordinator(creation)
    yield from _volume_claims(creation)


def _restarts_in_place(creation: Creation) -> bool:
    return bool(creation.spec.get("failurePolicy", {}).get("restartStrategy") == "InPlaceRestart")


def _gated_strategy(creation: Creation) -> Iterator[FieldError]:
    if _restarts_in_place(creation) and not creation.gates.enabled("InPlaceRestart"):
        detail = "InPlaceRestart restart strategy cannot be set when InPlaceRestart feature gate is disabled"
        yield creation.error(detail, "spec.failurePolicy.restartStrategy", rule=GATE_IS_OFF)


def _network(creation: Creation) -> Iterator[FieldError]:
    subdomain = creation.spec.get("network", {}).get("subdomain", "")
    if not subdomain:
        return
    path = "spec.network.subdomain"
    for detail in dns_subdomain(subdomain):
        yield creation.name_error(path, subdomain, detail)
    for detail in _label_errors(subdomain, SUBDOMAIN_TOO_LONG):
        yield creation.name_error(path, subdomain, detail)


def _label_errors(name: str, too_long_detail: str) -> Iterator[str]:
    for detail in dns_1035_label(name):
        yield too_long_detail if TOO_LONG in detail else detail


def _managed_by(creation: Creation) -> Iterator[FieldError]:
    manager = creation.spec.get("managedBy")
    if manager is None:
        return
    path = "spec.managedBy"
    if not manager:
        yield required(path)
    for value, detail in domain_prefixed_path(manager):
        yield invalid(path, value, detail, WEBHOOK)
    if byte_length(manager) > MAX_NAME_LENGTH:
        yield too_long(path, MAX_NAME_LENGTH)


def _replicated_jobs(creation: Creation) -> Iterator[FieldError]:
    jobs = creation.replicated_jobs
    if jobs and "dependsOn" in jobs[0] and creation.since(DEPENDENCY_OF_FIRST_SINCE):
        yield creation.error(FIRST_DEPENDS, "spec.replicatedJobs[0].dependsOn")
    earlier: dict[str, None] = {}
    for index, job in enumerate(jobs):
        path = f"spec.replicatedJobs[{index}]"
        name, replicas = job.get("name", ""), job.get("replicas", 0)
        earlier[name] = None
        if job["template"]["spec"].get("parallelism", 1) * replicas > MAX_INT32:
            detail = (
                f"the product of replicas and parallelism must not exceed {MAX_INT32} "
                f"for replicatedJob '{name}'"
            )
            yield creation.error(detail, f"{path}.replicas")
        if creation.since("0.10"):
            group = job.get("groupName", "")
            for detail in _label_errors(group, GROUP_TOO_LONG):
                yield invalid(f"{path}.groupName", group, detail, WEBHOOK)
        yield from _generated_names(creation, job, f"{path}.name")
        for position, dependency in enumerate(job.get("dependsOn", ())):
            needed = dependency.get("name", "")
            if needed not in earlier:
                detail = f"replicatedJob: {name} cannot depend on replicatedJob: {needed}"
                others = (each for each in earlier if each != name)
                yield creation.error(detail, f"{path}.dependsOn[{position}].name", others)
        if _restarts_in_place(creation) and creation.gates.enabled("InPlaceRestart"):
            yield from _restarted_in_place(name, job["template"]["spec"], f"{path}.template.spec")


def _restarted_in_place(name: str, spec: dict[str, Any], path: str) -> Iterator[FieldError]:
    """Validate the Job of a ReplicatedJob whose Pods restart in place."""
    restarted = "when in-place restart is enabled"
    limit, replacement = spec.get("backoffLimit"), spec.get("podReplacementPolicy")
    if limit != MAX_INT32:
        detail = f"replicatedJob {name}: must be set to {MAX_INT32} (MaxInt32) {restarted}"
        yield invalid(f"{path}.backoffLimit", limit, detail, WEBHOOK)
    if replacement != "Failed":
        detail = f"replicatedJob {name}: must be set to Failed {restarted}"
        yield invalid(f"{path}.podReplacementPolicy", replacement, detail, WEBHOOK)
    completions = spec.get("completions")
    if completions is None or completions != spec.get("parallelism"):
        detail = (
            f"replicatedJob {name}: completions and parallelism must be set and equal to each other"
        )
        yield invalid(f"{path}.completions", completions, f"{detail} {restarted}", WEBHOOK)


def _generated_names(creation: Creation, job: dict[str, Any], path: str) -> Iterator[FieldError]:
    """Validate the names of the last Job and of its last Pod, which are the longest."""
    spec = job["template"]["spec"]
    longest = job_name(creation.name, job.get("name", ""), job.get("replicas", 0) - 1)
    for detail in _label_errors(longest, JOB_TOO_LONG):
        yield creation.name_error(path, longest, detail)
    completions = spec.get("completions")
    if spec.get("completionMode") == "Indexed" and completions is not None:
        for detail in _label_errors(f"{longest}-{completions - 1}-abcde", POD_TOO_LONG):
            yield creation.name_error(path, longest, detail)


def _success_policy(creation: Creation) -> Iterator[FieldError]:
    targets = creation.spec.get("successPolicy", {}).get("targetReplicatedJobs", ())
    for index, target in enumerate(targets):
        if target not in creation.names:
            yield creation.error(
                f"invalid replicatedJob name '{target}' does not appear in .spec.ReplicatedJobs",
                f"spec.successPolicy.targetReplicatedJobs[{index}]",
                creation.names,
            )


def _failure_policy(creation: Creation) -> Iterator[FieldError]:
    rules = creation.spec.get("failurePolicy", {}).get("rules", [])
    path = "spec.failurePolicy.rules"
    restarting = [
        index
        for index, rule in enumerate(rules)
        if rule.get("action") in (RESTART_JOB, RESTART_JOB_UNCOUNTED)
    ]
    if restarting and not creation.gates.enabled("RestartJob"):
        yield creation.error(
            "RestartJob and RestartJobAndIgnoreMaxRestarts failure policy actions are not allowed "
            "when RestartJob feature gate is disabled",
            f"{path}[{restarting[0]}].action",
            rule=GATE_IS_OFF,
        )
        return
    for position, job in enumerate(creation.replicated_jobs if restarting else ()):
        if job.get("replicas", 0) > MAX_RESTARTED_REPLICAS:
            yield creation.error(
                "JobSet cannot have a failure policy rule with RestartJob or "
                "RestartJobAndIgnoreMaxRestarts action and a replicated job with replicas > "
                f"{MAX_RESTARTED_REPLICAS}",
                f"spec.replicatedJobs[{position}].replicas",
            )
            break
    indexes: dict[str, list[int]] = {}
    for index, rule in enumerate(rules):
        indexes.setdefault(rule.get("name", ""), []).append(index)
        yield from _failure_rule(creation, rule, f"{path}[{index}]")
    for name, places in indexes.items():
        if len(places) > 1:
            printed = f"[{' '.join(map(str, places))}]"
            yield creation.error(
                f"rule names are not unique, rules with indices {printed} all have the same name '{name}'",
                f"{path}[{places[1]}].name",
            )


def _failure_rule(creation: Creation, rule: dict[str, Any], path: str) -> Iterator[FieldError]:
    name = rule.get("name", "")
    length = byte_length(name)
    if not 1 <= length <= MAX_RULE_NAME_LENGTH:
        yield creation.error(
            f"invalid failure policy rule name of length {length}, the rule name must be at least 1 "
            f"characters long and at most {MAX_RULE_NAME_LENGTH} characters long",
            f"{path}.name",
        )
    if not RULE_NAME.fullmatch(name):
        yield creation.error(
            f"invalid failure policy rule name '{name}', a failure policy rule name must start with an "
            "alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', "
            "and must end with an alphanumeric character or '_'",
            f"{path}.name",
        )
    for index, target in enumerate(rule.get("targetReplicatedJobs", ())):
        if target not in creation.names:
            yield creation.error(
                f"invalid replicatedJob name '{target}' in failure policy "
                "does not appear in .spec.ReplicatedJobs",
                f"{path}.targetReplicatedJobs[{index}]",
                creation.names,
            )
    for index, reason in enumerate(rule.get("onJobFailureReasons", ())):
        if reason not in JOB_FAILURE_REASONS:
            yield creation.error(
                f"invalid job failure reason '{reason}' in failure policy "
                "is not a recognized job failure reason",
                f"{path}.onJobFailureReasons[{index}]",
                JOB_FAILURE_REASONS,
            )


def _coordinator(creation: Creation) -> Iterator[FieldError]:
    coordinator = creation.spec.get("coordinator")
    if coordinator is None:
        return
    problem = _coordinated_pod_problem(creation, coordinator)
    if problem is not None:
        known = () if coordinator.get("replicatedJob") in creation.names else creation.names
        yield creation.error(*problem, known)
    if not creation.since("0.11"):
        return
    endpoint = coordinator_endpoint(creation.job_set)
    details = label_value(endpoint)
    if details:
        yield creation.error(
            f"spec will lead to invalid label value {quoted(endpoint)} for coordinator label "
            '"jobset.sigs.k8s.io/coordinator" (long JobSet / ReplicatedJob / SubDomain name?): '
            + ", ".join(details),
            "spec.coordinator",
        )


def _coordinated_pod_problem(
    creation: Creation, coordinator: dict[str, Any]
) -> tuple[str, str] | None:
    """Return the problem of the Pod that a coordinator names, and its place; None if there is such a Pod."""
    path = "spec.coordinator"
    name = coordinator.get("replicatedJob", "")
    job_index, pod_index = coordinator.get("jobIndex", 0), coordinator.get("podIndex", 0)
    job = next((each for each in creation.replicated_jobs if each.get("name", "") == name), None)
    if job is None:
        return f"coordinator replicatedJob {name} does not exist", f"{path}.replicatedJob"
    if not 0 <= job_index < job.get("replicas", 0):
        detail = f"coordinator job index {job_index} is invalid for replicatedJob {name}"
        return detail, f"{path}.jobIndex"
    spec = job["template"]["spec"]
    completions = spec.get("completions")
    if spec.get("completionMode") != "Indexed" or completions is None:
        detail = "job for coordinator pod must be indexed completion mode"
        if creation.since("0.10"):
            detail += ", and completions number must be set"
        return detail, f"{path}.replicatedJob"
    if not 0 <= pod_index < completions:
        detail = (
            f"coordinator pod index {pod_index} is invalid for replicatedJob {name} "
            f"job index {job_index}"
        )
        return detail, f"{path}.podIndex"
    return None


def _volume_claims(creation: Creation) -> Iterator[FieldError]:
    """Validate the claim templates, but for claims that exist already: only a cluster knows those."""
    seen: set[str] = set()
    volumes = _Volumes(creation)
    for index, policy in enumerate(creation.spec.get("volumeClaimPolicies", ())):
        for position, template in enumerate(policy.get("templates", ())):
            # The webhook leaves the s of templates out.
            path = f"spec.volumeClaimPolicies[{index}].template[{position}].name"
            name = template["metadata"].get("name", "")
            if name in seen:
                detail = "names must be unique for VolumeClaimPolicies template"
                yield invalid(path, name, detail, WEBHOOK)
            seen.add(name)
            for detail in dns_subdomain(name):
                yield invalid(path, name, detail, WEBHOOK)
            if byte_length(claim_name(creation.name, name)) > MAX_NAME_LENGTH:
                yield invalid(path, name, "VolumeClaimPolicies template name is too long", WEBHOOK)
            yield from volumes.errors_about(name)


class _Volumes:
    """The volumes of all Pods of a JobSet: each is looked at once, however many claim templates there are."""

    def __init__(self, creation: Creation) -> None:
        self._creation = creation
        self._mounted: set[str] = set()
        self._places: dict[str, list[str]] = {}
        for index, job in enumerate(creation.replicated_jobs):
            pod = job["template"]["spec"]["template"]["spec"]
            self._mounted |= mounted_volumes(pod)
            path = f"spec.replicatedJobs[{index}].template.spec.template.spec.volumes"
            for position, volume in enumerate(pod.get("volumes", ())):
                places = self._places.setdefault(volume.get("name", ""), [])
                places.append(f"{path}[{position}].name")

    @cached_property
    def _unmounted(self) -> str:
        """The part of the message that all unmounted claims share: it has all ReplicatedJobs."""
        printed = go_json(self._creation.printed_jobs(), sort_keys=False)
        return f"Invalid value: {printed}: replicatedJob containers don't have a matching volumeMount: "

    def errors_about(self, name: str) -> Iterator[FieldError]:
        """Yield the errors about the use of a claim template."""
        for path in self._places.get(name, ()):
            detail = f"volume name conflicts with VolumeClaimPolicy template name: {name}"
            yield invalid(path, name, detail, WEBHOOK)
        if name not in self._mounted:
            yield FieldError(
                "FieldValueInvalid",
                "spec.replicatedJobs",
                self._unmounted,
                f"{name} from VolumeClaimPolicies",
                rule=WEBHOOK,
            )


def mounted_volumes(pod: dict[str, Any]) -> set[str]:
    """Return the names of the volumes that containers and init containers of a Pod mount."""
    return {
        mount.get("name", "")
        for kind in ("initContainers", "containers")
        for container in pod.get(kind) or ()
        for mount in container.get("volumeMounts") or ()
    }
