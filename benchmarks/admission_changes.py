"""Check that no request is lost while certificates, policies and workers are replaced under load.

    python benchmarks/admission_changes.py [--clients 8] [--changes 10] [--seconds-between 4]

Clients keep connections open as an API server does, pause sometimes, open new connections only while the
server is ready, as kube-proxy does, and continue until a response closes the connection. Meanwhile each
change replaces the certificate and the policy, by swapping a symbolic link as the kubelet does, and every
worker, by SIGHUP; invalid files follow each third change. Then the server gets SIGTERM. The exit code is 1
if a request failed, was rejected, or got a verdict that no policy active during the request gives.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "webhook"), str(ROOT / "tests")]

from support.admission.running_webhook import serving, swap  # noqa: E402
from support.admission.webhook_load import BROKEN_POLICY, POLICY, Load  # noqa: E402


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--clients", type=int, default=8)
    arguments.add_argument("--changes", type=int, default=10)
    arguments.add_argument("--seconds-between", type=float, default=4.0)
    chosen = arguments.parse_args()
    folder = Path(tempfile.mkdtemp())
    policies = folder / "policies"
    swap(policies, {"policy.yaml": POLICY.format(number=0).encode()})
    # The drain is longer than the longest pause of a client.
    options = ("--policy", str(policies), "--log", "denials", "--drain-seconds", "3")
    with serving(folder, *options) as server:
        load = Load(server, chosen.clients)
        for number in range(1, chosen.changes + 1):
            time.sleep(chosen.seconds_between)
            server.ca.rotate()
            swap(policies, {"policy.yaml": POLICY.format(number=number).encode()})
            server.process.send_signal(signal.SIGHUP)
            if number % 3 == 0:
                time.sleep(chosen.seconds_between)
                swap(policies, {"policy.yaml": BROKEN_POLICY})
                broken = {"tls.crt": server.ca.issue().certificate, "tls.key": b"none"}
                swap(server.ca.volume, broken)
        time.sleep(chosen.seconds_between)
        metrics = server.probe("/metrics")[1]
        code = server.stop()
        load.join()
        log = server.log()
    loaded = [
        line for line in metrics.splitlines() if line.startswith("jobsworth_file_loads_total")
    ]
    started = sum(line["message"].startswith("Booting worker") for line in log)
    print(f"{sum(load.answers.values())} requests over {load.connections} connections")
    for name, count in sorted(load.answers.items()):
        print(f"  {name}: {count}")
    print(f"certificates seen: {len(load.certificates)}; policies seen: {len(load.policies)}")
    print("\n".join(loaded))
    print(f"workers started: {started}; exit code of the server: {code}")
    print(f"failed or rejected: {len(load.failures)}")
    for failure in load.failures[:10]:
        print(f"  {failure}")
    missed = chosen.changes + 1 - len(load.policies)
    if missed:
        print(f"policies that no request met: {missed}; give each change more time")
    return 1 if load.failures or code or missed else 0


if __name__ == "__main__":
    sys.exit(main())
