"""Evaluate a JobSet: the verdict of its CRD and webhooks, then the Jobs that it creates.

JobSet validates no template: the API server rejects the Job when the JobSet creates it, which only an Event
reports (https://github.com/kubernetes-sigs/jobset/issues/241).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.api.jobset.job_set import JobSet
from jobsworth.api.jobset.rules import GATE_IS_OFF
from jobsworth.api.jobset.versions import NEWEST, go_types, is_job_set
from jobsworth.evaluation.children import UNKNOWN_FIELD, Evaluate, FoundInChildren, subject_of
from jobsworth.evaluation.evaluation import Evaluation
from jobsworth.evaluation.fixes.api_fixes import with_fixes
from jobsworth.evaluation.subject import Subject
from jobsworth.findings.edits import is_part_of, locate
from jobsworth.findings.finding import Finding
from jobsworth.kinds.child import Child
from jobsworth.kinds.children import children_of
from jobsworth.kinds.job_set_children import children
from jobsworth.kinds.kind_table import (
    OF_ENDED_JOBS,
    OF_IN_PLACE_RESTARTS,
    OF_JOB_SETS,
    OF_RESTARTED_JOB_SETS,
    ONCE_IN_JOB_SETS,
    KindTable,
)
from jobsworth.lint.job_set_rules import job_set_findings
from jobsworth.lint.lint_rule import Rule
from jobsworth.lint.neighbors import mapping, parts
from jobsworth.validation.job_sets import NOT_CHECKED, JobSetVerdict, verdict

GATED = {"restartStrategy": "InPlaceRestart", "action": "RestartJob"}
"""The feature gates of JobSet that are off by default, by the field that needs them."""


def evaluate_job_set(
    subject: Subject,
    table: KindTable,
    server: ApiServer,
    evaluate: Evaluate,
    selects: Callable[[Rule], bool],
) -> Evaluation:
    """Evaluate a JobSet that a client is going to send.

    Args:
        subject: the JobSet, and the one that it updates.
        table: the kinds that contain templates, with the version of JobSet.
        server: the API server that receives the JobSet and its Jobs.
        evaluate: evaluates a Job.
        selects: returns True for a lint rule to run.
    """
    version = table.job_set_version or NEWEST
    old = subject.old if is_job_set(subject.old) else None
    decided = verdict(subject.value, old, version=version, server=server)
    found = FoundInChildren(
        subject.value, server, _put_last([_with_hint_at_gate(each) for each in decided.findings])
    )
    found.known = True
    found.further += _certain(decided.further, decided, subject.value)
    is_created = not decided.findings
    stored = decided.defaulted
    created = children_of(subject.value, table)
    if stored is not None and is_created:
        created = children(stored, version)
        found.lint += job_set_findings(stored, subject.value, selects)
    for each in created:
        child = each.replace(ignores=_pointless(subject.value, each), once=ONCE_IN_JOB_SETS)
        found.add(child, evaluate(subject_of(child, subject)), is_created=is_created)
    if subject.written is not None:
        types = go_types(version)
        for findings in (found.api, found.further):
            findings[:] = with_fixes(findings, subject.value, types, subject.written, JobSet)
    return found.evaluation(subject.value)


def _certain(further: Iterable[Finding], decided: JobSetVerdict, value: Any) -> Iterator[Finding]:
    """Yield the further errors that hold once the unknown fields stand where they belong.

    One of them may be what its object lacks, such as the spec of a template without the template.
    """
    holders = [
        finding.field.rpartition(".")[0]
        for finding in decided.findings
        if finding.code == UNKNOWN_FIELD
    ]
    for finding in further:
        absent = bool(finding.field) and bool(locate(value, finding.field).missing)
        if not (absent and any(is_part_of(finding.field, holder) for holder in holders)):
            yield finding


def _with_hint_at_gate(finding: Finding) -> Finding:
    """Return an error of JobSet's webhook, with a hint if a feature gate that is off is its reason."""
    if finding.rule != GATE_IS_OFF:
        return finding
    gate = GATED[finding.entry.rpartition(".")[2]]
    return finding.with_hint(
        f"JobSet's alpha feature gate {gate} is off by default: set --feature-gates {gate}=true if your "
        "JobSet has it on"
    )


def _put_last(findings: Sequence[Finding]) -> list[Finding]:
    """Return the errors, and then a note, at the last one, that the server has not checked all rules."""
    notes = [finding for finding in findings if finding.rule == NOT_CHECKED.rule]
    errors = [finding for finding in findings if finding.rule != NOT_CHECKED.rule]
    last = errors[-1].place if errors else ""
    message = "Once the errors are fixed, the API server also checks the rules (CEL) of JobSet's definition."
    return errors + [each.changed(severity="info", message=message, entry=last) for each in notes]


def _pointless(job_set: dict[str, Any], child: Child) -> tuple[str, ...]:
    """Return the rules about Jobs that do not hold for one that a JobSet restarts or ends.

    Args:
        job_set: the JobSet as it was written, of which parts may have wrong types.
        child: a Job that it creates.
    """
    spec = mapping(job_set.get("spec"))
    policy = mapping(spec.get("failurePolicy"))
    codes: tuple[str, ...] = OF_JOB_SETS
    restarts = policy.get("maxRestarts")
    if isinstance(restarts, int) and restarts > 0:
        codes += OF_RESTARTED_JOB_SETS
    if policy.get("restartStrategy") == "InPlaceRestart":
        codes += OF_IN_PLACE_RESTARTS
    return codes if _is_awaited(spec, child) else codes + OF_ENDED_JOBS


def _is_awaited(spec: Mapping[str, Any], child: Child) -> bool:
    """Return True if the JobSet cannot succeed before a Job has; then it deletes the Jobs that still run.

    Source: ``numJobsExpectedToSucceed`` in ``pkg/controllers/success_policy.go``, JobSet 0.12.
    """
    policy = mapping(spec.get("successPolicy"))
    names = [job.get("name") for job in parts(spec.get("replicatedJobs"))]
    targets = policy.get("targetReplicatedJobs") or names
    job_set = {"spec": spec}
    _, _, number, *_ = locate(job_set, child.origins[""]).steps
    name = mapping(spec["replicatedJobs"][number]).get("name")
    if not isinstance(targets, list) or name not in targets:
        return False
    return policy.get("operator") != "Any" or len(targets) == 1
