"""Policies and requests for tests, as short as the test that needs them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.policy.policy_set import PolicySet
from jobsworth.policy.problems import BadPolicy
from jobsworth.policy.reader import read
from jobsworth.policy.request import PolicyRequest

SERVER = ApiServer("1.36")


def document(name: str = "house-rules", **spec: Any) -> dict[str, Any]:
    """A JobPolicy with some parts of a spec."""
    return {
        "apiVersion": "jobsworth.dev/v1alpha1",
        "kind": "JobPolicy",
        "metadata": {"name": name},
        "spec": spec,
    }


def policies(*documents: dict[str, Any], **spec: Any) -> PolicySet:
    """The set of some documents, or of one with some parts of a spec."""
    return read([*documents, *([document(**spec)] if spec else [])])


def problems(*documents: object, **spec: Any) -> list[str]:
    """Return the problems of some documents, or of one with some parts of a spec."""
    try:
        read([*documents, *([document(**spec)] if spec else [])])
    except BadPolicy as error:
        return [str(problem) for problem in error.problems]
    return []


def job(
    pod: dict[str, Any] | None = None, metadata: dict[str, Any] | None = None, **spec: Any
) -> Any:
    """A Job that the API server accepts, with some fields of the spec, the Pod and the metadata."""
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "train", "namespace": "default", **(metadata or {})},
        "spec": {
            **spec,
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [{"name": "main", "image": "busybox:1.36"}],
                    **(pod or {}),
                }
            },
        },
    }


def cron_job(inner: Any = None, **spec: Any) -> Any:
    """A CronJob that the API server accepts, with a Job and some fields of the spec."""
    made = inner or job()
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "train", "namespace": "default"},
        "spec": {"schedule": "0 6 * * *", **spec, "jobTemplate": {"spec": made["spec"]}},
    }


def of_manifest(value: Any, server: ApiServer = SERVER, old: Any = None) -> PolicyRequest:
    """The request that a manifest becomes when a client sends it."""
    return Evaluator(server).policy_request(Subject(value, old=old))


def requested(value: Any, old: Any = None, **more: Any) -> PolicyRequest:
    """The request that a manifest becomes, as it reaches a webhook: without the manifest."""
    return replace(of_manifest(value, SERVER, old=old), manifest=None, **more)


def policy_findings(held: PolicySet, value: Any, old: Any = None, **more: Any) -> list[str]:
    """Return the findings of a set of policies about a manifest: ``deny: field: message [code]``."""
    found = held.evaluate(requested(value, old, **more), SERVER).findings
    return [f"{verdict.effect}: {verdict}" for verdict in found]


def policy_messages(value: Any, old: Any = None, **spec: Any) -> list[str]:
    """Return the messages of one policy about a manifest, without the effects."""
    return [text.partition(": ")[2] for text in policy_findings(policies(**spec), value, old)]
