"""A chart of cdk8s with a Job, and its test."""

from __future__ import annotations

import cdk8s
import cdk8s_plus_32 as kplus
from constructs import Construct

from jobsworth.testing import assert_completes, assert_valid


class Training(cdk8s.Chart):
    """A training Job, and its settings."""

    def __init__(self, scope: Construct, name: str) -> None:
        super().__init__(scope, name)
        settings = kplus.ConfigMap(self, "settings", data={"EPOCHS": "20"})
        job = kplus.Job(self, "train", backoff_limit=3, restart_policy=kplus.RestartPolicy.NEVER)
        job.add_container(
            name="main",
            image="registry.example.com/train:1.4",
            env_from=[kplus.Env.from_config_map(settings)],
        )


def test_the_chart() -> None:
    manifests = cdk8s.Testing.synth(Training(cdk8s.Testing.app(), "training"))
    assert_valid(manifests)
    (job,) = (each for each in manifests if each["kind"] == "Job")
    assert_completes(job, drain="5m", at_least=0.95)
