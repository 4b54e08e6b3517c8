"""The life of ``jobsworth certs manage``: connect, look, tend, wait, and stop when told to."""

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
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jobsworth.api.formats.duration import BadDuration, parse
from jobsworth.certificates.cluster_store import Cluster, Configuration
from jobsworth.certificates.manager import LOG, Manager
from jobsworth.cli.command import UsageError
from jobsworth.client.configuration import Target, rest_config
from jobsworth.client.errors import ApiError, NotConfigured
from jobsworth.client.leases import LeaderElection, Times
from jobsworth.client.transport import Client

if TYPE_CHECKING:
    from jobsworth.certificates.rotation import Policy
    from jobsworth.client.configuration import RestConfig

SOON = 1.0
"""Seconds until the next look while something is still to come: files, or another replica's step."""
REQUEST_SECONDS = 10.0
LEASE_INTERVALS = 3
"""A Lease is good for so many intervals between two looks."""
_ORDINARY = frozenset(vars(logging.makeLogRecord({})))


def run(values: dict[str, Any], policy: Policy) -> int:
    """Look after certificates once, or until SIGTERM or SIGINT, and return the exit code.

    Raises:
        UsageError: no cluster is configured, or the interval cannot be read.
    """
    interval = _seconds(values["interval"])
    _log_to_stderr()
    gc.enable()  # the command line turns it off, for commands that end soon
    try:
        with rest_config(Target(values["kubeconfig"], values["context"])) as config:
            return _manage(config, values, policy, interval)
    except NotConfigured as error:
        raise UsageError(str(error)) from None


def _manage(config: RestConfig, values: dict[str, Any], policy: Policy, interval: float) -> int:
    stop = threading.Event()
    api = Client(
        config,
        user_agent="jobsworth-certificates",
        connections=1,
        timeout=REQUEST_SECONDS,
        stop=stop,
    )
    store = Cluster(
        api,
        namespace=values["namespace"],
        secret=values["secret"],
        configurations=(
            *_configurations("MutatingWebhookConfiguration", values),
            *_configurations("ValidatingWebhookConfiguration", values),
        ),
    )
    folder = Path(values["directory"]) if values["directory"] else None
    manager = Manager(store, policy, folder)
    if values["once"]:
        return _once(manager)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    election = LeaderElection(
        api,
        values["namespace"],
        values["lease"],
        identity=f"{socket.gethostname()}_{random.getrandbits(32):08x}",
        now=time.time,
        clock=time.monotonic,
        stop=stop,
        times=Times(lease=max(15.0, LEASE_INTERVALS * interval)),
        log=LOG.error,
    )
    return _always(manager, election, interval, stop)


def _once(manager: Manager) -> int:
    try:
        return 0 if manager.tend() and manager.fill() else 1
    except (ApiError, OSError) as error:
        LOG.error(str(error))
        return 1


def _always(
    manager: Manager, election: LeaderElection, interval: float, stop: threading.Event
) -> int:
    leading = False
    while not stop.is_set():
        done = False
        try:
            was, leading = leading, _leads(election)
            if leading != was:
                LOG.info("tends the certificates" if leading else "another replica tends them")
            tended = not leading or manager.tend()
            done = manager.fill() and tended
        except (ApiError, OSError) as error:
            LOG.error(str(error))
        # Replicas that were started together should not ask together.
        stop.wait((interval if done else min(SOON, interval)) * random.uniform(0.9, 1.1))
    if leading:
        election.release()
    return 0


def _leads(election: LeaderElection) -> bool:
    try:
        return election.take()
    except ApiError as error:
        raise error.while_trying_to("hold the Lease") from None


def _configurations(kind: str, values: dict[str, Any]) -> list[Configuration]:
    key = "mutating" if kind.startswith("Mutating") else "validating"
    names = values[f"{key}_webhook_configuration"] or ""
    return [Configuration(kind, name) for name in names.split(",") if name]


def _seconds(text: str) -> float:
    try:
        seconds = parse(text) / 10**9
    except BadDuration as error:
        raise UsageError(f"--interval: {error}; write it as 10s or 1m") from None
    if seconds <= 0:
        raise UsageError(f"--interval must be more than nothing: {text}")
    return seconds


class _JsonLines(logging.Formatter):
    """A line of JSON a record."""

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
