"""Cases of each feature of ValidatingAdmissionPolicy, for our reading and for kube-apiserver's plugin."""

from __future__ import annotations

from typing import Any, NamedTuple

from jobsworth.policy.request import PolicyRequest
from support.policy.admission_policy_objects import (
    CONFIG_MAPS,
    JOBS,
    binding,
    config_map,
    job,
    policy,
    request,
)

MANY = "object.spec.parallelism <= 2"
BROKEN = "object.spec.nothing == 1"
REQUESTS = (
    request(job(parallelism=3)),
    request(job({"team": "ml"}, suspend=True)),
    request(job(parallelism=3), old=job({"team": "ml"})),
    request(
        job({"exempt": "true"}, name="other", parallelism=9),
        user="system:admin",
        groups=("admins",),
    ),
)


class Case(NamedTuple):
    """Policies with their bindings and params, and the requests to answer.

    Attributes:
        objects: the policy is called ``small``.
        requests: as admission sees them.
    """

    objects: tuple[dict[str, Any], ...]
    requests: tuple[PolicyRequest, ...] = REQUESTS


def _of(*objects: Any) -> Case:
    return Case(objects if len(objects) > 1 else (*objects, binding()))


def _rules(**changed: Any) -> dict[str, Any]:
    return {"resourceRules": [{**JOBS, **changed}]}


