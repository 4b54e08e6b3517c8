"""Laws of the engine, over every input."""

from __future__ import annotations

import contextlib
import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import jobsworth
from jobsworth.api.api_server import ApiServer
from jobsworth.api.batch.job import Job
from jobsworth.validation.engine import engine_for
from support.law_examples import number_of_examples
from support.random_objects.random_jobs import random_job

seeds = st.integers(min_value=0, max_value=2**48)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(st.text(), below, max_size=4),
    max_leaves=12,
)


@given(json_values)
def test_any_json_value_is_validated_or_is_of_an_unknown_kind(value: Any) -> None:
    expected = {dict: (jobsworth.UnknownKind,), list: (jobsworth.UnknownKind, TypeError)}
    with contextlib.suppress(*expected.get(type(value), (TypeError,))):
        jobsworth.validate(value)


@settings(max_examples=number_of_examples(20))
@given(seeds, json_values, st.data())
def test_any_json_value_anywhere_in_a_job_is_validated(seed: int, value: Any, data: Any) -> None:
    job = random_job(seed)
    place: Any = job
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        below = place[key]
        if not isinstance(below, dict | list) or not below or data.draw(st.booleans()):
            break
        place = below
    place[key] = value
    with contextlib.suppress(jobsworth.UnknownKind):
        jobsworth.validate(job)


@settings(max_examples=number_of_examples(20))
@given(seeds)
def test_validation_and_defaulting_leave_their_input_alone(seed: int) -> None:
    job = random_job(seed)
    before = copy.deepcopy(job)
    jobsworth.validate(job)
    _default(job)
    assert job == before


@settings(max_examples=number_of_examples(20))
@given(seeds, st.sampled_from(("1.25", "1.26", "1.36")))
def test_the_verdict_leaves_the_decoded_object_alone(seed: int, release: str) -> None:
    engine = engine_for(ApiServer(release))
    job = random_job(seed)
    decoded = engine.decode_object(job)
    if not decoded.is_valid:
        return
    before = copy.deepcopy((decoded.written, decoded.filled))
    created, updated = engine.verdict(decoded), engine.verdict(decoded, job)
    assert (decoded.written, decoded.filled) == before
    assert (created, updated) == (engine.verdict(decoded), engine.verdict(decoded, job))


@settings(max_examples=number_of_examples(20))
@given(seeds)
def test_defaulting_twice_is_defaulting_once(seed: int) -> None:
    once = _default(random_job(seed))
    if once is not None:
        assert jobsworth.default(once) == once


@settings(max_examples=number_of_examples(20))
@given(seeds)
def test_defaulting_makes_nothing_worse(seed: int) -> None:
    job = random_job(seed)
    defaulted = _default(job)
    if defaulted is not None:
        assert _errors(defaulted) <= _errors(job)


@settings(max_examples=number_of_examples(20))
@given(seeds)
def test_a_valid_job_may_be_updated_to_itself(seed: int) -> None:
    job = random_job(seed)
    if all(finding.severity != "error" for finding in jobsworth.validate(job)):
        updated = jobsworth.validate(job, old=job)
        assert [finding for finding in updated if finding.severity == "error"] == []


def _default(job: dict[str, Any]) -> dict[str, Any] | None:
    try:
        return jobsworth.default(job)
    except jobsworth.CannotDecode:
        return None


def _errors(job: dict[str, Any]) -> set[tuple[str, str, str]]:
    """Return the errors, without those that defaulting changes in the server too.

    An empty list is printed as null once it has been stored; labels that were taken from the template are
    the very same map while the server generates labels there, and a copy afterwards.
    """
    return {
        (finding.field, finding.reason, finding.message.rpartition(": ")[2])
        for finding in jobsworth.validate(job)
        if finding.severity == "error" and finding.field != "metadata.labels"
    }


@settings(max_examples=number_of_examples(20))
@given(seeds, st.sampled_from(["1.28", "1.33", "1.34", "1.36"]), st.booleans())
def test_the_job_of_a_cron_job_has_the_defaults_of_a_job_and_leaves_the_cron_job_alone(
    seed: int, release: str, ignores_disruptions: bool
) -> None:
    engine = engine_for(ApiServer(release))
    spec = random_job(seed).get("spec")
    if ignores_disruptions and isinstance(spec, dict):
        ignored = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
        spec["podFailurePolicy"] = {"rules": [ignored]}
    schedule = {"schedule": "0 3 * * *", "jobTemplate": {"spec": spec}}
    value = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {}, "spec": schedule}
    decoded = engine.decode_object(value)
    if not decoded.is_valid:
        return
    before = copy.deepcopy(decoded.filled)
    created = engine.created_job(decoded)
    assert decoded.filled == before
    alone = copy.deepcopy(before["spec"]["jobTemplate"]) | {"status": {}}
    engine.fill_in(Job, alone)
    assert created == alone
