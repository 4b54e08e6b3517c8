"""Creates and updates that an API server accepts with warnings: see tests/recorded/README.md.

Random objects seldom cause any, so these are made of parts about each of which some release warns.
"""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Callable, Iterator
from typing import Any

from cluster.dry_run_server import Server

Json = dict[str, Any]
Part = Callable[[random.Random, "Template"], None]

NODE_LABELS = (
    "beta.kubernetes.io/arch",
    "beta.kubernetes.io/os",
    "failure-domain.beta.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "beta.kubernetes.io/instance-type",
    "app.kubernetes.io/created-by",
    "scheduler.alpha.kubernetes.io/preferAvoidPods",
    "node-role.kubernetes.io/master",
    "kubernetes.io/os",
)
ADDRESSES = ("10.0.0.1", "10.0.0.010", "::ffff:10.0.0.1", "2001:DB8::1", "2001:db8:0:0::1", "::1")
AMOUNTS = ("1.5", "512m", "1073741824500m", "1G", "1500u", "0.1Ki", "64Mi", "1e-1", "0.5Gi")
PATHS = ("a", "a/b", "a/b/c", "b", "a/", "ab", "a//b")
CREATED = "2026-01-01T00:00:00Z"


class Template:
    """A Pod template under construction, with the parts that most warnings are about."""

    def __init__(self) -> None:
        self.annotations: dict[str, str] = {}
        self.containers: list[Json] = [
            {"name": name, "image": "registry.example.com/tool:1.2"} for name in ("main", "helper")
        ]
        self.spec: Json = {"restartPolicy": "Never"}
        self.job: Json = {}

    @property
    def affinity(self) -> Json:
        affinity: Json = self.spec.setdefault("affinity", {})
        return affinity

    def volume(self, **source: Any) -> None:
        volumes = self.spec.setdefault("volumes", [])
        volumes.append({"name": f"volume-{len(volumes)}", **source})

    def job_spec(self) -> Json:
        spec = {**self.spec, "containers": self.containers[1:]}
        spec["initContainers"] = self.containers[:1]
        return {
            "template": {"metadata": {"annotations": self.annotations}, "spec": spec},
            **self.job,
        }


def _some(rng: random.Random, values: tuple[Any, ...], most: int = 3) -> list[Any]:
    return rng.sample(values, rng.randint(1, min(most, len(values))))


def node_selector(rng: random.Random, template: Template) -> None:
    template.spec["nodeSelector"] = dict.fromkeys(_some(rng, NODE_LABELS), "x")


def node_affinity(rng: random.Random, template: Template) -> None:
    def term() -> Json:
        values = rng.choice((["a"], ["not valid", "b"], ["x" * 64, "é"]))
        listed = {"key": rng.choice(NODE_LABELS), "operator": "In", "values": values}
        return {
            "matchExpressions": [listed, {"key": rng.choice(NODE_LABELS), "operator": "Exists"}]
        }

    preferred = [{"weight": 1, "preference": term()} for _ in range(rng.randint(0, 2))]
    wanted = term()
    wanted["matchExpressions"][0]["values"] = ["a"]
    template.affinity["nodeAffinity"] = {
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [wanted]},
        "preferredDuringSchedulingIgnoredDuringExecution": preferred,
    }


def pod_affinity(rng: random.Random, template: Template) -> None:
    def term() -> Json:
        selector = rng.choice(
            ({}, {"labelSelector": {}}, {"labelSelector": {"matchLabels": {"a": "b"}}})
        )
        return {"topologyKey": "kubernetes.io/hostname", **selector}

    for kind in _some(rng, ("podAffinity", "podAntiAffinity")):
        template.affinity[kind] = {
            "requiredDuringSchedulingIgnoredDuringExecution": [term(), term()],
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 1, "podAffinityTerm": term()}
            ],
        }


def topology(rng: random.Random, template: Template) -> None:
    template.spec["topologySpreadConstraints"] = [
        {
            "maxSkew": 1,
            "topologyKey": key,
            "whenUnsatisfiable": "ScheduleAnyway",
            **rng.choice(
                ({}, {"labelSelector": {}}, {"labelSelector": {"matchLabels": {"a": "b"}}})
            ),
        }
        for key in _some(rng, NODE_LABELS)
    ]


def annotations(rng: random.Random, template: Template) -> None:
    scheduling = ("scheduler.alpha.kubernetes.io/critical-pod",)
    sysctls = (
        "security.alpha.kubernetes.io/sysctls",
        "security.alpha.kubernetes.io/unsafe-sysctls",
    )
    template.annotations.update(dict.fromkeys(_some(rng, scheduling + sysctls), ""))


def seccomp(rng: random.Random, template: Template) -> None:
    prefix = "seccomp.security.alpha.kubernetes.io/"
    keys = (f"{prefix}pod", *(f"container.{prefix}{name}" for name in ("main", "helper")))
    template.annotations.update(dict.fromkeys(_some(rng, keys), "runtime/default"))
    for holder in _some(rng, (template.spec, *template.containers)):
        if rng.random() < 0.5:
            context = holder.setdefault("securityContext", {})
            context["seccompProfile"] = {"type": "RuntimeDefault"}


