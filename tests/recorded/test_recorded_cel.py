"""Each release's verdict on CEL expressions, and their values, as kube-apiserver's own engine has them."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest

from cluster.cel_expressions import CASES, VARIABLES
from kube_cel.compiling import Compiled, compile_expression
from kube_cel.evaluation import Composed
from kube_cel.refusals import Refused, place
from kube_cel.types import Type
from kube_cel.values import CelError
from support.cel.recorded_expressions import RecordedExpression, recorded_expressions
from support.cel.typed_values import comparable, typed

RECORDED = recorded_expressions()
RELEASES = [f"1.{minor}" for minor in range(30, 39)]
NEWEST = RELEASES[-1]

REPORTED = re.compile(r"ERROR: <input>:(\d+):(\d+): (.*)")


def compiled_variables(release: str) -> dict[str, Compiled]:
    found: dict[str, Compiled] = {}
    for each in VARIABLES:
        types = {name: compiled.type for name, compiled in found.items()}
        found[each["name"]] = compile_expression(
            each["expression"], release, params=True, variables=types
        )
    return found


VALUES = compiled_variables(NEWEST)


def types_for(expression: str) -> dict[str, Type]:
    if "variables" not in expression:
        return {}
    return {name: compiled.type for name, compiled in VALUES.items()}


def refusals(recorded: RecordedExpression, release: str) -> list[tuple[Any, str]]:
    """The reasons for which a release refuses an expression, each with its place."""
    source = recorded.expression
    try:
        compile_expression(
            source, release, returns=recorded.returns, params=True, variables=types_for(source)
        )
    except Refused as error:
        return [
            (None if each.at is None else place(source, each.at), each.message)
            for each in error.refusals
        ]
    return []


UNTIL: dict[str, tuple[str, ...]] = {
    "1.30": (
        "'%d'.format([3.0])", "'%s %s'.format(['a'])", "'a'.format(['b'])", "'%q'.format(['a'])", "'%d'.format(['a'])",
        "'%'.format([1])", "'%s'.format([quantity('1Gi')])", "'%s'.format([optional.of(1)])", "'%f'.format([1])",
        "'%s'.format(['a', 1])", "'%5d'.format([1])", "type(optional.of(1)) == optional_type",
    ),
    "1.32": (
        "[1, 2].first()", "[1, 2].last()", "[].first()", "[1].first().value()",
        "optional.unwrap([optional.of(1), optional.none()])", "[optional.of(1), optional.none()].unwrapOpt()",
    ),
    "1.36": (
        "object.spec.`template`", "object.metadata.labels.`example.com/team`",
        "has(object.metadata.labels.`example.com/team`)",
    ),
}  # fmt: skip
"""Expressions on which the binaries up to a release differ from the recording, whose program is newer.

Compared with k8s.io/apiserver 0.30.14, 0.31.14, 0.32.13, 0.33.13, 0.34.13, 0.35.10 and 0.36.6, each compiling with its own
libraries: all other verdicts are the recorded ones, but for ``optional.none().optMap(x, x + 1)``, whose type those of
1.30 and 1.31 cannot infer.
"""


def differs_in_binaries(expression: str, release: str) -> bool:
    """Return True if a binary of the release differs from the recording."""
    return any(
        expression in expressions and RELEASES.index(release) <= RELEASES.index(last)
        for last, expressions in UNTIL.items()
    )


def test_there_are_500_expressions_and_9_releases() -> None:
    assert len(RECORDED) >= 500
    assert {release for each in RECORDED for release in (*each.refused, *each.results)} == {
        *RELEASES
    }


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
def test_the_same_expressions_are_accepted(release: str) -> None:
    differing = [
        each.expression
        for each in RECORDED
        if bool(refusals(each, release)) != (release in each.refused)
        and not differs_in_binaries(each.expression, release)
    ]
    assert differing == []


@pytest.mark.parametrize("release", RELEASES)
def test_they_are_refused_in_the_same_words_at_the_same_place(release: str) -> None:
    """Except for texts that are no CEL: those of the server list the tokens of its grammar."""
    differing = []
    for each in RECORDED:
        text = each.refused.get(release, "")
        if not text or "Syntax error" in text or differs_in_binaries(each.expression, release):
            continue
        wanted = [((int(line), int(column)), what) for line, column, what in REPORTED.findall(text)]
        found = refusals(each, release)
        if text.startswith("program instantiation failed"):
            found = [(None, message) for _, message in found]
        if found != (wanted or [(None, text)]):
            differing.append((each.expression, found, text))
    assert differing == []


class LazyVariables(Composed):
    """The variables of :data:`VARIABLES` on one case."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names

    def field(self, name: str) -> Any:
        if name not in VALUES:
            raise CelError(f"no such key: {name}")
        try:
            return VALUES[name].value({**self.names, "variables": self})
        except CelError as error:
            raise CelError(f'composited variable "{name}" fails to evaluate: {error}') from None


