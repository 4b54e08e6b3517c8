"""``match`` and ``exclude`` of a Kyverno policy as matchers of a JobPolicy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from jobsworth.policy.kyverno.untranslatable import Untranslatable

Matcher = dict[str, Any]

AUTOGEN = "pod-policies.kyverno.io/autogen-controllers"
"""The annotation that names the controllers to which a policy for Pods applies."""

_RESOURCES = {"jobs": "Job", "cronjobs": "CronJob", "pods": "Pod"}
_SERVICE_ACCOUNT = "system:serviceaccount"
_CRITERIA = ("kinds", "operations", "namespaces", "name", "names", "selector", "namespaceSelector")


@dataclass(frozen=True, slots=True)
class Matched:
    """The requests that a rule matches.

    Attributes:
        root: the kind that its paths start from: ``Pod``, ``Job`` or ``CronJob``.
        matchers: any must match; empty for all.
    """

    root: str
    matchers: tuple[Matcher, ...]


def matched(match: Mapping[str, Any], annotations: Mapping[str, Any]) -> Matched:
    """Return the requests that ``match`` of a rule stands for.

    Args:
        match: it.
        annotations: of the policy.

    Raises:
        Untranslatable: it matches no Job, or by what a JobPolicy does not know.
    """
    filters = [each for each in _filters(match) if _kinds_of(each)]
    kinds = {kind for each in filters for kind in _kinds_of(each)}
    known = kinds & {"Pod", "Job", "CronJob"}
    if not known:
        raise Untranslatable(f"it is about {', '.join(sorted(kinds)) or 'no kind'}")
    if known == {"Pod"}:
        _check_autogen(filters, kinds, annotations)
        return Matched("Pod", _without_empty(_matcher(each, None) for each in filters))
    if len(known) > 1:
        raise Untranslatable(f"it is about {' and '.join(sorted(known))}, with other paths")
    (root,) = known
    chosen = [each for each in filters if root in _kinds_of(each)]
    return Matched(root, tuple(_matcher(each, root) for each in chosen))


def exempted(exclude: Mapping[str, Any], root: str) -> list[Matcher]:
    """Return the matchers of ``exempt`` for ``exclude`` of a rule.

    Raises:
        Untranslatable: it matches by what a JobPolicy does not know.
    """
    found = []
    for each in _filters(exclude):
        kinds = _kinds_of(each)
        if kinds and root not in kinds:
            continue
        matcher = _matcher(each, None)
        if matcher:
            found.append(matcher)
    return found


def _filters(match: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if match.get("any"):
        return list(match["any"])
    if match.get("all"):
        if len(match["all"]) > 1:
            raise Untranslatable("several filters of it must match together")
        return list(match["all"])
    return [match] if match else []


def _kinds_of(each: Mapping[str, Any]) -> list[str]:
    kinds = (each.get("resources") or {}).get("kinds") or ()
    return [str(kind).rpartition("/")[2].rpartition(".")[2] for kind in kinds]


def _check_autogen(
    filters: Iterable[Mapping[str, Any]], kinds: set[str], annotations: Mapping[str, Any]
) -> None:
    """Check that Kyverno applies a policy for Pods to Jobs and CronJobs.

    Raises:
        Untranslatable: it does not.
    """
    controllers = str(annotations.get(AUTOGEN, "Job,CronJob"))
    if "Job" not in controllers.split(",") and controllers != "all":
        raise Untranslatable(f"its annotation {AUTOGEN} leaves out Jobs")
    if kinds != {"Pod"}:
        raise Untranslatable(
            "it is about Pods and other kinds, so Kyverno does not apply it to Jobs"
        )
    for each in filters:
        resources = each.get("resources") or {}
        for name in ("name", "names", "selector", "annotations"):
            if resources.get(name):
                raise Untranslatable(
                    f"it selects Pods by {name}, so Kyverno does not apply it to Jobs"
                )


def _matcher(each: Mapping[str, Any], kind: str | None) -> Matcher:
    resources = each.get("resources") or {}
    unknown = [name for name in resources if name not in _CRITERIA and resources[name]]
    unknown += [name for name in ("roles", "clusterRoles") if each.get(name)]
    if unknown:
        raise Untranslatable(f"it matches by {unknown[0]}")
    names = [*(resources.get("names") or ()), *filter(None, (resources.get("name"),))]
    found: Matcher = {
        "kinds": None if kind is None else [kind],
        "operations": operations(resources.get("operations") or ()),
        "namespaces": resources.get("namespaces"),
        "names": names,
        "objectSelector": resources.get("selector"),
        "namespaceSelector": resources.get("namespaceSelector"),
        **_subjects(each.get("subjects") or ()),
    }
    return {name: value for name, value in found.items() if value}


def operations(written: Iterable[Any]) -> list[str]:
    """Return the operations among those that a JobPolicy knows; empty for both."""
    found = [each for each in ("CREATE", "UPDATE") if each in written]
    return found if len(found) == 1 and "*" not in written else []


def _subjects(subjects: Iterable[Mapping[str, Any]]) -> Matcher:
    users, groups = [], []
    for each in subjects:
        name = str(each.get("name"))
        if each.get("kind") == "Group":
            groups.append(name)
        elif each.get("kind") == "ServiceAccount":
            users.append(f"{_SERVICE_ACCOUNT}:{each.get('namespace', '*')}:{name}")
        else:
            users.append(name)
    if users and groups:
        raise Untranslatable("it matches by users or groups")
    return {"users": users, "groups": groups}


def _without_empty(matchers: Iterable[Matcher]) -> tuple[Matcher, ...]:
    """Return matchers; none if one of them matches everything."""
    found = tuple(matchers)
    return found if all(found) else ()


def matched_rules(constraints: Mapping[str, Any], *, autogen: bool) -> Matched:
    """Return the requests that ``matchConstraints`` of a ValidatingPolicy stand for.

    Args:
        constraints: them.
        autogen: Kyverno applies a policy for Pods to Jobs and CronJobs.

    Raises:
        Untranslatable: they match no Job, or by what a JobPolicy does not know.
    """
    if constraints.get("excludeResourceRules"):
        raise Untranslatable("it has excludeResourceRules")
    rules = constraints.get("resourceRules") or ()
    resources = {each for rule in rules for each in rule.get("resources") or ()}
    known = sorted({_RESOURCES[each] for each in resources if each in _RESOURCES})
    if not known:
        raise Untranslatable(f"it is about {', '.join(sorted(resources)) or 'no resource'}")
    if len(known) > 1:
        raise Untranslatable(f"it is about {' and '.join(known)}, with other paths")
    (root,) = known
    if root == "Pod" and not autogen:
        raise Untranslatable("it is about Pods, and its autogen leaves out Jobs")
    if any(rule.get("resourceNames") for rule in rules):
        raise Untranslatable("it matches by resourceNames")
    written = {each for rule in rules for each in rule.get("operations") or ()}
    if written and not written & {"*", "CREATE", "UPDATE"}:
        raise Untranslatable(f"it is about {', '.join(sorted(written))}")
    matcher = {
        "kinds": None if root == "Pod" else [root],
        "operations": operations(written),
        "namespaceSelector": constraints.get("namespaceSelector"),
        "objectSelector": constraints.get("objectSelector"),
    }
    matcher = {name: value for name, value in matcher.items() if value}
    return Matched(root, (matcher,) if matcher else ())
