"""The mutations of published MutatingAdmissionPolicies, shaped for the Pods of Jobs, with their sources.

The idea of each, the CEL constructions and the mistakes are those of the source; names, values and paths are ours.
``KYVERNO`` are MutatingPolicies of github.com/kyverno/policies, whose mutations are those of a
MutatingAdmissionPolicy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

KYVERNO = "kyverno/policies"
CONTAINERS = "object.spec.template.spec.containers"
POD = "Object.spec.template.spec"


@dataclass(frozen=True)
class Published:
    """A published policy.

    Attributes:
        source: a repository or page.
        mutations: expressions; those of a JSON Patch have the word ``JSONPatch``.
        conditions: the match conditions.
        variables: by name.
    """

    source: str
    mutations: tuple[str, ...]
    conditions: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()

    def policy(self, name: str) -> dict[str, Any]:
        """Return the policy for the creation of Jobs."""
        rule = {
            "apiGroups": ["batch"],
            "apiVersions": ["v1"],
            "operations": ["CREATE"],
            "resources": ["jobs"],
        }
        return {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "MutatingAdmissionPolicy",
            "metadata": {"name": name},
            "spec": {
                "matchConstraints": {"resourceRules": [rule]},
                "matchConditions": [
                    {"name": f"c{number}", "expression": each}
                    for number, each in enumerate(self.conditions)
                ],
                "variables": [{"name": key, "expression": each} for key, each in self.variables],
                "mutations": [*map(_mutation, self.mutations)],
                "reinvocationPolicy": "Never",
            },
        }


def _mutation(expression: str) -> dict[str, Any]:
    if "JSONPatch" in expression:
        return {"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}
    return {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}}


def pod(fields: str) -> str:
    """Return an object with fields of the Pod template's spec."""
    return (
        f"Object{{spec: Object.spec{{template: Object.spec.template{{spec: {POD}{{{fields}}}}}}}}}"
    )


def each_container(fields: str, of: str = CONTAINERS) -> str:
    """Return an object with fields of each container."""
    return pod(f"containers: {of}.map(c, {POD}.containers{{name: c.name, {fields}}})")


def labels(text: str) -> str:
    """Return an object with labels."""
    return f"Object{{metadata: Object.metadata{{labels: {{{text}}}}}}}"


def template(fields: str) -> str:
    """Return an object with metadata of the Pod template."""
    metadata = f"Object.spec.template.metadata{{{fields}}}"
    return f"Object{{spec: Object.spec{{template: Object.spec.template{{metadata: {metadata}}}}}}}"


RESOURCES = f"{POD}.containers.resources"
ENV = f"{POD}.containers.env"

