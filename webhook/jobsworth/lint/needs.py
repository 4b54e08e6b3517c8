"""The needs of lint rules: a rule is not asked about an object that does not have what the rule needs.

Rules that share a need share its function, which the linter calls once for an object.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from jobsworth.lint.command_line import JAVASCRIPTS, POWERSHELLS
from jobsworth.lint.linted_job import MARKS, MAX_RULES, LintedJob
from jobsworth.lint.usual_images import base_image

Need = Callable[[LintedJob], bool]


AUTHORED = frozenset(
    (
        "annotations",
        "finalizers",
        "generateName",
        "labels",
        "name",
        "namespace",
        "ownerReferences",
    )
)
"""The metadata that a manifest has; other fields are those of a server."""


def anything(job: LintedJob) -> bool:
    return True


def a_job(job: LintedJob) -> bool:
    return job.cron is None


def a_job_with_annotations(job: LintedJob) -> bool:
    return job.cron is None and bool(job.annotations)


def a_cron_job(job: LintedJob) -> bool:
    return job.cron is not None


def an_edited_cron_job(job: LintedJob) -> bool:
    return job.cron is not None and job.edit is not None


def a_generated_name(job: LintedJob) -> bool:
    """Return True if Jobs get their names from a CronJob or from the API server."""
    return job.cron is not None or not job.name


def others_in_file(job: LintedJob) -> bool:
    return job.has_others_in_file


def neighbors(job: LintedJob) -> bool:
    return job.neighbors is not None


def neighbors_and_account(job: LintedJob) -> bool:
    return job.neighbors is not None and bool(job.pod.get("serviceAccountName"))


def neighbors_and_subdomain(job: LintedJob) -> bool:
    return job.neighbors is not None and "subdomain" in job.pod


def neighbors_and_volumes(job: LintedJob) -> bool:
    return job.neighbors is not None and "volumes" in job.pod


def neighbors_and_queue(job: LintedJob) -> bool:
    """Return True if the Job, or the Job template of a CronJob, has labels beside other objects."""
    holder = job.written if job.cron is None else job.written["spec"]["jobTemplate"]
    return bool(holder.get("metadata", {}).get("labels")) and job.neighbors is not None


def host_network(job: LintedJob) -> bool:
    return bool(job.pod.get("hostNetwork"))


def neighbors_or_no_token(job: LintedJob) -> bool:
    return job.neighbors is not None or job.pod.get("automountServiceAccountToken") is False


def a_failure_policy(job: LintedJob) -> bool:
    return job.has_failure_policy


def a_failure_policy_or_no_retries(job: LintedJob) -> bool:
    """Return True if a failure policy can tell disruptions apart, or the Job never retries a Pod."""
    never_retried = 0 in (job.spec.get("backoffLimit"), job.spec.get("backoffLimitPerIndex"))
    return job.has_failure_policy or (never_retried and job.has_few_rules)


def a_success_policy(job: LintedJob) -> bool:
    return 0 < len(job.spec.get("successPolicy", {}).get("rules", ())) <= MAX_RULES


def indexes(job: LintedJob) -> bool:
    return job.indexed


def index_limits(job: LintedJob) -> bool:
    """Return True if failed indexes have a limit, or could have one beside the failure policy."""
    spec = job.spec
    limited = "backoffLimitPerIndex" in spec or "maxFailedIndexes" in spec
    return (limited or (job.indexed and "podFailurePolicy" in spec)) and job.has_few_rules


def early_replacement(job: LintedJob) -> bool:
    """Return True if terminating Pods are replaced, or podReplacementPolicy has its default."""
    early = job.spec.get("podReplacementPolicy") == "TerminatingOrFailed"
    return (early or "podReplacementPolicy" not in job.written_spec) and job.has_few_rules


def a_mark(*keys: str) -> Need:
    """Return the need for one of these labels or annotations: of the object, the Job or its Pods."""
    wanted = frozenset(keys)

    def has_it(job: LintedJob) -> bool:
        return not wanted.isdisjoint(job.marks)

    return has_it


def a_mark_or_scheduling(*keys: str) -> Need:
    marked = a_mark(*keys)
    return lambda job: "scheduling" in job.spec or marked(job)


def a_text(part: str) -> Need:
    """Return the need for a part of a text that a program gets."""

    def has_it(job: LintedJob) -> bool:
        return part in job.text

    return has_it


def a_limit(*resources: str) -> Need:
    """Return the need for a container with a limit of one of these resources."""
    wanted = frozenset(resources)

    def has_it(job: LintedJob) -> bool:
        return not wanted.isdisjoint(job.limited)

    return has_it


def any_annotations(job: LintedJob) -> bool:
    """Return True if the object or the Pod template has annotations."""
    return bool(job.annotations or job.template_metadata.get("annotations"))


def annotations_of_the_job(job: LintedJob) -> bool:
    """Return True if the Job, or the Job template of a CronJob, has annotations."""
    holder = job.object if job.cron is None else job.cron["jobTemplate"]
    return bool(holder.get("metadata", {}).get("annotations"))


def volumes_of_linux(job: LintedJob) -> bool:
    return "volumes" in job.pod and not job.windows


def several_containers(job: LintedJob) -> bool:
    pod = job.pod
    return (len(pod.get("containers", ())) > 1 or "initContainers" in pod) and job.has_few_rules


def commands(job: LintedJob) -> bool:
    return any("command" in container for _, container in job.containers)


def commands_or_arguments(job: LintedJob) -> bool:
    return any("command" in each or "args" in each for _, each in job.containers)


SHELL_SYNTAX = re.compile(r"[$`|&;<>*?\[]")
"""Matches a character that operators, variables, substitutions and patterns of shells have."""


def syntax_of_shells(job: LintedJob) -> bool:
    return SHELL_SYNTAX.search(job.text) is not None


def commands_or_variables(job: LintedJob) -> bool:
    return any("command" in each or "args" in each or "env" in each for _, each in job.containers)


def scripts(job: LintedJob) -> bool:
    return bool(job.scripts) and job.has_few_rules


def scripts_or_programs(job: LintedJob) -> bool:
    """Return True if a container runs a script of a shell, of Python, JavaScript, PowerShell or psql."""
    return scripts(job) or any(
        start.line.program.startswith(("psql", "python", *JAVASCRIPTS, *POWERSHELLS))
        for start in job.starts
    )


def known_commands(job: LintedJob) -> bool:
    return bool(job.commands)


def a_shell(job: LintedJob) -> bool:
    return any(start.line.starts_shell for start in job.starts)


def a_base_image(job: LintedJob) -> bool:
    """Return True if a container runs a command in an image of a distribution, or one with busybox."""
    return any(
        start.commands and (start.has_busybox or base_image(start.container.get("image", "")))
        for start in job.starts
    )


def limits_on_writes(job: LintedJob) -> bool:
    """Return True if a command may be unable to write: by a volume, its user or a read-only root."""
    limited = "volumes" in job.pod or bool(job.pod.get("securityContext"))
    if not limited and not any("securityContext" in container for _, container in job.containers):
        return False
    return bool(job.commands)


def a_program(*names: str) -> Need:
    """Return the need for a container that runs one of these programs."""
    wanted = frozenset(names)

    def runs_it(job: LintedJob) -> bool:
        return not wanted.isdisjoint(job.programs)

    return runs_it


def a_program_or_variables(*names: str) -> Need:
    """Return the need for a container that runs one of these programs, or sets variables."""
    runs_it = a_program(*names)
    return lambda job: variables(job) or runs_it(job)


def known_commands_or_variables(job: LintedJob) -> bool:
    return bool(job.commands) or variables(job)


def scripts_or_hooks(job: LintedJob) -> bool:
    """Return True if a container has a script, a known command or a lifecycle hook."""
    return bool(job.commands or job.scripts) or any(
        "lifecycle" in container for _, container in job.containers
    )


def variables(job: LintedJob) -> bool:
    return any("env" in container for _, container in job.containers)


def fields_of_a_server(job: LintedJob) -> bool:
    """Return True if the manifest has fields that a server sets."""
    if not AUTHORED.issuperset(job.written.get("metadata", ())) or job.written.get("status"):
        return True
    labels = job.template_metadata.get("labels", ())
    return "selector" in job.written_spec or any(label.endswith("-uid") for label in labels)


def control_characters(job: LintedJob) -> bool:
    """Return True if a container has a text with a control character that does not only divide lines."""
    return any(
        text.find("\n") == len(text) - 1 or any(mark in text for mark in _ODD_CONTROLS)
        for text in job.texts
        if not text.isprintable()
    )


_ODD_CONTROLS = ("\a", "\b", "\f", "\v", "\0", "\r", ":\n", ":\t", " \n", "\t\n")
"""Control characters that no script needs, those behind a drive, and blanks at the end of a line."""


def names_in_templates(job: LintedJob) -> bool:
    """Return True if the metadata of a template has more than labels and annotations."""
    own = [job.template_metadata]
    if job.cron is not None:
        own.append(job.written["spec"]["jobTemplate"].get("metadata", {}))
    return not all(MARKS.issuperset(each) for each in own)


def hooks_or_probes(job: LintedJob) -> bool:
    """Return True if a container has a lifecycle hook or a probe."""
    return any(not _HOOKS_AND_PROBES.isdisjoint(container) for _, container in job.containers)


_HOOKS_AND_PROBES = frozenset(("lifecycle", "livenessProbe", "readinessProbe", "startupProbe"))


def mounts_beside_empty_ones(job: LintedJob) -> bool:
    """Return True if a container mounts an emptyDir read-only, and another volume."""
    empty = [each.get("name") for each in job.pod.get("volumes", ()) if "emptyDir" in each]
    return bool(empty) and any(
        mount.get("readOnly") and mount.get("name") in empty
        for _, container in job.containers
        for mount in container.get("volumeMounts", ())
    )
