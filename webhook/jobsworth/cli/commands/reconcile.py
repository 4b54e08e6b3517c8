"""``jobsworth reconcile``: run the controller of Jobs that select it in spec.managedBy."""

from __future__ import annotations

import gc
import os
import sys

from jobsworth.api.api_server import RELEASES
from jobsworth.cli.cluster_options import ClusterOptions, target_of
from jobsworth.cli.command import Command, UsageError
from jobsworth.cli.configuration.resolved_settings import (
    STDIN,
    ConfigurationOptions,
    configurations_for,
)
from jobsworth.cli.missing_extras import missing_extra
from jobsworth.cli.options import Options, flag, integer, nested, text, whole_number
from jobsworth.controller.well_known_names import OUR_MANAGER, RESERVED_MANAGER
from jobsworth.printable import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from jobsworth.audit.live_audit import LiveAudit
    from jobsworth.cli.configuration.resolved_settings import ResolvedSettings
    from jobsworth.client.api_interface import Api
    from jobsworth.client.rest_config import RestConfig
    from jobsworth.controller.controller_settings import ControllerSettings
    from jobsworth.findings.finding import Finding
    from jobsworth.reconciler.reconciler_options import ReconcilerOptions

    AuditJob = Callable[[dict[str, Any]], list[tuple[str, Finding]]]


class ControllerOptions(Options):
    """Options for the Jobs that the controller manages, and for its pace."""

    namespace = text(
        metavar="NAME", help="Manage Jobs in this namespace only; default: all namespaces."
    )
    managed_by = text(
        default=OUR_MANAGER, metavar="NAME", help="Manage the Jobs with this spec.managedBy."
    )
    adopt_unmanaged = flag(
        help="Also manage Jobs without spec.managedBy or with the built-in controller's; disable the "
        "built-in one first (kube-controller-manager --controllers=*,-job-controller)."
    )
    workers = integer(default=5, help="Number of Jobs to sync concurrently.")
    sync_period = text(
        default="5m",
        metavar="DURATION",
        help="Interval at which every unfinished Job is synced even without events.",
    )
    batch_period = text(
        default="1s",
        metavar="DURATION",
        help="Batch the Pod events of a Job for this long before a sync.",
    )
    pod_failure_backoff = text(
        default="10s",
        metavar="DURATION",
        help="Initial backoff before a failed Pod is replaced.",
    )
    max_pod_failure_backoff = text(
        default="10m", metavar="DURATION", help="Maximum backoff before a failed Pod is replaced."
    )
    kube_api_qps = text(
        default="50", metavar="NUMBER", help="API requests per second; 0 for no limit."
    )
    kube_api_burst = integer(default=100, help="Maximum burst of API requests.")
    leader_elect = flag(
        help="Elect one of several replicas by a Lease; only the leader reconciles."
    )
    leader_elect_namespace = text(
        metavar="NAME", help="The Lease's namespace; default: the Pod's namespace."
    )
    leader_elect_name = text(
        default="jobsworth-job-controller", metavar="NAME", help="The Lease's name."
    )
    listen = text(
        default=":8081",
        metavar="ADDRESS",
        help="Address of /healthz, /readyz and /metrics; 0 to disable.",
    )


class AuditingOptions(Options):
    """Options for auditing existing Jobs."""

    audit = flag(
        help="Also audit existing Jobs, whichever controller manages them, and report findings as "
        "metrics and events."
    )
    kubernetes_version = text(
        metavar="RELEASE",
        help="The release that the audit assumes; default: the cluster's release.",
    )
    configuration = nested(ConfigurationOptions)


class ReconcileOptions(Options):
    """The options of ``jobsworth reconcile``."""

    cluster = nested(ClusterOptions)
    controller = nested(ControllerOptions)
    auditing = nested(AuditingOptions)
    release = flag(help="Remove our finalizer from all Pods that still have it, and exit.")


