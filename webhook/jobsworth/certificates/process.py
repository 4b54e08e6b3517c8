"""The process that manages certificates: connect, reconcile, wait, and stop on a signal."""

from __future__ import annotations

import datetime
import gc
import json
import logging
import random
import signal
import socket
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from jobsworth.admission.decision import ApiVerdict
from jobsworth.certificates.cluster_store import Cluster, WebhookConfiguration
from jobsworth.certificates.last_good_policies import LastGoodPolicies
from jobsworth.certificates.manager import LOG, Manager
from jobsworth.certificates.registrar import Registrar, RegistrationOwner
from jobsworth.certificates.registration_files import LoggedPolicies, Readiness, RegistrationFiles
from jobsworth.certificates.rotation import RotationPolicy
from jobsworth.client.api_errors import ApiError, NotConfigured
from jobsworth.client.api_resources import CORE, resource_path
from jobsworth.client.leases import LeaderElection, Times
from jobsworth.client.list_watch import notify
from jobsworth.client.rest_config import RestConfig, Target, rest_config
from jobsworth.client.server_release import ask_release
from jobsworth.client.transport import Client
from jobsworth.serving.active_policies import ReleasePoll
from jobsworth.serving.policy_files import PolicyFiles
from jobsworth.usage_error import UsageError

SOON = 1.0
"""Seconds until the next check while waiting for files or for another replica."""
AT_LEAST = 0.5
"""Seconds between two checks, however often another client changes the objects."""
REQUEST_SECONDS = 10.0
LEASE_INTERVALS = 3
"""The duration of the Lease, in intervals between two checks."""
_ORDINARY = frozenset(vars(logging.makeLogRecord({})))


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """The cluster objects and the folder that hold an installation's certificates.

    Attributes:
        namespace: of the Secret and the Lease.
        secret: the name of the Secret that holds the certificates, or with another issuer the CAs.
        issued_secret: the name of the Secret that another issuer writes; empty without one.
        lease: the name of the Lease that elects one replica.
        mutating, validating: the names of the webhook configurations whose caBundle is written.
        folder: the folder from which the webhook reads its certificate; None to write no files.
        registration: how to create the webhook configurations; None if they are created otherwise.
        policies: the policies of the webhook.
        last_good_config_map: the name of the ConfigMap to store them in; empty to store none.
        release_file: the file to write the API server's release to; None to write none.
    """

    namespace: str
    secret: str
    issued_secret: str = ""
    lease: str
    mutating: tuple[str, ...]
    validating: tuple[str, ...]
    folder: Path | None
    registration: Registration | None = None
    policies: PolicyFiles
    last_good_config_map: str = ""
    release_file: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """Settings for the webhook configurations to create.

    Attributes:
        template: the file with their template.
        api_verdict: how the webhook handles an object that the API server would reject.
        ready_url: the readiness endpoint of the webhook; empty for a webhook that is always ready.
        owner: the ClusterRole that owns the configurations; empty for the namespace.
        queueing_controllers: users whose mere scheduling updates no webhook receives.
        exports: the hash of each policy that the API server enforces as exported, by name.
    """

    template: Path
    api_verdict: ApiVerdict
    ready_url: str
    owner: str
    queueing_controllers: tuple[str, ...]
    exports: Mapping[str, str]


def run(
    target: Target,
    installation: Installation,
    policy: RotationPolicy,
    interval: datetime.timedelta | None,
) -> int:
    """Reconcile certificates once, or until SIGTERM or SIGINT, and return the exit code.

    Args:
        target: the cluster.
        installation: the objects and the folder that hold the certificates.
        policy: the rotation policy.
        interval: seconds between two checks; None to check once.

    Raises:
        UsageError: no cluster is configured.
    """
    _log_to_stderr()
    gc.enable()  # the command line disables it for short commands
    try:
        with rest_config(target) as config:
            return _manage(config, installation, policy, interval)
    except NotConfigured as error:
        raise UsageError(str(error)) from None


