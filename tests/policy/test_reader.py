"""Problems of documents: all reported at once, with their places and what would be right."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.policy.problems import BadPolicy
from jobsworth.policy.reader import exempts_all, read
from support.policy.policy_requests import document, policies, problems

MISTAKEN_FORMS = [
    (
        {"match": {"namespaces": ["ml-*"], "kinds": ["Job"]}},
        "spec.match: must be a list, but is a mapping "
        "(write it as the first item of a list, after a hyphen)",
    ),
    (
        {"exempt": {"users": ["ops"]}},
        "spec.exempt: must be a list, but is a mapping "
        "(write it as the first item of a list, after a hyphen)",
    ),
    (
        {"defaults": {"backoffLimit": 3}},
        "spec.defaults.backoffLimit: must be a mapping, but is 3 (write {value: 3})",
    ),
    (
        {"defaults": {"labels": {"team": "web"}}},
        'spec.defaults.labels[team]: must be a mapping, but is "web" (write {value: "web"})',
    ),
    (
        {"immutable": ["backoffLimit"]},
        'spec.immutable[0]: must be a mapping, but is "backoffLimit"',
    ),
    (
        {"limits": {"resources": {"requests": {"cpu": {"maximum": 0.5}}}}},
        "spec.limits.resources.requests[cpu].maximum: must be a whole number or a string, but is 0.5 "
        "(put it in quotes)",
    ),
]

UNSATISFIABLE: list[tuple[dict[str, Any], str]] = [
    (
        {"limits": {"labels": {"team": {"allowed": ["a", "b-*"], "denied": ["a", "b*"]}}}},
        "spec.limits.labels[team].allowed: every allowed value is denied (change allowed or denied)",
    ),
    (
        {"limits": {"managedBy": {"required": True, "denied": ["*"]}}},
        "spec.limits.managedBy.required: cannot be satisfied: every value is denied (narrow denied)",
    ),
    (
        {"limits": {"podFailurePolicy": {"required": True}, "pod": {"restartPolicy": {"allowed": ["OnFailure"]}}}},
        "spec.limits.podFailurePolicy.required: cannot be satisfied: the API server accepts a failure policy "
        "with restartPolicy Never only (add Never to pod.restartPolicy.allowed)",
    ),
    (
        {"limits": {"cronJob": {"timeZone": {"allowed": ["Europe/*", "Europe/Berln"]}}}},
        "spec.limits.cronJob.timeZone.allowed[1]: no CronJob can have it: unknown time zone Europe/Berln "
        '(did you mean "Europe/Berlin"?)',
    ),
    *(
        (
            {"match": [{"namespaces": ["web-[ab]?", pattern]}]},
            f'spec.match[0].namespaces[1]: matches no namespace: no name has the character "{character}" '
            "(use lower case letters, digits and hyphens, and * for any characters)",
        )
        for pattern, character in (("team_a", "_"), ("Team-*", "T"), ("^team-.*$", "^"))
    ),
]  # fmt: skip


SOUND = {"limits": {"backoffLimit": {"maximum": 5}}}


def whole(**parts: Any) -> dict[str, Any]:
    return {**document(**SOUND), **parts}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "must be a mapping (start with apiVersion: jobsworth.dev/v1alpha1 and kind: JobPolicy)"),
        ([], "must be a mapping (start with apiVersion: jobsworth.dev/v1alpha1 and kind: JobPolicy)"),
        (
            whole(apiVersion="jobsworth.dev/v1"),
            'apiVersion: unsupported value "jobsworth.dev/v1" (it must be jobsworth.dev/v1alpha1)',
        ),
        (whole(kind="Policy"), 'kind: unsupported value "Policy" (it must be JobPolicy)'),
        ({**document(**SOUND), "metadata": {}}, "metadata.name: must be set"),
        (
            whole(metadata={"name": "My policy"}),
            'metadata.name: "My policy" must be lower case letters, digits and hyphens, at most 63, '
            "that begin and end with a letter or digit",
        ),
        (
            whole(metadata={"name": "team\n"}),
            'metadata.name: "team\\n" must be lower case letters, digits and hyphens, at most 63, '
            "that begin and end with a letter or digit",
        ),
        (whole(metadata=None), "metadata: must be a mapping, but is empty"),
        (whole(spec={}), "spec: must not be empty (set a value or remove the field)"),
        (whole(spec=None), "spec: must be a mapping, but is empty"),
        (whole(limits={}), "limits: unknown field (this field belongs in spec)"),
    ],
)  # fmt: skip
def test_the_head_of_a_document(value: Any, expected: str) -> None:
    assert problems(value) == [expected]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (
            {"enforcment": "warn"},
            'spec.enforcment: unknown field (did you mean "enforcement"?)',
        ),
        ({"backoffLimit": {"maximum": 5}}, "spec.backoffLimit: unknown field (this field belongs in spec.defaults or spec.limits)"),
        (
            {"enforcement": "dney"},
            'spec.enforcement: unsupported value "dney" (did you mean "deny"?)',
        ),
        ({"priority": "1"}, 'spec.priority: must be a whole number, but "1" is a string (remove the quotes)'),
        ({"contact": 7}, "spec.contact: must be a string, but is 7 (put it in quotes)"),
        ({"message": ""}, "spec.message: must not be empty (set a value or remove the field)"),
        (
            {"message": "ask\n\x1b[31mus"},
            'spec.message: "ask\\n\\x1b[31mus" must be text without control characters '
            '(remove the character "\\x1b")',
        ),
        (
            {"limits": {"suspend": {"allowed": [True], "message": "a\x7f"}}},
            'spec.limits.suspend.message: "a\\x7f" must be text without control characters '
            '(remove the character "\\x7f")',
        ),
        (
            {"match": [{"namespaces": "ml-*"}]},
            "spec.match[0].namespaces: must be a list (write [ml-*])",
        ),
        (
            {"match": [{"namespace": ["ml-*"]}]},
            'spec.match[0].namespace: unknown field (did you mean "namespaces"?)',
        ),
        ({"match": [{"kinds": ["Pod"]}]}, 'spec.match[0].kinds[0]: unsupported value "Pod" (supported values: Job, CronJob)'),
        ({"match": [{"names": ["a", "a"]}]}, 'spec.match[0].names: "a" is listed twice (remove one of the two)'),
        ({"exempt": [{}]}, "spec.exempt[0]: must not be empty (set a value or remove the field)"),
        ({"exempt": []}, "spec.exempt: must not be empty (set a value or remove the field)"),
        (
            {"match": [{"objectSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}]},
            "spec.match[0].objectSelector.matchExpressions[0].values: Required value: must be specified "
            "when `operator` is 'In' or 'NotIn'",
        ),
        (
            {"match": [{"namespaceSelector": {"matchLabels": {"a b": "c"}}}]},
            "spec.match[0].namespaceSelector.matchLabels: Invalid value: \"a b\": name part must consist "
            "of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
            "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
            "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        ),
        (
            {"limits": {"restartPolicy": {"allowed": ["Never"]}}},
            "spec.limits.restartPolicy: unknown field (this field belongs in spec.limits.pod)",
        ),
        (
            {"limits": {"backofLimit": {"maximum": 5}}},
            'spec.limits.backofLimit: unknown field (did you mean "backoffLimit"?)',
        ),
        (
            {"limits": {"backoffLimit": 5}},
            "spec.limits.backoffLimit: must be a mapping, but is 5",
        ),
        (
            {"limits": {"backoffLimit": {"maximum": -1}}},
            "spec.limits.backoffLimit.maximum: -1 must be greater than or equal to 0",
        ),
        (
            {"limits": {"maxFailedIndexes": {"maximum": "110%"}}},
            'spec.limits.maxFailedIndexes.maximum: "110%" must be a whole number, or a percentage from '
            "0% to 100%",
        ),
        (
            {"limits": {"backoffLimit": {"minimum": 6, "maximum": 5}}},
            "spec.limits.backoffLimit.minimum: the minimum 6 is greater than the maximum 5 "
            "(lower the minimum or raise the maximum)",
        ),
        (
            {"limits": {"maxFailedIndexes": {"minimum": "20%", "maximum": "10%"}}},
            "spec.limits.maxFailedIndexes.minimum: the minimum 20% is greater than the maximum 10% "
            "(lower the minimum or raise the maximum)",
        ),
        (
            {"limits": {"backoffLimit": {"maximum": 5, "allowed": [0, 6]}}},
            "spec.limits.backoffLimit.allowed[1]: 6 is greater than the maximum 5 (change the value or the bound)",
        ),
        (
            {"limits": {"backoffLimit": {"required": True}}},
            "spec.limits.backoffLimit.required: has no effect: backoffLimit has a value in every object, "
            "because the API server sets or requires it "
            "(limit its value instead, with minimum, maximum or allowed)",
        ),
        (
            {"limits": {"suspend": {"forbidden": True}}},
            "spec.limits.suspend.forbidden: cannot be satisfied: suspend has a value in every object, "
            "because the API server sets or requires it "
            "(limit its value instead, with minimum, maximum or allowed)",
        ),
        (
            {"limits": {"managedBy": {"forbidden": True, "required": True}}},
            "spec.limits.managedBy.required: a field cannot be both required and forbidden "
            "(remove one of the two)",
        ),
        (
            {"limits": {"managedBy": {"required": False, "message": "x"}}},
            "spec.limits.managedBy: has no effect (set minimum, maximum, allowed or required)",
        ),
        (
            {"limits": {"resources": {"requests": {"cpu": {"required": False}}}}},
            "spec.limits.resources.requests[cpu]: has no effect (set maximum or required)",
        ),
        (
            {"limits": {"resources": {"limits": {"cpu": {"maximum": "-1"}}}}},
            "spec.limits.resources.limits[cpu].maximum: must not be negative (write 0 or more)",
        ),
        (
            {"limits": {"podReplacementPolicy": {"allowed": ["failed"]}}},
            'spec.limits.podReplacementPolicy.allowed[0]: unsupported value "failed" '
            '(did you mean "Failed"?)',
        ),
        (
            {"limits": {"podFailurePolicy": {"allowedActions": ["Ignore"], "failJobOnExitCodes": [1]}}},
            "spec.limits.podFailurePolicy.failJobOnExitCodes: no exit code can fail the Job: the action "
            "FailJob is not among allowedActions (add FailJob to allowedActions)",
        ),
        (
            {"limits": {"podFailurePolicy": {"allowedActions": ["Count"], "ignoreDisruptionsFirst": True}}},
            "spec.limits.podFailurePolicy.ignoreDisruptionsFirst: disruptions cannot be ignored: the "
            "action Ignore is not among allowedActions (add Ignore to allowedActions)",
        ),
        (
            {"limits": {"podFailurePolicy": {"minimumRules": 3, "maximumRules": 2}}},
            "spec.limits.podFailurePolicy.minimumRules: the minimum 3 is greater than the maximum 2 "
            "(lower the minimum or raise the maximum)",
        ),
        (
            {"limits": {"resources": {"requests": {"cpu": {"maximum": "64 cores"}}}}},
            "spec.limits.resources.requests[cpu].maximum: quantities must match the regular expression "
            "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$' (write a quantity, such as 500m, 64 or 1Gi)",
        ),
        (
            {"immutable": [{"field": "backofLimit"}]},
            'spec.immutable[0].field: unsupported value "backofLimit" (did you mean "backoffLimit"?)',
        ),
        *UNSATISFIABLE,
        *MISTAKEN_FORMS,
        (
            {"immutable": [5]},
            "spec.immutable[0]: must be a mapping, but is 5",
        ),
        (
            {"immutable": [{"unlessSuspended": "yes"}]},
            'spec.immutable[0].unlessSuspended: must be true or false, but is "yes"',
        ),
        (
            {"immutable": [{"unlessSuspended": True}]},
            "spec.immutable[0]: must name one field, label or annotation (set field, label or annotation)",
        ),
        (
            {"immutable": [{"field": "backoffLimit", "label": "team"}]},
            "spec.immutable[0]: names more than one field, label or annotation (write one entry for each)",
        ),
        (
            {"immutable": [{"field": "backoffLimit"}, {"field": "backoffLimit"}]},
            'spec.immutable[1]: "backoffLimit" is listed twice (remove one of the two)',
        ),
        (
            {"rules": {"JW101": "error"}},
            'spec.rules[JW101]: unsupported value "error" (supported values: deny, warn, off)',
        ),
        (
            {"rules": {"JW101": False}},
            'spec.rules[JW101]: unsupported value false (write "off" in quotes: without them, YAML reads false)',
        ),
        (
            {"defaults": {"backoffLimit": {"value": 3, "when": "ifUnst"}}},
            'spec.defaults.backoffLimit.when: unsupported value "ifUnst" (did you mean "ifUnset"?)',
        ),
        (
            {"defaults": {"backoffLimit": {"value": "3"}}},
            'spec.defaults.backoffLimit.value: must be a whole number, but "3" is a string (remove the quotes)',
        ),
        (
            {"match": [{"operations": ["CREATE"]}], "immutable": [{"field": "backoffLimit"}]},
            "spec.immutable: has no effect: match does not include updates (add UPDATE to match.operations)",
        ),
        (
            {"match": [{"kinds": ["Job"]}], "limits": {"cronJob": {"timeZone": {"required": True}}}},
            "spec.limits.cronJob: has no effect: match does not include CronJobs (add CronJob to match.kinds)",
        ),
        (
            {"match": [{"kinds": ["CronJob"]}], "immutable": [{"field": "podReplacementPolicy"}]},
            "spec.immutable[0].field: has no effect: match does not include Jobs, and podReplacementPolicy is immutable "
            "in Jobs only (add Job to match.kinds)",
        ),
        (
            {"match": [{"kinds": ["Job"]}], "immutable": [{"label": "team"}, {"field": "cronJob.timeZone"}]},
            "spec.immutable[1].field: has no effect: match does not include CronJobs, and cronJob.timeZone is immutable "
            "in CronJobs only (add CronJob to match.kinds)",
        ),
        (
            {"limits": {"activeDeadlineSeconds": {"maximum": "24h"}}},
            'spec.limits.activeDeadlineSeconds.maximum: must be a whole number, but is "24h" '
            '(write 86400, which is "24h" in seconds)',
        ),
        (
            {"limits": {"parallelism": {"maximum": "24h"}}},
            'spec.limits.parallelism.maximum: must be a whole number, but is "24h"',
        ),
        ({"expressions": [{"message": "x"}]}, "spec.expressions[0].expression: must be set"),
        (
            {"expressions": [{"expression": "size(object.spec.template.spec.containers)"}]},
            "spec.expressions[0].expression: at line 1, column 1 of the expression: must evaluate to bool but got int "
            "(write a condition that is true or false)",
        ),
        (
            {"expressions": [{"expression": "true", "messageExpression": "1 + 1"}]},
            "spec.expressions[0].messageExpression: at line 1, column 1 of the expression: must evaluate to string but "
            "got int (write string(…), or a text)",
        ),
    ],
)  # fmt: skip
def test_one_thing_that_is_wrong(spec: Any, expected: str) -> None:
    assert problems(**spec) == [expected]


@pytest.mark.parametrize(
    "spec",
    [
        {"exempt": [{"namespaces": ["*"]}]},
        {"exempt": [{"users": ["*"]}]},
        {"exempt": [{"kinds": ["CronJob", "Job"]}]},
        {"match": [{"kinds": ["CronJob"]}], "exempt": [{"kinds": ["CronJob"]}]},
        {
            "match": [{"namespaces": ["team-a", "team-b-*"], "users": ["x"]}, {"kinds": ["Job"]}],
            "exempt": [{"namespaces": ["team-*"]}, {"kinds": ["Job"]}],
        },
    ],
)
def test_an_exemption_of_all_that_matches_is_known_and_no_problem(spec: Any) -> None:
    assert problems(**{**SOUND, **spec}) == []
    assert exempts_all({"spec": spec})


@pytest.mark.parametrize(
    "spec",
    [
        {"exempt": [{"owners": ["*"]}]},
        {"exempt": [{"objectSelector": {"matchLabels": {"a": "b"}}}]},
        {"exempt": [{"kinds": ["Job"]}, {"kinds": ["CronJob"], "names": ["a*"]}]},
        {"match": [{"namespaces": ["team-*"]}], "exempt": [{"namespaces": ["team-?", "team-[ab]*"]}]},
        {"limits": {"labels": {"team": {"allowed": ["a*"], "denied": ["a?", "ab*"]}}}},
        {"limits": {"managedBy": {"denied": ["*"]}}},
    ],
)  # fmt: skip
def test_what_some_object_satisfies_is_not_a_problem(spec: Any) -> None:
    assert problems(**{**SOUND, **spec}) == []
    assert not exempts_all({"spec": spec})


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"limits": {"labels": {"Cost Center": {"required": True}}}}, "limits.labels[Cost Center]"),
        ({"limits": {"annotations": {"a/b/c": {"required": True}}}}, "limits.annotations[a/b/c]"),
        ({"immutable": [{"label": "Cost Center"}]}, "immutable[0].label"),
        ({"immutable": [{"annotation": "-"}]}, "immutable[0].annotation"),
    ],
)
def test_a_key_that_no_object_can_have(spec: Any, field: str) -> None:
    (problem,) = problems(**spec)
    assert problem.startswith(f"spec.{field}: no object can have this key: ")


def test_a_key_of_an_annotation_may_have_capitals_in_its_prefix() -> None:
    annotation = {"Example.com/Team": {"required": True}}
    assert problems(limits={"annotations": annotation}) == []


def test_an_expression_that_does_not_compile_says_where() -> None:
    (problem,) = problems(expressions=[{"expression": "object.spec.parallelism <= "}])
    assert problem.startswith("spec.expressions[0].expression: at line 1, column ")


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (
            {
                "defaults": {"backoffLimit": {"value": 9}},
                "limits": {"backoffLimit": {"maximum": 5}},
            },
            "spec.defaults.backoffLimit: the limits reject this default: "
            "Invalid value: 9: must be less than or equal to 5 (change the default or the limit)",
        ),
        (
            {
                "defaults": {"maxFailedIndexes": {"value": "20%"}},
                "limits": {"maxFailedIndexes": {"maximum": "10%"}},
            },
            "spec.defaults.maxFailedIndexes: the limits reject this default: Invalid value: 20: "
            "must be less than or equal to 10% of the 100 completions (change the default or the limit)",
        ),
        (
            {
                "defaults": {"maxFailedIndexes": {"value": "20%"}},
                "limits": {"maxFailedIndexes": {"maximum": 5}},
            },
            None,
        ),
        (
            {
                "defaults": {"labels": {"team": {"value": "web"}}},
                "limits": {"labels": {"team": {"allowed": ["ml-*"]}}},
            },
            "spec.defaults.labels[team]: the limits reject this default: Unsupported value: "
            '"web": supported values: "ml-*" (change the default or the limit)',
        ),
        (
            {
                "defaults": {
                    "podFailurePolicy": {
                        "rulesBefore": [
                            {"action": "Count", "onExitCodes": {"operator": "In", "values": [1]}}
                        ]
                    }
                },
                "limits": {"podFailurePolicy": {"allowedActions": ["FailJob"]}},
            },
            "spec.defaults.podFailurePolicy.rulesBefore[0].action: the limits reject this default: "
            '"Count" is not among the allowed actions FailJob (change the default or the limit)',
        ),
    ],
)
def test_a_default_that_the_limits_reject(spec: Any, expected: str | None) -> None:
    assert problems(**spec) == ([] if expected is None else [expected])


@pytest.mark.parametrize(
    ("other", "rejected"),
    [
        ({}, True),
        ({"enforcement": "warn"}, False),
        ({"match": [{"namespaces": ["web"]}]}, False),
        ({"exempt": [{"users": ["ops"]}]}, False),
    ],
)
def test_a_default_that_another_document_rejects_everywhere(other: Any, rejected: bool) -> None:
    giving = document("a", defaults={"backoffLimit": {"value": 9}})
    limiting = document("b", **SOUND, **other)
    assert bool(problems(giving, limiting)) == rejected
    if rejected:
        assert problems(giving, limiting)[0].startswith(
            "spec.defaults.backoffLimit: the limits of policy b reject this default: "
        )


def test_all_problems_of_all_documents_are_reported_at_once_with_the_number_of_the_document() -> (
    None
):
    with pytest.raises(BadPolicy) as caught:
        read(
            [
                document("a", enforcement="no", rules={"JW101": "deny", "JW999": "deny"}),
                document("b", **SOUND),
                document("a", limits={"backoffLimit": {"minimum": 3, "maximum": 1}}),
            ]
        )
    assert [(problem.document, problem.field) for problem in caught.value.problems] == [
        (0, "spec.enforcement"),
        (0, "spec.rules[JW999]"),
        (2, "spec.limits.backoffLimit.minimum"),
        (2, "metadata.name"),
    ]
    assert str(caught.value.problems[-1]) == (
        'metadata.name: "a" is already the name of document 1 (give each policy a unique name)'
    )
    assert "document 3: metadata.name" in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "fields"),
    [
        (
            {"expressions": [{"message": "x"}, {"expression": "1"}, {"messageExpression": "1"}, {"expression": "2"}]},
            [
                "expressions[0].expression",
                "expressions[2].expression",
                "expressions[1].expression",
                "expressions[2].messageExpression",
                "expressions[3].expression",
            ],
        ),
        (
            {"limits": {"resources": {"requests": {"cpu": {"maximum": 0.5}, "memory": {"maximum": "1 TB"}}}}},
            ["limits.resources.requests[cpu].maximum", "limits.resources.requests[memory].maximum"],
        ),
        (
            {
                "limits": {
                    "backoffLimit": {"maximum": -1},
                    "podReplacementPolicy": {"allowed": ["x"]},
                    "labels": {"a b": {"required": True}, "c": {"required": "yes"}},
                }
            },
            [
                "limits.backoffLimit.maximum",
                "limits.podReplacementPolicy.allowed[0]",
                "limits.labels[c].required",
                "limits.labels[a b]",
            ],
        ),
        ({"rules": {"JW101": "x", "no-tll": "deny"}}, ["rules[JW101]", "rules[no-tll]"]),
    ],
)  # fmt: skip
def test_a_field_that_violates_the_schema_hides_no_problem_beside_it(
    spec: Any, fields: list[str]
) -> None:
    found = [problem.partition(": ")[0] for problem in problems(**spec)]
    assert found == [f"spec.{field}" for field in fields]


def test_a_default_that_a_limit_rejects_is_reported_beside_the_problems_of_other_documents() -> (
    None
):
    own = {"defaults": {"backoffLimit": {"value": 3}}, "limits": {"backoffLimit": {"maximum": 2}}}
    documents = [document(name="a", **own), document(name="b", enforcement="strict")]
    with pytest.raises(BadPolicy) as caught:
        read(documents)
    assert [(one.document, one.field) for one in caught.value.problems] == [
        (0, "spec.defaults.backoffLimit"),
        (1, "spec.enforcement"),
    ]


def test_a_document_is_read_in_full() -> None:
    (policy,) = policies(
        description="d", message="m", contact="c", priority=7, enforcement="warn",
        onInternalError="allow", cronJobJobs="enforce", match=[{"kinds": ["Job"]}],
        exempt=[{"users": ["ops"]}], immutable=[{"field": "backoffLimit"}], rules={"JW201": "warn"},
        expressions=[{"expression": "true"}], defaults={"backoffLimit": {"value": 3}}, **SOUND,
    ).policies  # fmt: skip
    assert (policy.name, policy.description, policy.message, policy.contact) == (
        "house-rules", "d", "m", "c",
    )  # fmt: skip
    assert (policy.priority, policy.enforcement, policy.on_internal_error) == (7, "warn", "allow")
    assert (policy.cron_job_jobs, policy.guidance) == ("enforce", "m Contact: c")
    for part in ("defaults", "limits", "immutable", "rules", "expressions"):
        assert getattr(policy, part) is not None


def test_no_documents_are_a_set_that_says_nothing() -> None:
    assert read([]).policies == ()


HOSTILE = [0, "", [], {}, None, True, 1.5, {"a": None}, [None], "\ud800", {1: 2}, -(10**30)]


@pytest.mark.parametrize(
    "part",
    [
        "match", "exempt", "defaults", "limits", "immutable", "rules", "expressions", "priority",
        "enforcement", "message",
    ],
)  # fmt: skip
@pytest.mark.parametrize("value", HOSTILE, ids=repr)
def test_no_yaml_value_makes_the_reader_fail(part: str, value: Any) -> None:
    for spec in ({part: value}, {part: {"backoffLimit": value}}, {part: [value]}):
        problems(document(**spec))
    problems({**document(**SOUND), "metadata": value})
    problems(value)


def test_a_value_that_is_nested_deeply_is_a_problem_like_another() -> None:
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    assert problems(document(message=deep)) == ["spec.message: must be a string, but is a list"]


def test_problems_are_in_the_order_of_the_document() -> None:
    labels = dict.fromkeys("bdacfe", 7)
    found = problems(document(limits={"labels": labels}, description=""))
    fields = [problem.partition(": ")[0].rpartition(" ")[2] for problem in found]
    assert fields == [*(f"spec.limits.labels[{key}]" for key in labels), "spec.description"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"namespaces": ["a-*"]}, {"namespaces": ["b-*"]}),
        ({"namespaceSelector": {"matchLabels": {"team": "a"}}}, {"namespaces": ["b"]}),
        ({"objectSelector": {"matchLabels": {"team": "a"}}}, {"groups": ["b"]}),
        ({"kinds": ["Job"]}, {"kinds": ["CronJob"]}),
        ({"users": ["a"]}, {"owners": ["JobSet"]}),
    ],
)
def test_policies_of_teams_with_disjoint_matches_load_together(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    def team(name: str, match: dict[str, Any], most: int) -> dict[str, Any]:
        defaults = {"ttlSecondsAfterFinished": {"value": most}}
        limits = {"ttlSecondsAfterFinished": {"minimum": most, "maximum": most}}
        return document(name, match=[match], defaults=defaults, limits=limits)

    assert problems(team("p01", one, 60), team("p02", other, 600)) == []
