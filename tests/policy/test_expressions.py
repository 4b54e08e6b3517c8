"""Expressions: their variables, their cost, and the errors of those that cannot be used."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.policy.cel.programs import BadExpression, CannotEvaluate, Program
from jobsworth.policy.enforcement import REQUEST_STEPS
from kube_cel.budget import MAX_STEPS, Steps
from kube_cel.refusals import place
from support.policy.policy_requests import (
    SERVER,
    cron_job,
    document,
    job,
    policies,
    policy_findings,
    problems,
    requested,
)

ENVIRONMENT = [{"name": f"E{number}", "value": "x"} for number in range(30)]


def message_of(expression: str, value: Any = None, old: Any = None, **more: Any) -> list[str]:
    held = policies(expressions=[{"expression": expression, **more}])
    return [
        text.partition(": ")[2] for text in policy_findings(held, value or job(parallelism=3), old)
    ]


@pytest.mark.parametrize(
    "expression",
    [
        "object.spec.parallelism == 3",
        "object.spec.backoffLimit == 6",  # the server's default
        "object.kind == 'Job' && object.apiVersion == 'batch/v1'",
        "object.metadata.name.startsWith('tr')",
        "!has(object.metadata.labels) || 'team' in object.metadata.labels",
        "has(object.spec.activeDeadlineSeconds) ? object.spec.activeDeadlineSeconds < 60 : true",
        "object.spec.template.spec.containers.all(c, c.image.contains(':'))",
        "object.spec.template.spec.containers.exists_one(c, c.name == 'main')",
        "object.spec.template.spec.containers.map(c, c.name) == ['main']",
        "object.spec.template.spec.containers.filter(c, has(c.command)).size() == 0",
        "object.spec['parallelism'] == 3",
        "object.metadata.namespace == 'default'",
        "oldObject == null",
        "request.operation == 'CREATE' && request.kind.kind == 'Job'",
        "request.resource.resource == 'jobs' && request.namespace == 'default'",
        "request.name == 'train' && !request.dryRun && request.operation == 'CREATE'",
        "type(object.spec.parallelism) == int && type(1u) == uint && type(1.5) == double",
        "type('a') == string && type(b'a') == bytes && type(true) == bool && type(null) == null_type",
        "type([1]) == list && type({'a': 1}) == map && type(int) == type",
        "string(object.spec.parallelism) == '3'",
        "bool('true')",
        "duration('90m') < duration('2h')",
        "timestamp('2026-01-31T09:00:00Z').getFullYear() == 2026",
        # The functions that Kubernetes adds.
        "quantity('1Gi') == quantity('1024Mi')",
        "quantity('1Gi').isGreaterThan(quantity('1G'))",
        "quantity('100m').isLessThan(quantity('1'))",
        "quantity('1').compareTo(quantity('1000m')) == 0",
        "quantity('1').add(quantity('500m')) == quantity('1500m')",
        "quantity('2').add(1).sub(2) == quantity('1')",
        "quantity('5').sub(quantity('7')).sign() == -1",
        "quantity('3k').isInteger() && quantity('3k').asInteger() == 3000",
        "!quantity('1500m').isInteger() && quantity('1500m').asApproximateFloat() == 1.5",
        "isQuantity('1Gi') && !isQuantity('1 GB')",
        "object.metadata.name.upperAscii() == 'TRAIN'",
        "'a-b'.split('-') == ['a', 'b'] && ['a', 'b'].join('+') == 'a+b'",
        "'abc'.substring(1) == 'bc' && 'abc'.indexOf('c') == 2 && 'abc'.charAt(0) == 'a'",
        "' a '.trim().replace('a', 'b') == 'b' && 'aba'.lastIndexOf('a') == 2",
        "'aba'.replace('a', 'c') == 'cbc' && 'aba'.replace('a', 'c', 1) == 'cba'",
        "'aba'.replace('a', 'c', -1) == 'cbc' && 'aba'.replace('a', 'c', 0) == 'aba'",
        "[1, 3, 2].max() == 3 && [1, 3, 2].min() == 1 && [1, 3, 2].sum() == 6",
        "[1, 2, 2].isSorted() && ![2, 1].isSorted()",
        "sets.contains([1, 2], [2]) && sets.intersects([1], [1, 2])",
        "math.greatest(1, 3) == 3 && math.least([2, 4]) == 2",
        "'%s has %d of %.1f%%'.format(['a', 3, 2.5]) == 'a has 3 of 2.5%'",
        "'%s'.format([[1, true, null]]) == '[1, true, null]'",
        "'%s'.format([{'a': [false]}]) == '{\"a\":[false]}'",
        "bool(true) && bool('1') && bool('T') && !bool('0') && !bool('f') && !bool('False')",
        "quantity('1500m').add(quantity('500m')).compareTo(quantity('2')) == 0",
        "quantity('1200k').isInteger() && !quantity('1050u').isInteger() && quantity('10m').sign() == 1",
    ],
)
def test_true_of_a_job(expression: str) -> None:
    assert message_of(expression) == []


def test_a_cron_job_is_described_as_one() -> None:
    expression = (
        "request.resource.resource == 'cronjobs' && request.kind.kind == 'CronJob'"
        " && request.subResource == '' && request.kind.group == 'batch' && request.kind.version == 'v1'"
    )
    assert message_of(expression, cron_job()) == []


def test_the_message_of_a_false_expression() -> None:
    assert message_of("object.spec.parallelism <= 2") == [
        "failed expression: object.spec.parallelism <= 2 [JP040]"
    ]


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"message": "too many"}, "too many [JP040]"),
        (
            {"message": "too many", "field": "spec.parallelism"},
            "spec.parallelism: too many [JP040]",
        ),
        (
            {
                "message": "too many",
                "messageExpression": "'%d Pods'.format([object.spec.parallelism])",
            },
            "3 Pods [JP040]",
        ),
        # As in the API server: a message that cannot be made, is empty or has several lines is left out.
        ({"message": "too many", "messageExpression": "object.nothing"}, "too many [JP040]"),
        ({"message": "too many", "messageExpression": "'  '"}, "too many [JP040]"),
        ({"message": "too many", "messageExpression": "'a\\nb'"}, "too many [JP040]"),
        (
            {"message": "too many", "messageExpression": "object.spec.parallelism"},
            "too many [JP040]",
        ),
    ],
)
def test_messages(parts: dict[str, str], expected: str) -> None:
    assert message_of("object.spec.parallelism <= 2", **parts) == [expected]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("object.spec.suspended == true", "no such key: suspended"),
        ("object.spec.parallelism", "the value must be true or false, not 3"),
        ("object.spec.parallelism / 0 == 1", "division by zero"),
        ("object.metadata.name + 1 == 'a'", "no such overload"),
        ("oldObject.spec.parallelism == 1", "no such key: spec"),
        ("quantity('many') == quantity('1')", "quantities must match the regular expression"),
        ("[1, dyn('a')].isSorted()", "no such overload"),
        ("quantity('1500m').asInteger() == 1", "cannot convert value to integer"),
        ("'a'.isGreaterThan('b')", "no such overload"),
        ("'%d of'.format([]) == ''", "index 0 out of range"),
        ("'%q'.format([1]) == ''", 'unrecognized formatting clause "q"'),
        ("'a'.matches('[')", "error parsing regexp: missing closing ]"),
        ("bool('maybe')", "type conversion error from 'string' to 'bool'"),
    ],
)
def test_an_expression_that_has_no_value_is_a_violation_of_its_own(
    expression: str, expected: str
) -> None:
    (reported,) = message_of(expression)
    assert reported.startswith(f"cannot evaluate {expression}: ")
    assert expected in reported
    assert reported.endswith("[JP041]")


@pytest.mark.parametrize(("on_error", "effect"), [("deny", "deny"), ("allow", "audit")])
def test_the_document_sets_the_effect_of_such_a_violation(on_error: str, effect: str) -> None:
    held = policies(onInternalError=on_error, expressions=[{"expression": "object.x.y == 1"}])
    (reported,) = policy_findings(held, job())
    assert reported.startswith(f"{effect}: cannot evaluate")


class TestUpdates:
    """On an update."""

    def test_old_and_new_can_be_compared(self) -> None:
        rule = "oldObject == null || object.spec.parallelism >= oldObject.spec.parallelism"
        old = job(parallelism=3, completions=9)
        assert message_of(rule, job(parallelism=4, completions=9), old) == []
        assert message_of(rule, job(parallelism=2, completions=9), old) != []

    def test_violations_of_the_stored_object_are_not_reported_again(self) -> None:
        rule = "object.spec.parallelism <= 2"
        old = job(parallelism=9, completions=9)
        assert message_of(rule, job(parallelism=9, completions=9, backoffLimit=1), old) == []

    def test_the_operation_is_known(self) -> None:
        old = job(backoffLimit=1)
        assert message_of("request.operation == 'UPDATE'", job(backoffLimit=2), old) == []


def test_the_user_is_known_where_the_server_sends_it() -> None:
    held = policies(
        expressions=[
            {
                "expression": "request.userInfo.username == 'alice' && 'ml' in request.userInfo.groups"
            }
        ]
    )
    assert not policy_findings(held, job(), user="alice", groups=("ml",))
    assert policy_findings(held, job(), user="bob")


@pytest.mark.parametrize(
    "expression",
    [
        "request.userInfo.username.startsWith('system:serviceaccount:ci:')",
        "!request.userInfo.groups.exists(g, g == 'contractors')",
        "request.userInfo.username == 'alice' || object.spec.x.y == 1",
    ],
)
def test_an_expression_that_depends_on_an_unknown_user_neither_denies_nor_passes(
    expression: str,
) -> None:
    # onInternalError decides about errors, and this is none.
    held = policies(onInternalError="allow", expressions=[{"expression": expression}])
    (reported,) = policy_findings(held, job())
    assert reported == (
        f"warn: cannot evaluate {expression}: it reads request.userInfo, and the user is not known [JP042] "
        "Run jobsworth policy explain with --user to evaluate it."
    )
    # The stored object of an update may be judged otherwise than the new one.
    assert len(policy_findings(held, job(backoffLimit=1), job())) == 1
    assert "[JP042]" not in "".join(policy_findings(held, job(), user=""))


def test_the_unknown_user_does_not_matter_where_another_part_decides() -> None:
    for rule, expected in (("'a' in request.userInfo.groups || true", []), ("false", ["JP040"])):
        held = policies(expressions=[{"expression": f"({rule}) && 1 == 1"}])
        found = held.evaluate(requested(job()), SERVER).findings
        assert [one.violation.code for one in found] == expected
    denied = policies(
        expressions=[
            {"expression": "request.userInfo.username == 'a' && object.spec.parallelism > 3"}
        ]
    )
    (reported,) = policy_findings(denied, job(parallelism=3))
    assert reported.startswith("deny: failed expression")


@pytest.mark.parametrize(
    ("expression", "place_reported", "message", "hint"),
    [
        ("object.spec.", (1, 13), "expecting IDENTIFIER", ""),
        ("object.x ==\n  &&", (2, 3), "", ""),
        ("true &&\n  objct.x", (2, 3), "unknown variable objct", 'did you mean "object"?'),
        (
            "object.x.lowerAsci()",
            (1, 10),
            "unknown function lowerAsci",
            'did you mean "lowerAscii"?',
        ),
        ("greatest(1, 2) == 2", (1, 1), "unknown function greatest", ""),
        ("math.largest(1, 2) == 2", (1, 6), "unknown function largest", ""),
        ("has(1)", (1, 5), "invalid argument to has() macro", ""),
        ("namespaceObject.x", (1, 1), "unknown variable namespaceObject", "match"),
        ("params.x", (1, 1), "unknown variable params", "write the value"),
        ("request.nope", (1, 8), "unknown field nope", ""),
        ("  // nothing", (1, 1), "the expression is empty", ""),
        (
            "(" * 200 + "true" + ")" * 200,
            (1, 52),
            "brackets are nested more than 50 levels deep",
            "",
        ),
    ],
)
def test_an_unusable_expression_stops_the_load_with_its_place(
    expression: str, place_reported: tuple[int, int], message: str, hint: str
) -> None:
    with pytest.raises(BadExpression) as raised:
        Program(expression)
    error = raised.value
    assert (error.line, error.column) == place_reported
    assert message in error.message
    assert hint in error.hint
    (problem,) = problems(expressions=[{"expression": expression}])
    where = f"spec.expressions[0].expression: at line {error.line}, column {error.column} "
    assert problem.startswith(where)


def test_an_expression_has_at_most_4096_characters() -> None:
    expression = "true" + " || true" * 600
    with pytest.raises(BadExpression, match="has 4804 characters; the maximum is 4096"):
        Program(expression)
    assert problems(expressions=[{"expression": expression}]) == [
        "spec.expressions[0].expression: must have at most 4096 characters, but has 4804"
    ]


def test_a_message_expression_is_read_at_the_load_too() -> None:
    found = problems(expressions=[{"expression": "true", "messageExpression": "x"}])
    assert found[0].startswith("spec.expressions[0].messageExpression: at line 1, column 1")


class TestCost:
    """The cost of evaluation."""

    @pytest.mark.slow
    def test_loops_over_what_a_user_may_send_are_bounded(self) -> None:
        rule = (
            "object.spec.template.spec.containers.all(c, c.env.all(a, c.env.all(b, a.name != ''"
            " || b.name != '')))"
        )
        few = job(pod={"containers": [{"name": "a", "image": "a", "env": ENVIRONMENT}]})
        assert message_of(rule, few) == []
        many = job(pod={"containers": [{"name": "a", "image": "a", "env": ENVIRONMENT * 20}]})
        (reported,) = message_of(rule, many)
        assert f"it takes more steps for this object than the maximum of {MAX_STEPS}" in reported

    @pytest.mark.slow
    def test_all_expressions_of_all_policies_are_bounded_together(self) -> None:
        """An API server waits ten seconds for a review, and may then ignore the webhook."""
        rules = [
            "object.spec.template.spec.containers.all(c, c.env.all(a, c.env.all(b, a.name != ''"
            f" || b.name != '{number}')))"
            for number in range(6)
        ]
        held = policies(
            document("first", expressions=[{"expression": each} for each in rules]),
            document("second", expressions=[{"expression": "object.metadata.name != 'train'"}]),
        )
        many = job(pod={"containers": [{"name": "a", "image": "a", "env": ENVIRONMENT * 20}]})
        found = policy_findings(held, many)
        alone, together = f"the maximum of {MAX_STEPS} ", f"the maximum of {REQUEST_STEPS} "
        assert [alone in each for each in found] == [True] * 3 + [False] * 4
        assert [together in each for each in found] == [False] * 3 + [True] * 4
        assert all(each.startswith("deny") for each in found)

    @pytest.mark.slow
    def test_an_expensive_update_is_not_compared_with_an_exhausted_budget(self) -> None:
        """A violation that the stored object has, too, is allowed: an exhausted budget must not be one."""
        loops = [
            "object.spec.template.spec.containers.all(c, c.env.all(a, c.env.all(b, a.name != ''"
            f" || b.name != '{number}')))"
            for number in range(3)
        ]
        held = policies(
            expressions=[{"expression": each} for each in [*loops, "!has(object.spec.suspend)"]]
        )
        env = {"name": "a", "image": "a", "env": ENVIRONMENT * 20}
        found = policy_findings(held, job(pod={"containers": [env]}, suspend=True), job())
        assert "suspend" in found[-1]
        assert "the maximum" in found[-1]

    def test_one_loop_over_a_long_list_is_not(self) -> None:
        long = [{"name": "x" * 60} for _ in range(20_000)]
        rule = "object.spec.template.spec.containers[0].env.all(e, e.name.size() < 99)"
        assert (
            message_of(rule, job(pod={"containers": [{"name": "a", "image": "a", "env": long}]}))
            == []
        )

    def test_nor_are_texts_beside_the_loops(self) -> None:
        long = job(metadata={"annotations": {"note": "x" * 200_000}})
        assert message_of("object.spec.template.spec.containers.all(c, c.name != '')", long) == []
        looped = "object.metadata.annotations.all(k, object.metadata.annotations.all(j, k == j))"
        assert message_of(looped, long) == []

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "expression",
        [
            "'aaaaaaaaaa'" + ".replace('a', 'aaaaaaaaaa')" * 9 + " != ''",
            "object.metadata.annotations.note.replace('x', object.metadata.annotations.note) != ''",
            "[object.metadata.annotations.note].map(x, [x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x].join('')).size() > 0",
            "[object.metadata.annotations.note]" + ".map(x, x + x + x + x)" * 40 + ".size() > 0",
            "object.metadata.annotations.note.split('')"
            ".all(x, object.metadata.annotations.note.split('').all(y, x == y))",
            "'%s%s%s%s'.format([[object.metadata.annotations.note], [object.metadata.annotations.note]]"
            ".map(x, [x, x, x, x, x, x, x, x, x])) != ''",
            "[{0}].all(x, [{0}].all(y, [{0}].all(z, z > 0)))".format(",".join("1" * 400)),
        ],
        ids=["replace", "of-user", "join", "concatenation", "split", "format", "literals"],
    )
    def test_an_expression_that_could_build_too_much_is_not_evaluated(
        self, expression: str
    ) -> None:
        long = job(metadata={"annotations": {"note": "x" * 250_000}})
        (found,) = message_of(expression, long)
        assert "the maximum" in found

    def test_an_expression_may_join_the_texts_of_a_list(self) -> None:
        rule = "object.spec.template.spec.containers[0].env.map(e, e.name + '=' + e.value).join(',') != ''"
        pod = {"containers": [{"name": "a", "image": "a", "env": ENVIRONMENT}]}
        assert message_of(rule, job(pod=pod)) == []

    def test_a_pattern_that_backtracks_elsewhere_does_not(self) -> None:
        long = job(metadata={"annotations": {"note": "a" * 50_000}})
        assert message_of("!object.metadata.annotations['note'].matches('^(a+)+$b')", long) == []


def test_one_set_serves_several_threads() -> None:
    held = policies(expressions=[{"expression": "object.metadata.name.lowerAscii() == 'train'"}])
    outcomes: list[list[str]] = []

    def ask() -> None:
        outcomes.extend(policy_findings(held, job()) for _ in range(20))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == [[]] * 80


@given(st.text(alphabet="ab.('\"\\r/]) \n[{,?:|&!-", max_size=40))
def test_every_text_is_compiled_or_rejected_with_its_place(source: str) -> None:
    try:
        Program(source)
        line, column = 1, 1
    except BadExpression as error:
        line, column = error.line, error.column
    assert 1 <= line <= source.count("\n") + 1
    assert column >= 1


@given(st.text(alphabet="ab\n", max_size=40), st.integers(0, 40))
def test_a_place_is_the_line_and_the_column_of_an_offset(source: str, offset: int) -> None:
    at = min(offset, len(source))
    line, column = place(source, at)
    assert len("\n".join(source.split("\n")[: line - 1])) + (line > 1) + column - 1 == at


def test_policies_are_compiled_once_and_kept_apart() -> None:
    held = policies(
        document("a", expressions=[{"expression": "object.spec.parallelism < 3"}]),
        document("b", expressions=[{"expression": "object.spec.backoffLimit < 3"}]),
    )
    found = held.evaluate(requested(job(parallelism=3)), SERVER)
    assert [verdict.policy for verdict in found.findings] == ["a", "b"]


@pytest.mark.parametrize(
    ("source", "container", "key", "dot_or_bracket"),
    [
        ("object.spec.a.b", {}, "a", 11),
        ("object.spec['a']", {}, "a", 11),
        ("[object].all(o, o.spec.a)", {}, "a", 22),
        ("cronJob.spec", None, "spec", 7),
    ],
)
def test_a_missing_part_is_known_with_its_place(
    source: str, container: object, key: str, dot_or_bracket: int
) -> None:
    with pytest.raises(CannotEvaluate) as caught:
        Program(source).value({"object": {"spec": {}}, "cronJob": None}, Steps(MAX_STEPS))
    missing = caught.value.missing
    assert missing is not None
    assert (missing.container, missing.key, missing.at) == (container, key, dot_or_bracket)
    assert str(missing) == f"no such key: {key}"
