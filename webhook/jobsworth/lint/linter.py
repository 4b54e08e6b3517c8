"""Run the lint rules on one object.

Each family of rules is a module of :mod:`jobsworth.lint.rules`, whose function ``applies`` selects the
objects for its rules. All families are imported at once: a run over one Job needs most of them, and the
others take 3 ms of its 60 ms of CPU time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.lint.lint_rule import Rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.rules import (
    amounts,
    api_access,
    cannot_work,
    command_lines,
    container_commands,
    cron_jobs,
    cron_time_zones,
    disruptions,
    edited_cron_jobs,
    exit_codes,
    exported,
    exposed_secrets,
    failure_policies,
    hook_annotations,
    hook_order,
    ignore_action,
    index_limits,
    job_names,
    label_selectors,
    lifetime,
    lost_exit_codes,
    lost_output,
    namespace_limits,
    object_references,
    odd_characters,
    parallelism,
    pod_annotations,
    pod_conditions,
    pod_practices,
    pod_references,
    queues,
    repeated_work,
    replacement,
    schedules,
    security_standards,
    servers_beside,
    shards,
    shared_claims,
    sidecars,
    subdomains,
    success_policies,
    synced_jobs,
    termination_annotations,
    volume_owners,
    waiting,
    wrong_programs,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from jobsworth.findings.finding import Finding
    from jobsworth.lint.edit import Edit
    from jobsworth.lint.lint_rule import Check
    from jobsworth.lint.neighbors import Neighbors
    from jobsworth.validation.decoded_object import DecodedObject
    from jobsworth.validation.engine import Engine

FAMILIES: tuple[ModuleType, ...] = (
    container_commands,
    cron_jobs,
    disruptions,
    exit_codes,
    exported,
    failure_policies,
    hook_annotations,
    hook_order,
    ignore_action,
    index_limits,
    job_names,
    label_selectors,
    lifetime,
    lost_exit_codes,
    namespace_limits,
    object_references,
    odd_characters,
    parallelism,
    pod_annotations,
    pod_conditions,
    pod_practices,
    pod_references,
    queues,
    replacement,
    schedules,
    security_standards,
    servers_beside,
    shards,
    shared_claims,
    sidecars,
    subdomains,
    success_policies,
    synced_jobs,
    termination_annotations,
    cron_time_zones,
    amounts,
    cannot_work,
    exposed_secrets,
    repeated_work,
    waiting,
    api_access,
    volume_owners,
    edited_cron_jobs,
    command_lines,
    wrong_programs,
    lost_output,
)
"""The families of rules, in the order of their findings."""


def _rules_of(family: ModuleType) -> list[Rule]:
    """Return the rules that a family declares, in the order of the codes."""
    declared = (value for value in vars(family).values() if isinstance(value, Rule))
    return sorted(declared, key=lambda rule: rule.code)


RULES = tuple(
    sorted((rule for family in FAMILIES for rule in _rules_of(family)), key=lambda rule: rule.code)
)
"""Every rule, in the order of the codes."""


POD_RULES = frozenset(
    rule.code
    for family in (
        amounts,
        exposed_secrets,
        pod_practices,
        pod_references,
        security_standards,
        servers_beside,
    )
    for rule in _rules_of(family)
) - {"JW718", "JW722", "JW723"}
"""The codes of the rules that hold for any Pod, also for one that no Job creates."""


class Linter:
    """Runs the selected rules, and caches them by family.

    Args:
        selects: returns True for a rule to run.

    Attributes:
        selects: the same function.
    """

    __slots__ = ("_families", "selects")

    def __init__(self, selects: Callable[[Rule], bool]) -> None:
        self.selects = selects
        self._families: dict[ModuleType, list[tuple[Rule, Check]]] = {}

    def lint(
        self,
        decoded: DecodedObject,
        engine: Engine,
        most: int | None = None,
        neighbors: Neighbors | None = None,
        edit: Edit | None = None,
    ) -> list[Finding]:
        """Return the findings of the selected rules for a Job or CronJob; empty if it cannot be decoded.

        Args:
            decoded: the object.
            engine: the engine of the API server that receives it.
            most: the number of findings above which no further rule runs; None to run all.
            neighbors: the objects beside it; None if there are none.
            edit: the update that writes the object; None for a create, and if its time is unknown.
        """
        found: list[Finding] = []
        if not decoded.is_valid:
            return found
        job = _subject(decoded, engine, neighbors, edit)
        for family in FAMILIES:
            if not family.applies(job):
                continue
            for rule, check in self._selected(family):
                if most is not None and len(found) > most:
                    return found
                for diagnostic in check(job):
                    found.append(rule.finding(diagnostic.field, diagnostic.message, diagnostic.fix))
        return found

    def _selected(self, family: ModuleType) -> list[tuple[Rule, Check]]:
        """Return the selected rules of a family, with their checks."""
        selected = self._families.get(family)
        if selected is None:
            selected = self._families[family] = [
                (rule, rule.check)
                for rule in _rules_of(family)
                if rule.check is not None and self.selects(rule)
            ]
        return selected


def _subject(
    decoded: DecodedObject, engine: Engine, neighbors: Neighbors | None, edit: Edit | None
) -> LintedJob:
    return LintedJob(
        kind=decoded.struct.name,
        written=decoded.written,
        object=decoded.filled,
        spec=engine.created_job(decoded)["spec"],
        server=engine.server,
        neighbors=neighbors,
        edit=edit,
    )
