"""The defaults of a Pod template: the parts that a policy sets, each with the place where it belongs.

A value in a policy is written as in a Pod, and is merged as Kubernetes merges: a map by its keys, a list of
named items by the name, a security context by its fields, an affinity by its six lists. Every such part is a
default of its own. The API has no key for tolerations: the same key, operator, value and effect are the same
toleration, as in ``Toleration.MatchToleration`` of ``k8s.io/api``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.api.core.pod_template import PodSpec
from jobsworth.documents.declared import json_value
from jobsworth.policy import document
from jobsworth.policy.patterns import compiled_names, is_wild
from jobsworth.policy.places import Item, Step, Steps, at, changed, field_path
from jobsworth.validation.engine import engine_for

KEYED = {
    "labels": ("metadata", "labels"),
    "annotations": ("metadata", "annotations"),
    "nodeSelector": ("spec", "nodeSelector"),
}
"""The maps with defaults by key, and their places in the template."""

FIELDS = {
    "priorityClassName": "priority_class_name",
    "serviceAccountName": "service_account_name",
    "automountServiceAccountToken": "automount_service_account_token",
    "schedulerName": "scheduler_name",
    "runtimeClassName": "runtime_class_name",
    "terminationGracePeriodSeconds": "termination_grace_period_seconds",
}
"""The fields of the PodSpec with a single value, and their names in
:class:`jobsworth.policy.document.PodDefaults`."""

CONTAINER_LISTS = {"containers": "containers", "initContainers": "init_containers"}

SERVER_DEFAULTS = {
    name: PodSpec.fields[name].default
    for name in FIELDS
    if PodSpec.fields[name].default is not None
}
"""The fields for which the API server has a default, too, in Jobs and in CronJobs."""


@dataclass(frozen=True, slots=True)
class PodDefault:
    """The default of one part of the Pod template.

    Attributes:
        path: its path in the document, below ``spec.defaults``.
        steps: the steps that lead to it from the template, or from the container.
        value: the value to set, as the API server stores it.
        when: ``ifUnset``, ``ifServerDefault`` or ``always``.
        containers: ``containers`` or ``initContainers``; empty for a part outside of containers.
        container: the pattern of the containers' names.
    """

    path: str
    steps: Steps
    value: Any
    when: str
    containers: str = ""
    container: str = ""

    def places(self, template: Mapping[str, Any]) -> list[Steps]:
        """Return the places in a template that the default applies to, as steps from the template."""
        if not self.containers:
            return [self.steps]
        matches = compiled_names([self.container])
        spec = template.get("spec") or {}
        return [
            ("spec", self.containers, Item.named(container["name"]), *self.steps)
            for container in spec.get(self.containers) or ()
            if matches(container.get("name") or "")
        ]

    @property
    def field(self) -> str:
        """The field of the PodSpec with a single value that it sets; empty for another part."""
        return str(self.steps[-1]) if len(self.steps) == 2 and not self.containers else ""

    @property
    def limited_as(self) -> str:
        """The name of its part below ``spec.limits``, if a policy can limit the part."""
        holder = self.steps[0] in ("metadata", "spec")
        return f"pod.{field_path(self.steps).removeprefix(f'{self.steps[0]}.' if holder else '')}"


def read(value: document.PodDefaults) -> tuple[PodDefault, ...]:
    """Return the defaults of a policy, those of containers by name before those of patterns."""
    given = json_value(value)
    return tuple(_canonical([*_of_pod(given), *_of_containers(given)]))


def sample(defaults: Iterable[PodDefault]) -> tuple[dict[str, Any], list[tuple[PodDefault, Steps]]]:
    """Return a Pod template with all defaults, and the place of each.

    The containers of each name and pattern are one container.
    """
    template: dict[str, Any] = {"spec": {"restartPolicy": "Never"}}
    containers: dict[tuple[str, str], str] = {("containers", ""): "sample"}
    places = []
    for one in defaults:
        steps = one.steps
        if one.containers:
            other = one.container if not is_wild(one.container) else f"sample-{len(containers)}"
            name = containers.setdefault((one.containers, one.container), other)
            steps = ("spec", one.containers, Item.named(name), *steps)
        places.append((one, steps))
    for (kind, _), name in containers.items():
        template["spec"].setdefault(kind, []).append({"name": name, "image": "busybox:1.36"})
    return changed(template, ((steps, one.value) for one, steps in places)), places


def _canonical(found: list[PodDefault]) -> Iterator[PodDefault]:
    """Yield defaults with their values as the API server stores them: quantities in canonical form."""
    template, places = sample(found)
    stored = with_server_defaults(sample_job({"template": template}))["spec"]["template"]
    values = {id(one): at(stored, steps) for one, steps in places}
    for one in found:
        value = values.get(id(one))
        yield one if value is None else replace(one, value=value)


def _of_pod(given: Mapping[str, Any]) -> Iterator[PodDefault]:
    for name, holder in KEYED.items():
        for key, default in given.get(name, {}).items():
            yield PodDefault(
                f"pod.{name}[{key}]", (*holder, key), default["value"], default["when"]
            )
    for name in FIELDS:
        if name in given:
            yield PodDefault(
                f"pod.{name}", ("spec", name), given[name]["value"], given[name]["when"]
            )
    yield from _of_security("pod", given, ("spec",))
    for index, toleration in enumerate(given.get("tolerations", _NONE)["value"]):
        path = f"pod.tolerations.value[{index}]"
        steps = ("spec", "tolerations", Item.toleration(toleration))
        yield PodDefault(path, steps, toleration, given["tolerations"]["when"])
    for kind, terms in given.get("affinity", _NOTHING)["value"].items():
        for name, value in terms.items():
            path = f"pod.affinity.value.{kind}.{name}"
            place = ("spec", "affinity", kind, name)
            yield PodDefault(path, place, value, given["affinity"]["when"])


def _of_containers(given: Mapping[str, Any]) -> Iterator[PodDefault]:
    for kind in CONTAINER_LISTS:
        # A name is more specific than a pattern.
        for name in sorted(given.get(kind, ()), key=is_wild):
            for one in _of_container(given[kind][name], f"pod.{kind}[{name}]"):
                yield replace(one, containers=kind, container=name)


def _of_container(given: Mapping[str, Any], at: str) -> Iterator[PodDefault]:
    amounts = given.get("resources", _NOTHING)["value"]
    for side in ("limits", "requests"):  # some resources cannot be requested without a limit
        for name, amount in amounts.get(side, {}).items():
            path = f"{at}.resources.value.{side}[{name}]"
            yield PodDefault(path, ("resources", side, name), amount, given["resources"]["when"])
    for index, variable in enumerate(given.get("env", _NONE)["value"]):
        path = f"{at}.env.value[{index}]"
        steps = ("env", Item.named(variable["name"]))
        yield PodDefault(path, steps, variable, given["env"]["when"])
    yield from _of_security(at, given, ())


def _of_security(
    at: str, given: Mapping[str, Any], holder: tuple[Step, ...]
) -> Iterator[PodDefault]:
    name = "securityContext"
    default = given.get(name, _NOTHING)
    for field, value in default["value"].items():
        parts = value if field == "capabilities" else {"": value}
        for part, inner in parts.items():
            steps = (*holder, name, field, *filter(None, [part]))
            path = ".".join(filter(None, (at, name, "value", field, part)))
            yield PodDefault(path, steps, inner, default["when"])


_NOTHING: Mapping[str, Any] = {"value": {}}
_NONE: Mapping[str, Any] = {"value": []}


def sample_job(spec: dict[str, Any], metadata: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a Job that has everything that defaults need."""
    container = {"name": "main", "image": "busybox:1.36"}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "sample", **(metadata or {})},
        "spec": {
            "completionMode": "Indexed",
            "completions": 100_000,
            "backoffLimitPerIndex": 1,
            "template": {"spec": {"restartPolicy": "Never", "containers": [container]}},
            **spec,
        },
    }


def with_server_defaults(job: dict[str, Any]) -> dict[str, Any]:
    """Return a Job as the API server stores it."""
    return engine_for(ApiServer()).default(job)
