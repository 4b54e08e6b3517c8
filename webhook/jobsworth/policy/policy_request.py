"""What a JobPolicy judges: a request to create or update a Job or CronJob, and a view of its Job."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, Literal

from jobsworth.provenance.field_ownership import field_ownership
from jobsworth.provenance.server_defaults import job_spec_with_defaults, server_default

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from jobsworth.api.declare import Field
    from jobsworth.api.errors import FieldError
    from jobsworth.api.server import ApiServer
    from jobsworth.provenance.field_ownership import FieldOwnership

Operation = Literal["CREATE", "UPDATE"]
CREATE: Final = "CREATE"
UPDATE: Final = "UPDATE"
OPERATIONS: tuple[Operation, ...] = (CREATE, UPDATE)
KINDS = ("Job", "CronJob")

CRON_JOB_CONTROLLERS = (
    "system:serviceaccount:kube-system:cronjob-controller",
    "system:kube-controller-manager",
)
"""Who makes the Jobs of CronJobs: with ``--use-service-account-credentials``, and without."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRequest:
    """A request to create or update an object, as admission sees it.

    Attributes:
        kind: ``Job`` or ``CronJob``.
        namespace: of the object.
        name: of the object; empty where the server is still to generate it.
        object: the object, with the API server's defaults; it is never changed.
        old: the stored object of an update, otherwise None.
        user: who asks; None where nobody can know, as on the command line.
        groups: of the user.
        namespace_labels: of the namespace; None where they are not known.
        dry_run: nothing will be stored.
        options: the CreateOptions or UpdateOptions of the request.
        unreadable: the values of ``object`` that could not be decoded, and so are not in it.
        manifest: what somebody wrote, where that is at hand; None where only ``object`` can tell.
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
    unreadable: tuple[FieldError, ...] = ()
    manifest: dict[str, Any] | None = None

    @property
    def labels(self) -> Mapping[str, str]:
        """The object's labels."""
        return self.object["metadata"].get("labels") or {}

    @property
    def owner_kinds(self) -> list[str]:
        """The kinds of the objects that own this one."""
        owners = self.object["metadata"].get("ownerReferences") or ()
        return [owner.get("kind", "") for owner in owners]

    @property
    def is_made_by_a_cron_job(self) -> bool:
        """Whether the CronJob controller creates it: its CronJob was judged before."""
        return (
            self.operation == CREATE
            and self.user in CRON_JOB_CONTROLLERS
            and "CronJob" in self.owner_kinds
        )


class Origin(Enum):
    """How a field came by its value."""

    WRITTEN = "written"
    """A client wrote it, or it is not the value that the server sets."""
    DEFAULTED = "defaulted"
    """No client wrote it."""
    UNKNOWN = "unknown"
    """It is the server's default, and the object does not tell whether a client wrote it."""


class JobView:
    """A Job, or the Job inside a CronJob as it will be made.

    The API server leaves the Job inside a CronJob without a Job's defaults until it is made; a policy
    judges what will run, so that the CronJob is refused and not the Jobs that it makes later.

    Args:
        kind: ``Job`` or ``CronJob``.
        object: the whole object, with the server's defaults.
        server: whose defaults they are.
        manifest: what a client wrote, where it is known; otherwise the traces in `object` tell.

    Attributes:
        kind: ``Job`` or ``CronJob``.
        object: the whole object.
        path: the field path of the JobSpec: ``spec`` or ``spec.jobTemplate.spec``.
        spec: the JobSpec with the defaults that the Job will have.
        cron: the CronJobSpec; None of a Job.
    """

    __slots__ = ("_manifest", "_server", "_written", "cron", "kind", "object", "path", "spec")

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
        self._written: FieldOwnership | None = None

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

    def origin(self, steps: Sequence[str], declared: Field) -> Origin:
        """Tell how a field came by its value.

        Args:
            steps: the names that lead to the field from the object: ``("spec", "backoffLimit")``.
            declared: the field's declaration.
        """
        holder, name = self._holder(steps[:-1]), steps[-1]
        if tuple(steps[:-1]) == tuple(self.path.split(".")):
            if name not in holder:
                return Origin.DEFAULTED  # the server sets it when the CronJob makes the Job
            default = server_default(name, holder, self._server)
        else:
            default = declared.default
        if default is None or holder.get(name) != default:
            return Origin.WRITTEN
        if self._written is None:
            self._written = field_ownership(
                self.object if self._manifest is None else self._manifest
            )
        if self._written.has(steps):
            return Origin.WRITTEN
        return Origin.DEFAULTED if self._written.known else Origin.UNKNOWN

    def _holder(self, steps: Sequence[str]) -> Mapping[str, Any]:
        holder: Any = self.object
        for step in steps:
            holder = holder[step]
        found: Mapping[str, Any] = holder
        return found
