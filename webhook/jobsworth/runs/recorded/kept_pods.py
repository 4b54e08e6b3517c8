"""A Pod that a container keeps running although its work is over: a sidecar or proxy among its containers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jobsworth.lint.agents import is_helper
from jobsworth.runs.recorded.pod_facts import CRASH_LOOP, WHOLE_POD, KeptPod, PodFacts


def kept_pod(facts: PodFacts, template: Mapping[str, object]) -> KeptPod | None:
    """Return what keeps a running Pod, of which a container has ended for good; None for another Pod.

    Args:
        template: the Pod spec of the Job: a container that is not in it was injected by a webhook.
    """
    ended = [each for each in facts.containers if each.ended]
    going = [each for each in facts.containers if not each.ended]
    if not ended or not going or any(each.reason == CRASH_LOOP for each in going):
        return None
    done = max(ended, key=lambda each: (bool(each.exit_code), each.at or 0))
    written = _names(template)
    helpers = frozenset(
        each.name
        for each in going
        if each.serves or is_helper(each.name, each.image) or each.name not in written
    )
    names = tuple(each.name for each in going)
    decided = bool(done.exit_code) or helpers.issuperset(names)
    limits = facts.memory_limits
    limit = limits.get(done.name) or limits.get(WHOLE_POD) or ""
    return KeptPod(done, limit, names, decided, helpers)


def crashing(facts: PodFacts) -> list[str]:
    """Return the names of containers in a crash loop, of a Pod in which none runs that may do work."""
    if any(
        not each.ended and each.reason != CRASH_LOOP and not is_helper(each.name, each.image)
        for each in facts.containers
    ):
        return []
    return in_crash_loop(facts)


def in_crash_loop(facts: PodFacts) -> list[str]:
    """Return the names of containers in a crash loop, whatever the others of the Pod do."""
    return [each.name for each in facts.waiting if each.reason == CRASH_LOOP]


def _names(template: Mapping[str, object]) -> set[object]:
    containers = template.get("containers")
    if not isinstance(containers, Sequence):
        return set()
    return {each.get("name") for each in containers if isinstance(each, Mapping)}
