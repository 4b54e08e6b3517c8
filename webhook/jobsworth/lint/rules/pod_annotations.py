"""Rules for annotations of Pods: those that a Job has in the wrong place, and those that add sidecars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import needs
from jobsworth.lint.agents import INJECTORS, stopped_by_command
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob

READ_ON_PODS = (
    "cluster-autoscaler.kubernetes.io/safe-to-evict",
    "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes",
    "dapr.io/enabled",
    "gke-gcsfuse/volumes",
    "karpenter.sh/do-not-disrupt",
    "karpenter.sh/do-not-evict",
    "kubectl.kubernetes.io/default-container",
    "linkerd.io/inject",
    "sidecar.istio.io/inject",
    "vault.hashicorp.com/agent-inject",
)
"""Annotations that their tools read on Pods, never on Jobs."""


@lint_rule(
    "JW227",
    "annotation-on-job",
    severity="warning",
    summary="A Job has an annotation that has an effect only on its Pods.",
    fixable="unsafe",
    confidence="certain",
    needs=needs.a_mark(*READ_ON_PODS),
)
def annotation_on_job(job: LintedJob) -> Iterator[Diagnostic]:
    own = _metadata_of_template(job).get("annotations", {})
    template = f"{job.path}.template.metadata.annotations"
    holders = [("metadata", job.written.get("metadata", {}))]
    if job.cron is not None:
        inner = job.written["spec"]["jobTemplate"].get("metadata", {})
        holders.append(("spec.jobTemplate.metadata", inner))
    for path, metadata in holders:
        for key in READ_ON_PODS:
            if key not in metadata.get("annotations", {}) or key in own:
                continue
            field = f"{path}.annotations[{key}]"
            yield Diagnostic(
                field,
                f"{key} has no effect here, because its tool reads it on Pods. Move it to {template}.",
                Fix(
                    "Move the annotation to the Pod template",
                    *moved_mark(metadata, "annotations", field, f"{template}[{key}]"),
                    safe=False,
                ),
            )


def moved_mark(metadata: Mapping[str, Any], kind: str, field: str, to: str) -> tuple[Edit, ...]:
    """Return the edits that move a label or annotation, and leave no empty mapping in its place."""
    move = Edit("move", field, to)
    if len(metadata[kind]) > 1:
        return (move,)
    return (move, Edit("delete", field.rpartition("[")[0]))


@lint_rule(
    "JW230",
    "injected-sidecar",
    severity="warning",
    summary="An annotation or label adds a sidecar, which may keep the Pod running after its work.",
    fixable="unsafe",
    needs=needs.a_mark(*(injector.key for injector in INJECTORS)),
)
def injected_sidecar(job: LintedJob) -> Iterator[Diagnostic]:
    metadata = _metadata_of_template(job)
    annotations = metadata.get("annotations", {})
    both = {**metadata.get("labels", {}), **annotations}
    for injector in INJECTORS:
        value = both.get(injector.key)
        if not value or (injector.values and value not in injector.values):
            continue
        if injector.unless in both or any(both.get(key) == "true" for key in injector.native):
            continue
        if stopped_by_command(job.pod):
            return
        part = "annotations" if injector.key in annotations else "labels"
        fix, advice = None, "Stop it at the end of the work, if"
        if injector.native:
            native = injector.native[-1]
            advice = f"Set {native}, if"
            edit = Edit("set", f"{job.path}.template.metadata.annotations[{native}]", "true")
            fix = Fix(f'Set {native}: "true"', edit, safe=False)
        yield Diagnostic(
            f"{job.path}.template.metadata.{part}[{injector.key}]",
            "The sidecar that this adds runs on after the work is done, and the Job never completes, unless "
            f"it is a native sidecar. {advice} it is none.",
            fix,
        )


def _metadata_of_template(job: LintedJob) -> dict[str, Any]:
    metadata: dict[str, Any] = job.written_spec["template"].get("metadata", {})
    return metadata
