"""The schema for editors refuses nothing that the server accepts, completes no unset values, and explains itself."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
import yaml

import jobsworth
from jobsworth.api.api_server import RELEASES, ApiServer
from jobsworth.api.descriptions import field_descriptions
from jobsworth.kinds.job_set_children import children
from jobsworth.policy.case_document import case_schema
from jobsworth.policy.document import schema
from jobsworth.runs.simulation.scenario_document import scenario_schema
from jobsworth.validation.editor_schema import editor_schema, schema_text
from jobsworth.validation.job_sets import verdict
from support.api_server.job_set_answers import read_job_set_cases
from support.api_server.oracle_cases import CATEGORIES, cases
from support.law_examples import some_of
from support.random_objects.random_edits import paths
from support.random_objects.random_jobs import random_job

ROOT = Path(__file__).parent.parent.parent
MAX_BYTES = 415_000
MESSAGES = ("errorMessage", "patternErrorMessage")
JOB = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "a"},
    "spec": {
        "template": {
            "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "a:1"}]}
        }
    },
}


def shipped(release: str) -> Any:
    return json.loads((ROOT / f"schemas/v{release}/all.json").read_text(encoding="utf-8"))


@cache
def validator(release: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(shipped(release))


def refused(manifest: Any, release: str = "1.36") -> list[str]:
    """Return the places and the messages of a manifest's errors."""
    errors = validator(release).iter_errors(manifest)
    return [f"{'.'.join(map(str, error.instance_path))}: {error.message}" for error in errors]


def is_accepted(manifest: Any, release: str = "1.36") -> bool:
    found = jobsworth.validate(manifest, kubernetes_version=release)
    return all(finding.severity != "error" for finding in found)


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
def test_the_shipped_schema_is_fresh_well_formed_and_of_bounded_size(release: str) -> None:
    path = ROOT / f"schemas/v{release}/all.json"
    fresh = schema_text(
        editor_schema(
            ApiServer(release), field_descriptions(), [schema(), case_schema(), scenario_schema()]
        )
    )
    assert path.read_text(encoding="utf-8") == fresh, "run: jobsworth schema --directory schemas"
    jsonschema_rs.meta.validate(shipped(release))
    assert path.stat().st_size < MAX_BYTES


@pytest.mark.slow
@pytest.mark.parametrize("part", some_of(range(5), every=5))
def test_no_generated_object_is_refused_that_the_engine_accepts(part: int) -> None:
    accepted = 0
    for seed in range(part * 1000, part * 1000 + 1000):
        manifest, release = random_job(seed), RELEASES[seed % len(RELEASES)]
        if is_accepted(manifest, release):
            accepted += 1
            assert refused(manifest, release) == [], (seed, release)
    assert accepted > 100


@pytest.mark.slow
@pytest.mark.parametrize("part", some_of(range(5), every=5))
def test_an_unset_value_is_refused_only_if_the_engine_refuses_it(part: int) -> None:
    """Null, and "" where a string is: the editor does not offer them, and leaves them alone."""
    accepted = 0
    for seed in range(part * 1000, part * 1000 + 1000):
        manifest, release = random_job(seed), RELEASES[seed % len(RELEASES)]
        unset_one_value(manifest, random.Random(seed))
        if is_accepted(manifest, release):
            accepted += 1
            assert refused(manifest, release) == [], (seed, release)
    assert accepted > 10


def unset_one_value(manifest: dict[str, Any], rng: random.Random) -> None:
    holders = [part for _, part in paths(manifest) if isinstance(part, dict) and part]
    holder = rng.choice(holders)
    name = rng.choice(list(holder))
    holder[name] = "" if isinstance(holder[name], str) and rng.random() < 0.5 else None


@pytest.mark.slow
def test_no_recorded_object_is_refused_that_the_server_accepted() -> None:
    wrongly = {
        case["id"]: errors
        for category in CATEGORIES
        for case in cases(category)
        if case["code"] == 201 and category != "update" and (errors := refused(case["object"]))
    }
    assert wrongly == {}


