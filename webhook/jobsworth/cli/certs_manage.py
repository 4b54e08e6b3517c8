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

from kubernetes.client import ApiClient
from kubernetes.config import load_incluster_config, load_kube_config
from kubernetes.config.config_exception import ConfigException

from jobsworth.api.formats.duration import BadDuration, parse
from jobsworth.certificates.cluster import Cluster, Configuration, Unavailable
from jobsworth.certificates.election import Election
from jobsworth.certificates.manager import LOG, Manager
from jobsworth.cli.command import UsageError

if TYPE_CHECKING:
    from jobsworth.certificates.rotation import Policy

SOON = 1.0
"""Seconds until the next look while something is still to come: files, or another replica's step."""
LEASE_INTERVALS = 3
"""A Lease is good for so many intervals between two looks."""
_ORDINARY = frozenset(vars(logging.makeLogRecord({})))


def run(values: dict[str, Any], policy: Policy) -> int:
    """Look after certificates once, or until SIGTERM or SIGINT, and return the exit code.

    Raises:
        UsageError: no cluster is configured, or the interval cannot be read.
    """
    interval = _seconds(values["interval"])
    client = _client(values)
    _log_to_stderr()
    namespace = values["namespace"]
    store = Cluster(
        client,
        namespace=namespace,
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
    election = Election(
        client,
        namespace=namespace,
        name=values["lease"],
        identity=f"{socket.gethostname()}_{random.getrandbits(32):08x}",
        duration=datetime.timedelta(seconds=max(15.0, LEASE_INTERVALS * interval)),
    )
    gc.enable()  # the command line turns it off, for commands that end soon
    return _always(manager, election, interval)


def _once(manager: Manager) -> int:
    try:
        return 0 if manager.tend() and manager.fill() else 1
    except (Unavailable, OSError) as error:
        LOG.error(str(error))
        return 1


def _always(manager: Manager, election: Election, interval: float) -> int:
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    leading = False
    while not stop.is_set():
        done = False
        try:
            was, leading = leading, election.holds(time.monotonic())
            if leading != was:
                LOG.info("tends the certificates" if leading else "another replica tends them")
            tended = not leading or manager.tend()
            done = manager.fill() and tended
        except (Unavailable, OSError) as error:
            LOG.error(str(error))
        # Replicas that were started together should not ask together.
        stop.wait((interval if done else min(SOON, interval)) * random.uniform(0.9, 1.1))
    if leading:
        election.release()
    return 0


def _configurations(kind: str, values: dict[str, Any]) -> list[Configuration]:
    key = "mutating" if kind.startswith("Mutating") else "validating"
    names = values[f"{key}_webhook_configuration"] or ""
    return [Configuration(kind, name) for name in names.split(",") if name]


def _client(values: dict[str, Any]) -> ApiClient:
    try:
        if values["kubeconfig"] or values["context"]:
            load_kube_config(values["kubeconfig"], values["context"])
        else:
            try:
                load_incluster_config()
            except ConfigException:
                load_kube_config()
    except (ConfigException, OSError) as error:
        raise UsageError(f"no cluster to manage: {error}") from None
    return ApiClient()


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