def run(options: ReconcileOptions) -> int:
    """Reconcile until a signal, or remove the finalizer from all Pods, and return the exit code.

    Raises:
        UsageError: an option is invalid, or no cluster is configured.
    """
    from jobsworth.client.api_errors import ApiError
    from jobsworth.client.rest_config import own_namespace, rest_config
    from jobsworth.reconciler.reconciler_options import ReconcilerOptions

    chosen = options.controller
    host, port = _address(chosen.listen)
    controller = ReconcilerOptions(
        settings=_settings(chosen),
        namespace=chosen.namespace or "",
        workers=chosen.workers,
        qps=_number("--kube-api-qps", chosen.kube_api_qps),
        burst=chosen.kube_api_burst,
        leader_elect=chosen.leader_elect,
        lease_namespace=chosen.leader_elect_namespace or own_namespace(),
        lease=chosen.leader_elect_name,
        identity=_identity(),
        host=host,
        port=port,
    )
    if options.auditing.audit:
        _audit_settings(options.auditing, None)  # report configuration errors before connecting
    try:
        with rest_config(target_of(options.cluster)) as config:
            if options.release:
                return _release(config, controller.namespace, controller.settings.finalizer)
            audit_job = (
                _audit_function(options.auditing, config) if options.auditing.audit else None
            )
            return _reconcile(config, controller, audit_job)
    except ApiError as error:
        raise UsageError(str(error)) from None
    except ImportError as error:
        raise _missing(error) from None


def _reconcile(config: RestConfig, options: ReconcilerOptions, audit_job: AuditJob | None) -> int:
    from jobsworth.reconciler.process import ReconcilerProcess

    gc.enable()  # the command line disables it for short commands
    observed_by = None if audit_job is None else _audit_by(audit_job)
    process = ReconcilerProcess(config, options, _log, observed_by)
    process.stop_on_signals()
    try:
        return process.run()
    except OSError as error:
        raise UsageError(f"cannot listen at {options.host}:{options.port}: {error}") from None


def _audit_by(audit_job: AuditJob) -> Callable[[Api], LiveAudit]:
    import time

    from jobsworth.audit.live_audit import LiveAudit

    return lambda api: LiveAudit(audit_job, api, time.time, _log)


def _release(config: RestConfig, namespace: str, finalizer: str) -> int:
    from jobsworth.client.api_errors import ApiError
    from jobsworth.client.rate_limit import TokenBucket
    from jobsworth.client.transport import Client
    from jobsworth.reconciler.orphan_pods import release_all

    api = Client(config, user_agent="jobsworth-release", limit=TokenBucket(100, 200))
    freed = failed = 0
    try:
        for error in release_all(api, namespace, finalizer):
            if error is None:
                freed += 1
            else:
                failed += 1
                print(
                    printable(f"cannot remove the finalizer from a Pod: {error}"), file=sys.stderr
                )
    except ApiError as error:
        print(printable(f"cannot list the Pods: {error}"), file=sys.stderr)
        return 1
    print(f"removed the finalizer {finalizer} from {freed} Pods", file=sys.stderr)
    return 1 if failed else 0


def _audit_settings(options: AuditingOptions, runs: str | None) -> ResolvedSettings:
    """Return the settings of an audit in a cluster of this release.

    Raises:
        UsageError: a configuration or a policy is invalid.
    """
    configurations = configurations_for(
        options.configuration,
        release=options.kubernetes_version or (runs if runs in RELEASES else None),
        allow_privileged=True,  # a stored object has been accepted
    )
    return configurations.of(STDIN)