@pytest.mark.slow
def test_no_recorded_job_set_is_refused_that_the_server_accepted_with_its_jobs() -> None:
    wrongly, accepted = {}, 0
    for case in read_job_set_cases():
        created = case.old is None and case.answer.code == 201 and case.created is not None
        if created and has_sound_jobs(case.object):
            accepted += 1
            if errors := refused(case.object):
                wrongly[case.id] = errors
    assert wrongly == {}
    assert accepted > 20


def has_sound_jobs(job_set: dict[str, Any], release: str = "1.36") -> bool:
    """Return True if the server accepts the Jobs, of which not all were created if one depends on another."""
    defaulted = verdict(job_set).defaulted
    assert defaulted is not None
    return all(is_accepted(child.value, release) for child in children(defaulted))


def job_set_of(job: dict[str, Any]) -> dict[str, Any]:
    replicated = {"name": "workers", "template": {"spec": job["spec"]}}
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "a"},
        "spec": {"replicatedJobs": [replicated]},
    }


@pytest.mark.slow
@pytest.mark.parametrize("part", some_of(range(5), every=5))
def test_no_generated_job_set_is_refused_that_the_engine_accepts_with_its_jobs(part: int) -> None:
    accepted = 0
    for seed in range(part * 600, part * 600 + 600):
        job, release = random_job(seed), RELEASES[seed % len(RELEASES)]
        if job["kind"] == "Job":
            job_set = job_set_of(job)
            found = verdict(job_set).findings
            errors = any(each.severity == "error" for each in found)
            if not errors and has_sound_jobs(job_set, release):
                accepted += 1
                assert refused(job_set, release) == [], (seed, release)
    assert accepted > 50


@pytest.mark.parametrize(
    "pod",
    [
        {"subdomain": "-overwritten-"},
        {
            "containers": [
                {"name": "main", "image": "a:1", "lifecycle": {"stopSignal": "of-an-off-gate"}}
            ]
        },
    ],
)
def test_a_job_set_may_have_values_that_no_server_validates(pod: dict[str, Any]) -> None:
    job = deepcopy(JOB)
    job["spec"]["template"]["spec"] |= pod  # type: ignore[index]
    assert has_sound_jobs(job_set_of(job))
    assert refused(job_set_of(job)) == []


@pytest.mark.slow
def test_no_list_of_accepted_objects_is_refused() -> None:
    """Other kinds, Lists in it and null pass, too."""
    others: list[Any] = [{"apiVersion": "v1", "kind": "Pod", "spec": 5}, None, []]
    for release in RELEASES:
        jobs = [job for job in map(random_job, range(100)) if is_accepted(job, release)]
        assert len(jobs) > 10
        inner = {"apiVersion": "v1", "kind": "List", "items": jobs[:3]}
        assert refused({**inner, "items": [*jobs, *others, inner]}, release) == [], release


def schemas_in(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, dict):
        yield part
        for below in part.values():
            yield from schemas_in(below)
    elif isinstance(part, list):
        for below in part:
            yield from schemas_in(below)


def test_an_editor_is_offered_no_unset_value() -> None:
    for name, definition in shipped("1.36")["$defs"].items():
        for part in schemas_in(definition):
            if name in ("JobPolicy", "JobPolicyTest", "JobScenario") or "errorMessage" in part.get(
                "else", {}
            ):
                continue
            assert {None, ""}.isdisjoint(part.get("enum", [])), name
            if isinstance(part.get("type"), list) and "errorMessage" not in part:
                assert "null" not in part["type"], name


