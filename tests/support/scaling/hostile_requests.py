"""Admission requests with a large object, to a webhook that applies every worked policy to it."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from jobsworth.admission.decision import Reviewer
from jobsworth.admission.outcome import ReviewOutcome
from jobsworth.admission.webhook import Webhook
from jobsworth.api.api_server import ApiServer
from jobsworth.policy.policy_set import PolicySet
from jobsworth.policy.reader import read
from support.admission.admission_reviews import UID, as_an_api_server_sends, review
from support.scaling.large_objects import Place, changed, grown
from support.scaling.long_strings import StringPlace, with_text

POLICIES = Path(__file__).parents[3] / "policies"
ENDPOINTS = ("mutate", "validate")


@cache
def policy_documents() -> tuple[dict[str, Any], ...]:
    """The worked policies of ``policies/``, without ``match``, so that they apply to every object."""
    found = []
    for path in sorted(POLICIES.glob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            if document and document["kind"] == "JobPolicy":
                document["spec"].pop("match", None)
                found.append(document)
    return tuple(found)


@cache
def worked_policies() -> PolicySet:
    """The set of :func:`policy_documents`."""
    return read(list(policy_documents()))


class Reviewed:
    """A webhook with the worked policies, which remembers the verdict on the last request."""

    def __init__(self, server: ApiServer) -> None:
        reviewer = Reviewer(server, worked_policies())
        self.verdict = ""
        self.error = ""
        self._webhook = Webhook(lambda: reviewer, self._observe)

    def __call__(self, endpoint: Any, body: bytes) -> bytes:
        """Return the answer to the body of a request."""
        return self._webhook.answer(endpoint, body)

    def _observe(self, outcome: ReviewOutcome) -> None:
        self.verdict, self.error = outcome.answer.verdict, outcome.error


Objects = tuple[dict[str, Any], dict[str, Any]]
"""An object, and a slightly different one that it replaces."""


def large(place: Place, shape: str, count: int) -> Objects:
    """An object with many items at one place."""
    new = grown(place, shape, count)
    return new, changed(new, place)


def long(place: StringPlace, text: str) -> Objects:
    """An object with a long text at one place."""
    return with_text(place, text), with_text(place, text[:-1])


def bodies(objects: Objects) -> dict[tuple[str, str], bytes]:
    """The bodies of the requests with an object, by operation and endpoint.

    On a create the validating webhook sees what the API server has added to the object. The template of a Job
    gets no defaults on an update, hence a CronJob with the same Job is updated too.
    """
    new, old = objects
    for value in objects:
        value["metadata"]["namespace"] = "default"
    found = {}
    for operation, stored in (("create", None), ("update", old)):
        for endpoint in ENDPOINTS:
            sent = new
            if operation == "create" and endpoint == "validate":
                sent = _sent(new)
            text = json.dumps(review(sent, stored), ensure_ascii=False, separators=(",", ":"))
            found[operation, endpoint] = text.encode()
    if new["kind"] == "Job":
        cron_jobs = (_cron_job(new), _cron_job(old))
        text = json.dumps(review(*cron_jobs), ensure_ascii=False, separators=(",", ":"))
        found["update as CronJob", "mutate"] = text.encode()
    return found


def _cron_job(job: dict[str, Any]) -> dict[str, Any]:
    spec = {"schedule": "0 3 * * *", "jobTemplate": {"spec": job["spec"]}}
    return {**job, "kind": "CronJob", "spec": spec}


def _sent(value: dict[str, Any]) -> dict[str, Any]:
    try:
        return as_an_api_server_sends(copy.copy(value), UID)
    except TypeError:  # labels are no map: no API server sends that
        return value
