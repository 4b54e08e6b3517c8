"""Apply the defaults of policies to metadata, JobSpec fields and the failure policy, on create and on update.

Defaults do little on an update, so that they neither cause a rejection nor change more than the client meant:

- an update that leaves the spec, the labels and the annotations unchanged gets no defaults;
- a Job gets only the defaults with ``always``, for fields that this update changes and the API lets change;
- a CronJob gets the same for its labels and annotations; its ``jobTemplate``, if this update changes it, gets
  the defaults as on create, because it applies to new Jobs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from jobsworth.api.batch.job_spec import (
    MANY_COMPLETIONS,
    MAX_FAILED_INDEXES,
    MAX_FAILED_INDEXES_WITH_MANY,
    MAX_INT32,
)
from jobsworth.policy.defaults import (
    ALWAYS,
    FIELDS,
    IF_UNSET,
    METADATA,
    Defaults,
    FieldDefault,
    Rule,
    is_among,
    merged,
)
from jobsworth.policy.job_policy import JobPolicy
from jobsworth.policy.mutation.working_copy import WorkingCopy
from jobsworth.policy.places import Change, at, field_path
from jobsworth.policy.policy_fields import share_of
from jobsworth.policy.request import UPDATE

NamedDefaults = tuple[str, Defaults]
"""The name of a policy, and its defaults."""
Owned = tuple[str, Rule]
"""The name of a policy, and a rule of it."""
Choice = tuple[str, FieldDefault]
"""The name of the policy that decides, and its default."""


FIELD = "podFailurePolicy"
_BEFORE, _AFTER = "before", "after"
UNKNOWN_WRITER = "the field has the server's default, and it is unknown if a client set it"


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


MUTABLE = (
    "maxFailedIndexes", "backoffLimit", "podReplacementPolicy", "activeDeadlineSeconds",
    "ttlSecondsAfterFinished",
)  # fmt: skip
"""JobSpec fields that the API lets change in an existing Job.

