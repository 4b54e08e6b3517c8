"""Laws of the result of an audit: no violation is lost when namespaces are bounded, none is new twice."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jobsworth.audit.audit_result import MAX_NAMESPACES, OTHER, AuditResult, ViolatedPolicy
from support.policy.policy_requests import document, policies

POLICIES = policies(*(document(name, enforcement="warn") for name in "ab"))
NAMESPACES = st.integers(0, 300).map(lambda number: f"team-{number:03}")
OBJECTS = st.dictionaries(
    st.tuples(st.sampled_from("ab"), NAMESPACES), st.integers(1, 5), max_size=250
)


def result(violations: dict[tuple[str, str], int]) -> AuditResult:
    made = AuditResult(POLICIES)
    for (policy, namespace), count in violations.items():
        made.violations[policy, namespace] = count
        made.violating |= {
            ViolatedPolicy(policy, f"{namespace}-{number}") for number in range(count)
        }
    return made


@given(OBJECTS, st.frozensets(NAMESPACES, max_size=MAX_NAMESPACES))
def test_namespaces_are_bounded_and_every_violation_is_counted(
    violations: dict[tuple[str, str], int], before: frozenset[str]
) -> None:
    made = result(violations)
    shown = made.namespaces_shown(before)
    bounded = made.bounded_violations(shown)
    assert {namespace for _, namespace in bounded} <= shown | {OTHER}
    assert len(shown) <= MAX_NAMESPACES
    for policy in "ab":
        total = sum(count for (name, _), count in bounded.items() if name == policy)
        assert total == made.violating_objects(policy)
    assert before & {namespace for _, namespace in violations} <= shown


@given(OBJECTS, OBJECTS)
def test_violations_are_new_once(
    first: dict[tuple[str, str], int], second: dict[tuple[str, str], int]
) -> None:
    before, after = result(first), result(second)
    assert after.new_violations(AuditResult()).total() == 0
    assert after.new_violations(after).total() == 0
    assert after.new_violations(before).total() == len(after.violating - before.violating)
