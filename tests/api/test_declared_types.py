"""The walk through the declared types."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import jobsworth

SOURCE = Path(jobsworth.__file__).parent.parent

CODE = """
import sys
from jobsworth.api.declared_types import import_types
from jobsworth.validation.engine import engine_for
from jobsworth.api.api_server import ApiServer
import_types()
before = set(sys.modules)
pod = {
    "restartPolicy": "Never",
    "affinity": {"nodeAffinity": {}},
    "tolerations": [{"operator": "Exists"}],
    "volumes": [{"name": "a", "nfs": {"server": "b", "path": "/c"}}],
    "containers": [{"name": "main", "image": "a:1", "env": [{"name": "A", "value": "b"}], "ports": [{"containerPort": 1}]}],
}
job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}, "spec": {"template": {"spec": pod}}}
cron = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "a"}, "spec": {"schedule": "@daily", "jobTemplate": {"spec": job["spec"]}}}
for value in job, cron:
    assert engine_for(ApiServer("1.36")).validate(value) == []
print(sorted(name for name in set(sys.modules) - before if name.startswith("jobsworth.api.core")))
"""


def test_no_type_is_left_to_be_imported() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")
