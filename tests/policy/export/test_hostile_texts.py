"""Laws: the export of a JobPolicy with any texts compiles on an API server, and means the same."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from jobsworth.manifests import read_text
from jobsworth.manifests.editing.yaml_writer import to_yaml
from jobsworth.policy.admission_policies.policy_set import read as read_objects
from jobsworth.policy.export.admission_policies import documents
from jobsworth.policy.export.cel_text import literal
from jobsworth.policy.export.exported_policy import exported_policy
from jobsworth.policy.reader import read
from support.policy.policy_requests import SERVER, document, job, requested

SIGNS = st.sampled_from(
    (
        '"', "'", "'''", '"""', "\\", "\\'", '\\"', "\\x41", "\\u0041", "\n", "\r", "\t", "\u2028", "\x85", "\ufffc",
        "\ufeff", "\u202e", "\x1b[2J", "${x}", "{{ .Values }}", "`", "//", "/*", "(", ")", "[", "]", "{", "}", "*", "?", "!",
        "^", "$", "|", "&&", "||", "-", "---", ": ", "# ", "%s", "true", "é", "\U0001f600", "a", " ",
    )
)  # fmt: skip
TEXTS = st.lists(
    SIGNS | st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8
).map("".join)
CONTROLS = {"\x85": "", "\x1b": ""}
"""The control characters of the signs that a message may not have."""
PROSE = TEXTS.map(lambda text: text.translate(str.maketrans(CONTROLS)) or "a")
KEY = "example.com/team"
"""A key, which a policy takes only if an object can have it."""


def exported(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The documents of an export."""
    found = exported_policy(value, read([value]).policies[0], SERVER.minor)
    return documents(found.admission_policies, {found.name: found.hash})


def written(objects: list[dict[str, Any]]) -> list[Any]:
    """The objects as kubectl reads them from the output, by two readers that agree."""
    text = to_yaml(objects)
    read_again = [each.value for each in read_text(text.encode(), "export.yaml")]
    assert read_again == list(yaml.load_all(text, yaml.CSafeLoader))
    return read_again


def denials(value: dict[str, Any], asked: Any) -> tuple[list[str], list[str]]:
    """The messages of a policy, and of its export."""
    own = [each.violation.message for each in read([value]).evaluate(asked, SERVER).findings]
    native = read_objects(written(exported(value)), SERVER.release).evaluate(asked)
    assert all(each.effect == "deny" for each in native)
    return own, [each.message for each in native]


@pytest.mark.slow
@given(PROSE, PROSE)
@settings(max_examples=10, deadline=None)
def test_a_text_of_a_policy_stays_a_text(message: str, contact: str) -> None:
    value = document(
        message=message,
        contact=contact,
        limits={
            "parallelism": {"maximum": 1, "message": message},
            "annotations": {KEY: {"required": True}},
        },
    )
    own, native = denials(value, requested(job(parallelism=2)))
    assert len(own) == 2
    assert len(native) == 1
    fine = requested(job(parallelism=1, metadata={"annotations": {KEY: "x"}}))
    assert denials(value, fine) == ([], [])


@pytest.mark.slow
@given(TEXTS, TEXTS)
@settings(max_examples=10, deadline=None)
def test_a_pattern_of_a_policy_matches_the_same(pattern: str, text: str) -> None:
    value = document(
        limits={"annotations": {"a": {"allowed": [pattern]}, "b": {"denied": [pattern]}}}
    )
    for given_annotations in ({"a": text, "b": text}, {"a": pattern, "b": pattern}):
        own, native = denials(value, requested(job(metadata={"annotations": given_annotations})))
        assert bool(own) == bool(native)


@pytest.mark.slow
@given(TEXTS, TEXTS)
@settings(max_examples=10, deadline=None)
def test_a_user_is_exempt_in_the_export_exactly_if_the_policy_exempts_it(
    pattern: str, text: str
) -> None:
    assume(set(pattern) != {"*"})  # such a policy would never apply
    value = document(
        limits={"parallelism": {"maximum": 1}},
        exempt=[{"users": [pattern]}, {"names": [pattern]}, {"groups": [pattern]}],
    )
    for user in (text, pattern):
        asked = requested(job(parallelism=2), user=user, groups=(text,))
        own, native = denials(value, asked)
        assert len(own) == len(native)


@pytest.mark.slow
@given(TEXTS, TEXTS)
@settings(max_examples=10, deadline=None)
def test_an_expression_means_the_same(text: str, comment: str) -> None:
    note = comment.replace("\n", " ")
    expression = {
        "expression": f"object.metadata.annotations.a == {literal(text)} // {note}",
        "messageExpression": f"'not ' + {literal(text)} // {note}",
    }
    value = document(expressions=[expression])
    for given_annotations in ({"a": text}, {"a": f"{text}."}):
        own, native = denials(value, requested(job(metadata={"annotations": given_annotations})))
        assert len(own) == len(native)