def as_stored(value: Any) -> Any:
    """An object with what the API server's types always have: empty structs."""
    stored = copy.deepcopy(value)
    stored.setdefault("status", {})
    spec = stored["spec"]
    if stored["kind"] == "CronJob":
        spec["jobTemplate"].setdefault("metadata", {})
        spec = spec["jobTemplate"]["spec"]
    spec["template"].setdefault("metadata", {})
    for container in spec["template"]["spec"]["containers"]:
        container.setdefault("resources", {})
    return stored


def names_of(case: Any) -> dict[str, Any]:
    """The variables of a case."""
    value, old = case["object"], case.get("oldObject")
    namespace = value["metadata"]["namespace"]
    labels = case.get("namespaceObject", {}).get("metadata", {}).get("labels", {})
    kind = {"group": "batch", "version": "v1", "kind": value["kind"]}
    resource = {"group": "batch", "version": "v1", "resource": f"{value['kind'].lower()}s"}
    request = {
        "uid": "",
        "kind": kind,
        "resource": resource,
        "requestKind": kind,
        "requestResource": resource,
        "name": value["metadata"].get("name", ""),
        "namespace": namespace,
        "operation": "UPDATE" if old else "CREATE",
        "userInfo": case["userInfo"],
        "dryRun": case.get("dryRun", False),
        "options": case.get("options"),
        "object": None,
        "oldObject": None,
    }
    unset = [name for name, part in request.items() if part == "" and name != "uid"]
    for name in unset:
        del request[name]
    names = {
        "object": as_stored(value),
        "oldObject": as_stored(old) if old else None,
        "request": request,
        "params": case.get("params"),
        "namespaceObject": {
            "metadata": {
                "name": namespace,
                "labels": {**labels, "kubernetes.io/metadata.name": namespace},
            },
            "spec": {},
            "status": {},
        },
    }
    return {**names, "variables": LazyVariables(names)}


NAMED = {
    "variables": "the variable as a whole, which the server shows with its keys and values swapped",
}
"""Expressions whose value differs, and why."""


@pytest.mark.parametrize("release", RELEASES)
def test_where_binaries_differ_ours_is_their_verdict(release: str) -> None:
    for each in RECORDED:
        if differs_in_binaries(each.expression, release):
            assert bool(refusals(each, release)) != (release in each.refused)


def test_they_have_the_same_values_and_errors() -> None:
    differing = []
    for each in RECORDED:
        if NEWEST not in each.results or each.expression in NAMED:
            continue
        source = each.expression
        compiled = compile_expression(
            source, NEWEST, returns=each.returns, params=True, variables=types_for(source)
        )
        for case, wanted in zip(CASES, each.results[NEWEST], strict=False):
            try:
                found: dict[str, Any] = {"value": typed(compiled.value(names_of(case)))}
            except CelError as error:
                found = {"error": f"expression '{source}' resulted in error: {error}"}
            expected = {"value": comparable(wanted["value"])} if "value" in wanted else wanted
            if found != expected:
                differing.append((source, found, expected))
    assert differing == []


def test_no_value_depends_on_the_release() -> None:
    for each in RECORDED:
        assert len({repr(results) for results in each.results.values()}) <= 1
