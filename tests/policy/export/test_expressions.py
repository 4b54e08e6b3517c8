"""Expressions of policies, as the API server accepts them."""

from __future__ import annotations

import pytest

from jobsworth.policy.export.expressions import NotExpressible, of_expression


def test_the_stored_object_stands_for_the_variable_only() -> None:
    source = "object.spec.object == 'object' && [1].exists(o, object.spec.a == o)  // object"
    violated = of_expression({"expression": source}, "Job", 33).violated
    stored = "oldObject.spec.object == 'object' && [1].exists(o, oldObject.spec.a == o)  // object"
    assert f"({stored}\n) == false" in str(violated)
    for part in source.split("&&"):
        assert f"({part}\n) == true" in str(violated)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("math.greatest(1, 2) == 2", r"undeclared reference to 'math'.* \(write \[a, b\]\.max\(\)"),
        ("size([1, 'a']) == 2", "kube-apiserver 1.30 refuses the expression: "),
        ("[1].all(i, v, v > i)", "macros with two variables are in Kubernetes since 1.33"),
        ("[1].all(object, object > 0)", "a loop variable has the name object: rename it"),
    ],
)
def test_what_the_api_server_refuses_is_not_expressible(source: str, reason: str) -> None:
    with pytest.raises(NotExpressible, match=reason):
        of_expression({"expression": source}, "Job", 30)


def test_a_condition_of_unknown_type_is_compared() -> None:
    assert "(object.spec.suspend\n) == true" in str(
        of_expression({"expression": "object.spec.suspend"}, "Job", 30).violated
    )


def test_a_cron_job_is_replaced_by_the_job_that_it_creates() -> None:
    source = "object.spec.a == oldObject.spec.a && cronJob.spec.a == oldCronJob.spec.a"
    made = of_expression({"expression": source, "field": "spec.a"}, "CronJob", 30)
    new = "variables.job.spec.a == variables.oldJob.spec.a && object.spec.a == oldObject.spec.a"
    old = (
        "variables.oldJob.spec.a == variables.oldJob.spec.a && oldObject.spec.a == oldObject.spec.a"
    )
    for part in new.split("&&"):
        assert f"({part}\n) == true" in str(made.violated)
    assert f"({old}\n) == false" in str(made.violated)
    assert made.text.startswith('("spec.jobTemplate.spec.a: ')
    assert list(made.variables) == ["job", "oldJob"]


def test_a_job_has_no_cron_job() -> None:
    made = of_expression({"expression": "cronJob == null"}, "Job", 30)
    assert "(dyn(null) == null\n) == true" in str(made.violated)
    assert not made.variables
