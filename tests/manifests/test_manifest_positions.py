"""Positions of fields in the text."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobsworth.manifests import Document, Position, read_text

JOB = (Path(__file__).parent / "data" / "job.yaml").read_bytes()


def only(text: str, file: str = "file.yaml") -> Document:
    (document,) = read_text(text.encode(), file)
    assert document.error is None
    return document


def shown(document: Document, field: str, *, key: bool = False) -> str:
    """The rest of the line from the place of a field on."""
    place = document.position(field, key=key)
    return document.source_line(place.line)[place.column - 1 :]


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("", "apiVersion: batch/v1"),
        ("kind", "Job"),
        ("spec", "spec:"),
        ("spec.completions", "10"),
        ("spec.podFailurePolicy", "podFailurePolicy:"),
        ("spec.podFailurePolicy.rules", "rules:"),
        ("spec.podFailurePolicy.rules[0]", "action: FailJob"),
        ("spec.podFailurePolicy.rules[0].action", "FailJob"),
        ("spec.podFailurePolicy.rules[0].onExitCodes.values", "values: [1, 2, 42]"),
        ("spec.podFailurePolicy.rules[0].onExitCodes.values[2]", "42]"),
        ("spec.podFailurePolicy.rules[1].onPodConditions[0].status", '"True"'),
        ("spec.template.spec.containers[0].args[1]", "--output=s3://reports/nightly"),
        ("metadata.labels[app.kubernetes.io/name]", "report"),
        ("metadata.labels.app.kubernetes.io/name", "report"),
        ('metadata.labels["app.kubernetes.io/name"]', "report"),
        ("metadata.annotations[example.com/owner]", "data-platform@example.com"),
        ("spec.template.spec.volumes[0].emptyDir", "emptyDir: {}"),
    ],
)
def test_a_field_that_the_text_has_is_found(field: str, text: str) -> None:
    assert shown(only(JOB.decode()), field) == text


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("spec.template.spec.restartPolicyy", "spec:"),
        ("spec.suspend", "spec:"),
        ("spec.podFailurePolicy.rules[7].action", "rules:"),
        ("spec.podFailurePolicy.rules[2].onPodConditions", "action: FailIndex"),
        ("spec.completions.deeper[0]", "completions: 10"),
        ("spec.template.annotations[x]", "template:"),
        ("nothing.of.it", "apiVersion: batch/v1"),
        ("[0]", "apiVersion: batch/v1"),
        ("spec.", "spec:"),
        ("..", "apiVersion: batch/v1"),
    ],
)
def test_a_field_that_the_text_lacks_is_where_the_nearest_key_around_it_is(
    field: str, text: str
) -> None:
    assert shown(only(JOB.decode()), field) == text


def test_a_missing_field_of_the_pod_is_at_the_key_of_the_pod_s_spec() -> None:
    document = only("spec:\n  template:\n    spec:\n      containers: []\n")

    assert document.position("spec.template.spec.restartPolicy") == Position(3, 5)


def test_labels_of_a_template_are_found_in_its_metadata() -> None:
    document = only("template:\n  metadata:\n    labels:\n      a.b/c: x y\n")

    assert shown(document, "template.labels[a.b/c]") == "x y"
    assert shown(document, "template.labels") == "labels:"


def test_a_longer_key_is_preferred_to_its_beginning() -> None:
    document = only("a: {b: 1}\na.b: 2\n")

    assert shown(document, "a.b") == "2"
    assert shown(document, "a") == "a: {b: 1}"


def test_the_position_of_the_key_is_available() -> None:
    assert shown(only(JOB.decode()), "spec.completions", key=True) == "completions: 10"


def test_a_value_that_is_not_written_is_at_its_key() -> None:
    assert shown(only("a: 1\nspec:\n  suspend:\n"), "spec.suspend") == "suspend:"


def test_a_value_that_an_alias_brings_is_where_it_is_written_and_the_alias_where_it_stands() -> (
    None
):
    document = only("a: &x {b: 1}\nc: *x\nd: &y 2\ne: *y\nf:\n  <<: *x\n")

    assert shown(document, "c.b") == "1}"
    assert shown(document, "e") == "*y"
    assert shown(document, "f.b") == "1}"


def test_of_two_equal_keys_the_one_that_counts_is_found() -> None:
    assert only("a: 1\nb: 2\na: 3\n").position("a") == Position(3, 4)


SECOND = "apiVersion: batch/v1\nkind: Job\nspec:\n  suspend: 1\n"


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("", 4),
        ("---\n", 5),
        ("a: 1\n---\n", 6),
        ("a: 1\n--- # comment\n# more\n\n", 8),
        ("a: 1\r\n---\r\n", 6),
        ("\ufeff", 4),
        ("a: 1\n---\n\ufeff", 6),
        ("a: 1\n---\n---\n# nothing\n---\n", 9),
        ("a: [\n---\n", 6),
        ('{"a": 1}\n---\n', 6),
        ("a: x\u2028  y\n---\n", 6),
        ('{"a": 1} ', 4),
    ],
)
def test_lines_are_those_of_the_file(before: str, line: int) -> None:
    document = read_text((before + SECOND).encode(), "file.yaml")[-1]

    place = document.position("spec.suspend")
    assert place == Position(line, 12)
    assert document.source_line(line) == "  suspend: 1"


def test_lines_are_counted_by_line_feeds_and_columns_by_characters() -> None:
    document = only("a: x\u2028  y\nb: 'é\u0085 z'\nc: {d: 'ü', e: 1}\n")

    assert document.position("c.e") == Position(3, 16)


def test_a_line_that_does_not_exist_is_empty() -> None:
    document = only("a: 1\r\n")

    assert [document.source_line(number) for number in (-1, 0, 1, 2, 3)] == ["", "", "a: 1", "", ""]


JSON = '{\n  "kind": "Job",\n  "spec": {"rules": [{"action": "Ignore"}], "n": null}\n}\n'


@pytest.mark.parametrize("file", ["file.json", "file.yaml"])
@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("kind", '"Job",'),
        ("spec.rules[0].action", '"Ignore"}], "n": null}'),
        ("spec.rules[0]", '{"action": "Ignore"}], "n": null}'),
        ("spec.n", "null}"),
        ("spec.missing", '"spec": {"rules": [{"action": "Ignore"}], "n": null}'),
    ],
)
def test_json_has_positions_too(file: str, field: str, text: str) -> None:
    assert shown(only(JSON, file), field) == text


def test_json_values_on_one_line_have_their_columns() -> None:
    _, second = read_text(b'{"a": 1} {"a": "\xc3\xa9", "b": 2}', "file.json")

    assert second.position("b") == Position(1, 26)


def test_a_document_that_cannot_be_read_is_at_its_error() -> None:
    (document,) = read_text(b"a: 1\nb: c: d\n", "file.yaml")

    assert document.error is not None
    assert document.position("a.b") == Position(document.error.line, document.error.column)
