"""The object of a request, or the stored one, as CEL expressions.

It is the counterpart of :class:`~jobsworth.policy.request.JobView`. The API server sets no defaults of a
JobSpec in a CronJob, so the expressions of its fields do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from jobsworth.api.batch.job_spec import MAX_INT32, JobSpec
from jobsworth.policy.export.cel_text import Condition, all_of, either, literal
from jobsworth.policy.policy_fields import JobField
from jobsworth.policy.request import NAMES_OF_CRON_JOB

IS_UPDATE = "variables.update"
"""The variable that is true in an update, where there is a stored object."""


@dataclass(frozen=True, slots=True)
class ObjectView:
    """An object of a known kind.

    Attributes:
        kind: ``Job`` or ``CronJob``.
        root: the variable that holds it: ``object`` or ``oldObject``.
    """

    kind: str
    root: str

    @property
    def path(self) -> str:
        """The field path of the JobSpec."""
        return "spec" if self.kind == "Job" else "spec.jobTemplate.spec"

    @property
    def spec(self) -> str:
        """The JobSpec."""
        return f"{self.root}.{self.path}"

    @property
    def pod(self) -> str:
        """The PodSpec."""
        return f"{self.spec}.template.spec"

    @property
    def rules(self) -> str:
        """The rules of the failure policy, empty without one."""
        return self.rules_of("podFailurePolicy")

    def rules_of(self, name: str) -> str:
        """Return the list ``rules`` of a struct in the JobSpec; the API server writes null if it is empty."""
        rules = f"{self.spec}.{name}.rules"
        return f"({self.spec}.?{name}.rules.orValue(null) == null ? [] : {rules})"

    def is_set(self, field: JobField) -> Condition:
        """Return the condition that a field has a value."""
        if self._is_template_of(field):
            if field.key in _DEFAULTS:
                return True
            if field.key == "completions":
                return f"(has({self.spec}.completions) || !has({self.spec}.parallelism))"
        return f"has({self._of(field)})"

    def value(self, field: JobField) -> str:
        """Return the value of a field that is set."""
        at = self._of(field)
        if self._is_template_of(field):
            if field.key in _DEFAULTS:
                return either(f"has({at})", at, _DEFAULTS[field.key](self.spec))
            if field.key == "completions":
                return either(f"has({at})", at, "1")
        return at

    def has_value(self, field: JobField, value: str | None) -> Condition:
        """Return the condition that a field has a value, or any value if that is None."""
        of_value = True if value is None else f"{self.value(field)} == {literal(value)}"
        return all_of([self.is_set(field), of_value])

    def optional(self, field: JobField) -> str:
        """Return a field as an optional value; two of them can be compared."""
        holder, _, key = self._of(field).rpartition(".")
        return f"{holder}.?{key}"

    def optional_entry(self, holder: str, key: str) -> str:
        """Return a label or annotation as an optional value."""
        return f"{self.root}.metadata.?{holder}[?{literal(key)}]"

    def in_template(self, steps: Iterable[str]) -> str:
        """Return a part of the Pod template as an optional value, by the names of its fields."""
        return f"{self.spec}.template.?{'.'.join(steps)}"

    def _of(self, field: JobField) -> str:
        return f"{self.root}.{field.path(self)}"

    def _is_template_of(self, field: JobField) -> bool:
        return self.kind == "CronJob" and field.scope == "job"


JOB, OLD_JOB = "variables.job", "variables.oldJob"
"""The variables with the Job of a CronJob, and of the stored one in an update, else null."""


def _job_of(cron_job: str) -> str:
    """Return the Job that a CronJob creates, as :attr:`~jobsworth.policy.request.JobView.job` is."""
    template = f"{cron_job}.spec.jobTemplate"
    spec = f"{template}.spec"
    metadata = {name: f"{cron_job}.metadata.?{name}" for name in NAMES_OF_CRON_JOB}
    own = f"{template}.?metadata.?labels"
    metadata["labels"] = f"{own}.or({spec}.template.?metadata.?labels)"
    metadata["annotations"] = f"{template}.?metadata.?annotations"
    fields = {name: f"{spec}.?{name}" for name in JobSpec.fields}
    for name, default in _DEFAULTS.items():
        fields[name] += f".or(optional.of(dyn({default(spec)})))"
    single = either(f"has({spec}.parallelism)", "optional.none()", "optional.of(dyn(1))")
    fields["completions"] += f".or({single})"
    version, kind = literal("batch/v1"), literal("Job")
    return (
        f'dyn({{"apiVersion": dyn({version}), "kind": dyn({kind}), '
        f'"metadata": dyn({_map(metadata)}), "spec": dyn({_map(fields)})}})'
    )


def _map(entries: dict[str, str]) -> str:
    """Return a map of optional values, without those that have none."""
    return f"{{{', '.join(f'?{literal(name)}: {value}' for name, value in entries.items())}}}"


_DEFAULTS: dict[str, Callable[[str], str]] = {
    "parallelism": lambda spec: "1",
    "completionMode": lambda spec: literal("NonIndexed"),
    "backoffLimit": lambda spec: either(f"has({spec}.backoffLimitPerIndex)", str(MAX_INT32), "6"),
    "suspend": lambda spec: "false",
    "manualSelector": lambda spec: "false",
    "podReplacementPolicy": lambda spec: either(
        f"has({spec}.podFailurePolicy)", literal("Failed"), literal("TerminatingOrFailed")
    ),
}
"""The API server's defaults of a JobSpec from Kubernetes 1.30 on, without that of ``completions``."""

JOB_VARIABLES = {
    "job": _job_of("object"),
    "oldJob": either(IS_UPDATE, _job_of("oldObject"), "dyn(null)"),
}
"""The definitions of :data:`JOB` and :data:`OLD_JOB`, for the policy of CronJobs."""
