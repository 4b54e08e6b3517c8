"""Rules for limits per index: limits of an Indexed Job that conflict or have no effect (KEP-3850)."""

from __future__ import annotations

from collections.abc import Iterator

from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import needs
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.rules.failure_policies import names_disruptions, rule_names

COMPLETIONS_WITHOUT_MAX_FAILED = 10**5
"""The API server requires maxFailedIndexes for more completions than this with a limit per index."""

LAST_WITHOUT_LOCKED_GATE = 32
"""The last minor version whose gate JobBackoffLimitPerIndex can be disabled, so that a control plane without
limits per index may take over the Job (KEP-3850, "Downgrade"; generally available and locked in 1.33)."""
MAX_BACKOFF_LIMIT = 2**31 - 1


@lint_rule(
    "JW119",
    "failindex-redundant",
    severity="info",
    summary="FailIndex has no effect, because no index has a retry.",
    fixable="safe",
    confidence="certain",
    needs=needs.index_limits,
)
def failindex_redundant(job: LintedJob) -> Iterator[Diagnostic]:
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
            yield Diagnostic(
                f"{path}.action",
                "With backoffLimitPerIndex: 0 every counted failure fails its index. This rule only "
                f"prevents {rule_names(later)} from matching: use Count.",
            )
            continue
        fix = None
        if len(job.rules) > 1:
            fix = Fix("Delete the rule", Edit("delete", path), safe=True)
        yield Diagnostic(
            f"{path}.action",
            "FailIndex has no effect: with backoffLimitPerIndex: 0 every counted failure fails its index "
            "anyway. Delete the rule.",
            fix,
        )


@lint_rule(
    "JW122",
    "failindex-single",
    severity="info",
    summary="FailIndex is used in a Job with a single index.",
    fixable="unsafe",
    confidence="opinion",
    needs=needs.index_limits,
)
def failindex_single(job: LintedJob) -> Iterator[Diagnostic]:
    if not job.indexed or job.spec.get("completions") != 1:
        return
    for index, rule in enumerate(job.rules):
        if rule.get("action") == "FailIndex":
            at = f"{job.rule_path(index)}.action"
            yield Diagnostic(
                at,
                "The Job has one index, so a failed index fails the Job. Use FailJob: the Failed condition "
                "then has the reason PodFailurePolicy.",
                Fix("Set action: FailJob", Edit("set", at, "FailJob"), safe=False),
            )


@lint_rule(
    "JW211",
    "global-limit-with-per-index",
    severity="warning",
    summary="backoffLimit ends the Job before its limits per index apply.",
    fixable="unsafe",
    confidence="certain",
    needs=needs.index_limits,
)
def global_limit_with_per_index(job: LintedJob) -> Iterator[Diagnostic]:
    limit = job.written_spec.get("backoffLimit")
    per_index = job.spec.get("backoffLimitPerIndex")
    completions = job.spec.get("completions")
    if limit is None or per_index is None or not completions or not job.indexed:
        return
    # The limits per index allow each index its retries, and one more failure for each failed index.
    may_fail = min(job.spec.get("maxFailedIndexes", completions - 1), completions - 1)
    allowed = completions * per_index + may_fail
    if limit >= allowed:
        return
    path = f"{job.path}.backoffLimit"
    advice = "Remove backoffLimit and set maxFailedIndexes."
    fix = Fix("Remove backoffLimit: the limits per index apply", Edit("delete", path), safe=False)
    if job.server.minor <= LAST_WITHOUT_LOCKED_GATE:
        # Without backoffLimit, a control plane without the feature would retry forever.
        least = min(allowed, MAX_BACKOFF_LIMIT)
        advice = (
            f"Set backoffLimit to at least {least}, so that it applies only after a downgrade to a control "
            "plane without limits per index, or remove it; set maxFailedIndexes."
        )
        title = f"Set backoffLimit: {least}, which the limits per index cannot reach"
        fix = Fix(title, Edit("set", path, least), safe=False)
    yield Diagnostic(
        path,
        f"Failure {limit + 1} of any index fails the whole Job, although the limits per index allow "
        f"{allowed} failures. {advice}",
        fix,
    )


@lint_rule(
    "JW212",
    "max-failed-indexes-noop",
    severity="warning",
    summary="maxFailedIndexes is not less than completions.",
    fixable="safe",
    confidence="certain",
    needs=needs.index_limits,
)
def max_failed_indexes_noop(job: LintedJob) -> Iterator[Diagnostic]:
    completions = job.spec.get("completions")
    failed = job.spec.get("maxFailedIndexes")
    if not job.indexed or failed is None or not completions or failed < completions:
        return
    path = f"{job.path}.maxFailedIndexes"
    fix = None
    if completions <= COMPLETIONS_WITHOUT_MAX_FAILED:
        fix = Fix("Remove maxFailedIndexes", Edit("delete", path), safe=True)
    yield Diagnostic(
        path,
        f"maxFailedIndexes: {failed} has no effect, because the Job has {completions} indexes. Set a lower "
        "limit or remove it.",
        fix,
    )


@lint_rule(
    "JW220",
    "index-limit-with-on-failure",
    severity="warning",
    summary="backoffLimitPerIndex is set, but failed containers restart inside their Pods.",
    fixable="unsafe",
    confidence="certain",
    needs=needs.index_limits,
)
def index_limit_with_on_failure(job: LintedJob) -> Iterator[Diagnostic]:
    limited = job.indexed and "backoffLimitPerIndex" in job.spec
    if not limited or job.pod.get("restartPolicy") != "OnFailure":
        return
    at = f"{job.pod_path}.restartPolicy"
    unbounded = "" if "backoffLimit" in job.written_spec else ", and no other limit does"
    yield Diagnostic(
        at,
        "With OnFailure, containers restart inside their Pod; backoffLimitPerIndex does not count these "
        f"restarts{unbounded}. Set restartPolicy: Never.",
        None
        if _restarts_for_resizing(job)
        else Fix("Set restartPolicy: Never", Edit("set", at, "Never"), safe=False),
    )


def _restarts_for_resizing(job: LintedJob) -> bool:
    """Return True for a resize policy that the API server rejects with restartPolicy: Never (KEP-1287)."""
    return any(
        policy.get("restartPolicy") == "RestartContainer"
        for _, container in job.containers
        for policy in container.get("resizePolicy", ())
    )
