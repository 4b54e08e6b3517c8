"""The bounds on the work that one object may cause."""

from __future__ import annotations

import json

import yaml
from hypothesis import given
from hypothesis import strategies as st

import jobsworth
from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.budget import BYTES_PER_VALUE, Budget, size
from jobsworth.evaluation.evaluation import TOO_LARGE
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject

TEXTS = st.text(max_size=2) | st.sampled_from(("x" * 63, "x" * 64, "x" * 200))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda below: st.lists(below) | st.dictionaries(TEXTS, below),
    max_leaves=30,
)
SERVER = ApiServer("1.36")


def job(arguments: int) -> dict[str, object]:
    container = {"name": "main", "image": "busybox:1.36", "args": ["x"] * arguments}
    pod = {"restartPolicy": "Never", "containers": [container]}
    spec = {"template": {"spec": pod}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}, "spec": spec}


@given(JSON)
def test_a_value_never_has_more_values_than_its_bytes_allow(value: object) -> None:
    assert size(value, 10**9) * BYTES_PER_VALUE <= len(json.dumps(value, separators=(",", ":"))) + 1


YAML_TEXTS = st.recursive(
    st.sampled_from(("", "~", "a", "'x'", "x" * 130, '"\\u263a"')),
    lambda below: (
        st.lists(below.filter(bool)).map(lambda items: f"[{','.join(items)}]")
        | st.lists(below, max_size=5).map(
            lambda parts: "{" + ",".join(f"k{n}: {part}" for n, part in enumerate(parts)) + "}"
        )
        | st.lists(st.integers(0, 99), unique=True).map(
            lambda keys: f"{{{','.join(map(str, keys))}}}"
        )
    ),
    max_leaves=30,
)


@given(YAML_TEXTS)
def test_a_yaml_text_without_aliases_never_has_more_values_than_bytes(text: str) -> None:
    assert size(yaml.safe_load(text), 10**9) <= len(text.encode()) or not text


@given(st.integers(0, 40))
def test_nor_does_one_of_dashes_or_empty_keys(number: int) -> None:
    nested, keys = "- " * number + "x\n", "".join(f"{each}:\n" for each in range(number)) + "x:\n"
    assert size(yaml.safe_load(nested), 10**9) <= len(nested)
    assert size(yaml.safe_load(keys), 10**9) <= len(keys)


@given(JSON, st.integers(1, 20))
def test_counting_stops_at_the_limit(value: object, most: int) -> None:
    assert (size(value, most) > most) == (size(value, 10**9) > most)


def test_an_object_over_the_budget_is_not_evaluated() -> None:
    evaluator = Evaluator(SERVER, budget=Budget(values=100, findings=10))
    assert (
        evaluator.evaluate(Subject(job(50))).findings
        == evaluator.evaluate(Subject(job(51))).findings
    )
    evaluation = evaluator.evaluate(Subject(job(200)))
    assert evaluation.unreadable == (TOO_LARGE,)
    assert [(one.code, one.severity) for one in evaluation.findings] == [("JW093", "error")]
    assert "more than 100 values" in evaluation.findings[0].message


def test_the_stored_object_counts_too() -> None:
    evaluator = Evaluator(SERVER, budget=Budget(values=100, findings=10))
    evaluation = evaluator.evaluate(Subject(job(1), old=job(200)))
    assert evaluation.unreadable == (TOO_LARGE,)


def test_validation_stops_after_the_errors_of_the_budget() -> None:
    value = job(0)
    value["spec"]["template"]["spec"]["volumes"] = [{"name": "="}] * 50  # type: ignore[index]
    evaluation = Evaluator(SERVER, lint=False, budget=Budget(values=1000, findings=10)).evaluate(
        Subject(value)
    )
    assert len(evaluation.findings) == 11
    assert evaluation.findings[-1].code == "JW022"
    assert evaluation.findings[-1].message == "stopped after 10 findings; fix them first"


def test_the_public_function_reports_an_object_that_is_too_large() -> None:
    assert [one.code for one in jobsworth.evaluate(job(600_000)).findings] == ["JW093"]