def app_armor(rng: random.Random, template: Template) -> None:
    value, profile = rng.choice(
        (
            ("unconfined", {"type": "Unconfined"}),
            ("runtime/default", {"type": "RuntimeDefault"}),
            ("localhost/mine", {"type": "Localhost", "localhostProfile": "mine"}),
            ("localhost/", None),
            ("", None),
        )
    )
    for name in _some(rng, ("main", "helper")):
        template.annotations[f"container.apparmor.security.beta.kubernetes.io/{name}"] = value
    for holder in _some(rng, (template.spec, *template.containers)):
        if profile is not None and rng.random() < 0.5:
            holder.setdefault("securityContext", {})["appArmorProfile"] = profile


def removed_volumes(rng: random.Random, template: Template) -> None:
    sources: tuple[Json, ...] = (
        {"photonPersistentDisk": {"pdID": "x"}},
        {"gitRepo": {"repository": "https://git.example.com/x"}},
        {
            "scaleIO": {
                "gateway": "https://x",
                "system": "x",
                "volumeName": "x",
                "secretRef": {"name": "x"},
            }
        },
        {"flocker": {"datasetName": "x"}},
        {"storageos": {"volumeName": "x"}},
        {"quobyte": {"registry": "x:1", "volume": "x"}},
        {"glusterfs": {"endpoints": "x", "path": "x"}},
        {"cephfs": {"monitors": ["x"]}},
        {"rbd": {"monitors": ["x"], "image": "x"}},
    )
    for source in _some(rng, sources, 5):
        template.volume(**source)


def claim(rng: random.Random, template: Template) -> None:
    sizes = {"requests": {"storage": rng.choice(AMOUNTS)}}
    if rng.random() < 0.5:
        sizes["limits"] = {"storage": rng.choice(AMOUNTS)}
    spec = {"accessModes": ["ReadWriteOnce"], "resources": sizes}
    template.volume(ephemeral={"volumeClaimTemplate": {"spec": spec}})


def files(rng: random.Random, template: Template) -> None:
    def items() -> list[Json]:
        return [{"key": f"key-{path.strip('/')}", "path": path} for path in rng.choices(PATHS, k=4)]

    def fields() -> list[Json]:
        reference = {"fieldPath": "metadata.name"}
        return [{"path": path, "fieldRef": reference} for path in rng.choices(PATHS, k=3)]

    kind = rng.choice(("configMap", "secret", "downwardAPI", "projected", "projected", "projected"))
    if kind == "configMap":
        template.volume(configMap={"name": "settings", "items": items()})
    elif kind == "secret":
        template.volume(secret={"secretName": "key", "items": items()})
    elif kind == "downwardAPI":
        template.volume(downwardAPI={"items": fields()})
    else:
        sources: tuple[Json, ...] = (
            {"configMap": {"name": "settings", "items": [rng.choice(items())]}},
            {"configMap": {"name": "others"}},
            {"secret": {"name": "key", "items": [rng.choice(items())]}},
            {"downwardAPI": {"items": [rng.choice(fields())]}},
            {"serviceAccountToken": {"path": rng.choice(("a", "token/b", "a/b/"))}},
            {},
        )
        template.volume(projected={"sources": rng.choices(sources, k=rng.randint(1, 5))})


def host_aliases(rng: random.Random, template: Template) -> None:
    template.spec["hostAliases"] = [
        {"ip": address, "hostnames": ["x"]} for address in rng.choices(ADDRESSES, k=4)
    ]


def name_servers(rng: random.Random, template: Template) -> None:
    template.spec["dnsConfig"] = {"nameservers": rng.choices(ADDRESSES, k=2)}


def pull_secrets(rng: random.Random, template: Template) -> None:
    names = rng.choices(({}, {"name": "key"}, {"name": "other"}), k=3)
    template.spec["imagePullSecrets"] = names


def overhead(rng: random.Random, template: Template) -> None:
    amounts = {"memory": rng.choice(AMOUNTS), "ephemeral-storage": rng.choice(AMOUNTS), "cpu": "1m"}
    template.spec["overhead"] = amounts


def amounts(rng: random.Random, template: Template) -> None:
    for container in template.containers:
        limits = {name: rng.choice(AMOUNTS) for name in ("memory", "ephemeral-storage")}
        parts = {"limits": limits, "requests": limits}
        container["resources"] = {name: parts[name] for name in _some(rng, ("limits", "requests"))}


