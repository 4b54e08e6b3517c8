"""Laws of the defaults of Pod templates."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from jobsworth.policy.policy_set import PolicySet
from jobsworth.policy.problems import BadPolicy
from jobsworth.policy.reader import read
from jobsworth.policy.request import UPDATE
from jobsworth.validation.engine import engine_for
from support.law_examples import number_of_examples
from support.policy.kubectl_requests import WAYS, kubectl_request
from support.policy.pod_policies import POD_JOBS, POD_OBJECTS, WHEN, WHEN_OR_ALWAYS, pod_policies
from support.policy.policy_requests import SERVER

LAW = settings(
    max_examples=number_of_examples(20),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def loaded(documents: list[dict[str, Any]]) -> PolicySet:
    """The policies, if the API server accepts all of their defaults together."""
    try:
        return read(documents)
    except BadPolicy:
        assume(False)
        raise


def errors(value: dict[str, Any], old: dict[str, Any] | None = None) -> set[tuple[str, str]]:
    found = engine_for(SERVER).validate(value, old)
    return {(one.field, one.message) for one in found if one.severity == "error"}


def template_of(value: dict[str, Any]) -> Any:
    spec = value["spec"]
    return spec.get("jobTemplate", {"spec": spec})["spec"]["template"]


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The values in a template by their places; an item of a list has that of its name or its text."""
    if isinstance(value, dict) and value:
        for name, part in value.items():
            yield from leaves(part, (*path, name))
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for item in value:
            yield from leaves(item, (*path, item.get("name") or str(item)))
    else:
        yield path, value


@pytest.mark.slow
@LAW
@given(value=POD_OBJECTS, documents=pod_policies(WHEN_OR_ALWAYS), way=st.sampled_from(WAYS))
def test_they_are_set_once_leave_the_object_valid_and_their_input_as_it_is(
    value: dict[str, Any], documents: list[dict[str, Any]], way: str
) -> None:
    held, request = loaded(documents), kubectl_request(value, way)
    before = copy.deepcopy(request.object)
    once = held.default(request, SERVER)
    assert request.object == before
    assert (once.object == before) == (not once.applied)
    if not errors(request.object):
        assert not errors(once.object)
    twice = held.default(replace(request, object=once.object), SERVER)
    assert twice.object == once.object
    assert twice.applied == ()
    # What the server sets afterwards is set already.
    assert engine_for(SERVER).default(once.object) == once.object


@pytest.mark.slow
@LAW
@given(value=POD_OBJECTS, documents=pod_policies(WHEN), way=st.sampled_from(WAYS))
def test_what_the_author_wrote_stays_without_always(
    value: dict[str, Any], documents: list[dict[str, Any]], way: str
) -> None:
    request = kubectl_request(value, way)
    after = loaded(documents).default(request, SERVER).object
    kept = dict(leaves(template_of(after)))
    sent = dict(leaves(template_of(request.object)))
    for place, _ in leaves(template_of(value)):
        if place == ("spec", "terminationGracePeriodSeconds") and way == "create":
            continue  # a value of the client that equals the server's default cannot be told from it
        assert kept[place] == sent[place], place


@pytest.mark.slow
@LAW
@given(value=POD_JOBS, documents=pod_policies(WHEN_OR_ALWAYS), way=st.sampled_from(WAYS[1:]))
def test_a_manifest_that_is_applied_again_changes_nothing_in_the_pod_template(
    value: dict[str, Any], documents: list[dict[str, Any]], way: str
) -> None:
    held, request = loaded(documents), kubectl_request(value, way)
    assume(not errors(request.object))
    stored = held.default(request, SERVER).object
    for template in templates_sent_again(request.object, stored):
        again = replace(
            request,
            operation=UPDATE,
            object={**stored, "spec": {**stored["spec"], "template": template}},
            old=stored,
        )
        result = held.default(again, SERVER)
        assert result.object["spec"]["template"] == stored["spec"]["template"]
        assert not errors(result.object, stored)
        assert result.applied == ()


@pytest.mark.slow
@LAW
@given(
    value=POD_JOBS,
    documents=pod_policies(WHEN_OR_ALWAYS),
    later=st.just([]) | pod_policies(WHEN_OR_ALWAYS),
    way=st.sampled_from(WAYS[1:]),
)
def test_a_manifest_that_is_applied_again_three_times_changes_nothing_after_a_change_of_policies(
    value: dict[str, Any], documents: list[dict[str, Any]], later: list[dict[str, Any]], way: str
) -> None:
    before, after, request = loaded(documents), loaded(later), kubectl_request(value, way)
    assume(not errors(request.object))
    stored = before.default(request, SERVER).object
    for template in templates_sent_again(request.object, stored):
        held = stored
        for _ in range(3):
            # A client that replaces the Job also removes the annotations that it did not write.
            sent = {**request.object, "spec": {**held["spec"], "template": template}}
            result = after.default(
                replace(request, operation=UPDATE, object=sent, old=held), SERVER
            )
            assert result.object["spec"]["template"] == stored["spec"]["template"]
            assert not errors(result.object, held)
            held = result.object


def templates_sent_again(
    sent: dict[str, Any], stored: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The template of a client, whole, and merged into the stored one."""
    whole = sent["spec"]["template"]
    # Server-side apply and kubectl apply replace only what is one value for them.
    merged = copy.deepcopy(stored["spec"]["template"])
    for name in ("nodeSelector", "tolerations"):
        if name in whole["spec"]:
            merged["spec"][name] = whole["spec"][name]
    return whole, merged


@pytest.mark.slow
@LAW
@given(value=POD_JOBS, documents=pod_policies(WHEN_OR_ALWAYS))
def test_a_template_that_a_controller_owns_stays_as_it_is(
    value: dict[str, Any], documents: list[dict[str, Any]]
) -> None:
    value["metadata"]["ownerReferences"] = [
        {
            "apiVersion": "jobset.x-k8s.io/v1alpha2",
            "kind": "JobSet",
            "name": "s",
            "uid": "1",
            "controller": True,
        }
    ]
    request = kubectl_request(value, "create")
    result = loaded(documents).default(request, SERVER)
    assert result.object == request.object
    assert any("JobSet s" in reason for _, _, reason in result.skipped)
