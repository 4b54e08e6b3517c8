"""The rule for manifests that were exported from a cluster, with fields that the API server sets."""

from __future__ import annotations

from collections.abc import Iterator

from jobsworth.api.batch.job import CONTROLLER_UID_LABEL, LEGACY_CONTROLLER_UID_LABEL
from jobsworth.api.meta.object_meta import IGNORED_METADATA
from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import needs
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.wording import listing

VERSION = "metadata.resourceVersion"

UID_LABELS = (LEGACY_CONTROLLER_UID_LABEL, CONTROLLER_UID_LABEL)
"""Labels that bind a Pod to one Job by its UID; every new Job has another UID."""


@lint_rule(
    "JW216",
    "exported-manifest",
    severity="warning",
    summary="A manifest has fields that only the API server sets.",
    fixable="safe",
    confidence="certain",
    needs=needs.fields_of_a_server,
)
def exported_manifest(job: LintedJob) -> Iterator[Diagnostic]:
    meta = job.written.get("metadata", {})
    ignored = [f"metadata.{field}" for field in IGNORED_METADATA if field in meta]
    if job.written.get("status"):
        ignored.append("status")
    if "resourceVersion" in meta:
        yield Diagnostic(
            VERSION,
            "resourceVersion belongs to one object in a cluster: `kubectl create` fails with it, and "
            "`kubectl apply` fails once that object has changed. Remove it.",
            Fix("Remove resourceVersion", Edit("delete", VERSION), safe=False),
        )
    if ignored:
        yield Diagnostic(
            ignored[0],
            f"The API server ignores {listing(ignored)} when it creates the object. Remove "
            f"{'it' if len(ignored) == 1 else 'them'}.",
            Fix(
                "Remove the fields that the API server sets",
                *(Edit("delete", field) for field in ignored),
                safe="status" not in ignored or "uid" in meta,
            ),
        )
    if not job.spec.get("manualSelector"):
        yield from _generated_labels(job)


def _generated_labels(job: LintedJob) -> Iterator[Diagnostic]:
    labels = job.written_spec["template"].get("metadata", {}).get("labels", {})
    selected = job.written_spec.get("selector", {}).get("matchLabels", {})
    paths = [
        f"{job.path}.template.metadata.labels[{label}]" for label in UID_LABELS if label in labels
    ]
    if any(label in UID_LABELS for label in selected):
        paths.append(f"{job.path}.selector")
    if paths:
        yield Diagnostic(
            paths[0],
            "The API server generated this from the UID of one Job and rejects it in any other. Remove it.",
            Fix(
                "Remove it: the API server generates it",
                *(Edit("delete", path) for path in paths),
                safe=False,
            ),
        )
