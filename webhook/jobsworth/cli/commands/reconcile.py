"""``jobsworth reconcile``: the Job controller of the Jobs that name us."""

from __future__ import annotations

import gc
import os
import sys

from jobsworth.api.server import RELEASES
from jobsworth.cli.cluster_options import ClusterOptions, target_of
from jobsworth.cli.command import Command, UsageError
from jobsworth.cli.configuration.resolved_settings import (
    STDIN,
    ConfigurationOptions,
    configurations_for,
)
from jobsworth.cli.options import Options, flag, integer, nested, text, whole_number
from jobsworth.controller.well_known_names import OUR_MANAGER, RESERVED_MANAGER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from jobsworth.audit.live_audit import LiveAudit
    from jobsworth.cli.configuration.resolved_settings import Settings as Judging
    from jobsworth.client.api import Api
    from jobsworth.client.configuration import RestConfig
    from jobsworth.controller.controller_settings import ControllerSettings
    from jobsworth.findings.finding import Finding
    from jobsworth.reconciler.reconciler_options import ReconcilerOptions

    Judge = Callable[[dict[str, Any]], list[tuple[str, Finding]]]


class ControllerOptions(Options):
    """The options that say which Jobs the controller takes, and how it works through them."""

    namespace = text(metavar="NAME", help="Only this namespace; all by default.")
    managed_by = text(
        default=OUR_MANAGER, metavar="NAME", help="The spec.managedBy of the Jobs to take."
    )
    adopt_unmanaged = flag(
        help="Also take Jobs that name nobody, or the built-in controller, which must be off "
        "(kube-controller-manager --controllers=*,-job-controller)."
    )
    workers = integer(default=5, help="How many Jobs to sync at once.")
    sync_period = text(
        default="5m",
        metavar="DURATION",
        help="How often to look at every unfinished Job, whatever happens.",
    )
    batch_period = text(
        default="1s",
        metavar="DURATION",
        help="For how long to gather what happens to the Pods of a Job.",
    )
    pod_failure_backoff = text(
        default="10s",
        metavar="DURATION",
        help="How long to wait before the first replacement of a failed Pod.",
    )
    max_pod_failure_backoff = text(
        default="10m", metavar="DURATION", help="The longest wait before a failed Pod is replaced."
    )
    kube_api_qps = text(default="50", metavar="NUMBER", help="API calls a second; 0: any.")
    kube_api_burst = integer(default=100, help="API calls at once, at most.")
    leader_elect = flag(help="Work only while holding a Lease, one of several.")
    leader_elect_namespace = text(
        metavar="NAME", help="The Lease's namespace; the Pod's own by default."
    )
    leader_elect_name = text(
        default="jobsworth-job-controller", metavar="NAME", help="The Lease's name."
    )
    listen = text(
        default=":8081",
        metavar="ADDRESS",
        help="Where to serve /healthz, /readyz and /metrics; 0 for nowhere.",
    )


class JudgementOptions(Options):
    """The options that say whether the Jobs that are there are judged, and by what."""

    audit = flag(
        help="Also judge the Jobs that are there, whoever manages them: metrics and events say "
        "what is wrong with them."
    )
    kubernetes_version = text(
        metavar="RELEASE",
        help="The release that Jobs are audited by, that of the cluster by default.",
    )
    configuration = nested(ConfigurationOptions)


class ReconcileOptions(Options):
    """The options of ``jobsworth reconcile``."""

    cluster = nested(ClusterOptions)
    controller = nested(ControllerOptions)
    judgement = nested(JudgementOptions)
    release = flag(help="Take our finalizer off all Pods that still carry it, and end.")


def run(options: ReconcileOptions) -> int:
    """Reconcile until a signal comes, or free all Pods, and return the exit code.

    Raises:
        UsageError: an option is wrong, or the cluster cannot be reached by what is given.
    """
    from jobsworth.client.configuration import own_namespace, rest_config
    from jobsworth.client.errors import ApiError
    from jobsworth.reconciler.reconciler_options import ReconcilerOptions

    asked = options.controller
    host, port = _address(asked.listen)
    controller = ReconcilerOptions(
        settings=_settings(asked),
        namespace=asked.namespace or "",
        workers=asked.workers,
        qps=_number("--kube-api-qps", asked.kube_api_qps),
        burst=asked.kube_api_burst,
        leader_elect=asked.leader_elect,
        lease_namespace=asked.leader_elect_namespace or own_namespace(),
        lease=asked.leader_elect_name,
        identity=_identity(),
        host=host,
        port=port,
    )
    if options.judgement.audit:
        _judged_by(options.judgement, None)  # what is wrong there is told before anybody is asked
    try:
        with rest_config(target_of(options.cluster)) as config:
            if options.release:
                return _release(config, controller.namespace, controller.settings.finalizer)
            judge = _judge(options.judgement, config) if options.judgement.audit else None
            return _reconcile(config, controller, judge)
    except ApiError as error:
        raise UsageError(str(error)) from None
    except ImportError as error:
        raise _missing(error) from None


