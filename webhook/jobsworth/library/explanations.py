"""The explanation of what happens to a Job when its Pods fail."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from jobsworth.api.api_server import ALLOW_PRIVILEGED, ApiServer
from jobsworth.files.explained_files import ReadJob, read_document, runs_of_update
from jobsworth.library.arguments import api_server, check_type, seconds_of
from jobsworth.library.documents import document_of
from jobsworth.library.manifests import Manifest, manifest_of, problem_of_kind
from jobsworth.runs.explanation import explanation
from jobsworth.runs.explanation.explanation import Explanation
from jobsworth.usage_error import InputError
from jobsworth.validation.engine import UnknownKind


def explain(
    manifest: Manifest,
    *,
    before: Manifest | None = None,
    part: str = "",
    now: datetime | None = None,
    kubernetes_version: str | None = None,
    feature_gates: Mapping[str, bool] | None = None,
    allow_privileged: bool = ALLOW_PRIVILEGED,
) -> Explanation:
    """Explain what happens to a Job when its Pods fail, as ``jobsworth explain`` does.

    Args:
        manifest: a Job or CronJob, or an object of which an operator makes one, such as a JobSet: a mapping
            as in a manifest, or a model of the kubernetes package.
        before: an earlier version of it: the explanation then has ``changed``, and two outcomes in each row.
        part: of an object with several Jobs, the one to explain, such as ``ReplicatedJob workers``.
        now: of a CronJob: the runs that the facts name are those after it, and the time at which the update
            of `before` is applied; the current time by default.
        kubernetes_version: the server's release, such as ``1.36``; the newest known one by default.
        feature_gates: gates that the server has set otherwise than by default.
        allow_privileged: the server runs with ``--allow-privileged``.

    Returns:
        The facts, the rules in the order of evaluation, and the decision table of all exit codes,
        conditions and causes.

    Raises:
        InputError: the API server rejects the object, or it has several Jobs and `part` names none of them.
        TypeError: the object is neither a mapping nor a model, a value in it has no form in JSON, or another
            argument has another type.
        ValueError: `now` is not in the years 1971 to 2199.
        UnknownKind: no Job is created from the object.
        UnknownRelease: the release is older than those of :data:`RELEASES`, or cannot be read. A newer one
            is judged as the newest, with a warning (NewerRelease).
        UnknownGate: a feature gate does not exist in that release, or cannot be set.
    """
    server = api_server(kubernetes_version, feature_gates, allow_privileged)
    check_type("part", part, str, "a str")
    seconds = int(seconds_of(datetime.now(UTC) if now is None else now))
    read = _job(manifest_of(manifest), part, server)
    if before is None:
        return explanation.explain(read.about, read.job, read.lines, seconds)
    earlier = _job(manifest_of(before, "before"), part, server)
    updates = runs_of_update(read, earlier.document.value, seconds)
    return explanation.explain(
        read.about, read.job, read.lines, seconds, earlier.job, updates=updates
    )


_EXPLAINED = "Pass a Job, a CronJob, or an object from which an operator creates Jobs"


def _job(value: dict[str, Any], part: str, server: ApiServer) -> ReadJob:
    jobs, document = [], document_of(value)
    try:
        for read in read_document(document, server):
            if read.job is None:
                assert read.result is not None  # it is readable
                errors = [each for each in read.result.findings if each.finding.severity == "error"]
                lines = [f"{each.finding.field}: {each.finding.message}" for each in errors]
                raise InputError("the API server rejects the object:", *lines)
            jobs.append(read.job)
    except UnknownKind:
        raise UnknownKind(f"{problem_of_kind(value)}. {_EXPLAINED}") from None
    if len(jobs) == 1 and not part:
        return jobs[0]
    named = next((job for job in jobs if job.about.part == part), None)
    if named is None:
        if len(jobs) == 1 and not jobs[0].about.part:
            raise InputError(
                f"part: the object is one Job, without a part {part!r}. Leave part out"
            )
        parts = ", ".join(repr(job.about.part) for job in jobs)
        raise InputError(f"the object has {len(jobs)} Jobs: set part to one of {parts}")
    return named
