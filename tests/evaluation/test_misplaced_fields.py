"""Unknown fields: a fix keeps the author's meaning, and a hint names a place only where the name has one meaning."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.api.batch.cron_job import CronJob
from jobsworth.api.declared_types import structs_below
from jobsworth.api.kinds import Job
from jobsworth.evaluation.fixes.api_fixes import with_fixes
from jobsworth.evaluation.fixes.misplaced_fields import fix_unknown_field
from jobsworth.findings.edits import at, edited, locate
from jobsworth.findings.fix import Edit, Fix
from jobsworth.validation.engine import engine_for
from jobsworth.validation.suggestions import GENERIC_NAMES, TYPE_FIELDS
from support.evaluation.mistakes import JOB

SERVER = ApiServer("1.36")
POD = "spec.template.spec"
MAIN = f"{POD}.containers[0]"
RULE = "spec.podFailurePolicy.rules[0]"


def with_field(path: str, value: Any, *, without: str = "") -> dict[str, Any]:
    changed = edited(copy.deepcopy(JOB), Edit("set", path, value))
    return edited(changed, Edit("delete", without)) if without else changed


def hint(path: str, value: Any, **parts: Any) -> str:
    found = engine_for(SERVER).validate(with_field(path, value, **parts))
    (unknown,) = [each for each in found if each.field == path]
    return unknown.hint


def fix(path: str, value: Any, **parts: Any) -> Fix | None:
    changed = with_field(path, value, **parts)
    found = with_fixes(engine_for(SERVER).validate(changed), changed, SERVER, lambda _: None)
    (unknown,) = [each for each in found if each.field == path]
    return unknown.fix


def test_the_name_of_a_container_in_a_rule_of_exit_codes_is_not_deleted() -> None:
    """Without it, the rule matches the exit codes of every container, also of an injected sidecar."""
    path = f"{RULE}.onExitCodes.name"
    found = fix(path, "main", without=f"{RULE}.onExitCodes.containerName")
    assert found == Fix(
        "Rename it to containerName", Edit("rename", path, "containerName"), safe=False
    )
    assert hint(path, "main") == 'did you mean "containerName"?'


@pytest.mark.parametrize("name", sorted(GENERIC_NAMES - {"name"}))
@pytest.mark.parametrize("holder", ["spec", "spec.template", POD, "spec.podFailurePolicy"])
def test_a_generic_word_is_neither_moved_nor_hinted_to_another_place(
    holder: str, name: str
) -> None:
    assert "belongs in" not in hint(f"{holder}.{name}", "x")
    found = fix(f"{holder}.{name}", "x")
    assert found is None or found.edits[0].action == "rename"


@pytest.mark.parametrize("holder", ["spec", RULE, "spec.podFailurePolicy", f"{MAIN}.resources"])
def test_a_name_in_another_place_gets_no_hint_to_a_container(holder: str) -> None:
    assert hint(f"{holder}.name", "nightly") == ""
    assert fix(f"{holder}.name", "nightly") is None


def test_the_only_object_below_that_has_a_generic_word_is_named() -> None:
    assert hint(f"{RULE}.operator", "In") == (
        "this field belongs in spec.podFailurePolicy.rules[].onExitCodes"
    )
    assert hint("spec.template.spec.containers[0].type", "x") == ""


def test_the_names_that_many_types_have_are_generic() -> None:
    holders: dict[str, set[str]] = {}
    for struct in structs_below(CronJob):
        for name in struct.fields:
            of = struct.name.replace("Init", "").replace("Ephemeral", "")
            holders.setdefault(name, set()).add(of)
    many = {name for name, structs in holders.items() if len(structs) >= 4}
    assert many - {"spec", "metadata", *TYPE_FIELDS} <= GENERIC_NAMES


def test_a_name_beside_the_object_belongs_in_its_metadata() -> None:
    assert hint("name", "nightly") == "this field belongs in metadata"
    assert hint("namespace", "batch") == "this field belongs in metadata"


@pytest.mark.parametrize("path", ["spec.apiVersion", "spec.kind", "spec.template.kind"])
def test_a_field_of_the_top_level_is_to_be_deleted_where_it_is_repeated(path: str) -> None:
    value = "batch/v1" if path.endswith("apiVersion") else "Job"
    assert hint(path, value) == "this is a field of the top level; delete it here"
    found = fix(path, value)
    assert found is not None
    assert found.safe
    assert found.edits == (Edit("delete", path),)


def test_the_type_of_a_pod_in_its_template_is_deleted_and_another_one_only_if_wanted() -> None:
    pod, other = fix("spec.template.kind", "Pod"), fix("spec.template.kind", "Deployment")
    assert pod is not None
    assert pod.safe
    assert other is not None
    assert not other.safe


def test_the_top_level_is_named_where_a_field_of_it_stands_elsewhere() -> None:
    changed = copy.deepcopy(JOB)
    changed["metadata"]["spec"] = changed.pop("spec")
    found = engine_for(SERVER).validate(changed)
    hints = {each.field: each.hint for each in found}
    assert hints["metadata.spec"] == "this field belongs at the top level"


def test_a_field_behind_a_gate_that_is_off_is_not_hinted() -> None:
    assert hint(f"{MAIN}.minCount", 2) == ""
    assert hint("spec.template.spec.schedulingConstraints", {}) == ""


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("spec.runAsUser", 1000),  # of the Pod or of the container
        ("spec.resources", {"limits": {"cpu": "1"}}),
        ("spec.template.securityContext", {"runAsUser": 1000}),
        ("spec.limits", {"cpu": "1"}),
        (f"{POD}.subPath", "a"),  # of the only mount
        ("spec.valueFrom", {"fieldRef": {"fieldPath": "metadata.name"}}),
        ("spec.podFailurePolicy.shareProcessNamespace", True),  # neither above nor below
    ],
)
def test_a_move_to_one_of_several_places_is_never_safe(path: str, value: Any) -> None:
    found = fix(path, value, without=f"{MAIN}.resources")
    assert found is None or not found.safe


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        (f"{MAIN}.hostNetwork", True, POD),
        (f"{POD}.manualSelector", True, "spec"),
        ("spec.nodeName", "a", POD),
        ("metadata.managedBy", "example.com/controller", "spec"),
        ("spec.template.hostname", "a", POD),
        (f"{MAIN}.claims", [], f"{MAIN}.resources"),
        (f"{POD}.args", ["a"], MAIN),
    ],
)
def test_a_field_of_one_meaning_is_moved_up_or_down(path: str, value: Any, place: str) -> None:
    found = fix(path, value)
    assert found is not None
    assert found.safe
    assert found.title == f"Move it to {place}"
    assert hint(path, value) == f"this field belongs in {place.replace('[0]', '[]')}"


@pytest.mark.parametrize("name", ["cpu", "memory", "nvidia.com/gpu"])
def test_an_amount_beside_requests_and_limits_belongs_in_them(name: str) -> None:
    path = f"{MAIN}.resources.{name}"
    changed = copy.deepcopy(JOB)
    main = changed["spec"]["template"]["spec"]["containers"][0]
    main["resources"][name] = "1"
    (unknown,) = [each for each in engine_for(SERVER).validate(changed) if each.field == path]
    assert unknown.hint == "write it in requests, in limits, or in both"


def test_a_list_is_not_moved_to_a_field_of_one_value() -> None:
    assert fix("spec.priorityClassName", [1]) is None


def test_a_misspelled_sibling_comes_before_a_place_elsewhere() -> None:
    assert hint(f"{MAIN}.resource", {}) == 'did you mean "resources"?'


def test_the_content_of_a_repeated_field_is_moved_up() -> None:
    """As in a manifest whose Job was pasted into the spec of another."""
    changed = copy.deepcopy(JOB)
    changed["spec"] = {"spec": changed["spec"]}
    found = with_fixes(engine_for(SERVER).validate(changed), changed, SERVER, lambda _: None)
    (unknown,) = [each for each in found if each.field == "spec.spec"]
    assert unknown.hint == "move its content up into spec"
    assert unknown.fix is not None
    assert unknown.fix.safe
    assert edited(changed, *unknown.fix.edits) == JOB


def test_the_content_of_a_repeated_field_stays_where_it_would_replace_another_value() -> None:
    changed = copy.deepcopy(JOB)
    changed["spec"]["spec"] = {"backoffLimit": 3, "parallelism": 7}
    found = fix_unknown_field(Job, "spec.spec", changed, SERVER)
    assert found is None
    assert at(changed, locate(changed, "spec.parallelism").steps) == 2
