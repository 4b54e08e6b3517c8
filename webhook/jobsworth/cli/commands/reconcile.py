"""``jobsworth reconcile``: run the controller of Jobs that select it in spec.managedBy."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable

import click

from jobsworth.api.api_server import ApiServer
from jobsworth.cli.cluster_options import ClusterOptions, target_of
from jobsworth.cli.command import Command
from jobsworth.cli.options import Options, flag, group, number, option
from jobsworth.cli.policy_options import PolicyOptions, policy_files_of
from jobsworth.cli.process_options import duration_in_seconds, listen_address, require_posix
from jobsworth.cli.server_options import AUTO, ServerOptions, server_of_release
from jobsworth.client.rest_config import RestConfig
from jobsworth.controller.settings import ControllerSettings
from jobsworth.controller.well_known_names import OUR_MANAGER, RESERVED_MANAGER
from jobsworth.installation import missing_extra
from jobsworth.listen_address import CannotListen
from jobsworth.printable import printable
from jobsworth.reconciler.operator_log import LogFormat, LogVerbosity
from jobsworth.reconciler.options import ReconcilerOptions
from jobsworth.usage_error import UsageError

GATES = (
    "feature gates set the rules by which policies evaluate stored Jobs; the controller itself has every "
    "Job feature of Kubernetes 1.36, whatever the gates"
)
PLAN_TIMEOUT = 30
"""Seconds for a request of a plan."""


class ControllerOptions(Options):
    """Options for the Jobs that the controller manages, and for its pace."""

    heading = "Controller"

    namespace: str | None = option(
        "--namespace",
        "-n",
        metavar="NAME",
        help="Manage Jobs in this namespace only; default: all namespaces.",
    )
    managed_by: str = option(
        "--managed-by",
        default=OUR_MANAGER,
        metavar="NAME",
        help="Manage the Jobs with this spec.managedBy.",
    )
    adopt_unmanaged: bool = flag(
        "--adopt-unmanaged",
        help="Also manage Jobs without spec.managedBy or with the built-in controller's; disable the "
        "built-in one first (kube-controller-manager --controllers=*,-job-controller).",
    )
    workers: int = option(
        "--workers",
        default=5,
        type=number,
        metavar="N",
        help="Number of Jobs to sync concurrently.",
    )
    sync_period: str = option(
        "--sync-period",
        default="5m",
        metavar="DURATION",
        help="Interval at which every unfinished Job is synced even without events.",
    )
    batch_period: str = option(
        "--batch-period",
        default="1s",
        metavar="DURATION",
        help="Batch the Pod events of a Job for this long before a sync.",
    )
    pod_failure_backoff: str = option(
        "--pod-failure-backoff",
        default="10s",
        metavar="DURATION",
        help="Initial backoff before a failed Pod is replaced.",
    )
    max_pod_failure_backoff: str = option(
        "--max-pod-failure-backoff",
        default="10m",
        metavar="DURATION",
        help="Maximum backoff before a failed Pod is replaced.",
    )
    kube_api_qps: str = option(
        "--kube-api-qps",
        default="50",
        metavar="NUMBER",
        help="API requests per second; 0 for no limit.",
    )
    kube_api_burst: int = option(
        "--kube-api-burst",
        default=100,
        type=number,
        metavar="N",
        help="Maximum burst of API requests.",
    )
    leader_elect: bool = flag(
        "--leader-elect",
        help="Elect one of several replicas by a Lease; only the leader reconciles.",
    )
    leader_elect_namespace: str | None = option(
        "--leader-elect-namespace",
        metavar="NAME",
        help="The Lease's namespace; default: the Pod's namespace.",
    )
    leader_elect_name: str = option(
        "--leader-elect-name",
        default="jobsworth-job-controller",
        metavar="NAME",
        help="The Lease's name.",
    )
    monitor_bind: str = option(
        "--monitor-bind",
        default=":8081",
        metavar="ADDRESS:PORT",
        help="Address of /healthz, /readyz and /metrics; without ADDRESS, every one of IPv4 and IPv6; 0 to "
        "disable.",
    )


class PolicyServerOptions(ServerOptions):
    """Options for the API server by whose rules policies evaluate stored Jobs."""

    kubernetes_version: str = option(
        "--kubernetes-version",
        default=AUTO,
        metavar="RELEASE",
        help="With policies: the API server's release, or auto, the one that it reports.",
    )


class LogOptions(Options):
    """Options for the log on standard error."""

    heading = "Log"

    log_format: LogFormat = option(
        "--log-format",
        default="text",
        type=click.Choice(("text", "json")),
        help="Format of the log lines.",
    )
    verbosity: LogVerbosity = option(
        "--log",
        "verbosity",
        default="jobs",
        type=click.Choice(("quiet", "jobs", "syncs")),
        help="Besides messages and errors, log nothing (quiet), every finished Job (jobs), or also every "
        "sync (syncs).",
    )


class ReconcileOptions(Options):
    """The options of ``jobsworth reconcile``."""

    cluster = group(ClusterOptions)
    controller = group(ControllerOptions)
    policies = group(PolicyOptions)
    defaults_qps: str = option(
        "--defaults-qps",
        default="10",
        metavar="NUMBER",
        help="Stored objects per second that get defaults of policies with reconcile: apply; 0 for no limit.",
    )
    dry_run: bool = flag(
        "--dry-run",
        help="Report the defaults that policies with reconcile: apply would set in stored objects, and do "
        "not set them.",
    )
    plan: bool = flag(
        "--plan",
        help="Print the defaults that policies with reconcile: apply would set in stored objects, and exit.",
    )
    server = group(PolicyServerOptions)
    log = group(LogOptions)
    remove_finalizers: bool = flag(
        "--remove-finalizers",
        help="Remove our finalizer from all Pods that still have it, and exit.",
    )


def run(options: ReconcileOptions) -> int:
    """Reconcile until a signal, or remove the finalizer from all Pods, and return the exit code.

    Raises:
        UsageError: an option is invalid, or no cluster is configured.
        InputError: the system is Windows.
    """
    require_posix("reconcile")
    from jobsworth.client.api_errors import ApiError
    from jobsworth.client.rest_config import own_namespace, rest_config
    from jobsworth.reconciler.options import ReconcilerOptions

    chosen = options.controller
    host, port = listen_address(chosen.monitor_bind)
    controller = ReconcilerOptions(
        settings=_settings(chosen),
        namespace=chosen.namespace or "",
        workers=chosen.workers,
        qps=_float_of("--kube-api-qps", chosen.kube_api_qps),
        burst=chosen.kube_api_burst,
        leader_elect=chosen.leader_elect,
        lease_namespace=chosen.leader_elect_namespace or own_namespace(),
        lease=chosen.leader_elect_name,
        identity=_identity(),
        host=host,
        port=port,
        defaults_qps=_float_of("--defaults-qps", options.defaults_qps),
        dry_run=options.dry_run,
    )
    try:
        with rest_config(target_of(options.cluster)) as config:
            if options.remove_finalizers:
                return _remove_finalizers(
                    config, controller.namespace, controller.settings.finalizer
                )
            if options.plan:
                return _plan(
                    config, controller.namespace, options, server_of_release(options.server)
                )
            return _reconcile(config, controller, options, server_of_release(options.server))
    except ApiError as error:
        raise UsageError(str(error)) from None
    except ImportError as error:
        raise _missing(error) from None


def _reconcile(
    config: RestConfig,
    controller: ReconcilerOptions,
    options: ReconcileOptions,
    server_of: Callable[[str], ApiServer],
) -> int:
    import time

    from jobsworth.reconciler.operator_log import OperatorLog
    from jobsworth.reconciler.process import ReconcilerProcess
    from jobsworth.reconciler.reconciled_policies import ReconciledPolicies

    files = policy_files_of(options.policies)
    if options.server.feature_gates and files is None:
        raise UsageError(f"--feature-gates changes nothing without --policy or --profile: {GATES}")
    gc.enable()  # the command line disables it for short commands
    log = OperatorLog(
        _write_line, time.time, format=options.log.log_format, verbosity=options.log.verbosity
    )
    process = ReconcilerProcess(config, controller, log.message, log.synced)
    if options.server.feature_gates:
        log.message(GATES)
    if files is not None:
        process.policies = ReconciledPolicies(
            files,
            server_of,
            api=process.api,
            log=log.message,
            loaded_successfully=process.metrics.policies_loaded,
        )
    process.stop_on_signals()
    try:
        return process.run()
    except CannotListen as error:
        raise UsageError(f"{error}; use another --monitor-bind") from None


def _plan(
    config: RestConfig,
    namespace: str,
    options: ReconcileOptions,
    server_of: Callable[[str], ApiServer],
) -> int:
    from jobsworth.audit.audited_objects import AuditScope
    from jobsworth.audit.cluster_audit import namespace_labels
    from jobsworth.audit.stored_objects import StoredObjects
    from jobsworth.cli.cluster_options import reading_client
    from jobsworth.cli.default_plan import print_plan
    from jobsworth.client.server_release import ask_release

    files = policy_files_of(options.policies)
    if files is None:
        raise UsageError("--plan requires policies: add --policy or --profile")
    load = files.check()
    loaded = files.active
    if loaded is None or loaded.errors:
        raise UsageError("\n".join(loaded.errors if loaded else [str(load and load.error)]))
    api = reading_client(config, timeout=PLAN_TIMEOUT)
    stored_objects, scope = StoredObjects(api), AuditScope([namespace or None])
    wanted = loaded.policies.needs_namespace_labels
    labels = namespace_labels(stored_objects, scope, config.name, _write_line, wanted=wanted)
    return print_plan(stored_objects, scope, loaded.policies, server_of(ask_release(api)), labels)


def _remove_finalizers(config: RestConfig, namespace: str, finalizer: str) -> int:
    from jobsworth.client.api_errors import ApiError
    from jobsworth.client.rate_limit import TokenBucket
    from jobsworth.client.transport import Client
    from jobsworth.reconciler.orphan_pods import untrack_all

    api = Client(config, user_agent="jobsworth-remove-finalizers", limit=TokenBucket(100, 200))
    freed = failed = 0
    try:
        for error in untrack_all(api, namespace, finalizer):
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


def _settings(options: ControllerOptions) -> ControllerSettings:
    from jobsworth.controller.settings import ControllerSettings

    manager = options.managed_by
    if manager == RESERVED_MANAGER:
        raise UsageError(
            f"{RESERVED_MANAGER} is reserved for the built-in Job controller: "
            "use --adopt-unmanaged to manage its Jobs where it is disabled"
        )
    return ControllerSettings(
        manager=manager,
        adopt_unmanaged=options.adopt_unmanaged,
        backoff_base=duration_in_seconds("--pod-failure-backoff", options.pod_failure_backoff),
        backoff_cap=duration_in_seconds(
            "--max-pod-failure-backoff", options.max_pod_failure_backoff
        ),
        resync=duration_in_seconds("--sync-period", options.sync_period),
        batch_delay=duration_in_seconds("--batch-period", options.batch_period),
    )


def _float_of(option: str, text: str) -> float:
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


def _write_line(line: str) -> None:
    sys.stderr.write(f"{line}\n")  # one call, so that the lines of two threads do not mix
    sys.stderr.flush()


def _missing(error: ImportError) -> UsageError:
    return UsageError(missing_extra("connections to a cluster", "cluster", error.name))


COMMAND = Command(
    "reconcile",
    help=f"""Run the controller of Jobs with spec.managedBy: {OUR_MANAGER}.

Runs until SIGTERM or SIGINT, and logs to standard error when its caches are synced and it starts to
reconcile. Uses the ServiceAccount in a Pod, a kubeconfig elsewhere. It creates no Workload and no
PodGroup: spec.scheduling of a Job has no effect.""",
    epilog="""\b
Examples:
  jobsworth reconcile
  jobsworth reconcile --kubeconfig ~/.kube/config --namespace batch
  jobsworth reconcile --policy policies/   # Jobs before their first Pod, too
  jobsworth reconcile --policy policies/ --plan   # changes nothing
  jobsworth reconcile --leader-elect --kube-api-qps 100 --kube-api-burst 200
  jobsworth reconcile --log-format json --log syncs
  jobsworth reconcile --remove-finalizers   # before it is uninstalled
""",
    options=ReconcileOptions,
    run=run,
)
