"""A broken document never reduces what is enforced: its last good version stays active."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from jobsworth.policy.effective_policies import (
    EffectivePolicies,
    PolicyVersion,
    effective,
    version_from_json,
)
from support.policy.policy_requests import document

BROKEN = {"limits": {"backoffLimt": {}}}


def version(name: str, maximum: int = 3, *, file: str = "", **spec: Any) -> PolicyVersion:
    limits = {"limits": {"backoffLimit": {"maximum": maximum}}}
    return PolicyVersion(file or f"policies/{name}.yaml", document(name, **(spec or limits)))


def broken(name: str, file: str = "") -> PolicyVersion:
    return version(name, file=file, **BROKEN)


def maxima(policies: EffectivePolicies) -> dict[str, int]:
    """The maximum of backoffLimit by policy."""
    return {
        policy.name: policy.limits.fields["backoffLimit"].value["maximum"]
        for policy in policies.policies.policies
        if policy.limits is not None
    }


def after(*found: PolicyVersion, before: tuple[PolicyVersion, ...], **more: Any) -> Any:
    """The effective policies of some documents after others."""
    return effective(found, effective(before, {}).versions, **more)


A, B = version("a", 3), version("b", 5)


def test_valid_documents_are_active() -> None:
    policies = effective([A, B], {})
    assert maxima(policies) == {"a": 3, "b": 5}
    assert policies.broken == {}
    assert policies.valid == {"a", "b"}


def test_the_last_good_version_of_a_broken_policy_stays_active() -> None:
    policies = after(broken("a"), version("b", 7), before=(A, B))
    assert maxima(policies) == {"a": 3, "b": 7}
    assert policies.broken == {"a": True}
    assert [(problem.document, problem.field) for problem in policies.problems] == [
        (0, "spec.limits.backoffLimt")
    ]


def test_a_corrected_policy_is_active() -> None:
    between = after(broken("a"), before=(A,))
    assert maxima(effective([version("a", 9)], between.versions)) == {"a": 9}


def test_a_policy_that_was_never_valid_enforces_nothing() -> None:
    policies = effective([broken("a"), B], {})
    assert maxima(policies) == {"b": 5}
    assert policies.broken == {"a": False}


def test_a_deleted_policy_is_deleted_although_another_is_broken() -> None:
    assert maxima(after(broken("b"), before=(A, B))) == {"b": 5}


def test_a_policy_missing_from_a_file_with_an_error_stays() -> None:
    a, b = version("a", 3, file="all.yaml"), version("b", 5, file="all.yaml")
    nameless = PolicyVersion("all.yaml", {**document(**BROKEN), "metadata": {}})
    for found in ((nameless,), (broken("new", file="all.yaml"),)):
        assert maxima(after(*found, b, before=(a, b))) == {"a": 3, "b": 5}
    assert maxima(after(b, before=(a, b))) == {"b": 5}


def test_files_that_cannot_be_read_keep_their_policies() -> None:
    for unreadable in ("policies/a.yaml", "policies", "policies/"):
        assert maxima(after(B, before=(A, B), unreadable={unreadable})) == {"a": 3, "b": 5}
    assert maxima(after(B, before=(A, B), unreadable={"policies/a"})) == {"b": 5}


def test_a_document_whose_text_has_an_error_is_broken() -> None:
    assert maxima(after(version("a", 9), before=(A,), flawed={0})) == {"a": 3}


def test_of_documents_with_the_same_name_none_counts() -> None:
    policies = after(version("a", 8), version("a", 9), B, before=(A, B))
    assert maxima(policies) == {"a": 3, "b": 5}
    assert policies.broken == {"a": True}


def test_a_changed_default_that_a_limit_rejects_gives_way() -> None:
    before = version("d", defaults={"backoffLimit": {"value": 2, "when": "ifUnset"}})
    changed = version("d", defaults={"backoffLimit": {"value": 9, "when": "ifUnset"}})
    policies = after(changed, A, before=(before, A))
    assert policies.versions["d"] == before
    assert policies.broken == {"d": True}


def test_a_changed_limit_that_rejects_a_default_gives_way() -> None:
    default = version("d", defaults={"backoffLimit": {"value": 2, "when": "ifUnset"}})
    policies = after(default, version("a", 1), before=(default, A))
    assert maxima(policies) == {"a": 3}
    assert policies.broken == {"a": True}
    (problem,) = policies.problems
    assert (problem.document, problem.field) == (1, "spec.limits")
    assert "reject a default of policy d" in problem.message


def test_at_the_start_the_limit_of_a_conflict_is_enforced() -> None:
    default = version("d", defaults={"backoffLimit": {"value": 9, "when": "ifUnset"}})
    policies = effective([default, A], {})
    assert maxima(policies) == {"a": 3}
    assert policies.broken == {"d": False}
    (problem,) = policies.problems
    assert (problem.document, problem.field) == (0, "spec.defaults.backoffLimit")


def test_what_ships_is_active_until_a_valid_policy_of_its_name_replaces_it() -> None:
    shipped = [A.document]
    assert maxima(effective([], {}, shipped=shipped)) == {"a": 3}
    assert maxima(effective([broken("a")], {}, shipped=shipped)) == {"a": 3}
    assert maxima(effective([version("a", 9)], {}, shipped=shipped)) == {"a": 9}


def test_versions_are_the_same_after_they_were_stored() -> None:
    assert version_from_json(A.to_json()) == A


def test_the_hash_depends_on_what_is_active_only() -> None:
    one, other = effective([A, B], {}), effective([B, version("a", 3, file="elsewhere.yaml")], {})
    assert one.digest == other.digest
    assert after(broken("a"), B, before=(A, B)).digest == one.digest
    assert effective([A], {}).digest != one.digest


STATES = st.dictionaries(
    st.sampled_from(["a", "b", "c"]), st.one_of(st.none(), st.integers(1, 5)), max_size=3
)
"""Policies by name: their maximum, or None for a broken document."""


def found(state: dict[str, int | None]) -> list[PolicyVersion]:
    return [
        broken(name) if maximum is None else version(name, maximum)
        for name, maximum in state.items()
    ]


@given(st.lists(STATES, max_size=6))
def test_every_policy_has_the_last_maximum_that_was_valid_since_it_exists(
    states: list[dict[str, int | None]],
) -> None:
    expected: dict[str, int] = {}
    stored: EffectivePolicies = effective([], {})
    for state in states:
        expected = {
            name: value
            for name, maximum in state.items()
            if (value := maximum or expected.get(name)) is not None
        }
        stored = effective(found(state), stored.versions)
        assert maxima(stored) == expected
        # A process that starts now, with what another one has stored, serves the same.
        assert effective(found(state), stored.versions).digest == stored.digest