def variables(rng: random.Random, template: Template) -> None:
    name = rng.choice(("MODE", "M" * 300))
    values: tuple[Json, ...] = (
        {"value": "1"},
        {"value": f"$({name})"},
        {"value": f"$({name}) --fast"},
        {"valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {},
    )
    for container in template.containers:
        container["env"] = [{"name": name, **value} for value in rng.choices(values, k=3)]


def many_variables(rng: random.Random, template: Template) -> None:
    """Cause more warnings than the server sends."""
    name = rng.choice(("MODE", "M" * 300))
    template.containers[0]["env"] = [{"name": name, "value": str(number)} for number in range(90)]


def ports(rng: random.Random, template: Template) -> None:
    for container in template.containers:
        container["ports"] = [
            {
                "containerPort": rng.choice((80, 81)),
                **rng.choice(({}, {"hostPort": 8000 + index})),
                **rng.choice(({}, {"hostIP": "10.0.0.1"}, {"hostIP": "not\u0007printable"})),
                **rng.choice(({}, {"name": f"http-{index}"})),
                **rng.choice(({}, {"protocol": "UDP"})),
            }
            for index in range(rng.randint(1, 3))
        ]


def grace_period(rng: random.Random, template: Template) -> None:
    template.spec["terminationGracePeriodSeconds"] = rng.choice((-1, 0, 10))


def indexes(rng: random.Random, template: Template) -> None:
    counts = {
        "completions": rng.choice((100_000, 100_001)),
        "parallelism": rng.choice((9_999, 10_001)),
    }
    template.job.update(counts, completionMode=rng.choice(("Indexed", "NonIndexed")))


PARTS: tuple[Part, ...] = (
    node_selector,
    node_affinity,
    pod_affinity,
    topology,
    annotations,
    seccomp,
    app_armor,
    removed_volumes,
    claim,
    files,
    host_aliases,
    name_servers,
    pull_secrets,
    overhead,
    amounts,
    variables,
    many_variables,
    ports,
    grace_period,
    indexes,
)
NAMES = ("report", "report.v2", "report.2026.11")
OWNERS = (
    {"apiVersion": "v1", "kind": "Node", "name": "a", "uid": "1"},
    {"apiVersion": "v1", "kind": "Node", "name": "b", "uid": "2"},
)
SCHEDULES = ("0 3 * * *", "0 3 * * *", "TZ=UTC 0 3 * * *", "CRON_TZ=Europe/Berlin 0 3 * * *")


def warned(rng: random.Random, part: Part | None = None, *, parts: int = 2) -> Json:
    """Return a Job or CronJob with some parts."""
    template = Template()
    for each in dict.fromkeys([*([part] if part else ()), *rng.sample(PARTS, parts)]):
        each(rng, template)
    spec = template.job_spec()
    meta: Json = {"name": rng.choice(NAMES), "namespace": "default"}
    if rng.random() < 0.1:
        meta["ownerReferences"] = rng.choices(OWNERS, k=3)
    if rng.random() < 0.5:
        return {"apiVersion": "batch/v1", "kind": "Job", "metadata": meta, "spec": spec}
    cron = {"schedule": rng.choice(SCHEDULES), "jobTemplate": {"spec": spec}}
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": meta, "spec": cron}


def warning_cases(server: Server, *, per_part: int, updates: int, seed: int) -> Iterator[Json]:
    """Yield creates, stored objects and updates, the same for the same seed.

    Args:
        server: of a release that accepts a time zone in the schedule (1.28 at the latest); it reads the objects
            to store.
        per_part: how many creates there are about each part.
        updates: how many updates.
        seed: of the first object.
    """
    rng = random.Random(seed)
    for part in PARTS:
        for number in range(per_part):
            made = warned(rng, part, parts=number % 3)
            yield {"id": f"warned-{part.__name__}-{number}", "object": made}
    stored: list[Json] = []
    while len(stored) < 24:
        made = warned(rng)
        made["metadata"] = {**made["metadata"], "name": f"stored-warned-{len(stored)}"}
        if len(stored) % 8 == 0 and made["kind"] == "CronJob":
            made["spec"]["schedule"] = SCHEDULES[2]
        answer = server.create(made)
        if answer.code == 201:
            stored.append(_as_stored(answer.body, rng))
    for number, each in enumerate(stored):
        yield {"id": f"warned-stored-{number}", "stored": each}
    for number in range(updates):
        of = number % len(stored)
        changed = _changed(stored[of], rng)
        yield {"id": f"warned-update-{number}", "of": f"warned-stored-{of}", "object": changed}


def _as_stored(answer: Json, rng: random.Random) -> Json:
    answer["metadata"].pop("managedFields", None)
    answer["metadata"]["creationTimestamp"] = CREATED
    own = str(uuid.UUID(int=rng.getrandbits(128), version=4))
    stored: Json = json.loads(json.dumps(answer).replace(answer["metadata"]["uid"], own))
    return stored


def _changed(stored: Json, rng: random.Random) -> Json:
    """Return an update: of the metadata only, of another field of the spec, or of the Pod template."""
    changed: Json = json.loads(json.dumps(stored))
    changed.pop("status", None)
    choice = rng.randrange(3)
    if choice == 0:
        changed["metadata"]["annotations"] = {"note": str(rng.random())}
    elif changed["kind"] == "Job":
        changed["spec"]["parallelism"] = rng.randint(1, 20_000)
    elif choice == 1:
        changed["spec"]["suspend"] = True
    else:
        changed["spec"]["jobTemplate"]["spec"] = warned(rng, parts=3)["spec"].get(
            "jobTemplate", {"spec": changed["spec"]["jobTemplate"]["spec"]}
        )["spec"]
    return changed
