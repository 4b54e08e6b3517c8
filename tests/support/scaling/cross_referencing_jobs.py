"""Jobs with long lists that refer to each other: a cost that one long list alone does not show.

Each function takes the number of items and returns the object; of an update the old object too. The
declarations do not show which lists a rule compares with each other, hence these stand here by name.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from support.scaling.large_objects import small

Request = tuple[dict[str, Any], dict[str, Any] | None]
IMAGE = "busybox:1.36"


def _pod(**fields: Any) -> dict[str, Any]:
    containers = [{"name": "main", "image": IMAGE}]
    return {"restartPolicy": "Never", "containers": containers, **fields}


def _create(pod: dict[str, Any], **metadata: Any) -> Request:
    template = {"metadata": metadata, "spec": pod}
    return small(template=template), None


def _update(pod: dict[str, Any]) -> Request:
    job = small(template={"spec": pod})
    return job, json.loads(json.dumps(job))


def _container(**fields: Any) -> list[dict[str, Any]]:
    return [{"name": "main", "image": IMAGE, **fields}]


def _named(count: int, **fields: Any) -> list[dict[str, Any]]:
    return [{"name": f"c{number}", "image": IMAGE, **fields} for number in range(count)]


def _owned(owners: list[dict[str, Any]]) -> dict[str, Any]:
    job = small()
    job["metadata"]["ownerReferences"] = owners
    return job


def _owner(number: int, name: str) -> dict[str, Any]:
    known = {"apiVersion": "batch/v1", "kind": "CronJob"}
    return {**known, "name": name, "uid": f"u{number}", "controller": True}


def controllers_of_many_names(count: int) -> Request:
    return _owned([_owner(number, f"n{number}") for number in range(count)]), None


def controllers_of_one_name(count: int) -> Request:
    return _owned([_owner(number, "same") for number in range(count)]), None


def controllers_behind_one_with_a_long_name(count: int) -> Request:
    owners = [_owner(number, f"n{number}") for number in range(count)]
    return _owned([_owner(-1, "x" * 100 * count), *owners]), None


def controllers_on_update(count: int) -> Request:
    job, _ = controllers_of_many_names(count)
    return job, json.loads(json.dumps(job))


def controllers_with_the_generated_uid(count: int) -> Request:
    # It is printed as <uid>, in the one text that all messages share.
    job, _ = controllers_of_many_names(count)
    job["metadata"]["ownerReferences"][0]["uid"] = "00000000-0000-4000-8000-000000000000"
    return job, None


def containers_that_claim_what_the_pod_has_not(count: int) -> Request:
    claimed = [{"name": f"p{number}", "resourceClaimName": "x"} for number in range(count)]
    claims = [{"name": f"other{number}"} for number in range(count)]
    return _create(
        _pod(resourceClaims=claimed, containers=_container(resources={"claims": claims}))
    )


def many_containers_with_a_claim(count: int) -> Request:
    claimed = [{"name": f"p{number}", "resourceClaimName": "x"} for number in range(count)]
    containers = _named(count, resources={"claims": [{"name": "p0"}]})
    return _create(_pod(resourceClaims=claimed, containers=containers))


def claims_by_request(count: int) -> Request:
    claims = [{"name": f"p{number}", "request": "x"} for number in range(count)]
    claims += [{"name": f"q{number}"} for number in range(count)]
    return _create(_pod(containers=_container(resources={"claims": claims})))


def app_armor_annotations_and_containers(count: int) -> Request:
    prefix = "container.apparmor.security.beta.kubernetes.io/"
    annotations = {f"{prefix}x{number}": "unconfined" for number in range(count)}
    return _create(_pod(containers=_named(count)), annotations=annotations)


def variables_from_files_and_volumes(count: int) -> Request:
    reference = {"path": "a", "key": "K"}
    variables = [
        {
            "name": f"V{number}",
            "valueFrom": {"fileKeyRef": {**reference, "volumeName": f"v{number}"}},
        }
        for number in range(count)
    ]
    volumes = [{"name": f"v{number}", "emptyDir": {}} for number in range(count)]
    return _create(_pod(volumes=volumes, containers=_container(env=variables)))


def mounts_and_devices(count: int) -> Request:
    mounts = [{"name": f"m{number}", "mountPath": f"/m{number}"} for number in range(count)]
    devices = [{"name": f"d{number}", "devicePath": f"/d{number}"} for number in range(count)]
    return _create(_pod(containers=_container(volumeMounts=mounts, volumeDevices=devices)))


def mounts_of_volumes_of_one_name(count: int) -> Request:
    volumes = [{"name": "same", "emptyDir": {}} for _ in range(count)]
    mounts = [{"name": "same", "mountPath": f"/m{number}"} for number in range(count)]
    return _create(_pod(volumes=volumes, containers=_container(volumeMounts=mounts)))


def _affinity(**term: Any) -> dict[str, Any]:
    required = [{"topologyKey": "zone", **term}]
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}


def label_keys_and_mismatched_ones(count: int) -> Request:
    term = {
        "labelSelector": {"matchLabels": {"app": "x"}},
        "matchLabelKeys": [f"a{number}" for number in range(count)],
        "mismatchLabelKeys": [f"b{number}" for number in range(count)],
    }
    return _create(_pod(affinity=_affinity(**term)))


def label_keys_that_are_selected(count: int) -> Request:
    selected = [{"key": f"a{number}", "operator": "Exists"} for number in range(count)]
    keys = [f"a{number}" for number in range(count)]
    term = {"labelSelector": {"matchExpressions": selected + selected}, "matchLabelKeys": keys}
    return _create(_pod(affinity=_affinity(**term)))


def _asks(names: int, start: int = 0) -> dict[str, Any]:
    amounts = {f"example.com/r{number}": 1 for number in range(start, start + names)}
    return {"requests": amounts, "limits": amounts}


def init_containers_beside_a_sidecar_with_many_resources(count: int) -> Request:
    sidecar = {"name": "s", "image": IMAGE, "restartPolicy": "Always", "resources": _asks(count)}
    pod = _pod(initContainers=[sidecar, *_named(count)], resources={"requests": {"cpu": 1}})
    return _create(pod)


def sidecars_with_a_resource_each(count: int) -> Request:
    sidecars = [
        {**container, "restartPolicy": "Always", "resources": _asks(1, number)}
        for number, container in enumerate(_named(count))
    ]
    return _create(_pod(initContainers=sidecars, resources={"requests": {"cpu": 1}}))


def containers_above_a_long_limit_of_the_pod(count: int) -> Request:
    limits = {"cpu": "1" + "0" * count + "1"}
    containers = _named(count, resources={"limits": {"cpu": "1e9999"}})
    return _create(_pod(containers=containers, resources={"limits": limits}))


def files_of_one_path_from_a_secret_with_a_long_name(count: int) -> Request:
    items = [{"key": f"k{number}", "path": "same"} for number in range(count)]
    source = {"secret": {"name": "x" * 100 * count, "items": items}}
    return _create(_pod(volumes=[{"name": "v", "projected": {"sources": [source]}}]))


def tolerations_in_an_annotation(count: int) -> Request:
    text = json.dumps(
        [{"key": f"k{number}", "operator": "Lt", "value": "1"} for number in range(count)]
    )
    job, _ = _create(_pod(), annotations={"scheduler.alpha.kubernetes.io/tolerations": text})
    old, _ = _create(_pod(tolerations=[{"operator": "Exists"} for _ in range(count)]))
    return job, old


# Updates for which the stored Pod is looked through


def anti_affinities_by_selectors(count: int) -> Request:
    term = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "x"}}}
    required = [term for _ in range(count)]
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    return _update(_pod(affinity=affinity))


def spread_constraints_by_selectors(count: int) -> Request:
    constraint = {"maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}
    selecting = {"labelSelector": {"matchLabels": {"app": "x"}}, "matchLabelKeys": ["k"]}
    constraints = [{**constraint, **selecting, "topologyKey": f"k{n}"} for n in range(count)]
    return _update(_pod(topologySpreadConstraints=constraints))


def node_selector_terms(count: int) -> Request:
    terms = [
        {"matchExpressions": [{"key": "zone", "operator": "In", "values": [f"z{number}"]}]}
        for number in range(count)
    ]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return _update(_pod(affinity={"nodeAffinity": required}))


def comparing_tolerations(count: int) -> Request:
    job, _ = _update(_pod(tolerations=[{"key": "k", "operator": "Lt", "value": "1"}] * count))
    old, _ = _update(_pod(tolerations=[{"key": "k", "operator": "Exists"}] * count))
    return job, old


def init_containers_that_restart_for_resizing(count: int) -> Request:
    policy = [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]
    job, _ = _update(_pod(initContainers=_named(count, resizePolicy=policy)))
    old, _ = _update(_pod(initContainers=_named(count)))
    return job, old


def tokens_of_service_accounts(count: int) -> Request:
    sources = [{"serviceAccountToken": {"path": f"t{number}"}} for number in range(count)]
    return _update(_pod(volumes=[{"name": "v", "projected": {"sources": sources}}]))


def variables_with_relaxed_names(count: int) -> Request:
    variables = [{"name": f"a b{number}", "value": "x"} for number in range(count)]
    job, _ = _update(_pod(containers=_container(env=variables)))
    old, _ = _update(_pod(containers=_container(env=[{"name": "A"}] * count)))
    return job, old


def containers_that_sleep_before_they_stop(count: int) -> Request:
    return _update(_pod(containers=_named(count, lifecycle={"preStop": {"sleep": {"seconds": 1}}})))


def broken_huge_pages(count: int) -> Request:
    resources = {"limits": {"cpu": 1, "hugepages-2Mi": "3Mi"}}
    job, _ = _update(_pod(containers=_named(count, resources=resources)))
    old, _ = _update(_pod(containers=_named(count)))
    return job, old


CROSSED: dict[str, Callable[[int], Request]] = {
    name.replace("_", " "): made
    for name, made in list(globals().items())
    if callable(made) and getattr(made, "__module__", "") == __name__ and name[0] != "_"
}
"""Each of them by what it has many of."""