def _audit_function(options: AuditingOptions, config: RestConfig) -> AuditJob:
    """Return a function that audits a stored Job with the current labels of its namespace."""
    from jobsworth.audit.stored_objects import StoredObjects
    from jobsworth.client.namespace_labels import NamespaceLabels, fetch_from
    from jobsworth.client.retry import Retry
    from jobsworth.client.transport import Client
    from jobsworth.evaluation.evaluator import Evaluator
    from jobsworth.evaluation.subject import Subject

    retry = Retry(4, reads_while_busy=True)
    api = Client(config, user_agent="jobsworth", connections=1, retry=retry)
    settings = _audit_settings(options, StoredObjects(api).release())
    policies = None if settings.policies is None else settings.policies.policies
    selection = settings.selection
    evaluator = Evaluator(settings.server, selection, policies)
    if policies is None or not policies.needs_namespace_labels:
        return lambda job: evaluator.evaluate(Subject(job, "stored")).reported(selection)
    labels = NamespaceLabels(fetch_from(api))

    def audit_job(job: dict[str, Any]) -> list[tuple[str, Finding]]:
        of_namespace = labels(job["metadata"]["namespace"])
        subject = Subject(job, "stored", namespace_labels=of_namespace)
        return evaluator.evaluate(subject).reported(selection)

    return audit_job


def _settings(options: ControllerOptions) -> ControllerSettings:
    from jobsworth.controller.controller_settings import ControllerSettings

    manager = options.managed_by
    if manager == RESERVED_MANAGER:
        raise UsageError(
            f"{RESERVED_MANAGER} is reserved for the built-in Job controller: "
            "use --adopt-unmanaged to manage its Jobs where it is disabled"
        )
    return ControllerSettings(
        manager=manager,
        adopt_unmanaged=options.adopt_unmanaged,
        backoff_base=_seconds("--pod-failure-backoff", options.pod_failure_backoff),
        backoff_cap=_seconds("--max-pod-failure-backoff", options.max_pod_failure_backoff),
        resync=_seconds("--sync-period", options.sync_period),
        batch_delay=_seconds("--batch-period", options.batch_period),
    )


def _address(text: str) -> tuple[str, int | None]:
    if text == "0":
        return "", None
    host, colon, port = text.rpartition(":")
    number = whole_number(port)
    if not colon or number is None or number > 65535:
        raise UsageError(
            f'--listen "{text}" is not an address; use for example :8081, or 0 to disable'
        )
    return host.strip("[]"), number


def _seconds(option: str, text: str) -> float:
    """Parse a duration such as ``10s``, ``1m30s`` or ``500ms`` into seconds."""
    from jobsworth.api.formats.duration import BadDuration, parse

    try:
        nanoseconds = parse(text)
    except BadDuration:
        nanoseconds = 0
    if nanoseconds <= 0:
        raise UsageError(
            f'{option} "{text}" is not a duration; use for example 10s, 1m30s or 500ms'
        )
    return nanoseconds / 1e9


def _number(option: str, text: str) -> float:
    if not _is_number(text):
        raise UsageError(f'{option} "{text}" is not a number; use for example 50')
    return float(text)


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal() and text.isascii()


def _identity() -> str:
    """Return a leader election identity as client-go does: the host name and a unique suffix."""
    import socket
    import uuid

    return f"{os.environ.get('POD_NAME') or socket.gethostname()}_{uuid.uuid4()}"


def _log(message: str) -> None:
    import time

    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    print(printable(f"{stamp} {message}"), file=sys.stderr, flush=True)


def _missing(error: ImportError) -> UsageError:
    return UsageError(missing_extra("connections to a cluster", "cluster", error.name))


COMMAND = Command(
    "reconcile",
    help=f"""Run the controller of Jobs with spec.managedBy: {OUR_MANAGER}.

Runs until SIGTERM or SIGINT, and logs to standard error when its caches are synced and it starts to
reconcile. Uses the ServiceAccount in a Pod, a kubeconfig elsewhere.""",
    epilog="""\b
Examples:
  jobsworth reconcile
  jobsworth reconcile --kubeconfig ~/.kube/config --namespace batch
  jobsworth reconcile --leader-elect --kube-api-qps 100 --kube-api-burst 200
  jobsworth reconcile --audit --policy policies/
  jobsworth reconcile --release      # before uninstalling: remove our finalizer from Pods
""",
    options=ReconcileOptions,
    run=run,
)
