"""The rule of a failure policy that decides, compared with brute force over Pods.

See `support/lint/random_failure_policies.py`: each rule is evaluated in turn for each Pod, which shows the rules that decide.
"""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from jobsworth.lint.matched_failures import (
    ANY_OTHER_CODE,
    Facts,
    covering,
    deciding,
    facts_of_each,
)
from support.law_examples import number_of_examples
from support.lint.linted_jobs import on_codes
from support.lint.random_failure_policies import (
    CONDITIONS,
    CONTAINERS,
    Rule,
    first_match,
    matches,
    policies,
)

ROW = (1 << 256) - 1
EVERY_PAIR = (1 << 65536) - 1


def pods_of_one_fact() -> Iterator[tuple[dict[str, int], set[str]]]:
    for container in CONTAINERS:
        for code in range(256):
            yield {container: code}, set()
    for condition in CONDITIONS:
        yield {}, {condition}


def deciding_rules(policy: list[Rule]) -> set[int]:
    """The rules that decide about some Pod, of all 2^24 in which three containers ended, with any conditions.

    The Pods in which the first container ended with a certain code are a number of 65536 bits, one for each
    pair of codes of the other two: so a rule is evaluated for all of them at once.
    """
    tables = [
        [[matches(rule, {name: code}, set()) for code in range(256)] for name in CONTAINERS]
        for rule in policy
    ]
    by_pair = []
    for _, second, third in tables:
        row = sum(1 << code for code in range(256) if third[code])
        by_pair.append(sum((ROW if second[code] else row) << (256 * code) for code in range(256)))
    found = set()
    for chosen in range(1 << len(CONDITIONS)):
        conditions = {text for bit, text in enumerate(CONDITIONS) if chosen >> bit & 1}
        by_condition = [matches(rule, {}, conditions) for rule in policy]
        for code in range(256):
            undecided = EVERY_PAIR
            for index, table in enumerate(tables):
                whole = by_condition[index] or table[0][code]
                matched = EVERY_PAIR if whole else by_pair[index]
                if undecided & matched:
                    found.add(index)
                undecided &= ~matched
    return found


@given(policies)
def test_a_rule_is_covered_or_idle_when_no_pod_of_one_fact_is_decided_by_it(
    policy: list[Rule],
) -> None:
    of_each = facts_of_each(policy, CONTAINERS)
    brute = {first_match(policy, *pod) for pod in pods_of_one_fact()} - {None}
    assert {index for index, decided in enumerate(deciding(of_each)) if decided} == brute
    covered = {index for index, earlier in enumerate(covering(of_each)) if earlier}
    idle = {index for index, facts in enumerate(of_each) if not facts}
    assert covered | idle == set(range(len(policy))) - brute


@settings(max_examples=number_of_examples(15), deadline=None)
@given(policies)
def test_no_pod_of_three_containers_reaches_a_rule_that_single_facts_do_not(
    policy: list[Rule],
) -> None:
    of_each = facts_of_each(policy, CONTAINERS)
    decided = {index for index, facts in enumerate(deciding(of_each)) if facts}
    assert decided == deciding_rules(policy)


@given(
    policies,
    st.dictionaries(st.sampled_from(CONTAINERS), st.integers(0, 255)),
    st.sets(st.sampled_from(CONDITIONS)),
)
def test_whichever_pod_fails_it_is_decided_by_a_rule_that_decides_one_of_its_facts(
    policy: list[Rule], ended: dict[str, int], conditions: set[str]
) -> None:
    chosen = first_match(policy, ended, conditions)
    facts = Facts(
        {name: frozenset([code]) - {0} for name, code in ended.items()}, frozenset(conditions)
    )
    of_each = deciding(facts_of_each(policy, CONTAINERS))
    reached = [index for index, decided in enumerate(of_each) if decided.meets(facts)]
    assert chosen == min(reached, default=None)


@given(policies)
def test_the_rules_that_are_named_cover_the_rule_by_themselves(policy: list[Rule]) -> None:
    of_each = facts_of_each(policy, CONTAINERS)
    for index, earlier in enumerate(covering(of_each)):
        if earlier:
            alone = [*(policy[number] for number in earlier), policy[index]]
            decided = deciding(facts_of_each(alone, CONTAINERS))
            assert not decided[-1]
            assert earlier == sorted(set(earlier))
            assert max(earlier) < index


@given(policies, st.integers(-(2**31), 2**31 - 1).filter(bool))
def test_on_windows_every_number_is_an_exit_code(policy: list[Rule], code: int) -> None:
    decided = deciding(facts_of_each(policy, CONTAINERS, windows=True))
    named = {value for rule in policy for value in rule.get("onExitCodes", {}).get("values", ())}
    stand_in = code if code in named else ANY_OTHER_CODE
    chosen = first_match(policy, {"app": code}, set())
    answers = [i for i, facts in enumerate(decided) if stand_in in facts.codes.get("app", ())]
    assert answers == ([] if chosen is None else [chosen])


def test_a_union_of_in_and_not_in_covers_everything() -> None:
    policy = [
        on_codes("Count", "In", 1, 2),
        on_codes("Count", "NotIn", 1, 2),
        on_codes("FailJob", "In", 42, of="app"),
        on_codes("FailJob", "NotIn", 0),
    ]
    assert covering(facts_of_each(policy, CONTAINERS)) == [[], [], [1], [0, 1]]


def test_a_rule_on_one_container_does_not_cover_one_on_all() -> None:
    policy = [on_codes("Count", "NotIn", 0, of="app"), on_codes("FailJob", "In", 42)]
    assert covering(facts_of_each(policy, CONTAINERS)) == [[], []]
    assert covering(facts_of_each(policy, ["app"])) == [[], [0]]


def test_a_list_of_all_codes_leaves_nothing_to_not_in() -> None:
    policy = [on_codes("Count", "NotIn", *range(256)), on_codes("FailJob", "In", 42)]
    assert deciding(facts_of_each(policy, CONTAINERS))[0].codes == {}
    assert covering(facts_of_each(policy, CONTAINERS)) == [[], []]
