"""Evaluate a JobSet: the verdict of its CRD and webhooks, then the Jobs that it creates.

JobSet validates no template: the API server rejects the Job when the JobSet creates it, which only an Event
reports (https://github.com/kubernetes-sigs/jobset/issues/241).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.api.jobset.versions import NEWEST, is_job_set
from jobsworth.evaluation.children import FoundInChildren, subject_of
from jobsworth.kinds.children import children_of
from jobsworth.kinds.job_set_children import children
from jobsworth.kinds.kind_table import OF_JOB_SETS, ONCE_IN_JOB_SETS
from jobsworth.lint.job_set_rules import job_set_findings
from jobsworth.validation.job_sets import verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from jobsworth.api.api_server import ApiServer
    from jobsworth.evaluation.children import Evaluate
    from jobsworth.evaluation.evaluation import Evaluation
    from jobsworth.evaluation.subject import Subject
    from jobsworth.kinds.child import Child
    from jobsworth.kinds.kind_table import KindTable
    from jobsworth.lint.lint_rule import Rule


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
    found = FoundInChildren(server, decided.findings)
    found.known = True
    found.further += decided.further
    is_created = not decided.findings
    stored = decided.defaulted
    created = children_of(subject.value, table)
    if stored is not None and is_created:
        created = children(stored, version)
        found.lint += job_set_findings(stored, subject.value, selects)
    for child in created:
        found.add(_of_job_set(child), evaluate(subject_of(child, subject)), is_created=is_created)
    return found.evaluation(subject.value)


def _of_job_set(child: Child) -> Child:
    return child.replace(ignores=OF_JOB_SETS, once=ONCE_IN_JOB_SETS)
