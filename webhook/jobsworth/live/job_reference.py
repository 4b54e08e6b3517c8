"""The name of a Job, CronJob or JobSet, as kubectl takes it: ``job/train``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

JOB, CRON_JOB, JOB_SET = "Job", "CronJob", "JobSet"
_KINDS = {
    "job": JOB,
    "jobs": JOB,
    "job.batch": JOB,
    "jobs.batch": JOB,
    "cronjob": CRON_JOB,
    "cronjobs": CRON_JOB,
    "cj": CRON_JOB,
    "cronjob.batch": CRON_JOB,
    "cronjobs.batch": CRON_JOB,
    "jobset": JOB_SET,
    "jobsets": JOB_SET,
    "jobset.jobset.x-k8s.io": JOB_SET,
    "jobsets.jobset.x-k8s.io": JOB_SET,
}


class BadReference(ValueError):
    """Raised for a text that names no Job, CronJob or JobSet."""


class JobReference(NamedTuple):
    """An object of a namespace.

    Attributes:
        kind: JOB, CRON_JOB or JOB_SET.
    """

    kind: str
    namespace: str
    name: str

    @property
    def title(self) -> str:
        """The kind and the name, for messages."""
        return f'{self.kind} "{self.name}" in namespace {self.namespace}'


def check_joined(arguments: Sequence[str]) -> None:
    """Check that a kind and a name are one argument.

    Raises:
        BadReference: they are two, as kubectl takes them too.
    """
    if len(arguments) == 2 and arguments[0].lower() in _KINDS:
        kind, name = arguments
        raise BadReference(f'"{kind} {name}" are two names: write {kind}/{name}')


def read_reference(text: str, namespace: str) -> JobReference:
    """Read a reference; a name without a kind is that of a Job.

    >>> read_reference("cj/nightly", "batch").kind
    'CronJob'

    Raises:
        BadReference: the kind is unknown, or there is no name.
        TypeError: one of them is not a str.
    """
    for name, value in (("reference", text), ("namespace", namespace)):
        if not isinstance(value, str):
            raise TypeError(f"{name} must be a str, not {type(value).__name__}")
    written, slash, name = text.rpartition("/")
    kind = _KINDS.get(written.lower()) if slash else JOB
    if kind is None:
        raise BadReference(f'"{written}" is none of the kinds job, cronjob, jobset: write job/NAME')
    if not name:
        raise BadReference(f'"{text}" has no name: write job/NAME')
    return JobReference(kind, namespace, name)
