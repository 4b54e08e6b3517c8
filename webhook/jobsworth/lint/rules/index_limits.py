"""Rules about limits per index: which of several limits ends an Indexed Job first (KEP-3850)."""

from __future__ import annotations

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import examples
from jobsworth.lint.rule import Complaint, Rule
from jobsworth.lint.rules.failure_policies import listed, names_disruptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.lint.linted_job import Subject

KEP = "https://github.com/kubernetes/enhancements/tree/master/keps/sig-apps/3850-backoff-limits-per-index-for-indexed-jobs"
INDEX_PAGE = (
    "https://kubernetes.io/docs/concepts/workloads/controllers/job/#backoff-limit-per-index"
)
SYNC = "pkg/controller/job/job_controller.go, Kubernetes 1.36"
COMPLETIONS_WITHOUT_MAX_FAILED = 10**5
"""With more completions and a limit per index, the API server demands maxFailedIndexes."""


def _failindex_redundant(job: Subject) -> Iterator[Complaint]:
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


def _failindex_single(job: Subject) -> Iterator[Complaint]:
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


def _global_limit_with_per_index(job: Subject) -> Iterator[Complaint]:
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


def _max_failed_indexes_noop(job: Subject) -> Iterator[Complaint]:
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


def _index_limit_on_failure(job: Subject) -> Iterator[Complaint]:
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


_FAIL_INDEX = """\
      - action: FailIndex
        onExitCodes: {containerName: main, operator: In, values: [42]}
"""

_IGNORE = """\
      - action: Ignore
        onPodConditions:
          - type: DisruptionTarget
            status: "True"
"""

_ONE_INDEX = """\
  completionMode: Indexed
  completions: 1
  backoffLimitPerIndex: 2
"""

RULES = (
    Rule(
        "JW119",
        "failindex-redundant",
        severity="info",
        summary="FailIndex is used though no index has a retry.",
        why="""\
FailIndex saves the retries that an index has left. With backoffLimitPerIndex: 0 there are none: the first
failure that is counted fails the index, whether a rule says so or not.""",
        sources=(f"KEP-3850, FailIndex action, {KEP}", SYNC),
        bad=examples.policy(
            _IGNORE + _FAIL_INDEX, examples.INDEXED + "  backoffLimitPerIndex: 0\n"
        ),
        good=examples.policy(
            _IGNORE + _FAIL_INDEX, examples.INDEXED + "  backoffLimitPerIndex: 2\n"
        ),
        check=_failindex_redundant,
        fixable="safe",
    ),
    Rule(
        "JW122",
        "failindex-single",
        severity="info",
        summary="FailIndex is used in a Job with a single index.",
        why="""\
When its only index has failed, so has the Job. FailJob does the same in plain words, and the Job then names
the rule, the container and its exit code, where FailIndex leaves only "Job has failed indexes".""",
        sources=(f"KEP-3850, Job completion, {KEP}", SYNC),
        bad=examples.policy(_FAIL_INDEX, _ONE_INDEX),
        good=examples.policy(_FAIL_INDEX.replace("FailIndex", "FailJob"), _ONE_INDEX),
        check=_failindex_single,
        fixable="unsafe",
    ),
    Rule(
        "JW211",
        "global-limit-with-per-index",
        severity="warning",
        summary="backoffLimit ends the Job before its limits per index can.",
        why="""\
backoffLimit counts the failures of all indexes together and is looked at first. Where it is smaller than what
the limits per index allow, a few indexes use it up, and the others are stopped in the middle of their work:
what a limit per index is there to prevent. Left out, it is as good as infinite.""",
        sources=(f"KEP-3850, Job API, {KEP}", INDEX_PAGE, SYNC),
        bad=examples.job(examples.INDEXED + "  backoffLimit: 6\n  backoffLimitPerIndex: 1\n"),
        good=examples.job(examples.INDEXED + "  backoffLimitPerIndex: 1\n  maxFailedIndexes: 5\n"),
        check=_global_limit_with_per_index,
        fixable="unsafe",
    ),
    Rule(
        "JW212",
        "max-failed-indexes-noop",
        severity="warning",
        summary="maxFailedIndexes is as large as completions.",
        why="""\
The Job is stopped when more indexes have failed than this. As many as there are can fail without it: the
field looks like a limit and is none.""",
        sources=(f"KEP-3850, Job API, {KEP}", INDEX_PAGE),
        bad=examples.job(examples.INDEXED + "  backoffLimitPerIndex: 1\n  maxFailedIndexes: 20\n"),
        good=examples.job(examples.INDEXED + "  backoffLimitPerIndex: 1\n  maxFailedIndexes: 5\n"),
        check=_max_failed_indexes_noop,
        fixable="safe",
    ),
    Rule(
        "JW220",
        "index-limit-with-on-failure",
        severity="warning",
        summary="A limit per index is set, and containers are restarted inside their Pods.",
        why="""\
The limit counts Pods that failed. With restartPolicy: OnFailure the kubelet starts the container again, and
the Pod does not fail; those restarts count towards backoffLimit only, whose default is 2147483647 where a
limit per index is set. A container that always fails is restarted without end. The API server accepts it.""",
        sources=(
            f"KEP-3850, Support backoffLimitPerIndex when restartPolicy=OnFailure, {KEP}",
            SYNC,
        ),
        bad=examples.job(
            examples.INDEXED + "  backoffLimitPerIndex: 1\n",
            examples.POD.replace("Never", "OnFailure"),
        ),
        good=examples.job(examples.INDEXED + "  backoffLimitPerIndex: 1\n"),
        check=_index_limit_on_failure,
        fixable="unsafe",
    ),
)
