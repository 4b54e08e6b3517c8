"""All rules, and what they say about one object."""

from __future__ import annotations

from jobsworth.api.kinds import Job
from jobsworth.policy.lint import (
    cron_jobs,
    disruptions,
    exit_codes,
    exported,
    failure_policy,
    ignoring,
    index_limits,
    job_names,
    lifetime,
    parallelism,
    pod_conditions,
    pods,
    replacement,
    schedules,
    sidecars,
    success_policy,
    zones,
)
from jobsworth.policy.lint.subject import Subject
from jobsworth.validation.engine import CannotDecode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from jobsworth.api.finding import Finding
    from jobsworth.policy.lint.rule import Rule
    from jobsworth.validation.engine import Engine

_MODULES = (
    cron_jobs,
    disruptions,
    exit_codes,
    exported,
    failure_policy,
    ignoring,
    index_limits,
    job_names,
    lifetime,
    parallelism,
    pod_conditions,
    pods,
    replacement,
    schedules,
    sidecars,
    success_policy,
    zones,
)

RULES: tuple[Rule, ...] = tuple(
    sorted((rule for module in _MODULES for rule in module.RULES), key=lambda rule: rule.code)
)
"""Every rule, in the order of the codes."""


def lint(value: Any, engine: Engine, rules: Iterable[Rule]) -> list[Finding]:
    """What some rules say about a Job or CronJob; nothing when it cannot be decoded.

    Args:
        value: the object, as JSON decodes it.
        engine: of the server that will run it.
        rules: those that are asked.

    Raises:
        UnknownKind: the object is neither a Job nor a CronJob of ``batch/v1``.
    """
    try:
        subject = _subject(value, engine)
    except CannotDecode:
        return []
    return [finding for rule in rules for finding in rule.findings(subject)]


def _subject(value: dict[str, Any], engine: Engine) -> Subject:
    struct, written = engine.decode(value)
    _, filled = engine.decode(value)
    engine.fill_in(struct, filled)
    spec = filled["spec"]
    if struct is not Job:
        # The server fills in the Job's own defaults when it is made from the CronJob.
        template = spec["jobTemplate"]
        job = {"metadata": dict(template["metadata"]), "spec": dict(template["spec"]), "status": {}}
        engine.fill_in(Job, job)
        spec = job["spec"]
    return Subject(
        kind=struct.name, written=written, object=filled, spec=spec, server=engine.server
    )
