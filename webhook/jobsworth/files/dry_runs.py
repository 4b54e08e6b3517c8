"""Dry runs in a cluster: create each Job as a client would, then its Pod as the Job controller would."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import APPLY, Api
from jobsworth.client.api_resources import BATCH, jobs_path, pods_path, resource_path
from jobsworth.evaluation.dry_run import (
    Refusal,
    StatusCause,
    findings_of_injected,
    findings_of_job,
    findings_of_object,
    findings_of_pod,
    job_of_cron_job,
    pod_of_job,
    template_of,
    with_injected_containers,
)
from jobsworth.evaluation.evaluation import Evaluation
from jobsworth.findings.finding import Finding
from jobsworth.lint.hooks import recreation_of
from jobsworth.validation.engine import is_known

T = TypeVar("T")
Lint = Callable[[dict[str, Any]], Sequence[Finding]]

QUERY = {"dryRun": "All", "fieldValidation": "Strict", "fieldManager": "jobsworth"}
"""Strict field validation is the default of kubectl."""
REFUSING = (400, 403, 404, 409, 413, 422, 500)
"""The HTTP statuses with which a server refuses one object; it answers 500 if a webhook fails."""
_LACKS_RIGHT = re.compile(r'cannot ([\w:-]+) resource "([\w/.-]+)"')
"""RBAC's words for a verb that a user does not have."""


class DryRuns:
    """Dry runs of manifests in a cluster. Nothing is stored.

    Args:
        api: the API server, with the credentials of the user.
        namespace: the namespace of manifests that have none.
        pods: the API server with the credentials for Pods, if they are others.
    """

    def __init__(self, api: Api, namespace: str, pods: Api | None = None) -> None:
        self._api = api
        self._namespace = namespace
        self._pods = pods or api

    def added_to(self, evaluation: Evaluation, value: Any, lint: Lint) -> Evaluation:
        """Return the evaluation of a Job or CronJob with the findings of its dry run.

        Args:
            lint: returns the lint findings in a manifest.

        Raises:
            ApiError: the server cannot be reached, or the user lacks a right.
        """
        if not is_known(value) or not isinstance(value.get("metadata"), dict):
            return evaluation
        found = self._findings(evaluation, value, lint)
        return evaluation.replace(
            api=[*evaluation.api, *(each for each in found if each.source == "api")],
            lint=[*evaluation.lint, *(each for each in found if each.source != "api")],
        )

    def _findings(self, evaluation: Evaluation, value: dict[str, Any], lint: Lint) -> list[Finding]:
        namespace = value["metadata"].get("namespace") or self._namespace
        sent = {**value, "metadata": {**value["metadata"], "namespace": namespace}}
        job = self._written(sent, namespace)
        if isinstance(job, Refusal):
            return findings_of_object(job, evaluation.api)
        if value["kind"] == "CronJob":
            of_template = _made_from(job, lambda stored: job_of_cron_job(stored, int(time.time())))
            job = self._created(self._api, jobs_path(namespace), of_template)
            if isinstance(job, Refusal):
                return findings_of_job(job)
        body = _made_from(job, pod_of_job)
        if body is None:
            return []
        pod = self._created(self._pods, pods_path(namespace), body)
        if isinstance(pod, Refusal):
            return findings_of_pod(pod, template_of(value), value["kind"])
        injected = with_injected_containers(value, pod)
        return [] if injected is None else findings_of_injected(injected, evaluation.lint, lint)

    def _written(self, value: dict[str, Any], namespace: str) -> dict[str, Any] | Refusal:
        """Create an object, or apply it if it exists and its tool does not create it again."""
        resource = "cronjobs" if value["kind"] == "CronJob" else "jobs"
        answer = self._created(self._api, resource_path(BATCH, resource, namespace), value)
        if not (isinstance(answer, Refusal) and answer.reason == "AlreadyExists"):
            return answer
        metadata = value["metadata"]
        if recreation_of(metadata) is not None:
            named = {key: part for key, part in metadata.items() if key != "name"}
            renamed = {**value, "metadata": {**named, "generateName": f"{metadata['name']}-"}}
            return self._created(self._api, resource_path(BATCH, resource, namespace), renamed)
        path = resource_path(BATCH, resource, namespace, value["metadata"]["name"])
        query = {**QUERY, "force": "true"}
        return _answer(
            lambda: self._api.request("PATCH", path, value, query=query, content_type=APPLY)
        )

    def _created(self, api: Api, path: str, body: dict[str, Any]) -> dict[str, Any] | Refusal:
        return _answer(lambda: api.request("POST", path, body, query=QUERY))


def _made_from(stored: dict[str, Any], make: Callable[[dict[str, Any]], T]) -> T:
    """Return what a controller creates from an object that the server returned.

    Raises:
        ApiError: the object lacks what every stored one has.
    """
    try:
        return make(stored)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        message = "the server answers a dry run with an object that no API server stores"
        raise ApiError(200, "", message) from error


def _answer(call: Callable[[], dict[str, Any]]) -> dict[str, Any] | Refusal:
    """Return the object that the server would store, or its refusal.

    Raises:
        ApiError: the server cannot be reached, or the user lacks a right.
    """
    try:
        answer = call()
    except ApiError as error:
        lacking = _LACKS_RIGHT.search(error.message) if error.code == 403 else None
        if lacking is not None:
            error.explanation = (
                f"the dry run needs the verb {lacking[1]} on {lacking[2]}: {error.message}"
            )
            raise
        if error.code not in REFUSING or error.explanation:
            raise
        causes = tuple(StatusCause(each.reason, each.field, each.message) for each in error.details)
        return Refusal(error.code, error.reason, error.message, causes)
    if not (isinstance(answer.get("metadata"), dict) and isinstance(answer.get("spec"), dict)):
        raise ApiError(200, "", "the server answers a dry run without the object")
    return answer
