"""Run the lint rules on one object.

A rule registers itself when its module is imported. All modules are imported at once: a run over one Job
needs most of them, and the others take 3 ms of its 60 ms of CPU time.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING

from jobsworth.findings.finding import Finding
from jobsworth.lint.lint_rule import DECLARED, Check, Rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.lint.needs import Need
from jobsworth.lint.neighbors import Neighbors
from jobsworth.lint.rules import (  # noqa: F401
    amounts,
    api_access,
    cannot_work,
    command_lines,
    container_commands,
    cron_jobs,
    cron_time_zones,
    data_losses,
    disruptions,
    edited_cron_jobs,
    exit_codes,
    exported,
    exposed_secrets,
    failure_policies,
    hook_annotations,
    hook_order,
    hosts_beside,
    ignore_action,
    image_programs,
    index_limits,
    job_names,
    kept_files,
    label_selectors,
    lifetime,
    lost_exit_codes,
    lost_output,
    mounted_files,
    namespace_limits,
    node_labels,
    object_references,
    odd_characters,
    offers,
    parallelism,
    pod_annotations,
    pod_conditions,
    pod_practices,
    pod_references,
    queues,
    repeated_steps,
    repeated_work,
    replacement,
    schedules,
    script_mistakes,
    security_standards,
    servers_beside,
    shards,
    shared_claims,
    shared_files,
    sidecars,
    subdomains,
    success_policies,
    synced_jobs,
    temporary_changes,
    termination_annotations,
    unanswered,
    volume_owners,
    waiting,
    wider_losses,
    written_texts,
    wrong_programs,
)
from jobsworth.validation.decoded_object import DecodedObject
from jobsworth.validation.engine import Engine

if TYPE_CHECKING:
    from jobsworth.lint.edit import Edit

by_code = attrgetter("code")

RULES = tuple(sorted(DECLARED, key=by_code))
"""Every rule, in the order of the codes."""

POD_RULES = frozenset(rule.code for rule in RULES if rule.pods)
"""The codes of the rules that hold for any Pod, also for one that no Job creates."""


class Linter:
    """Runs the selected rules, indexed by what they need.

    Args:
        selects: returns True for a rule to run.

    Attributes:
        selects: the same function.
    """

    __slots__ = ("_rules", "selects")

    def __init__(self, selects: Callable[[Rule], bool]) -> None:
        self.selects = selects
        self._rules: dict[Need, list[tuple[Rule, Check]]] = {}
        for rule in RULES:
            if rule.check is not None and selects(rule):
                self._rules.setdefault(rule.needs, []).append((rule, rule.check))

    def lint(
        self,
        decoded: DecodedObject,
        engine: Engine,
        most: int | None = None,
        neighbors: Neighbors | None = None,
        edit: Edit | None = None,
        *,
        variables: tuple[str, ...] = (),
    ) -> list[Finding]:
        """Return the findings of the selected rules for a Job or CronJob; empty if it cannot be decoded.

        Args:
            decoded: the object.
            engine: the engine of the API server that receives it.
            most: the number of findings above which no further rules run; None to run all.
            neighbors: the objects beside it; None if there are none.
            edit: the update that writes the object; None for a create, and if its time is unknown.
            variables: the environment variables that an operator adds; ``*`` stands for any text.

        Returns:
            The findings in the order of their codes.
        """
        found: list[Finding] = []
        if not decoded.is_valid:
            return found
        job = LintedJob(
            kind=decoded.struct.name,
            written=decoded.written,
            object=decoded.filled,
            spec=engine.created_job(decoded)["spec"],
            server=engine.server,
            neighbors=neighbors,
            edit=edit,
            variables=variables,
            source=decoded.source,
        )
        for need, rules in self._rules.items():
            if most is not None and len(found) > most:
                break
            if not need(job):
                continue
            for rule, check in rules:
                for diagnostic in check(job):
                    field, message, line = job.reported_at(
                        diagnostic.field, diagnostic.message, diagnostic.line
                    )
                    fix = diagnostic.fix if field is diagnostic.field else None
                    found.append(rule.finding(field, message, fix, line=line))
        found.sort(key=by_code)
        return found
