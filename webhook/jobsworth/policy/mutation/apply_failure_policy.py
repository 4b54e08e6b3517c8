"""Apply the failure policy defaults of policies to a Job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.policy.defaults.defaults import ALWAYS
from jobsworth.policy.defaults.failure_policy_defaults import is_among, merged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jobsworth.policy.defaults.defaults import Defaults
    from jobsworth.policy.defaults.failure_policy_defaults import Rule
    from jobsworth.policy.mutation.working_copy import Change, WorkingCopy

    NamedDefaults = tuple[str, Defaults]
    """The name of a policy, and its defaults."""
    Owned = tuple[str, Rule]
    """The name of a policy, and a rule of it."""

FIELD = "podFailurePolicy"
_BEFORE, _AFTER = "before", "after"


def fill_in_failure_policy(policies: Sequence[NamedDefaults], copy: WorkingCopy) -> None:
    """Set a failure policy, or add rules to the existing one."""
    own: list[Rule] = (copy.spec.get(FIELD) or {}).get("rules") or []
    complete = _complete_policy(policies, copy)
    owned = {place: _added(policies, place, copy) for place in (_BEFORE, _AFTER)}
    if _merged(own, complete, owned) == own:
        return
    if not _can_have_one(complete, owned, copy):
        return
    if copy.error_of(_with_rules(_merged(own, complete, owned), copy)) is not None:
        complete, owned = _tried(own, complete, owned, copy)
    rules = _merged(own, complete, owned)
    if rules != own:
        copy.offer(_contributors(own, complete, owned), _with_rules(rules, copy))


def _complete_policy(policies: Sequence[NamedDefaults], copy: WorkingCopy) -> list[Owned]:
    """Return the rules of the first complete failure policy, if its condition is met."""
    for policy, defaults in policies:
        chosen = defaults.failure_policy
        if chosen is None or chosen.value is None:
            continue
        if copy.spec.get(FIELD) is None or chosen.when == ALWAYS:
            return [
                (policy, rule) for rule in _applicable_rules(chosen.value["rules"], policy, copy)
            ]
        copy.skip(policy, copy.path(FIELD), "a client set the field")
        break
    return []


def _added(policies: Sequence[NamedDefaults], place: str, copy: WorkingCopy) -> list[Owned]:
    """Return the rules that policies add at one end."""
    return [
        (policy, rule)
        for policy, defaults in policies
        if defaults.failure_policy is not None
        for rule in _applicable_rules(getattr(defaults.failure_policy, place), policy, copy)
    ]


def _applicable_rules(rules: Sequence[Rule], policy: str, copy: WorkingCopy) -> list[Rule]:
    """Return the rules that apply to this Job: FailIndex requires ``backoffLimitPerIndex``."""
    if "backoffLimitPerIndex" in copy.spec:
        return list(rules)
    applicable = [rule for rule in rules if rule["action"] != "FailIndex"]
    if len(applicable) < len(rules):
        reason = "rules with FailIndex apply to Jobs with backoffLimitPerIndex only"
        copy.skip(policy, copy.path(FIELD), reason)
    return applicable


def _can_have_one(complete: list[Owned], owned: dict[str, list[Owned]], copy: WorkingCopy) -> bool:
    """Return True if the Job can have a failure policy; otherwise add a warning (KEP-3329)."""
    pod = copy.spec["template"]["spec"]
    if pod.get("restartPolicy") == "Never":
        return True
    for policy in dict.fromkeys(name for name, _ in (*complete, *owned[_BEFORE], *owned[_AFTER])):
        has = f'"{pod["restartPolicy"]}"' if pod.get("restartPolicy") else "none"
        reason = f"it requires restartPolicy Never, but the Pod template has {has}"
        copy.reject(policy, (*copy.job, FIELD), reason)
    return False


def _merged(own: list[Rule], complete: list[Owned], owned: dict[str, list[Owned]]) -> list[Rule]:
    base = [rule for _, rule in complete] or own
    return merged(base, *([rule for _, rule in owned[place]] for place in (_BEFORE, _AFTER)))


def _contributors(own: list[Rule], complete: list[Owned], owned: dict[str, list[Owned]]) -> str:
    """Return the names of the policies that a change comes from."""
    every = [*complete, *owned[_BEFORE], *owned[_AFTER]]
    new = [policy for policy, rule in every if not is_among(rule, own)]
    return ", ".join(dict.fromkeys(new or [policy for policy, _ in every]))


def _tried(
    own: list[Rule], complete: list[Owned], owned: dict[str, list[Owned]], copy: WorkingCopy
) -> tuple[list[Owned], dict[str, list[Owned]]]:
    """Return the rules that can be added one by one, and add a warning for each other rule."""
    kept: dict[str, list[Owned]] = {_BEFORE: [], _AFTER: []}
    steps = (*copy.job, FIELD)
    error = copy.error_of(_with_rules(_merged(own, complete, kept), copy)) if complete else None
    if error is not None:
        copy.reject_for(complete[0][0], steps, error)
        complete = []
    for place in (_BEFORE, _AFTER):
        for policy, rule in owned[place]:
            trial = {**kept, place: [*kept[place], (policy, rule)]}
            error = copy.error_of(_with_rules(_merged(own, complete, trial), copy))
            if error is None:
                kept = trial
            else:
                copy.reject_for(policy, steps, error)
    return complete, kept


def _with_rules(rules: list[Rule], copy: WorkingCopy) -> list[Change]:
    """Return the changes that set a failure policy, with the podReplacementPolicy that it requires
    (KEP-3939).
    """
    changes: list[Change] = [((*copy.job, FIELD), {"rules": rules})]
    replacement = copy.spec.get("podReplacementPolicy")
    if replacement == "TerminatingOrFailed" and copy.has_server_default("podReplacementPolicy"):
        changes.append(((*copy.job, "podReplacementPolicy"), "Failed"))
    return changes
