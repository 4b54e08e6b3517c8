"""The public functions; import them from :mod:`jobsworth`."""

from __future__ import annotations

from jobsworth.api.api_server import (
    NEWEST_RELEASE,
    RELEASES,
    NewerRelease,
    UnknownGate,
    UnknownRelease,
)
from jobsworth.evaluation.evaluation import Evaluation
from jobsworth.findings.finding import Finding
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.library.diagnoses import why_recorded
from jobsworth.library.explanations import explain
from jobsworth.library.manifests import KubernetesModel, Manifest
from jobsworth.library.simulations import Simulation, simulate
from jobsworth.library.verdicts import default, evaluate, validate, validate_text
from jobsworth.live.errors import ClusterError, JobNotFound
from jobsworth.live.wait_functions import Waited, wait, wait_async
from jobsworth.live.wait_options import Progress
from jobsworth.live.why_functions import why, why_async
from jobsworth.policy.problems import BadPolicy
from jobsworth.runs.explanation.explanation import Explanation
from jobsworth.runs.simulation.questions import BadQuestion
from jobsworth.runs.simulation.requirements import BadRequirement
from jobsworth.runs.simulation.run_limits import SimulationTooLarge
from jobsworth.runs.simulation.scenario_reader import BadScenario
from jobsworth.runs.why.diagnosis import Diagnosis
from jobsworth.runs.why.owners.cron_job_diagnosis import CronJobDiagnosis
from jobsworth.runs.why.owners.job_set_diagnosis import JobSetDiagnosis
from jobsworth.usage_error import InputError
from jobsworth.validation.engine import CannotDecode, UnknownKind

__all__ = [
    "NEWEST_RELEASE",
    "RELEASES",
    "BadPolicy",
    "BadQuestion",
    "BadRequirement",
    "BadScenario",
    "CannotDecode",
    "ClusterError",
    "CronJobDiagnosis",
    "Diagnosis",
    "Evaluation",
    "Explanation",
    "Finding",
    "InputError",
    "JobNotFound",
    "JobSetDiagnosis",
    "KubernetesModel",
    "LocatedFinding",
    "Manifest",
    "NewerRelease",
    "Progress",
    "Simulation",
    "SimulationTooLarge",
    "UnknownGate",
    "UnknownKind",
    "UnknownRelease",
    "Waited",
    "default",
    "evaluate",
    "explain",
    "simulate",
    "validate",
    "validate_text",
    "wait",
    "wait_async",
    "why",
    "why_async",
    "why_recorded",
]