``suspend`` is omitted on purpose: queueing systems resume Jobs with it. Its default applies only to a client
that applies the manifest of the Job.
"""

_INDEXED = ("backoffLimitPerIndex", "maxFailedIndexes")
"""Above 100,000 completions the API accepts these fields only together."""


def fill_in_metadata(policies: Sequence[JobPolicy], copy: WorkingCopy) -> None:
    """Set the defaults of labels and annotations."""
    for part in METADATA:
        decided: dict[str, str] = {}
        for policy, defaults in with_defaults(policies):
            values = {}
            for key, default in getattr(defaults, part).items():
                steps = ("metadata", part, key)
                first = decided.setdefault(key, policy)
                if first != policy:
                    copy.skip(policy, field_path(steps), f"policy {first} sets it")
                elif _is_needed(policy, steps, default, copy):
                    values[key] = default.value
            copy.offer_each(policy, part, values)


def _is_needed(
    policy: str, steps: tuple[str, str, str], default: FieldDefault, copy: WorkingCopy
) -> bool:
    """Return True if a label or annotation is to be set; record the reason if not."""
    present, field = at(copy.object, steps), field_path(steps)
    if present == default.value:
        if field not in copy.applied:
            copy.skip(policy, field, "the field already has this value")
        return False
    if copy.request.operation == UPDATE:
        if default.when != ALWAYS:
            copy.skip(policy, field, f"on update, only defaults with {ALWAYS} apply")
            return False
        if present == at(copy.request.old, steps):
            copy.skip(policy, field, "this update does not change the field")
            return False
    elif present is not None and default.when != ALWAYS:
        copy.skip(policy, field, f"the field has the value {present!r}")
        return False
    return True


def fill_in(policies: Sequence[JobPolicy], copy: WorkingCopy) -> None:
    """Set the defaults of the JobSpec."""
    choices = _choices(policies, copy)
    if copy.request.operation == UPDATE:
        if copy.request.kind == "Job":
            choices = dict(_meant_on_update(choices, copy))
        elif at(copy.object, ("spec", "jobTemplate")) == at(
            copy.request.old, ("spec", "jobTemplate")
        ):
            return
    for name in FIELDS:
        if name == _INDEXED[0]:
            _limit_indexes(choices, copy)
        elif name == "podReplacementPolicy" and not copy.is_job_update:
            # A failure policy requires Failed (KEP-3939), so set Failed before it and other values after it.
            is_first = name in choices and choices[name][1].value == "Failed"
            if is_first:
                _fill_in_field(name, choices, copy)
            fill_in_failure_policy(list(with_defaults(policies)), copy)
            if not is_first:
                _fill_in_field(name, choices, copy)
        elif name not in _INDEXED:
            _fill_in_field(name, choices, copy)


def with_defaults(policies: Sequence[JobPolicy]) -> Iterator[tuple[str, Defaults]]:
    """Yield the policies that have defaults, by name, with these."""
    for policy in policies:
        if policy.defaults is not None:
            yield policy.name, policy.defaults


def _choices(policies: Sequence[JobPolicy], copy: WorkingCopy) -> dict[str, Choice]:
    """Return the default of each field from the first policy that has one."""
    choices: dict[str, Choice] = {}
    for policy, defaults in with_defaults(policies):
        for name, default in defaults.fields.items():
            first, _ = choices.setdefault(name, (policy, default))
            if first != policy:
                copy.skip(policy, copy.path(name), f"policy {first} sets it")
    return choices


def _meant_on_update(choices: dict[str, Choice], copy: WorkingCopy) -> Iterator[tuple[str, Choice]]:
    old = at(copy.request.old, copy.job) or {}
    for name, (policy, default) in choices.items():
        field = copy.path(name)
        if name not in MUTABLE and not (name == "suspend" and copy.is_set_by_manifest(name)):
            copy.skip(policy, field, "the default applies on create only")
        elif default.when != ALWAYS:
            copy.skip(policy, field, f"on update, only defaults with {ALWAYS} apply")
        elif copy.spec.get(name) == old.get(name):
            copy.skip(policy, field, "this update does not change the field")
        else:
            yield name, (policy, default)


def _fill_in_field(name: str, choices: dict[str, Choice], copy: WorkingCopy) -> None:
    changes = _changes(name, choices, copy)
    if changes:
        copy.offer(choices[name][0], changes)


def _limit_indexes(choices: dict[str, Choice], copy: WorkingCopy) -> None:
    """Set the limits of an Indexed Job, together if they require each other."""
    per_index = _changes(_INDEXED[0], choices, copy)
    failed = _changes(_INDEXED[1], choices, copy, coming=bool(per_index))
    if per_index and failed:
        names = dict.fromkeys(choices[name][0] for name in _INDEXED)
        if copy.error_of([*per_index, *failed]) is None:
            copy.offer(", ".join(names), [*per_index, *failed])
            return
    if per_index:
        copy.offer(choices[_INDEXED[0]][0], per_index)
    _fill_in_field(_INDEXED[1], choices, copy)


def _changes(
    name: str, choices: dict[str, Choice], copy: WorkingCopy, *, coming: bool = False
) -> list[Change]:
    """Return the changes of a default: its field, and the fields that depend on it.

    Args:
        name: the field name.
        choices: the default of each field.
        copy: the working copy of the object.
        coming: True if ``backoffLimitPerIndex`` is about to be set.
    """
    if name not in choices:
        return []
    policy, default = choices[name]
    value, reason = _value(name, default, copy, coming=coming)
    if not reason:
        reason = _is_set(name, value, default, copy)
    if reason:
        copy.skip(policy, copy.path(name), reason)
        if reason is UNKNOWN_WRITER:
            copy.keep(policy, (*copy.job, name))
        return []
    changes: list[Change] = [((*copy.job, name), value)]
    if (
        name == "backoffLimitPerIndex"
        and "backoffLimitPerIndex" not in copy.spec
        and copy.has_server_default("backoffLimit")
    ):
        changes.append(((*copy.job, "backoffLimit"), MAX_INT32))
    return changes


def _value(name: str, default: FieldDefault, copy: WorkingCopy, *, coming: bool) -> tuple[Any, str]:
    """Return the new value; or None and the reason if the default does not apply to this Job."""
    spec = copy.spec
    if name in _INDEXED and spec.get("completionMode") != "Indexed":
        return None, "the default applies to Indexed Jobs only"
    if name == "maxFailedIndexes":
        if not coming and "backoffLimitPerIndex" not in spec:
            return None, "the default applies to Jobs with backoffLimitPerIndex only"
        if isinstance(default.value, str):
            completions = spec.get("completions")
            if completions is None:
                return (
                    None,
                    "the default is a percentage of the completions, and the Job has no completions",
                )
            share = max(share_of(default.value, completions), default.at_least)
            return min(share, completions, _most_failed(completions)), ""
    return default.value, ""


def _most_failed(completions: int) -> int:
    """Return the maximum of failed indexes that the API allows for the completions (KEP-3850)."""
    many = completions > MANY_COMPLETIONS
    return MAX_FAILED_INDEXES_WITH_MANY if many else MAX_FAILED_INDEXES


def _is_set(name: str, value: Any, default: FieldDefault, copy: WorkingCopy) -> str:
    """Return the reason to keep the value of a field; empty if the default applies."""
    if copy.spec.get(name) == value:
        return "the field already has this value"
    if name == "backoffLimit" and "backoffLimitPerIndex" in copy.spec and default.when != ALWAYS:
        # The server's default is then MaxInt32; a lower one would fail the Job before its index limits do.
        return "backoffLimitPerIndex limits the retries instead"
    if copy.spec.get(name) is None or default.when == ALWAYS:
        return ""
    if copy.ownership.has((*copy.job, name)):
        return "a client set the field"
    if not copy.has_server_default(name):
        return "the field differs from the server's default"
    if default.when == IF_UNSET and not copy.ownership.known:
        return UNKNOWN_WRITER
    return ""