@pytest.mark.parametrize("kind", ["Job", "JobSet"])
def test_an_editor_is_offered_the_restart_policies_of_jobs(kind: str) -> None:
    definitions = shipped("1.36")["$defs"]
    pod = definitions["PodSpec" if kind == "Job" else "JobSet.PodSpec"]
    enums = [
        part["enum"] for part in schemas_in(pod["properties"]["restartPolicy"]) if "enum" in part
    ]
    condition = json.dumps(definitions["JobSpec"]["allOf"][0])
    assert (enums == []) is (kind == "Job")
    assert all(listed == ["OnFailure", "Never"] for listed in enums)
    assert '"enum": ["OnFailure", "Never"]' in condition


@pytest.mark.parametrize(
    "manifest",
    [
        {"apiVersion": "v1", "kind": "Service", "spec": {"anything": [1]}},
        {"apiVersion": "batch/v1beta1", "kind": "CronJob"},
        {"kind": "Job"},
        None,
        [],
        "text",
        {"apiVersion": "v1", "kind": "List", "items": [{"kind": "ConfigMap"}, None]},
    ],
)
def test_other_documents_pass(manifest: Any) -> None:
    assert refused(manifest) == []


def test_the_items_of_a_list_are_checked() -> None:
    job = {**JOB, "spec": {**JOB["spec"], "completionMode": "Indexd"}}  # type: ignore[dict-item]
    assert refused({"apiVersion": "v1", "kind": "List", "items": [JOB]}) == []
    assert refused({"apiVersion": "v1", "kind": "List", "items": [JOB, job]}) != []


@pytest.mark.parametrize("path", sorted((ROOT / "policies").rglob("*.yaml")), ids=lambda p: p.name)
def test_the_policies_that_are_shipped_pass(path: Path) -> None:
    for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
        assert refused(document) == []


@pytest.mark.parametrize(
    "path", sorted((ROOT / "examples/scenarios").glob("*.yaml")), ids=lambda p: p.name
)
def test_the_scenarios_that_are_shown_pass(path: Path) -> None:
    for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
        assert refused(document) == []


CAUGHT = {
    "cronjob-name-too-long": "",
    "cronjob-sunday-is-zero": "day of the week: expected *, numbers from 0 (Sunday) to 6",
    "cronjob-time-zone-in-schedule": "cannot use TZ or CRON_TZ in schedule, use timeZone field instead",
    "cronjob-weekdays-backwards": "ranges from low to high",
    "exit-code-zero": "must not be 0 for the In operator",
    "fail-index-without-limit-per-index": "requires the backoffLimitPerIndex to be set",
    "failure-policy-with-on-failure": 'only "Never" is supported when podFailurePolicy is specified',
    "indexed-name-with-dots": "will not able to create pod with invalid DNS label",
    "indexed-without-completions": "completions: Required value: when completion mode is Indexed",
    "max-failed-indexes-alone": "Required value: when maxFailedIndexes is specified",
    "replacement-before-failure": 'supported values: "Failed"',
    "rule-with-exit-codes-and-conditions": "specifying both OnExitCodes and OnPodConditions is not supported",
    "selector-without-manual-selector": "`selector` not auto-generated",
}
"""The examples of mistakes that the schema catches, and words of the `errorMessage` that applies."""


@pytest.mark.parametrize(
    "path", sorted((ROOT / "examples/invalid").glob("*.yaml")), ids=lambda p: p.stem
)
def test_the_mistakes_that_a_schema_can_express_are_caught(path: Path) -> None:
    manifest = yaml.safe_load(path.read_text(encoding="utf-8"))
    errors = list(jsonschema.Draft202012Validator(shipped("1.36")).iter_errors(manifest))
    assert bool(errors) is (path.stem in CAUGHT)
    assert CAUGHT.get(path.stem, "") in "".join(messages(errors))


def messages(errors: Iterable[jsonschema.ValidationError]) -> Iterator[str]:
    """Yield what an editor shows for errors, and for those below them."""
    for error in errors:
        if isinstance(error.schema, dict):
            yield from (error.schema[key] for key in MESSAGES if key in error.schema)
        yield from messages(error.context or ())
