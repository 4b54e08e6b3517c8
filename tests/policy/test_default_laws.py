"""Laws of defaulting: it is done once, leaves what is valid valid, and its input as it is."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jobsworth.policy.defaults import ALWAYS, IF_SERVER_DEFAULT, IF_UNSET
from jobsworth.policy.mutation.immutable_fields import FIELDS
from jobsworth.policy.request import UPDATE
from jobsworth.validation.engine import engine_for
from support.law_examples import number_of_examples
from support.policy.kubectl_requests import WAYS, kubectl_request
from support.policy.policy_requests import SERVER, cron_job, document, job, policies

LIMITS = st.integers(0, 9)
CODES = st.lists(st.integers(1, 5), min_size=1, max_size=2, unique=True).map(sorted)
RULES = st.one_of(
    st.just({"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}),
    st.builds(
        lambda action, codes, name: {
            "action": action,
            "onExitCodes": {"operator": "In", "values": codes, **name},
        },
        st.sampled_from(["FailJob", "Count", "FailIndex"]),
        CODES,
        st.sampled_from([{}, {}, {"containerName": "main"}, {"containerName": "other"}]),
    ),
)
SOME_RULES = st.lists(RULES, min_size=1, max_size=3)
WHEN = st.sampled_from([IF_UNSET, IF_SERVER_DEFAULT, ALWAYS])


def _default(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        values.map(lambda value: {"value": value}),
        st.builds(lambda value, when: {"value": value, "when": when}, values, WHEN),
    )


PERCENTAGES = st.integers(0, 100).map(lambda number: f"{number}%")
REPLACEMENTS = st.sampled_from(["Failed", "TerminatingOrFailed"])
TEAMS = st.sampled_from(["red", "blue"])

SPECS = st.fixed_dictionaries(
    {},
    optional={
        "backoffLimit": st.sampled_from([0, 4, 6, 2**31 - 1]),
        "suspend": st.booleans(),
        "podReplacementPolicy": REPLACEMENTS,
        "podFailurePolicy": st.builds(lambda rules: {"rules": rules}, SOME_RULES),
        "ttlSecondsAfterFinished": LIMITS,
        "managedBy": st.just("example.com/theirs"),
    },
)
INDEXES = st.one_of(
    st.just({}),
    st.fixed_dictionaries(
        {
            "completionMode": st.just("Indexed"),
            "completions": st.sampled_from([1, 7, 50, 200_000]),
            "parallelism": st.sampled_from([1, 5]),
        },
        optional={"backoffLimitPerIndex": LIMITS},
    ),
)
PODS = st.sampled_from([{}, {}, {"restartPolicy": "OnFailure"}])
METADATA = st.fixed_dictionaries(
    {}, optional={"labels": st.fixed_dictionaries({}, optional={"team": TEAMS})}
)
JOBS = st.builds(
    lambda spec, indexes, pod, metadata: job(pod=pod, metadata=metadata, **spec, **indexes),
    SPECS,
    INDEXES,
    PODS,
    METADATA,
)
OBJECTS = st.one_of(JOBS, JOBS, JOBS.map(cron_job))

DEFAULTS = st.fixed_dictionaries(
    {"annotations": st.just({"example.com/policed": {"value": "yes"}})},
    optional={
        "backoffLimit": _default(LIMITS),
        "backoffLimitPerIndex": _default(LIMITS),
        "maxFailedIndexes": _default(st.one_of(LIMITS, PERCENTAGES)),
        "ttlSecondsAfterFinished": _default(LIMITS),
        "suspend": _default(st.booleans()),
        "managedBy": _default(st.just("example.com/ours")),
        "podReplacementPolicy": _default(REPLACEMENTS),
        "labels": st.fixed_dictionaries({"team": _default(TEAMS)}),
        "podFailurePolicy": st.fixed_dictionaries(
            {"rulesBefore": SOME_RULES},
            optional={
                "value": st.builds(lambda rules: {"rules": rules}, SOME_RULES),
                "when": WHEN,
                "rulesAfter": SOME_RULES,
            },
        ),
    },
)
MATCHES = st.sampled_from(
    [
        {},
        {},
        {"match": [{"objectSelector": {"matchLabels": {"team": "red"}}}]},
        {"exempt": [{"objectSelector": {"matchLabels": {"team": "blue"}}}]},
    ]
)
SPOKEN = st.builds(
    lambda specs: [
        document(f"p{number}", **match, defaults=defaults)
        for number, (match, defaults) in enumerate(specs)
    ],
    st.lists(st.tuples(MATCHES, DEFAULTS), min_size=1, max_size=3),
)


def errors(value: dict[str, Any]) -> set[tuple[str, str]]:
    found = engine_for(SERVER).validate(value)
    return {(one.field, one.message) for one in found if one.severity == "error"}


@settings(
    max_examples=number_of_examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
@given(value=OBJECTS, documents=SPOKEN, way=st.sampled_from(WAYS))
def test_defaults_are_filled_in_once_and_leave_the_object_valid_and_the_input_as_it_is(
    value: dict[str, Any], documents: list[dict[str, Any]], way: str
) -> None:
    held, request = policies(*documents), kubectl_request(value, way)
    before = copy.deepcopy(request.object)
    once = held.default(request, SERVER)
    assert request.object == before
    assert (once.object == before) == (not once.applied)
    if not errors(request.object):
        assert not errors(once.object)
    twice = held.default(replace(request, object=once.object), SERVER)
    assert twice.object == once.object
    assert twice.applied == ()
    # What the server fills in afterwards is there already.
    assert engine_for(SERVER).default(once.object) == once.object


@settings(
    max_examples=number_of_examples(20), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
@given(old=JOBS, new=SPECS, documents=SPOKEN)
def test_an_update_that_the_server_accepts_it_accepts_with_the_defaults(
    old: dict[str, Any], new: dict[str, Any], documents: list[dict[str, Any]]
) -> None:
    value = copy.deepcopy(old)
    value["spec"].update(new)
    engine = engine_for(SERVER)
    if any(finding.severity == "error" for finding in engine.validate(value, old)):
        return
    mutation = policies(*documents).default(kubectl_request(value, "file", old), SERVER)
    found = engine.validate(mutation.object, old)
    assert not [finding for finding in found if finding.severity == "error"]


@settings(
    max_examples=number_of_examples(20), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
@given(value=JOBS, before=SPOKEN, after=SPOKEN, way=st.sampled_from(WAYS[1:]))
def test_a_manifest_that_is_applied_again_changes_no_immutable_field_whatever_the_policies_are_by_now(
    value: dict[str, Any], before: list[dict[str, Any]], after: list[dict[str, Any]], way: str
) -> None:
    request = kubectl_request(value, way)
    stored = policies(*before).default(request, SERVER).object
    sent = {name: request.object["spec"][name] for name in value["spec"]}
    again = replace(
        request,
        operation=UPDATE,
        object={**stored, "spec": {**stored["spec"], **sent}},
        old=stored,
    )
    kept = policies(*after).default(again, SERVER).object["spec"]
    assert {name: kept.get(name) for name in FIELDS} == {
        name: stored["spec"].get(name) for name in FIELDS
    }