def _manage(
    config: RestConfig,
    installation: Installation,
    policy: RotationPolicy,
    interval: datetime.timedelta | None,
) -> int:
    stop, changed = threading.Event(), threading.Event()
    configurations = (
        *(WebhookConfiguration("MutatingWebhookConfiguration", n) for n in installation.mutating),
        *(
            WebhookConfiguration("ValidatingWebhookConfiguration", n)
            for n in installation.validating
        ),
    )
    secrets = resource_path(CORE, "secrets", installation.namespace)
    watched = [
        (secrets, installation.secret),
        *([(secrets, installation.issued_secret)] if installation.issued_secret else ()),
        *((each.path.rpartition("/")[0], each.name) for each in configurations),
    ]
    api = Client(
        config,
        user_agent="jobsworth-certificates",
        connections=1 + len(watched),
        timeout=REQUEST_SECONDS,
        stop=stop,
    )
    store = Cluster(
        api,
        namespace=installation.namespace,
        secret=installation.secret,
        configurations=configurations,
        issued_secret=installation.issued_secret,
    )
    policies = LoggedPolicies(installation.policies)
    manager = Manager(
        store,
        policy,
        installation.folder,
        registrar=_registrar(api, store, installation, configurations, policies),
    )
    beside = Beside(api, installation, policies)
    if interval is None:
        return _once(manager, beside)
    seconds = interval.total_seconds()

    def end(*_: object) -> None:
        stop.set()
        changed.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    election = LeaderElection(
        api,
        installation.namespace,
        installation.lease,
        identity=f"{socket.gethostname()}_{random.getrandbits(32):08x}",
        now=time.time,
        clock=time.monotonic,
        stop=stop,
        times=Times(lease=max(15.0, LEASE_INTERVALS * seconds)),
        log=LOG.error,
    )
    notify(api, watched, changed, stop, LOG.warning)
    return _until_stopped(manager, beside, election, interval=seconds, stop=stop, changed=changed)


def _registrar(
    api: Client,
    store: Cluster,
    installation: Installation,
    configurations: tuple[WebhookConfiguration, ...],
    policies: LoggedPolicies,
) -> Registrar | None:
    registration = installation.registration
    if registration is None:
        return None
    files = RegistrationFiles(
        registration.template,
        policies,
        registration.api_verdict,
        configurations,
        registration.exports,
    )
    return Registrar(
        store,
        files.templates,
        RegistrationOwner(api, installation.namespace, registration.owner).reference,
        Readiness(registration.ready_url),
        registration.queueing_controllers,
    )


class Beside:
    """The tasks beside the certificates: the API server's release, and the last good policies.

    Their errors do not delay the certificates.

    Args:
        api: the API server.
        installation: the files and objects to write.
        policies: the effective policies.
    """

    def __init__(self, api: Client, installation: Installation, policies: LoggedPolicies) -> None:
        file, name = installation.release_file, installation.last_good_config_map
        self._release = None if file is None else ReleasePoll(lambda: ask_release(api), file)
        self._last_good = (
            LastGoodPolicies(api, installation.namespace, name, policies.current) if name else None
        )

    def write_release(self) -> None:
        """Write the API server's release if it is time."""
        if self._release is None:
            return
        try:
            self._release.poll(LOG.error)
        except OSError as error:
            LOG.error(f"cannot write the release of the API server: {error}")

    def store_policies(self) -> None:
        """Store the last good version of each policy."""
        if self._last_good is None:
            return
        try:
            self._last_good.reconcile()
        except ApiError as error:
            if not error.conflict:
                LOG.error(str(error))


def _once(manager: Manager, beside: Beside) -> int:
    beside.write_release()
    beside.store_policies()
    try:
        return 0 if manager.reconcile() and manager.fill() else 1
    except (ApiError, OSError) as error:
        LOG.error(str(error))
        return 1


def _until_stopped(
    manager: Manager,
    beside: Beside,
    election: LeaderElection,
    *,
    interval: float,
    stop: threading.Event,
    changed: threading.Event,
) -> int:
    leading = False
    while not stop.is_set():
        done = False
        changed.clear()  # before reading, so that a change meanwhile is not missed
        beside.write_release()
        try:
            was, leading = leading, _leads(election)
            if leading != was:
                LOG.info(
                    "managing the certificates"
                    if leading
                    else "another replica manages the certificates"
                )
            reconciled = not leading or manager.reconcile()
            done = manager.fill() and reconciled
        except (ApiError, OSError) as error:
            LOG.error(str(error))
        if leading:
            beside.store_policies()
        if not stop.wait(min(AT_LEAST, interval)):
            # Spread the requests of replicas that started together.
            changed.wait((interval if done else min(SOON, interval)) * random.uniform(0.9, 1.1))
    if leading:
        election.release()
    return 0


def _leads(election: LeaderElection) -> bool:
    try:
        return election.take()
    except ApiError as error:
        raise error.while_trying_to("hold the Lease") from None


class _JsonLines(logging.Formatter):
    """Format each log record as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.datetime.fromtimestamp(record.created, datetime.UTC)
        more = {k: v for k, v in vars(record).items() if k not in _ORDINARY}
        line = {
            "time": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **more,
        }
        return json.dumps(line, ensure_ascii=False)


def _log_to_stderr() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLines())
    LOG.handlers[:] = [handler]
    LOG.setLevel(logging.INFO)
    LOG.propagate = False