def _reconcile(config: RestConfig, options: ReconcilerOptions, judge: Judge | None) -> int:
    from jobsworth.reconciler.process import ReconcilerProcess

    gc.enable()  # the command line turns it off, for commands that end soon
    observed_by = None if judge is None else _audit_by(judge)
    process = ReconcilerProcess(config, options, _log, observed_by)
    process.stop_on_signals()
    try:
        return process.run()
    except OSError as error:
        raise UsageError(f"cannot listen at {options.host}:{options.port}: {error}") from None


def _audit_by(judge: Judge) -> Callable[[Api], LiveAudit]:
    import time

    from jobsworth.audit.live_audit import LiveAudit

    return lambda api: LiveAudit(judge, api, time.time, _log)


def _release(config: RestConfig, namespace: str, finalizer: str) -> int:
    from jobsworth.client.errors import ApiError
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
                print(f"cannot free a Pod: {error}", file=sys.stderr)
    except ApiError as error:
        print(f"cannot list the Pods: {error}", file=sys.stderr)
        return 1
    print(f"freed {freed} Pods of the finalizer {finalizer}", file=sys.stderr)
    return 1 if failed else 0


def _judged_by(options: JudgementOptions, runs: str | None) -> Judging:
    """What Jobs are audited by, where the cluster runs this release.

    Raises:
        UsageError: a configuration or a policy is wrong.
    """
    configurations = configurations_for(
        options.configuration,
        release=options.kubernetes_version or (runs if runs in RELEASES else None),
        allow_privileged=True,  # what is stored was let in
    )
    return configurations.of(STDIN)


def _judge(options: JudgementOptions, config: RestConfig) -> Judge:
    """Says of a stored Job what is wrong with it, by the labels that its namespace has now."""
    from jobsworth.audit.stored_objects import StoredObjects
    from jobsworth.client.namespace_labels import NamespaceLabels, fetch_from
    from jobsworth.client.retry import Retry
    from jobsworth.client.transport import Client
    from jobsworth.evaluation.evaluator import Evaluator
    from jobsworth.evaluation.subject import Subject

    retry = Retry(4, reads_while_busy=True)
    api = Client(config, user_agent="jobsworth", connections=1, retry=retry)
    judged_by = _judged_by(options, StoredObjects(api).release())
    policies = None if judged_by.policies is None else judged_by.policies.policies
    selection = judged_by.selection
    evaluator = Evaluator(judged_by.server, selection, policies)
    if policies is None or not policies.asks_namespace_labels:
        return lambda job: evaluator.evaluate(Subject(job, "stored")).reported(selection)
    labels = NamespaceLabels(fetch_from(api))

    def judge(job: dict[str, Any]) -> list[tuple[str, Finding]]:
        of_namespace = labels(job["metadata"]["namespace"])
        subject = Subject(job, "stored", namespace_labels=of_namespace)
        return evaluator.evaluate(subject).reported(selection)

    return judge


def _settings(options: ControllerOptions) -> ControllerSettings:
    from jobsworth.controller.controller_settings import ControllerSettings

    manager = options.managed_by
    if manager == RESERVED_MANAGER:
        raise UsageError(
            f"{RESERVED_MANAGER} is reserved to the built-in Job controller: "
            "give --adopt-unmanaged to take its Jobs where it does not run"
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
        raise UsageError(f'--listen "{text}" is not an address such as :8081, or 0 for none')
    return host.strip("[]"), number


def _seconds(option: str, text: str) -> float:
    """A duration such as ``10s``, ``1m30s`` or ``500ms``, in seconds."""
    from jobsworth.api.formats.duration import BadDuration, parse

    try:
        nanoseconds = parse(text)
    except BadDuration:
        nanoseconds = 0
    if nanoseconds <= 0:
        raise UsageError(f'{option} "{text}" is not a duration such as 10s, 1m30s or 500ms')
    return nanoseconds / 1e9


def _number(option: str, text: str) -> float:
    if not _is_number(text):
        raise UsageError(f'{option} "{text}" is not a number such as 50')
    return float(text)


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal() and text.isascii()


def _identity() -> str:
    """Like that of client-go: the host, and what tells two processes on it apart."""
    import socket
    import uuid

    return f"{os.environ.get('POD_NAME') or socket.gethostname()}_{uuid.uuid4()}"


def _log(message: str) -> None:
    import time

    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    print(f"{stamp} {message}", file=sys.stderr, flush=True)


def _missing(error: ImportError) -> UsageError:
    return UsageError(f"{error.name or error} is not there: run pip install 'jobsworth[cluster]'")


COMMAND = Command(
    "reconcile",
    help=f"""Run the Job controller of the Jobs that name it (spec.managedBy: {OUR_MANAGER}).

It runs until SIGTERM or SIGINT, and says on standard error when its caches are in sync and it is at
work. In a Pod it uses the service account, elsewhere a kubeconfig.""",
    epilog="""\b
Examples:
  jobsworth reconcile
  jobsworth reconcile --kubeconfig ~/.kube/config --namespace batch
  jobsworth reconcile --leader-elect --kube-api-qps 100 --kube-api-burst 200
  jobsworth reconcile --audit --policy policies/
  jobsworth reconcile --release      # before uninstalling: free the Pods that carry our finalizer
""",
    options=ReconcileOptions,
    run=run,
)
