"""Rules about limits per index: which of several limits ends an Indexed Job first (KEP-3850)."""

from __future__ import annotations

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint.rule import Complaint, lint_rule
from jobsworth.lint.rules.failure_policies import listed, names_disruptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.lint.linted_job import Subject

COMPLETIONS_WITHOUT_MAX_FAILED = 10**5
"""With more completions and a limit per index, the API server demands maxFailedIndexes."""


@lint_rule(
    "JW119",
    "failindex-redundant",
    severity="info",
    summary="FailIndex is used though no index has a retry.",
    fixable="safe",
)
def failindex_redundant(job: Subject) -> Iterator[Complaint]:
    if job.spec.get("backoffLimitPerIndex") != 0:
        return
    for index, rule in enumerate(job.rules):
        if rule.get("action") != "FailIndex" or names_disruptions(rule):
            continue
        path = job.rule_path(index)
        later = [
            number
            for number in range(index + 1, len(job.rules))
            if job.rules[number].get("action") in ("FailJob", "Ignore")
        ]
        if later:
            yield Complaint(
                f"{path}.action",
                "with backoffLimitPerIndex: 0 every failure that is counted fails its index: the rule "
                f"only keeps {listed(later)} from deciding, as Count would",
            )
            continue
        fix = None
        if len(job.rules) > 1:
            fix = Fix("delete the rule", Edit("delete", path), safe=True)
        yield Complaint(
            f"{path}.action",
            "with backoffLimitPerIndex: 0 every failure that is counted fails its index anyway",
            fix,
        )


@lint_rule(
    "JW122",
    "failindex-single",
    severity="info",
    summary="FailIndex is used in a Job with a single index.",
    fixable="unsafe",
)
def failindex_single(job: Subject) -> Iterator[Complaint]:
    if not job.indexed or job.spec.get("completions") != 1:
        return
    for index, rule in enumerate(job.rules):
        if rule.get("action") == "FailIndex":
            at = f"{job.rule_path(index)}.action"
            yield Complaint(
                at,
                "the Job has one index, and fails with it: FailJob says so, and is the reason that the "
                "Job then gives",
                Fix("fail the Job", Edit("set", at, "FailJob"), safe=False),
            )


@lint_rule(
    "JW211",
    "global-limit-with-per-index",
    severity="warning",
    summary="backoffLimit ends the Job before its limits per index can.",
    fixable="unsafe",
)
def global_limit_with_per_index(job: Subject) -> Iterator[Complaint]:
    limit = job.written_spec.get("backoffLimit")
    per_index = job.spec.get("backoffLimitPerIndex")
    completions = job.spec.get("completions")
    if limit is None or per_index is None or not completions or not job.indexed:
        return
    # What the limits per index let pass: each index its retries, and once more those that may fail.
    may_fail = min(job.spec.get("maxFailedIndexes", completions - 1), completions - 1)
    allowed = completions * per_index + may_fail
    if limit < allowed:
        path = f"{job.path}.backoffLimit"
        yield Complaint(
            path,
            f"failure {limit + 1}, of whatever index, ends the whole Job, though the limits per index "
            f"allow {allowed}; to bound them together, use maxFailedIndexes",
            Fix("leave it to the limits per index", Edit("delete", path), safe=False),
        )


@lint_rule(
    "JW212",
    "max-failed-indexes-noop",
    severity="warning",
    summary="maxFailedIndexes is as large as completions.",
    fixable="safe",
)
def max_failed_indexes_noop(job: Subject) -> Iterator[Complaint]:
    completions = job.spec.get("completions")
    failed = job.spec.get("maxFailedIndexes")
    if failed is None or not completions or failed < completions:
        return
    path = f"{job.path}.maxFailedIndexes"
    fix = None
    if completions <= COMPLETIONS_WITHOUT_MAX_FAILED:
        fix = Fix("drop the limit", Edit("delete", path), safe=True)
    yield Complaint(
        path,
        f"more than {failed} of {completions} indexes can never fail: the limit is never exceeded",
        fix,
    )


@lint_rule(
    "JW220",
    "index-limit-with-on-failure",
    severity="warning",
    summary="A limit per index is set, and containers are restarted inside their Pods.",
    fixable="unsafe",
)
def index_limit_with_on_failure(job: Subject) -> Iterator[Complaint]:
    if "backoffLimitPerIndex" not in job.spec or job.pod.get("restartPolicy") != "OnFailure":
        return
    at = f"{job.pod_path}.restartPolicy"
    unbounded = "" if "backoffLimit" in job.written_spec else ", and nothing else ends it"
    yield Complaint(
        at,
        "with OnFailure a container is started again inside its Pod; backoffLimitPerIndex does not count "
        f"that{unbounded}",
        Fix("count failures", Edit("set", at, "Never"), safe=False),
    )
