"""The documentation of the field under the cursor."""

from __future__ import annotations

import pytest
from lsprotocol import types

from jobsworth.api.api_server import ApiServer
from jobsworth.lsp.field_hover import hover
from support.editors.open_texts import open_text

JOB = """\
# 😀
apiVersion: batch/v1
kind: Job
metadata:
  labels: {app: a}
spec:
  backoffLimitPerIndex: 1
  completionMode: Indexed
  managedBy: a.b/c
  unknown: 1
  template:
    spec:
      containers:
      - name: main
        image: a:1
        ports:
        - {containerPort: 80, protocol: TCP}
"""


def shown(text: str, word: str, release: str = "1.36", offset: int = 1) -> str | None:
    opened = open_text(text)
    position = opened.positions.position(text.index(word) + offset)
    found = hover(opened, ApiServer(release), position)
    if found is None:
        return None
    assert isinstance(found.contents, types.MarkupContent)
    return found.contents.value


def test_a_field_has_its_meaning_type_values_default_and_release() -> None:
    text = shown(JOB, "completionMode") or ""
    assert text.startswith("`spec.completionMode`: string\n")
    assert "each Pod has an index" in text
    assert "values: `NonIndexed`, `Indexed`" in text
    assert "default: `NonIndexed`" in text
    text = shown(JOB, "backoffLimitPerIndex") or ""
    assert "must be greater than or equal to 0" in text
    assert "since Kubernetes 1.28" in text
    assert "feature gate JobBackoffLimitPerIndex, on in 1.36" in text


def test_a_field_that_the_release_lacks_is_said_to_be_unknown() -> None:
    text = shown(JOB, "managedBy", "1.29") or ""
    assert "since Kubernetes 1.30: 1.29 does not know the field" in text


def test_a_field_whose_gate_is_off_is_said_to_be_dropped() -> None:
    text = shown(JOB, "managedBy", "1.30") or ""
    assert "feature gate JobManagedBy, off: the server drops the field in 1.30" in text


def test_fields_of_list_items_and_in_braces_are_found() -> None:
    assert (shown(JOB, "image") or "").startswith(
        "`spec.template.spec.containers[0].image`: string"
    )
    assert "`spec.template.spec.containers[0].ports[0].protocol`" in (shown(JOB, "protocol") or "")


@pytest.mark.parametrize("word", ["# 😀", "unknown", "app", "  - name: main\n  "])
def test_what_is_no_field_has_no_documentation(word: str) -> None:
    assert shown(JOB, word, offset=2) is None or word == "  - name: main\n  "


def test_the_value_of_a_field_documents_the_field() -> None:
    assert shown(JOB, "Indexed\n") == shown(JOB, "completionMode")


@pytest.mark.parametrize(
    "text",
    [
        "kind: Deployment\napiVersion: apps/v1\nspec: {replicas: 1}\n",
        "spec: {suspend: true}\n",
        "kind: Job\napiVersion: batch/v1\nspec: [\n",
        "- spec\n",
        "spec\n",
    ],
)
def test_other_texts_have_no_documentation(text: str) -> None:
    assert shown(text, "spec") is None


def test_the_job_of_a_list_is_documented() -> None:
    indented = "".join(f"  {line}\n" for line in JOB.splitlines()[1:])
    text = "apiVersion: v1\nkind: List\nitems:\n-" + indented[1:]
    assert (shown(text, "completionMode") or "").startswith("`spec.completionMode`: string")


def test_the_second_document_of_a_file_is_documented() -> None:
    text = "kind: ConfigMap\ndata: {spec: x}\n---\n" + JOB
    assert (shown(text, "completionMode") or "").startswith("`spec.completionMode`: string")


def test_json_and_aliases_are_documented() -> None:
    json = '{"apiVersion": "batch/v1", "kind": "Job", "spec": {"completionMode": "Indexed"}}'
    assert (shown(json, '"completionMode') or "").startswith("`spec.completionMode`")
    aliased = JOB + "        args: &a [x]\n        command: *a\n"
    assert (shown(aliased, "completionMode") or "").startswith("`spec.completionMode`")


def test_a_job_set_is_documented() -> None:
    text = """\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
spec:
  replicatedJobs:
  - name: a
    replicas: 2
    template: {spec: {completionMode: Indexed}}
"""
    assert "default: `1`" in (shown(text, "replicas: 2") or "")
    assert "Number of Jobs to create" in (shown(text, "replicas: 2") or "")
    assert "each Pod has an index" in (shown(text, "completionMode") or "")
