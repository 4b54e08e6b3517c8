"""``jobsworth reconcile``: run the controller of Jobs that select it in spec.managedBy."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING

from jobsworth.cli.cluster_options import ClusterOptions, target_of
from jobsworth.cli.command import Command
from jobsworth.cli.missing_extras import missing_extra
from jobsworth.cli.options import Options, choice, flag, integer, nested, text
from jobsworth.cli.policy_options import PolicyOptions, effective_policy_files
from jobsworth.cli.process_options import duration_in_seconds, listen_address, require_posix
from jobsworth.cli.server_options import AUTO, ServerOptions, server_of_release
from jobsworth.controller.well_known_names import OUR_MANAGER, RESERVED_MANAGER
from jobsworth.listen_address import CannotListen
from jobsworth.printable import printable
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from jobsworth.api.api_server import ApiServer
    from jobsworth.client.rest_config import RestConfig
    from jobsworth.controller.settings import ControllerSettings
    from jobsworth.reconciler.operator_log import LogFormat, LogVerbosity
    from jobsworth.reconciler.options import ReconcilerOptions


class ControllerOptions(Options):
    """Options for the Jobs that the controller manages, and for its pace."""

    heading = "Controller"

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
        help="Address of /healthz, /readyz and /metrics, as ADDRESS:PORT; without ADDRESS, every one of IPv4 "
        "and IPv6; 0 to disable.",
    )


class PolicyServerOptions(ServerOptions):
    """Options for the API server by whose rules policies evaluate stored Jobs."""

    kubernetes_version = text(
        default=AUTO,
        metavar="RELEASE",
        help="With policies: the API server's release, or auto, the one that it reports.",
    )


class LogOptions(Options):
    """Options for the log on standard error."""

    heading = "Log"

    log_format: LogFormat = choice(
        choices=("text", "json"), default="text", help="Format of the log lines."
    )
    verbosity: LogVerbosity = choice(
        choices=("quiet", "jobs", "syncs"),
        default="jobs",
        help="Besides messages and errors, log nothing (quiet), every finished Job (jobs), or also every "
        "sync (syncs).",
    )


class ReconcileOptions(Options):
    """The options of ``jobsworth reconcile``."""

    cluster = nested(ClusterOptions)
    controller = nested(ControllerOptions)
    policies = nested(PolicyOptions)
    defaults_qps = text(
        default="10",
        metavar="NUMBER",
        help="Stored objects per second that get defaults of policies with reconcile: apply; 0 for no limit.",
    )
    dry_run = flag(
        help="Report the defaults that policies with reconcile: apply would set in stored objects, and do "
        "not set them."
    )
    server = nested(PolicyServerOptions)
    log = nested(LogOptions)
    release = flag(help="Remove our finalizer from all Pods that still have it, and exit.")


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
    host, port = listen_address(chosen.listen)
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
        defaults_qps=_number("--defaults-qps", options.defaults_qps),
        dry_run=options.dry_run,
    )
    try:
        with rest_config(target_of(options.cluster)) as config:
            if options.release:
                return _release(config, controller.namespace, controller.settings.finalizer)
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

    from jobsworth.cli.reconciled_policies import ReconciledPolicies
    from jobsworth.reconciler.operator_log import OperatorLog
    from jobsworth.reconciler.process import ReconcilerProcess

    gc.enable()  # the command line disables it for short commands
    log = OperatorLog(
        _write_line, time.time, format=options.log.log_format, verbosity=options.log.verbosity
    )
    process = ReconcilerProcess(config, controller, log.message, log.synced)
    files = effective_policy_files(options.policies)
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
        raise UsageError(f"{error}; use another --listen") from None


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


def _write_line(line: str) -> None:
    sys.stderr.write(f"{line}\n")  # one call, so that the lines of two threads do not mix
    sys.stderr.flush()


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
  jobsworth reconcile --policy policies/       # also evaluate Jobs before their first Pod
  jobsworth reconcile --leader-elect --kube-api-qps 100 --kube-api-burst 200
  jobsworth reconcile --log-format json --verbosity syncs
  jobsworth reconcile --release      # before uninstalling: remove our finalizer from Pods
""",
    options=ReconcileOptions,
    run=run,
)
