"""What depends on how the server prepares a request, or on its patch."""

from __future__ import annotations

import copy

from jobsworth.validation.engine import engine_for
from support.api_server.stored_objects import stored
from support.validation.engine_errors import defaulted, errors_of, server
from support.validation.validated_jobs import job


def test_a_generated_name_reaches_the_labels_of_the_template_only() -> None:
    manifest = job()
    manifest["metadata"] = {"generateName": "a/b"}
    manifest["spec"]["template"]["metadata"] = {"labels": {"app": "train"}}
    fields = {field for field, _ in errors_of(manifest, at=server("1.36"))}
    assert fields == {"metadata.generateName", "metadata.name", "spec.template.labels"}
    fields = {field for field, _ in errors_of(manifest, at=server("1.30"))}
    assert "metadata.labels" in fields


def test_an_update_of_another_object_is_a_conflict_and_nothing_else() -> None:
    old = stored(job())
    uid = "11111111-1111-4111-8111-111111111111"
    new = copy.deepcopy(old)
    new["metadata"]["uid"] = uid
    new["spec"]["completions"] = -1
    detail = f"UID in precondition: {uid}, UID in object meta: {old['metadata']['uid']}"
    assert errors_of(new, old) == {("metadata.uid", f"Precondition failed: {detail}")}
    new["metadata"]["uid"] = ""
    assert "metadata.uid" not in {field for field, _ in errors_of(new, old)}


def test_empty_labels_are_printed_as_a_map_and_not_stored() -> None:
    manifest = job(manualSelector=True, selector={"matchLabels": {"app": "train"}})
    wrong = "`selector` does not match template `labels`"
    at = "spec.template.metadata.labels"
    assert errors_of(manifest) == {(at, f"Invalid value: null: {wrong}")}
    manifest["spec"]["template"]["metadata"] = {"labels": {}}
    assert errors_of(manifest) == {(at, f"Invalid value: {{}}: {wrong}")}
    assert defaulted(manifest)["spec"]["template"]["metadata"] == {}


def test_patches_that_reject_a_change_of_a_suspended_job_are_named() -> None:
    old = {**stored(job(suspend=True)), "status": {}}
    new = copy.deepcopy(old)
    new["spec"]["template"]["spec"]["nodeSelector"] = {"zone": "a"}
    (found,) = engine_for(server("1.36")).validate(new, old)
    assert (found.code, found.severity, found.field) == ("JW029", "warning", "spec.template")
    assert "1.36.0 and 1.36.1" in found.message
    assert engine_for(server("1.37")).validate(new, old) == []
    old["status"] = {"conditions": [{"type": "Suspended", "status": "True"}]}
    assert engine_for(server("1.36")).validate(new, old) == []
