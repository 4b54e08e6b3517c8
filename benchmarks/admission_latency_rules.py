"""The same requirements twice: as a JobPolicy, and as the API server's own admission policies.

They require a deadline of at most a day, at most ten retries, at most a hundred parallel Pods, a team label,
a failure policy that ignores disruptions first, and no image with the tag ``latest``. They set a TTL, and an
annotation for the autoscaler.
"""

from __future__ import annotations

from typing import Any

LABEL = "admission-benchmark"
REGISTRATION = "admissionregistration.k8s.io/v1"

JOB_POLICY = """\
apiVersion: jobsworth.dev/v1alpha1
kind: JobPolicy
metadata:
  name: admission-benchmark
spec:
  defaults:
    ttlSecondsAfterFinished: {value: 86400}
    annotations:
      cluster-autoscaler.kubernetes.io/safe-to-evict: {value: "false"}
  limits:
    activeDeadlineSeconds: {required: true, maximum: 86400}
    backoffLimit: {maximum: 10}
    parallelism: {maximum: 100}
    podFailurePolicy: {ignoreDisruptionsFirst: true}
    labels:
      example.com/team: {required: true}
  expressions:
    - expression: object.spec.template.spec.containers.all(c, !c.image.endsWith(':latest'))
      message: an image with the tag latest changes under a Job
"""

CHECKS = (
    (
        "has(object.spec.activeDeadlineSeconds) && object.spec.activeDeadlineSeconds <= 86400",
        "deadline",
    ),
    ("object.spec.backoffLimit <= 10", "retries"),
    ("!has(object.spec.parallelism) || object.spec.parallelism <= 100", "Pods at once"),
    (
        "has(object.metadata.labels) && 'example.com/team' in object.metadata.labels",
        "the label example.com/team is required",
    ),
    (
        "!has(object.spec.podFailurePolicy) || ("
        "object.spec.podFailurePolicy.rules[0].action == 'Ignore' && "
        "has(object.spec.podFailurePolicy.rules[0].onPodConditions) && "
        "object.spec.podFailurePolicy.rules[0].onPodConditions.exists("
        "c, c.type == 'DisruptionTarget' && c.status == 'True'))",
        "disruptions are ignored first",
    ),
    (
        "object.spec.template.spec.containers.all(c, !c.image.endsWith(':latest'))",
        "an image with the tag latest changes under a Job",
    ),
)

MUTATION = """\
Object{
  metadata: Object.metadata{
    annotations: {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}
  },
  spec: Object.spec{
    ttlSecondsAfterFinished: has(object.spec.ttlSecondsAfterFinished) ?
      object.spec.ttlSecondsAfterFinished : 86400
  }
}"""

JOB: dict[str, Any] = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"generateName": "bench-", "labels": {"example.com/team": "ranking"}},
    "spec": {
        "activeDeadlineSeconds": 3600,
        "backoffLimit": 3,
        "completions": 8,
        "parallelism": 4,
        "completionMode": "Indexed",
        "suspend": True,
        "podReplacementPolicy": "Failed",
        "podFailurePolicy": {
            "rules": [
                {
                    "action": "Ignore",
                    "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}],
                },
                {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}},
            ]
        },
        "template": {
            "metadata": {"labels": {"app": "train"}},
            "spec": {
                "restartPolicy": "Never",
                "volumes": [{"name": "scratch", "emptyDir": {}}],
                "containers": [
                    {
                        "name": "main",
                        "image": "registry.example.com/train:1.4",
                        "args": ["--epochs", "10", "--checkpoint", "/scratch"],
                        "env": [{"name": "LOG_LEVEL", "value": "info"}],
                        "resources": {"requests": {"cpu": "2", "memory": "4Gi"}},
                        "volumeMounts": [{"name": "scratch", "mountPath": "/scratch"}],
                    }
                ],
            },
        },
    },
}
"""A Job without violations, without the fields that have defaults in the policy."""


def namespace(name: str) -> dict[str, Any]:
    """Return a namespace with a label that selects its kind of admission."""
    meta = {"name": f"bench-{name}", "labels": {LABEL: name}}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": meta}


def webhooks(
    url: str, ca_bundle: str, validated: list[str], mutated: list[str]
) -> list[dict[str, Any]]:
    """Return the two webhook configurations, for the namespaces with these kinds of admission.

    Args:
        url: the address of the webhook.
        ca_bundle: its CA, base64 of PEM.
        validated, mutated: the kinds of admission.
    """
    parts = (("Validating", "validate", validated), ("Mutating", "mutate", mutated))
    return [
        {
            "apiVersion": REGISTRATION,
            "kind": f"{kind}WebhookConfiguration",
            "metadata": {"name": LABEL},
            "webhooks": [
                {
                    "name": f"{path}.jobsworth.dev",
                    "clientConfig": {"url": f"{url}/{path}", "caBundle": ca_bundle},
                    "rules": [_rule()],
                    "namespaceSelector": _selector(ways),
                    "admissionReviewVersions": ["v1"],
                    "sideEffects": "None",
                    "failurePolicy": "Fail",
                    "timeoutSeconds": 10,
                }
            ],
        }
        for kind, path, ways in parts
    ]


def admission_policies(validated: list[str], mutated: list[str]) -> list[dict[str, Any]]:
    """Return the ValidatingAdmissionPolicy and the MutatingAdmissionPolicy with their bindings."""
    name = {"name": LABEL}
    constraints = {"resourceRules": [_rule()]}
    checks = [{"expression": expression, "message": message} for expression, message in CHECKS]
    change = {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": MUTATION}}
    specs: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
        (
            "ValidatingAdmissionPolicy",
            {"matchConstraints": constraints, "failurePolicy": "Fail", "validations": checks},
            {
                "policyName": LABEL,
                "validationActions": ["Deny"],
                "matchResources": {"namespaceSelector": _selector(validated)},
            },
        ),
        (
            "MutatingAdmissionPolicy",
            {
                "matchConstraints": constraints,
                "failurePolicy": "Fail",
                "reinvocationPolicy": "Never",
                "mutations": [change],
            },
            {"policyName": LABEL, "matchResources": {"namespaceSelector": _selector(mutated)}},
        ),
    )
    return [
        {"apiVersion": REGISTRATION, "kind": f"{kind}{suffix}", "metadata": name, "spec": spec}
        for kind, policy, binding in specs
        for suffix, spec in (("", policy), ("Binding", binding))
    ]


def _rule() -> dict[str, Any]:
    return {
        "apiGroups": ["batch"],
        "apiVersions": ["v1"],
        "operations": ["CREATE", "UPDATE"],
        "resources": ["jobs"],
    }


def _selector(ways: list[str]) -> dict[str, Any]:
    return {"matchExpressions": [{"key": LABEL, "operator": "In", "values": ways}]}
