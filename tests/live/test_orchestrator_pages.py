"""The code on the pages for Airflow, Dagster and Prefect runs: against stand-ins of their classes."""

from __future__ import annotations

import asyncio
import logging
import re
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import jobsworth
from jobsworth.live import wait_functions
from support.cli.command_processes import ROOT
from support.live.answering_cluster import AnsweringCluster
from support.replay.recorded_jobs import UID, pod, stored
from support.simulation.simulated_runs import job

CODE = re.compile(r"<!-- code: (\w+) -->\n```python\n(.*?)```", re.DOTALL)
LOG = logging.getLogger("orchestrator")


class Failed(Exception):
    """Stands for AirflowException and dagster.Failure."""

    def __init__(self, message: str = "", **details: Any) -> None:
        super().__init__(message or details.get("description", ""))
        self.details = details


class FailedForGood(Failed):
    """Stands for AirflowFailException."""


def module(name: str, **members: Any) -> ModuleType:
    found = ModuleType(name)
    vars(found).update(members)
    return found


class BaseOperator:
    """Stands for airflow.models.BaseOperator."""

    def __init__(self, task_id: str) -> None:
        self.task_id = task_id
        self.log = LOG


def cluster(end: str) -> AnsweringCluster:
    reason = "BackoffLimitExceeded" if end == "Failed" else "CompletionsReached"
    failed = {"failed": 1} if end == "Failed" else {"succeeded": 1}
    value = stored(job(backoffLimit=0), (9, end, reason), **failed)
    value["metadata"]["namespace"] = "batch"
    one = pod("train-a", 0, 8, 3 if end == "Failed" else 0, started=1)
    one["metadata"]["labels"]["batch.kubernetes.io/controller-uid"] = UID
    return AnsweringCluster(value, one)


def page(
    name: str, monkeypatch: pytest.MonkeyPatch, end: str, *modules: ModuleType
) -> dict[str, Any]:
    """Return what the code of a page defines, where a cluster has a Job that has ended."""
    for each in modules:
        monkeypatch.setitem(sys.modules, each.__name__, each)
    get = cluster(end)
    for waiting in ("wait", "wait_async"):
        function = getattr(wait_functions, waiting)

        def with_client(*arguments: Any, function: Any = function, **options: Any) -> Any:
            return function(*arguments, **{**options, "client": get})

        monkeypatch.setattr(jobsworth, waiting, with_client, raising=False)
    text = (ROOT / "docs/orchestrators.md").read_text(encoding="utf-8")
    code = dict(CODE.findall(text))[name]
    defined: dict[str, Any] = {"__name__": name}
    exec(compile(code, f"docs/orchestrators.md: {name}", "exec"), defined)
    return defined


def test_the_operator_for_airflow(monkeypatch: pytest.MonkeyPatch) -> None:
    hook = SimpleNamespace(get_conn=lambda: None)
    hooks = "airflow.providers.cncf.kubernetes.hooks.kubernetes"
    parents = [module(hooks[:at]) for at in range(len(hooks)) if hooks[at] == "."]
    modules = (
        *parents,
        module("airflow.exceptions", AirflowException=Failed, AirflowFailException=FailedForGood),
        module("airflow.models", BaseOperator=BaseOperator),
        module(hooks, KubernetesHook=lambda conn_id: hook),
    )
    operator = page("airflow", monkeypatch, "Failed", *modules)["WaitForJob"]
    with pytest.raises(FailedForGood, match="Pod train-a failed with exit code 3"):
        operator(task_id="wait", job="train", namespace="batch").execute({})
    operator = page("airflow", monkeypatch, "Complete", *modules)["WaitForJob"]
    assert "1 of 1 Pod" in operator(task_id="wait", job="train", namespace="batch").execute({})


def test_the_op_for_dagster(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = module(
        "dagster",
        Config=object,
        Failure=Failed,
        OpExecutionContext=object,
        op=lambda function: function,
    )
    config = SimpleNamespace(job="train", namespace="batch", timeout=60)
    context = SimpleNamespace(log=LOG)
    op = page("dagster", monkeypatch, "Failed", stand_in)["wait_for_job"]
    with pytest.raises(Failed, match="failed with exit code 3") as raised:
        op(context, config)
    assert raised.value.details["metadata"] == {"outcome": "Failed", "cause": "ExitCode"}
    assert raised.value.details["allow_retries"] is False
    op = page("dagster", monkeypatch, "Complete", stand_in)["wait_for_job"]
    assert "succeeded" in op(context, config)


def test_the_task_for_prefect(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in = module(
        "prefect",
        flow=lambda function: function,
        task=lambda function: function,
        get_run_logger=lambda: LOG,
    )
    defined = page("prefect", monkeypatch, "Failed", stand_in)
    with pytest.raises(defined["JobFailed"], match="failed with exit code 3"):
        asyncio.run(defined["train"]())
    defined = page("prefect", monkeypatch, "Complete", stand_in)
    asyncio.run(defined["train"]())
