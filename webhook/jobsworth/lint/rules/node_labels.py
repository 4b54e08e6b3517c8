"""The rule for values of the kubelet's own labels that no node has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob

SYSTEMS = ("linux", "windows")
ARCHITECTURES = (
    "386",
    "amd64",
    "arm",
    "arm64",
    "loong64",
    "mips64le",
    "ppc64le",
    "riscv64",
    "s390x",
)
VALUES = {
    "kubernetes.io/os": SYSTEMS,
    "kubernetes.io/arch": ARCHITECTURES,
    "beta.kubernetes.io/os": SYSTEMS,
    "beta.kubernetes.io/arch": ARCHITECTURES,
}
"""The labels that the kubelet sets, with their values: GOOS and GOARCH of its program."""
OTHER_NAMES = {
    "aarch64": "arm64",
    "armv7l": "arm",
    "i386": "386",
    "x64": "amd64",
    "x86_64": "amd64",
}
"""Names of architectures outside of Go, with those of Go."""


@lint_rule(
    "JW548",
    "label-of-no-node",
    severity="warning",
    summary="A Pod requires an operating system or architecture that no node has as its label.",
    fixable="unsafe",
    confidence="certain",
    pods=True,
)
def label_of_no_node(job: LintedJob) -> Iterator[Diagnostic]:
    """Source: "Well-Known Labels, Annotations and Taints" of Kubernetes."""
    if "nodeSelector" not in job.pod and "affinity" not in job.pod:
        return
    for field, key, values in _required(job):
        known = VALUES.get(key)
        if not known or not values or any(value in known or "$" in value for value in values):
            continue
        value = values[0]
        lowered = value.lower()
        meant = OTHER_NAMES.get(lowered, lowered if lowered in known else "")
        fix = Fix(f"Set {meant}", Edit("set", field, meant), safe=False) if meant else None
        advice = f"Set {meant}" if meant else f"Set one of {', '.join(known)}"
        yield Diagnostic(
            field,
            f"No node has the label {key}={value[:63]}, whose values are those of Go: the Pod waits forever "
            f"for a node. {advice}.",
            fix,
        )


def _required(job: LintedJob) -> Iterator[tuple[str, str, Sequence[Any]]]:
    """Yield the field, key and values of each label that a node must have."""
    for key, value in job.pod.get("nodeSelector", {}).items():
        yield f"{job.pod_path}.nodeSelector[{key}]", key, [value]
    node = job.pod.get("affinity", {}).get("nodeAffinity", {})
    terms = node.get("requiredDuringSchedulingIgnoredDuringExecution", {}).get(
        "nodeSelectorTerms", ()
    )
    at = f"{job.pod_path}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
    for index, term in enumerate(terms):
        for number, each in enumerate(term.get("matchExpressions", ())):
            if each.get("operator") == "In":
                field = f"{at}.nodeSelectorTerms[{index}].matchExpressions[{number}].values[0]"
                yield field, each.get("key", ""), each.get("values", ())
