"""JobSet's own manager beside a test bed: its CRD, its webhooks, and the controller that creates the Jobs."""

from __future__ import annotations

import base64
import json
import re
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import yaml

from cluster import programs
from cluster.bed import TestBed
from cluster.bed.processes import Process, free_ports

READY_WITHIN = 180.0
PATH = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/{}/jobsets"
OPENAPI = "/openapi/v3/apis/jobset.x-k8s.io/v1alpha2"
CONFLICT = "the object has been modified"
"""Part of the error after which the controller tries again."""
REFUSED_JOB = re.compile(r'job "([^"]*)" creation failed with error: (.*)', re.DOTALL)
POD_WEBHOOKS = ("mpod.kb.io", "vpod.kb.io")
"""Left out: no Pod is created here."""


class JobSetManager:
    """A JobSet manager that serves one bed.

    with TestBed() as bed, JobSetManager(bed) as manager:
        bed.request("POST", manager.path(bed.namespace()), job_set)
    """

    def __init__(self, bed: TestBed) -> None:
        """Prepare only: ``with`` starts it.

        Raises:
            MissingProgram: it is not on this machine.
        """
        self._bed = bed
        self._program = programs.find("jobset")
        self._process: Process | None = None

    def path(self, namespace: str) -> str:
        """Return the path of the JobSets of a namespace."""
        return PATH.format(namespace)

    def __enter__(self) -> Self:
        webhooks, health = free_ports(2)
        self._apply(*_manifest(self._program, "crd.yaml"))
        self._wait_for(
            lambda: self._bed.request("GET", self.path("default")).code == 200, "the CRD"
        )
        self._process = Process(
            [str(self._program), f"--config={self._configuration(webhooks, health)}"],
            self._bed.folder.log("jobset"),
            {"KUBECONFIG": str(self._bed.kubeconfig)},
        )
        for configuration in _manifest(self._program, "webhooks.yaml"):
            self._apply(self._reached_at(webhooks, configuration))
        probe = {
            "apiVersion": "jobset.x-k8s.io/v1alpha2",
            "kind": "JobSet",
            "metadata": {"name": "probe"},
        }
        create = f"{self.path('default')}?dryRun=All"
        self._wait_for(
            lambda: "network" in self._bed.request("POST", create, probe).body.get("spec", ()),
            "the webhooks",
        )
        self._wait_for(lambda: "Starting workers" in self._log, "the controllers")
        self._wait_for(
            lambda: self._bed.request("GET", OPENAPI).code == 200, "the schema to be published"
        )
        return self

    def refusals(self) -> dict[str, dict[str, str]]:
        """Return the API server's refusals, by namespace and name: of Jobs, or of what is created before them."""
        found: dict[str, dict[str, str]] = {}
        for line in self._log.splitlines():
            start = line.find("{")
            if "\tERROR\t" not in line or '"error": ' not in line or CONFLICT in line:
                continue
            fields = json.loads(line[start:])
            namespace = found.setdefault(fields.get("namespace", ""), {})
            for error in fields["error"].split("\n"):
                job = REFUSED_JOB.match(error)
                namespace[job[1] if job else ""] = job[2] if job else error
        return found

    def openapi(self) -> dict[str, Any]:
        """Return the schema that the API server publishes of the CRD."""
        return self._bed.get(OPENAPI)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process is not None:
            self._process.kill()

    @property
    def _log(self) -> str:
        return self._bed.folder.log("jobset").read_text(encoding="utf-8")

    def _configuration(self, webhooks: int, health: int) -> Path:
        folder = self._bed.folder.root / "jobset"
        folder.mkdir()
        pair = self._bed.ca.server("127.0.0.1")
        (folder / "tls.crt").write_bytes(pair.certificate)
        (folder / "tls.key").write_bytes(pair.key)
        settings = {
            "apiVersion": "config.jobset.x-k8s.io/v1alpha1",
            "kind": "Configuration",
            "internalCertManagement": {"enable": False},
            "leaderElection": {"leaderElect": False},
            "metrics": {"bindAddress": "0"},
            "health": {"healthProbeBindAddress": f"127.0.0.1:{health}"},
            "webhook": {"host": "127.0.0.1", "port": webhooks, "certDir": str(folder)},
        }
        path = folder / "configuration.yaml"
        path.write_text(json.dumps(settings), encoding="utf-8")
        return path

    def _reached_at(self, port: int, configuration: dict[str, Any]) -> dict[str, Any]:
        """Return a webhook configuration that calls this machine instead of a Service."""
        kept = []
        for webhook in configuration["webhooks"]:
            if webhook["name"] in POD_WEBHOOKS:
                continue
            path = webhook["clientConfig"]["service"]["path"]
            webhook["clientConfig"] = {
                "url": f"https://127.0.0.1:{port}{path}",
                "caBundle": base64.b64encode(self._bed.ca.certificate).decode(),
            }
            kept.append(webhook)
        configuration["metadata"]["name"] = "jobset-" + configuration["metadata"]["name"]
        return {**configuration, "webhooks": kept}

    def _apply(self, *things: dict[str, Any]) -> None:
        for thing in things:
            self._bed.kubectl("apply", "--server-side", "--filename", "-", input=json.dumps(thing))

    def _wait_for(self, done: Any, what: str) -> None:
        until = time.monotonic() + READY_WITHIN
        while not done():
            if self._process is not None:
                self._process.check()
            if time.monotonic() > until:
                raise TimeoutError(f"waited {READY_WITHIN:.0f} s in vain for {what}")
            time.sleep(0.1)


def _manifest(program: Path, name: str) -> list[dict[str, Any]]:
    """Return the objects of a manifest that was installed beside the program."""
    text = (program.parent / name).read_text(encoding="utf-8")
    return [each for each in yaml.load_all(text, Loader=yaml.CSafeLoader) if each]
