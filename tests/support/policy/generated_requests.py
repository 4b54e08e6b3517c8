"""Generated creates and updates of Jobs and CronJobs, with values around the limits of a policy.

Every object is one that the API server accepts, so that only policies decide.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.policy.matching import NAMESPACE_NAME
from jobsworth.policy.policy_fields import FIELDS
from jobsworth.policy.request import CRON_JOB_CONTROLLERS, PolicyRequest
from jobsworth.provenance.field_ownership import LAST_APPLIED
from jobsworth.validation.engine import engine_for
from support.policy.policy_requests import of_manifest

Values = Mapping[str, Sequence[Any]]

_NUMBERS = (0, 1, 2, 5, 50, 1000)
_TEXTS: Values = {
    "completionMode": ("Indexed", "NonIndexed"),
    "podReplacementPolicy": ("Failed", "TerminatingOrFailed"),
    "managedBy": ("example.com/controller",),
    "restartPolicy": ("Never", "Never", "OnFailure"),
    "priorityClassName": ("batch", "system-node-critical"),
    "serviceAccountName": ("default", "runner"),
    "schedulerName": ("default-scheduler", "volcano"),
    "runtimeClassName": ("gvisor", "kata"),
    "preemptionPolicy": ("Never", "PreemptLowerPriority"),
    "concurrencyPolicy": ("Allow", "Forbid", "Replace"),
    "timeZone": ("Etc/UTC", "Europe/Berlin"),
    "schedule": ("0 6 * * *", "*/5 * * * *"),
}
_QUANTITIES: Values = {
    "cpu": ("100m", "0.1", "1", "1500m", "64", "100u"),
    "memory": ("128Mi", "1Gi", "1e9", "500M", "1Ti"),
    "nvidia.com/gpu": ("1", "8", "16"),
    "ephemeral-storage": ("1Gi", "10G"),
}
_IMAGES = (
    "registry.example.com/app:1.4",
    "busybox",
    "ghcr.io/app@sha256:" + "0" * 64,
)
_IGNORE = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
_RULES: Sequence[dict[str, Any]] = (
    _IGNORE,
    {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "False"}]},
    {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [2, 42, 64]}},
    {"action": "Count", "onExitCodes": {"operator": "NotIn", "values": [1, 42]}},
    {
        "action": "FailJob",
        "onExitCodes": {"containerName": "main", "operator": "In", "values": [3, 42]},
    },
)


class Requests:
    """A source of requests that concern a policy.

    Args:
        document: the policy.
        seed: of the random numbers.
        server: the API server that accepts the objects.
        valid: the share of values that are inside the limits, roughly.
    """

    def __init__(
        self, document: Mapping[str, Any], seed: int, server: ApiServer, valid: float = 0.7
    ) -> None:
        self._spec = document["spec"]
        self._random = Random(seed)
        self._server = server
        self._valid = valid
        self._namespaces: dict[str, dict[str, str]] = {}
        limits = self._spec.get("limits", {})
        self._limits = {field.name: _limit_of(field.name, limits) for field in FIELDS.values()}

    def make(self, count: int) -> Iterator[PolicyRequest]:
        """Yield requests; a third of them updates."""
        made = 0
        while made < count:
            request = self._request()
            if request is not None:
                made += 1
                yield request

    def _request(self) -> PolicyRequest | None:
        kind = self._kind()
        value = self._object(kind)
        old = None
        if self._random.random() < 0.35:
            old, value = value, self._changed(kind, value)
        if not self._accepts(value, old):
            return None
        return self._sent(value, old)

    def _accepts(self, value: Any, old: Any) -> bool:
        engine = engine_for(self._server)
        found = [*engine.validate(value, old), *(engine.validate(old) if old else ())]
        return not any(finding.severity == "error" for finding in found)

    def _kind(self) -> str:
        kinds = [one for each in self._matchers("match") for one in each.get("kinds", ())]
        return self._random.choice(kinds or ["Job", "Job", "CronJob"])

    def _matchers(self, name: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._spec.get(name, [])
        return found

    def _sent(self, value: Any, old: Any) -> PolicyRequest:
        random = self._random
        match = self._criteria()
        users = ["alice", *_examples(self._matchers("match"), "users")]
        groups = ["system:authenticated", *_examples(self._matchers("match"), "groups")]
        if random.random() < 0.1:
            users, groups = (
                [*_examples(match, "users"), "bob"],
                [*_examples(match, "groups"), "dev"],
            )
        request = replace(
            of_manifest(value, self._server, old=old),
            manifest=None,
            namespace=value["metadata"]["namespace"],
            user=random.choice(users),
            groups=tuple(groups),
            namespace_labels=self._namespace_labels(value["metadata"]["namespace"]),
        )
        if random.random() < 0.06 and request.kind == "Job" and old is None:
            owner = {
                "apiVersion": "batch/v1",
                "kind": "CronJob",
                "name": "c",
                "uid": "u",
                "controller": True,
            }
            meta = {**request.object["metadata"], "ownerReferences": [owner]}
            request = replace(
                request,
                user=random.choice(CRON_JOB_CONTROLLERS),
                object={**request.object, "metadata": meta},
            )
        return request

    def _criteria(self) -> list[dict[str, Any]]:
        return [*self._matchers("match"), *self._matchers("exempt")]

    def _named_by_label(self) -> list[str]:
        count = sum("namespaceSelector" in each for each in self._criteria())
        return [f"space-{number}" for number in range(8 * count)]

    def _namespace_labels(self, name: str) -> dict[str, str]:
        """Return the labels of a namespace, which are the same in all requests."""
        if name not in self._namespaces:
            labels = self._labels_of("namespaceSelector", 0.7)
            self._namespaces[name] = {**labels, NAMESPACE_NAME: name}
        return self._namespaces[name]

    def _labels_of(self, selector: str, chance: float = 0.8) -> dict[str, str]:
        labels: dict[str, str] = {}
        for each in self._criteria():
            found = each.get(selector, {})
            wanted = dict(found.get("matchLabels") or {})
            for one in found.get("matchExpressions") or ():
                wanted[one["key"]] = (one.get("values") or ["some"])[0]
            if self._random.random() < (chance if each in self._matchers("match") else 0.1):
                labels |= wanted
        return labels

    def _object(self, kind: str) -> dict[str, Any]:
        names = [*_examples(self._matchers("match"), "namespaces"), *self._named_by_label()]
        names = names or [f"space-{number}" for number in range(8)]
        others = ["team", *_examples(self._matchers("exempt"), "namespaces")]
        metadata: dict[str, Any] = {
            "name": self._random.choice(["train", "etl", *_examples(self._criteria(), "names")]),
            "namespace": self._random.choice([*names * 6, *others]),
            "managedFields": [self._manager()],
        }
        for holder in ("labels", "annotations"):
            entries = self._entries(holder)
            if holder == "labels":
                entries |= self._labels_of("objectSelector")
            if entries:
                metadata[holder] = entries
        if self._random.random() < 0.05:
            written: dict[str, Any] = {"spec": {"backoffLimit": 2147483647, "template": {}}}
            if kind == "CronJob":
                written = {"spec": {"jobTemplate": written}}
            text = json.dumps(written, separators=(",", ":"))
            metadata.setdefault("annotations", {})[LAST_APPLIED] = text
        job = self._job_spec()
        spec = job
        if kind == "CronJob":
            spec = {
                "schedule": "0 6 * * *",
                **self._fields("cronJob"),
                "jobTemplate": {"spec": job},
            }
        return {"apiVersion": "batch/v1", "kind": kind, "metadata": metadata, "spec": spec}

    def _manager(self) -> dict[str, Any]:
        operation = self._random.choice(["Update", "Update", "Apply"])
        fields = (
            {"f:spec": {"f:backoffLimit": {}}} if self._random.random() < 0.5 else {"f:spec": {}}
        )
        if self._random.random() < 0.3:
            fields = {"f:spec": {"f:jobTemplate": fields}}
        return {
            "manager": self._random.choice(["kubectl", "jobsworth-policy"]),
            "operation": operation,
            "apiVersion": "batch/v1",
            "fieldsType": "FieldsV1",
            "fieldsV1": fields,
        }

    def _entries(self, holder: str) -> dict[str, str]:
        found = {}
        for key, limit in self._spec.get("limits", {}).get(holder, {}).items():
            chance = self._valid if limit.get("required") else 1 - self._valid
            if self._random.random() < chance:
                found[key] = self._value(limit, ["some", "", "other"])
        for each in self._spec.get("immutable", ()):
            key = each.get(holder[:-1])
            if key and self._random.random() < 0.7:
                found.setdefault(key, self._random.choice(["one", "two"]))
        return found

    def _fields(self, scope: str) -> dict[str, Any]:
        found = {}
        for field in FIELDS.values():
            if field.scope != scope or field.kind == "object":
                continue
            limit = self._limits[field.name]
            wanted = limit.get("required") or bool(limit.get("minimum") or limit.get("allowed"))
            chance = max(self._valid, 0.7) if wanted or limit else 0.1
            if limit.get("forbidden"):
                chance = 0.15
            if self._random.random() < chance:
                usual: Sequence[Any] = _TEXTS.get(field.key, _NUMBERS)
                if field.kind == "boolean":
                    usual = (True, False, False)
                found[field.key] = self._value(limit, usual)
        return found

    def _value(self, limit: Mapping[str, Any], usual: Sequence[Any]) -> Any:
        inside: list[Any] = []
        outside: list[Any] = []
        for bound, sign in (("minimum", 1), ("maximum", -1)):
            number = limit.get(bound)
            if isinstance(number, str):
                number = None
            if number is not None:
                inside += [number, max(0, number + sign)]
                outside.append(max(0, number - sign))
        inside += [_example(one) for one in limit.get("allowed", ())]
        outside += [_example(one) for one in limit.get("denied", ())]
        if self._random.random() < self._valid:
            return self._random.choice(inside or usual)
        return self._random.choice(outside or usual)

    def _job_spec(self) -> dict[str, Any]:
        random = self._random
        spec = self._fields("job")
        if random.random() < 0.4:
            spec["completions"] = self._value(self._limits["completions"], (1, 4, 20))
        if random.random() < 0.3 and "completions" in spec:
            spec["completionMode"] = "Indexed"
        if spec.get("completionMode") != "Indexed":
            for name in ("backoffLimitPerIndex", "maxFailedIndexes"):
                spec.pop(name, None)
        elif random.random() < 0.5:
            spec.setdefault("backoffLimitPerIndex", 1)
            if random.random() < 0.5:
                spec.setdefault("maxFailedIndexes", random.choice([0, 1, 3]))
                spec["maxFailedIndexes"] = min(spec["maxFailedIndexes"], spec.get("completions", 0))
        if "backoffLimitPerIndex" not in spec:
            spec.pop("maxFailedIndexes", None)
        elif random.random() < 0.3:
            spec["backoffLimit"] = 2**31 - 1
        spec.pop("manualSelector", None)
        pod = {"restartPolicy": "Never", **self._fields("pod"), **self._containers()}
        if random.random() < 0.5:
            pod["restartPolicy"] = "Never"
        wants = self._limits["podFailurePolicy"]
        if pod["restartPolicy"] == "Never" and random.random() < (
            self._valid if wants.get("required") else 0.5 if wants else 0.2
        ):
            rules = random.sample(_RULES, random.randint(0, 3))
            if random.random() < self._valid:
                rules = [_IGNORE, *rules]
            spec["podFailurePolicy"] = {"rules": rules}
            spec.pop("podReplacementPolicy", None)
            if random.random() < 0.5:
                spec["podReplacementPolicy"] = "Failed"
        if random.random() > self._valid * 0.8:
            pod["tolerations"] = [{"key": "example.com/spot", "operator": "Exists"}]
        template = {"spec": pod}
        self._add_parts(template, self._spec.get("limits", {}).get("pod", {}))
        return {**spec, "template": template}

    def _add_parts(self, template: dict[str, Any], limits: Mapping[str, Any]) -> None:
        """Add the parts of a Pod template that the policy limits."""
        pod = template["spec"]
        for name in ("labels", "annotations", "nodeSelector"):
            entries = self._chosen(limits.get(name, {}), ["some", ""])
            if entries:
                holder = pod if name == "nodeSelector" else template.setdefault("metadata", {})
                holder[name] = entries
        if "tolerations" in limits:
            pod["tolerations"] = [
                {"key": key, "operator": "Exists"} if key else {"operator": "Exists"}
                for key in self._several(limits["tolerations"], ["", "gpu", "spot"])
            ]
        if "securityContext" not in limits:
            return
        security = dict(limits["securityContext"])
        added = security.pop("addedCapabilities", {})
        for each in [*pod["containers"], *pod.get("initContainers", ())]:
            context = self._chosen(security, [True, False])
            if isinstance(context.get("runAsUser"), bool):
                del context["runAsUser"]
            if context.get("privileged") or self._random.random() < 0.4:
                context.pop("allowPrivilegeEscalation", None)
            if self._random.random() < 0.7:
                context["capabilities"] = {"add": self._several(added, ["CHOWN", "SYS_ADMIN"])}
            if "SYS_ADMIN" in context.get("capabilities", {}).get("add", ()):
                context.pop("allowPrivilegeEscalation", None)
            each["securityContext"] = context
        shared = {name: one for name, one in security.items() if name.startswith("runAs")}
        context = self._chosen(shared, [True])
        if isinstance(context.get("runAsUser"), bool):
            del context["runAsUser"]
        if context:
            pod["securityContext"] = context

    def _chosen(self, limits: Mapping[str, Any], usual: Sequence[Any]) -> dict[str, Any]:
        found = {}
        for key, limit in limits.items():
            chance = self._valid if limit.get("required") else 1 - self._valid
            if self._random.random() < chance:
                found[key] = self._value(limit, usual)
        return found

    def _several(self, limit: Mapping[str, Any], usual: Sequence[Any]) -> list[Any]:
        most = 1 if limit.get("forbidden") and self._random.random() < self._valid else 3
        return [self._value(limit, usual) for _ in range(self._random.randrange(most))]

    def _containers(self) -> dict[str, Any]:
        random = self._random
        pod: dict[str, Any] = {
            "containers": [self._container(f"c{i}") for i in range(random.randint(1, 3))]
        }
        pod["containers"][0]["name"] = "main"
        if random.random() < 0.35:
            inits = [self._container(f"i{i}") for i in range(random.randint(1, 3))]
            for each in inits:
                if random.random() < 0.5:
                    each["restartPolicy"] = "Always"
            pod["initContainers"] = inits
        if random.random() < 0.07:
            pod["resources"] = {"requests": {"cpu": "100"}, "limits": {"memory": "4Ti"}}
        return pod

    def _container(self, name: str) -> dict[str, Any]:
        random = self._random
        resources: dict[str, Any] = {}
        for resource, amounts in _QUANTITIES.items():
            if resource not in ("cpu", "memory") and random.random() < 0.8:
                continue
            amount = random.choice(amounts)
            if resource.startswith("nvidia") or random.random() < 0.4:
                resources.setdefault("limits", {})[resource] = amount
                if random.random() < 0.5:
                    resources.setdefault("requests", {})[resource] = amount
            elif random.random() < self._valid:
                resources.setdefault("requests", {})[resource] = amount
        return {"name": name, "image": random.choice(_IMAGES), "resources": resources}

    def _changed(self, kind: str, value: dict[str, Any]) -> dict[str, Any]:
        random = self._random
        new, other = copy.deepcopy(value), self._object(kind)
        new["metadata"]["managedFields"] = other["metadata"]["managedFields"]
        for holder in ("labels", "annotations"):
            if random.random() < 0.5:
                new["metadata"].pop(holder, None)
                if holder in other["metadata"]:
                    new["metadata"][holder] = other["metadata"][holder]
        if random.random() < 0.2:
            return new
        mine, its = new["spec"], other["spec"]
        if kind == "Job":
            keys = ["parallelism", "suspend", "activeDeadlineSeconds", "ttlSecondsAfterFinished",
                    "backoffLimit", "podReplacementPolicy"]  # fmt: skip
        elif random.random() < 0.5:
            keys = [*its, *mine]
        else:
            mine, its = mine["jobTemplate"]["spec"], its["jobTemplate"]["spec"]
            keys = sorted({*its, *mine})
        for key in keys:
            if random.random() < 0.5:
                mine.pop(key, None)
                if key in its:
                    mine[key] = its[key]
        return new


def _limit_of(name: str, limits: Mapping[str, Any]) -> Mapping[str, Any]:
    scope, dot, key = name.partition(".")
    found: Mapping[str, Any] = limits.get(scope, {}).get(key, {}) if dot else limits.get(name, {})
    return found


def _example(pattern: Any) -> Any:
    if not isinstance(pattern, str):
        return pattern
    return pattern.replace("*", "x").replace("?", "y").replace("[", "").replace("]", "")


def _examples(criteria: Sequence[Mapping[str, Any]], name: str) -> list[str]:
    return [_example(one) for each in criteria for one in each.get(name, ())]


def balanced_requests(
    document: Mapping[str, Any],
    count: int,
    server: ApiServer,
    violates: Callable[[PolicyRequest], bool],
    seed: int = 1,
) -> list[PolicyRequest]:
    """Requests of which about a half violate the policy.

    Args:
        document: the policy.
        count: the number of requests.
        server: the API server that accepts them.
        violates: returns True if a request violates the policy.
        seed: of the random numbers.
    """

    def distance(valid: float) -> float:
        sample = list(Requests(document, seed, server, valid).make(60))
        return abs(sum(map(violates, sample)) / len(sample) - 0.5)

    valid = min((0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95), key=distance)
    return list(Requests(document, seed, server, valid).make(count))