LONG = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"
CASES: dict[str, Case] = {
    "a message": _of(policy({"expression": MANY, "message": "too many"})),
    "no message": _of(policy(f"  {MANY}  ")),
    "a message with space around it": _of(policy({"expression": MANY, "message": "  too many "})),
    "a message expression": _of(
        policy(
            {"expression": MANY, "messageExpression": "'not ' + string(object.spec.parallelism)"}
        )
    ),
    "a message expression that fails": _of(
        policy({"expression": MANY, "messageExpression": "'a' + object.spec.x", "message": "b"})
    ),
    "a message expression of two lines": _of(
        policy({"expression": MANY, "messageExpression": "'a\\nb'", "message": "c"})
    ),
    "a blank message expression": _of(
        policy({"expression": MANY, "messageExpression": "'  '", "message": "c"})
    ),
    "a message expression that is too long": _of(
        policy(
            {
                "expression": MANY,
                "messageExpression": f"{LONG}.map(i, {LONG}.map(j, {LONG}.map(k, 'abcdef').join('')).join('')).join('')",
                "message": "c",
            }
        )
    ),
    "several failures": _of(policy(MANY, "object.spec.suspend == true", "object.kind == 'X'")),
    "an error": _of(policy(BROKEN, MANY)),
    "an ignored error": _of(policy(BROKEN, MANY, failurePolicy="Ignore")),
    "a dynamic condition": _of(policy("object.spec.suspend")),
    "no such release": _of(policy("math.greatest(1, 2) == 2")),
    "a condition that does not compile": _of(policy("object.spec.")),
    "a variable": _of(
        policy(
            {
                "expression": "variables.n <= 2",
                "messageExpression": "'n is ' + string(variables.n)",
            },
            variables=[
                {"name": "spec", "expression": "object.spec"},
                {"name": "n", "expression": "variables.spec.parallelism"},
            ],
        )
    ),
    "a variable that fails": _of(
        policy(
            "variables.broken == 1",
            "true || variables.broken == 1",
            variables=[{"name": "broken", "expression": "1 / (object.spec.parallelism - 1)"}],
        )
    ),
    "an unused variable that fails": _of(
        policy(MANY, variables=[{"name": "broken", "expression": BROKEN}])
    ),
    "a match condition": _of(
        policy(
            "false",
            matchConditions=[
                {"name": "not-ml", "expression": "!('ml' in request.userInfo.groups)"}
            ],
        )
    ),
    "a match condition that fails": _of(
        policy("true", matchConditions=[{"name": "broken", "expression": BROKEN}])
    ),
    "a match condition that fails, ignored": _of(
        policy(
            "false",
            matchConditions=[{"name": "broken", "expression": BROKEN}],
            failurePolicy="Ignore",
        )
    ),
    "match conditions, one fails and one is false": _of(
        policy(
            "false",
            matchConditions=[
                {"name": "broken", "expression": BROKEN},
                {"name": "none", "expression": "false"},
            ],
        )
    ),
    "match conditions that fail": _of(
        policy(
            "true",
            matchConditions=[
                {"name": "one", "expression": BROKEN},
                {"name": "two", "expression": "object.spec.other == 1"},
            ],
        )
    ),
    "a match condition with a variable": _of(
        policy(
            "false",
            variables=[{"name": "n", "expression": "object.spec.parallelism"}],
            matchConditions=[{"name": "many", "expression": "variables.n > 2"}],
        )
    ),
    "a match condition about the namespace": _of(
        policy(
            "false",
            matchConditions=[
                {"name": "a", "expression": "namespaceObject.metadata.name == 'batch'"}
            ],
        )
    ),
    "the namespace": _of(
        policy(
            "namespaceObject.metadata.labels['tier'] == 'production'",
            "namespaceObject.metadata.name == 'batch'",
            "namespaceObject.metadata.labels['kubernetes.io/metadata.name'] == 'other'",
        )
    ),
    "other operations": _of(policy("false", match=_rules(operations=["DELETE"]))),
    "updates": _of(policy("false", match=_rules(operations=["UPDATE"]))),
    "all operations": _of(policy("false", match=_rules(operations=["*"]))),
    "other groups": _of(policy("false", match=_rules(apiGroups=["apps", ""]))),
    "all groups and versions": _of(
        policy("false", match=_rules(apiGroups=["*"], apiVersions=["*"]))
    ),
    "other versions": _of(policy("false", match=_rules(apiVersions=["v1beta1"]))),
    "other resources": _of(policy("false", match=_rules(resources=["cronjobs", "jobs/status"]))),
    "all resources": _of(policy("false", match=_rules(resources=["*"]))),
    "all subresources": _of(policy("false", match=_rules(resources=["*/*"]))),
    "the scope of a cluster": _of(policy("false", match=_rules(scope="Cluster"))),
    "the scope of namespaces": _of(policy("false", match=_rules(scope="Namespaced"))),
    "names of objects": _of(policy("false", match=_rules(resourceNames=["other", "x"]))),
    "excluded names": _of(
        policy(
            "false",
            match={**_rules(), "excludeResourceRules": [{**JOBS, "resourceNames": ["other"]}]},
        )
    ),
    "excluded updates": _of(
        policy(
            "false",
            match={**_rules(), "excludeResourceRules": [{**JOBS, "operations": ["UPDATE"]}]},
        )
    ),
    "labels of objects": _of(
        policy("false", match={"objectSelector": {"matchLabels": {"team": "ml"}}})
    ),
    "no labels of objects": _of(
        policy(
            "false",
            match={
                "objectSelector": {
                    "matchExpressions": [{"key": "exempt", "operator": "DoesNotExist"}]
                }
            },
        )
    ),
    "labels of namespaces": _of(
        policy("false", match={"namespaceSelector": {"matchLabels": {"tier": "research"}}})
    ),
    "other labels of namespaces": _of(
        policy(
            "false",
            match={
                "namespaceSelector": {
                    "matchExpressions": [
                        {"key": "tier", "operator": "NotIn", "values": ["research"]}
                    ]
                }
            },
        )
    ),
    "a binding for some namespaces": _of(
        policy("false"),
        binding(matchResources={"namespaceSelector": {"matchLabels": {"tier": "x"}}}),
    ),
    "a binding for some objects": _of(
        policy("false"),
        binding(matchResources={"objectSelector": {"matchLabels": {"team": "ml"}}}),
    ),
    "a binding for updates": _of(
        policy("false"),
        binding(matchResources={"resourceRules": [{**JOBS, "operations": ["UPDATE"]}]}),
    ),
    "two bindings": _of(policy("false"), binding("a"), binding("b", validationActions=["Warn"])),
    "warnings": _of(policy("false", MANY), binding(validationActions=["Warn"])),
    "a denial with a warning": _of(policy(MANY), binding(validationActions=["Deny", "Audit"])),
    "an audit": _of(policy("false"), binding(validationActions=["Audit"])),
    "params": _of(
        policy("object.spec.parallelism <= int(params.data.most)", paramKind=CONFIG_MAPS),
        binding(paramRef={"name": "limits", "parameterNotFoundAction": "Deny"}),
        config_map(most="2"),
    ),
    "params of a namespace": _of(
        policy("object.spec.parallelism <= int(params.data.most)", paramKind=CONFIG_MAPS),
        binding(
            paramRef={"name": "limits", "namespace": "house", "parameterNotFoundAction": "Deny"}
        ),
        config_map(namespace="house", most="1"),
        config_map(most="9"),
    ),
    "params that are selected": _of(
        policy(
            {
                "expression": "object.spec.parallelism <= int(params.data.most)",
                "messageExpression": "string(params.metadata.name)",
            },
            paramKind=CONFIG_MAPS,
        ),
        binding(
            paramRef={
                "selector": {"matchLabels": {"limits": "yes"}},
                "parameterNotFoundAction": "Deny",
            }
        ),
        config_map("one", labels={"limits": "yes"}, most="1"),
        config_map("two", most="0"),
    ),
    "missing params that deny": _of(
        policy("true", paramKind=CONFIG_MAPS),
        binding(paramRef={"name": "limits", "parameterNotFoundAction": "Deny"}),
    ),
    "missing params that deny, ignored": _of(
        policy("true", paramKind=CONFIG_MAPS, failurePolicy="Ignore"),
        binding(paramRef={"name": "limits", "parameterNotFoundAction": "Deny"}),
    ),
    "missing params that allow": _of(
        policy("false", paramKind=CONFIG_MAPS),
        binding(paramRef={"name": "limits", "parameterNotFoundAction": "Allow"}),
    ),
    "no reference to params": _of(
        policy("params == null", "params.data.most == '1'", paramKind=CONFIG_MAPS), binding()
    ),
    "params without a kind": _of(
        policy("object.spec.parallelism < 2"),
        binding(paramRef={"name": "limits", "parameterNotFoundAction": "Deny"}),
    ),
    "a namespace of params of a cluster": _of(
        policy("true", paramKind={"apiVersion": "v1", "kind": "Namespace"}),
        binding(paramRef={"name": "a", "namespace": "b", "parameterNotFoundAction": "Deny"}),
    ),
    "an audit annotation": _of(
        policy("true", auditAnnotations=[{"key": "a", "valueExpression": "string(object.kind)"}])
    ),
    "an audit annotation of another type": _of(
        policy("true", auditAnnotations=[{"key": "a", "valueExpression": "object.kind"}])
    ),
    "an audit annotation that fails": _of(
        policy(
            "true",
            auditAnnotations=[{"key": "a", "valueExpression": "'x' + object.spec.nothing"}],
        )
    ),
    "an old object": _of(
        policy("oldObject == null || object.spec.parallelism == oldObject.spec.parallelism")
    ),
    "the request": _of(
        policy(
            "request.operation == 'UPDATE'",
            "request.name == 'work'",
            "request.userInfo.username.startsWith('system:')",
            "has(request.userInfo.groups)",
            "request.kind.kind == 'Job' && request.resource.resource == 'jobs'",
            "request.requestKind.version == 'v1' && request.namespace == 'batch'",
            "request.dryRun == false && !has(request.subResource)",
            "has(object.status) && object.spec.template.spec.containers.all(c, has(c.resources))",
        )
    ),
    "two-variable macros and optionals": _of(
        policy(
            "object.spec.template.spec.containers.all(i, c, c.?resources.?limits.?cpu.hasValue())",
            "object.?metadata.labels[?'team'].orValue('') == 'ml'",
        )
    ),
    "a costly condition": _of(
        policy(f"{'.'.join([LONG] * 1)}.all(a, {LONG}.all(b, {LONG}.all(c, a + b + c >= 0)))")
    ),
}
"""Each feature, with objects and requests."""
