"""The warnings of ``policy check`` for expressions that the declared types of Job and CronJob contradict."""

from __future__ import annotations

import pytest

from jobsworth.policy.cel.expressions import read
from jobsworth.policy.cel.job_types import type_problems
from jobsworth.policy.document import Expression
from jobsworth.policy.problems import Problems
from support.cli.command_runs import Command
from support.policy.policy_file_texts import POLICY


def problems(source: str, message: str | None = None) -> list[tuple[str, str]]:
    found = Problems(0)
    expression = Expression(expression=source, message_expression=message)
    expressions = read([expression], "spec.expressions", found)
    assert not found.found
    return list(type_problems(expressions, "spec.expressions"))


@pytest.mark.parametrize(
    ("source", "column", "problem"),
    [
        ("object.spec.paralelism <= 10", 12, "undefined field 'paralelism' (did you mean \"parallelism\"?)"),
        ("has(object.spec.paralelism)", 4, "undefined field 'paralelism' (did you mean \"parallelism\"?)"),
        ("object.metadata.?label['a'].orValue('') == ''", 16, "undefined field 'label' (did you mean \"labels\"?)"),
        ("object.spec.template.spec.containers.all(c, c.imag != '')", 46,
         "undefined field 'imag' (did you mean \"image\"?)"),
        ("cronJob == null || cronJob.spec.scedule != ''", 32,
         "undefined field 'scedule' (did you mean \"schedule\"?)"),
        ("oldObject == null || oldObject.spec.template.containers == []", 45, "undefined field 'containers'"),
        ("object.spec.parallelism <= '10'", 25,
         "found no matching overload for '_<=_' applied to '(int, string)' "
         "(convert the arguments: string(…), int(…), double(…))"),
        ("object.spec.ttlSecondsAfterFinished != null", 37,
         "found no matching overload for '_!=_' applied to '(int, null)' (an unset field is not null: use has(…))"),
    ],
)  # fmt: skip
def test_a_field_that_no_job_has_and_another_type_are_problems(
    source: str, column: int, problem: str
) -> None:
    assert problems(source) == [
        (
            "spec.expressions[0].expression",
            f"at line 1, column {column} of the expression: {problem}",
        )
    ]


@pytest.mark.parametrize(
    "source",
    [
        "object.spec.parallelism <= 10",
        "object.spec.parallelism <= 1.5",
        "object.metadata.labels['a'] == 'b' && object.metadata.annotations.anything == 'c'",
        "object.spec.template.spec.nodeSelector.pool == 'batch'",
        "oldObject == null || oldObject.spec.parallelism == object.spec.parallelism",
        "cronJob == null || cronJob.spec.schedule != ''",
        "object.spec.?ttlSecondsAfterFinished.orValue(null) == null",
        "(object.spec.template.spec.containers + object.spec.template.spec.?initContainers.orValue([]))"
        ".all(c, quantity(c.resources.limits['cpu']).isLessThan(quantity('2')))",
        "object.spec.template.spec.containers[0].resources.limits.memory > 5",
        "[object, object.spec, 1, 'a'].all(any, any.anything != '')",
    ],
)
def test_an_expression_that_may_have_a_value_has_no_problem(source: str) -> None:
    assert problems(source) == []


def test_a_message_expression_is_checked_too() -> None:
    ((field, problem),) = problems("true", "'Rename ' + object.metadata.nam")
    assert field == "spec.expressions[0].messageExpression"
    assert problem.endswith("undefined field 'nam' (did you mean \"name\"?)")


def test_policy_check_warns_with_the_place_in_the_file(command: Command) -> None:
    head = POLICY[: POLICY.index("spec:")]
    text = f"{head}spec:\n  expressions: [{{expression: object.spec.paralelism <= 10}}]\n"
    done = command("policy", "check", "policy.yaml", files={"policy.yaml": text})
    assert done.code == 0
    line = text.splitlines()[-1]
    place = f"policy.yaml:{text.count(chr(10))}:{line.index('object') + 1}"
    assert f"{place}: warning: spec.expressions[0].expression: at line 1, column 12" in done.out
