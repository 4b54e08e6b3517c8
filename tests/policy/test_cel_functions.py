"""Functions and macros that an expression of a policy may call; tests/recorded has all of Kubernetes'."""

from __future__ import annotations

import pytest

from jobsworth.policy.cel.programs import BadExpression, Program
from support.policy.policy_requests import job, policies, policy_findings

TIME = "timestamp('2026-03-04T05:06:07.008Z')"
CALLS = {
    "size": "size('abc') == 3",
    "contains": "'abc'.contains('b')",
    "startsWith": "'abc'.startsWith('a')",
    "endsWith": "'abc'.endsWith('c')",
    "matches": "'abc'.matches('a.c')",
    "int": "int('3') == 3",
    "uint": "uint('3') == 3u",
    "double": "double('1.5') == 1.5",
    "string": "string(3) == '3'",
    "bytes": "bytes('a') == b'a'",
    "timestamp": f"{TIME} < timestamp('2026-03-05T00:00:00Z')",
    "duration": "duration('1m') == duration('60s')",
    "type": "type(3) == int",
    "dyn": "dyn(3) == 3",
    "getFullYear": f"{TIME}.getFullYear() == 2026",
    "getMonth": f"{TIME}.getMonth() == 2",
    "getDate": f"{TIME}.getDate() == 4",
    "getDayOfMonth": f"{TIME}.getDayOfMonth() == 3",
    "getDayOfWeek": f"{TIME}.getDayOfWeek() == 3",
    "getDayOfYear": f"{TIME}.getDayOfYear() == 62",
    "getHours": f"{TIME}.getHours() == 5",
    "getMinutes": f"{TIME}.getMinutes() == 6",
    "getSeconds": f"{TIME}.getSeconds() == 7",
    "getMilliseconds": f"{TIME}.getMilliseconds() == 8",
    "has": "has(object.spec)",
    "all": "[1, 2].all(n, n > 0)",
    "exists": "[1, 2].exists(n, n > 1)",
    "exists_one": "[1, 2].exists_one(n, n > 1)",
    "map": "[1, 2].map(n, n + 1) == [2, 3]",
    "filter": "[1, 2].filter(n, n > 1) == [2]",
    "charAt": "'abc'.charAt(1) == 'b'",
    "indexOf": "'abcb'.indexOf('b') == 1",
    "lastIndexOf": "'abcb'.lastIndexOf('b') == 3",
    "substring": "'abc'.substring(1, 2) == 'b'",
    "split": "'a,b'.split(',') == ['a', 'b']",
    "lowerAscii": "'AbC'.lowerAscii() == 'abc'",
    "upperAscii": "'AbC'.upperAscii() == 'ABC'",
    "trim": "' a '.trim() == 'a'",
    "min": "[2, 1].min() == 1",
    "max": "[2, 1].max() == 2",
    "sum": "[2, 1].sum() == 3",
    "math.greatest": "math.greatest(1, 2) == 2",
    "math.least": "math.least(1, 2) == 1",
    "math.abs": "math.abs(-1) == 1",
    "math.ceil": "math.ceil(1.2) == 2.0",
    "math.floor": "math.floor(1.8) == 1.0",
    "math.round": "math.round(1.8) == 2.0",
    "sets.contains": "sets.contains([1, 2], [2])",
    "sets.equivalent": "sets.equivalent([1, 2], [2, 1])",
    "sets.intersects": "sets.intersects([1, 2], [2, 3])",
    "format": "'%s-%d'.format(['a', 1]) == 'a-1'",
    "join": "['a', 'b'].join('-') == 'a-b'",
    "replace": "'abc'.replace('b', 'x') == 'axc'",
}


@pytest.mark.parametrize("expression", CALLS.values(), ids=CALLS)
def test_calls(expression: str) -> None:
    held = policies(expressions=[{"expression": expression}])
    assert policy_findings(held, job()) == []
    negated = policies(expressions=[{"expression": f"!({expression})"}])
    assert len(policy_findings(negated, job())) == 1


HINTS = {
    "namespaceObject.metadata.name == 'a'": "policies cannot read the namespace: use match.namespaces "
    "or match.namespaceSelector",
    "params.limit == 3": "policies have no parameters: write the value into the expression",
    "authorizer.group('').resource('pods')": "policies cannot check permissions: use match.users and "
    "match.groups",
    "variables.a == 3": "policies have no variables: write the whole expression",
    "cel.bind(x, 3, x == 3)": "Kubernetes has no cel.bind: write the whole expression",
}


@pytest.mark.parametrize(("expression", "hint"), HINTS.items(), ids=HINTS)
def test_what_is_not_supported_has_an_alternative(expression: str, hint: str) -> None:
    with pytest.raises(BadExpression) as caught:
        Program(expression)
    assert caught.value.hint == hint
