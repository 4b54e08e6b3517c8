"""Answers to dry runs that no API server gives end the run with a clear error, or have no finding."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import Api
from jobsworth.evaluation.evaluation import Evaluation
from jobsworth.files.dry_runs import DryRuns
from support.lint.linted_jobs import cron_job, job, with_metadata

STORED = {
    "metadata": {"name": "t", "namespace": "ml", "uid": "u"},
    "spec": {
        "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "main"}]}}
    },
}
CRON_JOB = {**STORED, "spec": {"jobTemplate": {"spec": STORED["spec"]}}}


class Answering(Api):
    """An API server that gives some answers in turn, and then the last one again."""

    def __init__(self, *answers: Any) -> None:
        self._answers = list(answers)

    def request(self, *_: Any, **__: Any) -> dict[str, Any]:
        answer: dict[str, Any] = self._answers[0]
        self._answers = self._answers[1:] or self._answers
        return answer


def tried(value: dict[str, Any], *answers: Any) -> Evaluation:
    return DryRuns(Answering(*answers), "ml").added_to(Evaluation(value), value, lambda changed: [])


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"metadata": [], "spec": {}},
        {"metadata": {}, "spec": {}},
        {"metadata": {}, "spec": {"template": 7, "jobTemplate": 7}},
    ],
)
@pytest.mark.parametrize("value", [job(), cron_job(job())], ids=["Job", "CronJob"])
def test_an_answer_without_the_object_is_an_error(value: dict[str, Any], answer: Any) -> None:
    with pytest.raises(ApiError, match="the server answers a dry run with"):
        tried(value, answer)


@pytest.mark.parametrize(
    "spec",
    [
        {"containers": 7},
        {"containers": [7, {}], "volumes": [3, {}], "initContainers": [{"volumeMounts": 3}]},
    ],
)
def test_a_pod_of_any_form_is_read(spec: Any) -> None:
    pod = {"metadata": {}, "spec": spec}
    assert tried(job(), STORED, pod).api == []
    assert tried(cron_job(job()), CRON_JOB, STORED, pod).api == []


class Recording(Answering):
    """Also records the requests."""

    def __init__(self, *answers: Any) -> None:
        super().__init__(*answers)
        self.requests: list[tuple[str, str, Any]] = []

    def request(self, method: str, path: str, body: Any = None, **others: Any) -> dict[str, Any]:
        self.requests.append((method, path, body))
        answer = super().request()
        if isinstance(answer, ApiError):
            raise answer
        return answer


@pytest.mark.parametrize("hook", [True, False])
def test_a_job_that_its_tool_creates_again_is_tried_under_another_name(hook: bool) -> None:
    annotations = {"helm.sh/hook": "pre-upgrade"} if hook else {}
    value = with_metadata(job(), annotations=annotations)
    exists = ApiError(409, "AlreadyExists", 'jobs.batch "t" already exists')
    api = Recording(exists, STORED)
    DryRuns(api, "ml").added_to(Evaluation(value), value, lambda changed: [])
    method, path, body = api.requests[1]
    name = value["metadata"]["name"]
    if hook:
        assert (method, path) == ("POST", "/apis/batch/v1/namespaces/ml/jobs")
        assert body["metadata"] == {
            "annotations": annotations,
            "generateName": f"{name}-",
            "namespace": "ml",
        }
    else:
        assert (method, path) == ("PATCH", f"/apis/batch/v1/namespaces/ml/jobs/{name}")