PUBLISHED: dict[str, Published] = {
    "a-label-as-object": Published(
        "kubernetes/website, mutating-admission-policy, simple example",
        ("Object{metadata: Object.metadata{labels: Object.metadata.labels{mutated: 'true'}}}",),
    ),
    "a-label-by-patch": Published(
        "kubespec.dev, MutatingAdmissionPolicy v1alpha1",
        ("[JSONPatch{op: 'add', path: '/metadata/labels/mutated', value: 'true'}]",),
    ),
    "a-label-unless-present": Published(
        "kubernetes/website, set-baseline-pod-security",
        (labels("'enforce': 'baseline'"),),
        ("!object.metadata.name.startsWith('kube-')", "!('enforce' in object.metadata.labels)"),
    ),
    "a-sidecar": Published(
        "kubernetes/website, sidecar injection of KEP-3962",
        (
            pod(
                f"initContainers: [{POD}.initContainers{{name: 'mesh-proxy', image: 'mesh/proxy:v1', "
                "args: ['proxy', 'sidecar'], restartPolicy: 'Always'}]"
            ),
        ),
        ("!object.spec.template.spec.initContainers.exists(c, c.name == 'mesh-proxy')",),
    ),
    "a-label-if-optional": Published(
        "kyverno/website, add-label-to-configmap",
        (
            f"object.metadata.?labels[?'a'].hasValue() ? Object{{}} : {labels(chr(34) + 'a' + chr(34) + ': ' + chr(34) + 'b' + chr(34))}",
        ),
    ),
    "labels-and-their-map": Published(
        "HariKube/harikube, skip-controller-manager-metadata-caching",
        (
            "has(object.metadata.labels) ? [JSONPatch{op: 'add', path: '/metadata/labels/skip', value: ''}]"
            " : [JSONPatch{op: 'add', path: '/metadata/labels', value: {}},"
            " JSONPatch{op: 'add', path: '/metadata/labels/skip', value: ''}]",
        ),
        ("!has(object.metadata.labels) || !('skip' in object.metadata.labels)",),
    ),
    "hardened-in-two-steps": Published(
        "a lesson on admission, policy harden",
        (
            pod(
                f"securityContext: {POD}.securityContext{{runAsNonRoot: true, seccompProfile: "
                f"{POD}.securityContext.seccompProfile{{type: 'RuntimeDefault'}}}}, "
                f"containers: {CONTAINERS}.map(c, {POD}.containers{{name: c.name, securityContext: "
                f"{POD}.containers.securityContext{{allowPrivilegeEscalation: false}}}})"
            ),
            f"{CONTAINERS}.size() > 0 ? [JSONPatch{{op: 'add', path: "
            "'/spec/template/spec/containers/0/securityContext/capabilities', value: {'drop': ['ALL']}}] : []",
        ),
    ),
    "a-limit-of-memory": Published(
        "a klustered scenario, resource-enforcer",
        (each_container(f"resources: {RESOURCES}{{limits: {RESOURCES}.limits{{memory: '2Gi'}}}}"),),
    ),
    "an-owner-rewritten": Published(
        "a smoke test, owner-label-rewriter", (labels("'owner': 'platform'"),)
    ),
    "a-label-stripped": Published(
        "the same smoke test, stripper",
        (
            "has(object.metadata.labels) && 'team' in object.metadata.labels"
            " ? [JSONPatch{op: 'remove', path: '/metadata/labels/team'}] : []",
        ),
    ),
    "backup-labels": Published(
        "sjer.red homelab, pvc-backup",
        (labels("'velero.io/backup': 'enabled', 'velero.io/exclude-from-backup': 'false'"),),
        ("object.metadata.name.startsWith('pvc-')",),
    ),
    "a-volume-as-plain-maps": Published(
        "a homelab's guide, volsync-mover-nfs",
        (
            "[{'op': 'add', 'path': '/spec/template/spec/volumes/-', 'value': {'name': 'JSONPatch'}}]",
        ),
    ),
    "a-volume-appended": Published(
        "onedr0p/home-ops and others, volsync-mover-nfs",
        (
            "[JSONPatch{op: 'add', path: '/spec/template/spec/volumes/-', value: "
            f"{POD}.volumes{{name: 'repository', nfs: {POD}.volumes.nfs{{server: 'nas', path: '/b'}}}}}}]",
        ),
        ("object.metadata.name.startsWith('volsync-')",),
    ),
    "a-mirror": Published(
        "a guide to ECR, use-ecr-mirror",
        (
            each_container(
                "image: 'mirror.example.com/' + c.image",
                f"{CONTAINERS}.filter(c, c.image.startsWith('ghcr.io/') && !c.image.contains('@'))",
            ),
        ),
    ),
    "claims-of-another-container": Published(
        "kubevirt/kubevirt, dra-sidecar-resource-claims",
        (
            "[JSONPatch{op: 'replace', path: '/spec/template/spec/containers/' + "
            f"string({CONTAINERS}.map(c, c.name).indexOf('side')) + '/resources', "
            f"value: {{'claims': {CONTAINERS}.filter(c, c.name == 'main')[0].resources.?claims.orValue([])}}}}]",
        ),
        (f"{CONTAINERS}.exists(c, c.name == 'side')",),
    ),
    "the-type-of-an-item": Published(
        "a design of gatekeeper, K8sAlwaysPullImages",
        (
            pod(
                f"containers: {CONTAINERS}.map(c, {POD}.containers.item{{name: c.name, imagePullPolicy: 'Always'}})"
            ),
        ),
    ),
    "always-pull": Published(
        "the same design, corrected", (each_container("imagePullPolicy: 'Always'"),)
    ),
    "a-sum-of-maps": Published(
        "jjshanks/pod-labeler, pod-environment-labels",
        ("Object{metadata: Object.metadata{labels: object.metadata.labels + {'a': 'b'}}}",),
    ),
    "fields-of-another-kind": Published(
        "a study of volcano, volcano-podgroup-defaults",
        ("Object{spec: Object.spec{queue: object.spec.?queue.orValue('default')}}",),
    ),
    "a-default-label": Published(
        "kubyl, kubyl-default-labels",
        (labels("'team': 'platform'"),),
        ("!has(object.metadata.labels) || !('team' in object.metadata.labels)",),
    ),
    "a-sum-of-a-type": Published(
        "a design of kubevirt plugins, mesh-config",
        (pod(f"volumes: {POD}.volumes + [{{'name': 'mesh-config'}}]"),),
    ),
    "an-unknown-method": Published(
        "a guide to the API server, default-resources",
        (pod(f"containers: {CONTAINERS}.map(c, c.with({{'image': 'x'}}))"),),
    ),
    "a-variable-decides": Published(
        "an evaluator of policies, inject-sidecar-label",
        (f"variables.needed ? {labels(repr('injected') + ': ' + repr('true'))} : Object{{}}",),
        variables=(
            ("needed", "!has(object.metadata.labels) || !('injected' in object.metadata.labels)"),
        ),
    ),
    "a-map-in-a-list": Published(
        "a design of kubevirt plugins, mesh-config", (pod("volumes: [{'name': 'mesh-config'}]"),)
    ),
    "the-third-of-three": Published(
        "a probe of an evaluator, third-of-four-fails",
        (
            labels("'one': '1'"),
            "[JSONPatch{op: 'replace', path: '/spec/missing/deeply', value: 1}]",
            labels("'four': '4'"),
        ),
    ),
    "safe-to-evict": Published(
        f"{KYVERNO}, add-safe-to-evict",
        (template("annotations: {'safe-to-evict': 'true'}"),),
        (
            "has(object.spec.template.spec.volumes) && "
            "object.spec.template.spec.volumes.exists(v, has(v.emptyDir) || has(v.hostPath))",
        ),
    ),
    "do-not-evict": Published(
        f"{KYVERNO}, add-karpenter-donot-evict",
        (
            "has(object.spec.template.metadata.annotations) ? [JSONPatch{op: 'add', path: "
            "'/spec/template/metadata/annotations/' + jsonpatch.escapeKey('karpenter.sh/do-not-evict'), "
            "value: 'true'}] : [JSONPatch{op: 'add', path: '/spec/template/metadata/annotations', "
            "value: {'karpenter.sh/do-not-evict': 'true'}}]",
        ),
    ),
    "default-requests": Published(
        f"{KYVERNO}, add-default-resources",
        (
            each_container(
                f"resources: {RESOURCES}{{requests: {RESOURCES}.requests{{"
                "cpu: has(c.resources.requests) && has(c.resources.requests.cpu) ? c.resources.requests.cpu : '100m'"
                "}}"
            ),
        ),
    ),
    "size-of-empty-dirs": Published(
        f"{KYVERNO}, add-emptydir-sizelimit",
        (
            pod(
                "volumes: has(object.spec.template.spec.volumes) ? object.spec.template.spec.volumes.map(v, "
                f"has(v.emptyDir) ? {POD}.volumes{{name: v.name, emptyDir: {POD}.volumes.emptyDir{{"
                "sizeLimit: v.emptyDir.?sizeLimit.orValue('100Mi')}} : v) : object.spec.template.spec.volumes"
            ),
        ),
    ),
    "the-image-as-variable": Published(
        f"{KYVERNO}, add-image-as-env-var",
        (
            f"{CONTAINERS}.map(c, !has(c.env) ? JSONPatch{{op: 'add', path: '/spec/template/spec/containers/' + "
            f"string({CONTAINERS}.indexOf(c)) + '/env', value: [{{'name': 'IMAGE', 'value': string(c.image)}}]}} : "
            "JSONPatch{op: 'add', path: '/spec/template/spec/containers/' + "
            f"string({CONTAINERS}.indexOf(c)) + '/env/-', value: {{'name': 'IMAGE', 'value': string(c.image)}}}})",
        ),
    ),
    "certificates": Published(
        f"{KYVERNO}, add-certificates-volume",
        (
            each_container(
                f"volumeMounts: (has(c.volumeMounts) ? c.volumeMounts : []) + [{POD}.containers.volumeMounts{{"
                "name: 'certs', mountPath: '/etc/ssl/certs'}]"
            ),
            pod(
                f"volumes: [{POD}.volumes{{name: 'certs', configMap: {POD}.volumes.configMap{{name: 'c'}}}}]"
            ),
        ),
        ("has(object.metadata.annotations) && 'inject-certs' in object.metadata.annotations",),
    ),
    "a-node-selector": Published(
        f"{KYVERNO}, add-nodeSelector", (pod("nodeSelector: {'a': 'b'}"),)
    ),
    "a-variable-of-a-field": Published(
        f"{KYVERNO}, add-pod-proxies",
        (
            each_container(
                f"env: [{ENV}{{name: 'POD_NAME', valueFrom: {ENV}.valueFrom{{fieldRef: "
                f"{ENV}.valueFrom.fieldRef{{fieldPath: 'metadata.name'}}}}}}, {ENV}{{name: 'B', value: '2'}}]"
            ),
        ),
    ),
    "time-to-live": Published(
        f"{KYVERNO}, add-ttl-jobs",
        (
            "!has(object.spec.ttlSecondsAfterFinished) ? [JSONPatch{op: 'add', "
            "path: '/spec/ttlSecondsAfterFinished', value: 900}] : []",
        ),
        ("!has(object.metadata.ownerReferences)",),
    ),
}
