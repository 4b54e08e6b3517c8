"""The input of policies: a request to create or update a Job or CronJob, and a view of its Job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, Literal

from jobsworth.api.api_server import ApiServer
from jobsworth.api.declare import Field
from jobsworth.api.field_errors import FieldError
from jobsworth.provenance.field_ownership import FieldOwnership, field_ownership
from jobsworth.provenance.server_defaults import job_spec_with_defaults, server_default
from kube_cel.values import Unknown

Operation = Literal["CREATE", "UPDATE"]
CREATE: Final = "CREATE"
UPDATE: Final = "UPDATE"
OPERATIONS: tuple[Operation, ...] = (CREATE, UPDATE)
KINDS = ("Job", "CronJob")

NAMES_OF_CRON_JOB = ("name", "generateName", "namespace")
"""The metadata of a CronJob that its Job has in expressions."""

CRON_JOB_CONTROLLERS = (
    "system:serviceaccount:kube-system:cronjob-controller",
    "system:kube-controller-manager",
)
"""Users of the CronJob controller: with ``--use-service-account-credentials``, and without."""

UNKNOWN_USER = Unknown("it reads request.userInfo, and the user is not known")
"""The ``userInfo`` of a request without a user, for expressions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRequest:
    """A request to create or update an object, as admission sees it.

    Attributes:
        kind: ``Job`` or ``CronJob``.
        namespace: the object's namespace.
        name: the object's name; empty if the API server has not generated it yet.
        object: the object, with the API server's defaults; never modified.
        old: the stored object of an update; None on create.
        user: the name of the requesting user; None if it is unknown, as on the command line.
        groups: the user's groups.
        namespace_labels: the labels of the namespace; None if they are unknown.
        dry_run: True if the API server will not store the object.
        options: the CreateOptions or UpdateOptions of the request.
        now: the time of the request, in seconds since 1970; None if unknown.
        unreadable: errors of values that could not be decoded and are therefore not in ``object``.
        manifest: the manifest that a client wrote; None if it is unknown.
    """

    operation: Operation
    kind: str
    namespace: str
    name: str
    object: dict[str, Any]
    old: dict[str, Any] | None = None
    user: str | None = None
    groups: tuple[str, ...] = ()
    namespace_labels: Mapping[str, str] | None = None
    dry_run: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    now: float | None = None
    unreadable: tuple[FieldError, ...] = ()
    manifest: dict[str, Any] | None = None

    @property
    def labels(self) -> Mapping[str, str]:
        """The object's labels."""
        return self.object["metadata"].get("labels") or {}

    @property
    def is_made_by_a_cron_job(self) -> bool:
        """Return True if the CronJob controller creates the Job; policies already evaluated its CronJob."""
        return (
            self.operation == CREATE
            and self.user in CRON_JOB_CONTROLLERS
            and "CronJob" in owner_kinds(self.object)
        )


def owner_kinds(value: Mapping[str, Any]) -> list[str]:
    """Return the kinds of the objects that own an object."""
    return [owner.get("kind", "") for owner in value["metadata"].get("ownerReferences") or ()]


class Origin(Enum):
    """The source of a field's value."""

    WRITTEN = "written"
    """A client wrote it, or it differs from the server's default."""
    DEFAULTED = "defaulted"
    """The server set it; no client wrote it."""
    UNKNOWN = "unknown"
    """It equals the server's default, and the object does not show whether a client wrote it."""


class JobView:
    """A Job, or the Job of a CronJob as the controller will create it.

    The API server sets a Job's defaults only when the CronJob controller creates the Job. A policy evaluates
    the Job that will run, so that the webhook denies the CronJob and not the Jobs that it creates later.

    Args:
        kind: ``Job`` or ``CronJob``.
        object: the whole object, with the server's defaults.
        server: the API server that sets the defaults.
        manifest: the manifest that a client wrote; None to read field ownership from `object`.

    Attributes:
        kind: ``Job`` or ``CronJob``.
        object: the whole object.
        path: the field path of the JobSpec: ``spec`` or ``spec.jobTemplate.spec``.
        spec: the JobSpec with the defaults that the Job will have.
        cron: the CronJobSpec; None for a Job.
    """

    __slots__ = ("_manifest", "_ownership", "_server", "cron", "kind", "object", "path", "spec")

    def __init__(
        self,
        kind: str,
        object: dict[str, Any],
        server: ApiServer,
        manifest: dict[str, Any] | None = None,
    ) -> None:
        self.kind = kind
        self.object = object
        spec: dict[str, Any] = object["spec"]
        if kind == "CronJob":
            self.cron: dict[str, Any] | None = spec
            self.path = "spec.jobTemplate.spec"
            spec = spec["jobTemplate"]["spec"]
        else:
            self.cron = None
            self.path = "spec"
        self.spec = job_spec_with_defaults(spec, server)
        self._server = server
        self._manifest = manifest
        self._ownership: FieldOwnership | None = None

    @property
    def pod(self) -> dict[str, Any]:
        """The PodSpec."""
        pod: dict[str, Any] = self.spec["template"]["spec"]
        return pod

    @property
    def metadata(self) -> dict[str, Any]:
        """The whole object's metadata."""
        metadata: dict[str, Any] = self.object["metadata"]
        return metadata

    @property
    def job(self) -> dict[str, Any]:
        """The object if it is a Job, else the Job that the CronJob creates, as a map of its own.

        The Job has the labels and annotations of the template, as the CronJob controller copies them
        (``getJobFromTemplate2`` in ``pkg/controller/cronjob/utils.go``), and the labels of its Pods if it has
        none (``SetDefaults_Job``). It has the name and the namespace of the CronJob: the controller appends
        the time to the name.
        """
        if self.cron is None:
            return self.object
        written = self.cron["jobTemplate"].get("metadata") or {}
        pods = self.spec["template"].get("metadata") or {}
        metadata = {
            **{name: self.metadata.get(name) for name in NAMES_OF_CRON_JOB},
            "labels": written.get("labels") or pods.get("labels"),
            "annotations": written.get("annotations"),
        }
        return {
            "apiVersion": self.object["apiVersion"],
            "kind": "Job",
            "metadata": {name: value for name, value in metadata.items() if value},
            "spec": self.spec,
        }

    def origin(self, steps: Sequence[str], declared: Field) -> Origin:
        """Return the source of a field's value.

        Args:
            steps: the field names that lead from the object to the field: ``("spec", "backoffLimit")``.
            declared: the field's declaration.
        """
        holder, name = self._holder(steps[:-1]), steps[-1]
        if tuple(steps[:-1]) == tuple(self.path.split(".")):
            if name not in holder:
                return Origin.DEFAULTED  # the server sets it when the controller creates the Job
            default = server_default(name, holder, self._server)
        else:
            default = declared.default
        if default is None or holder.get(name) != default:
            return Origin.WRITTEN
        if self._ownership is None:
            self._ownership = field_ownership(
                self.object if self._manifest is None else self._manifest
            )
        if self._ownership.has(steps):
            return Origin.WRITTEN
        return Origin.DEFAULTED if self._ownership.known else Origin.UNKNOWN

    def _holder(self, steps: Sequence[str]) -> Mapping[str, Any]:
        holder: Any = self.object
        for step in steps:
            holder = holder[step]
        found: Mapping[str, Any] = holder
        return found
