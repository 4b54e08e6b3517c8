"""`jobsworth simulate`, from its arguments to its output and exit code."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from support.api_server.stored_objects import manifest, stored
from support.cli.command_processes import BAD, GOOD, run
from support.cli.command_runs import Command

SCENARIO = """\
apiVersion: jobsworth.dev/v1alpha1
kind: JobScenario
metadata: {name: two failures}
spec:
  pods:
    duration: 1m
    cases:
      - {attempts: 1-2, exitCode: 1}
"""
POLICY = """\
apiVersion: jobsworth.dev/v1alpha1
kind: JobPolicy
metadata: {name: one-try}
spec:
  defaults:
    backoffLimit: {value: 0, when: always}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "job.yaml").write_text(GOOD)
    (tmp_path / "scenario.yaml").write_text(SCENARIO)
    return tmp_path


def test_one_run_shows_events_a_chart_and_the_outcome(folder: Path, command: Command) -> None:
    done = command("simulate", "job.yaml", "--scenario", "scenario.yaml")
    assert done.code == 0, done.err
    assert "train-1 ended with exit code 1 after 1 min: no rule matches, counted\n" in done.out
    assert "Complete after 3 min 46 s: CompletionsReached\n" in done.out
    assert "Pods       3: 1 succeeded, 2 failed and counted\n" in done.out


def test_a_job_as_a_cluster_stores_it_is_simulated(folder: Path, command: Command) -> None:
    job = stored(manifest("train", backoffLimit=2))
    assert "selector" in job["spec"]
    (folder / "stored.yaml").write_text(yaml.safe_dump(job))
    done = command("simulate", "stored.yaml")
    assert (done.code, done.err) == (0, "")


def test_json_has_every_pod(folder: Path, command: Command) -> None:
    done = command("simulate", "job.yaml", "--scenario", "scenario.yaml", "-o", "json")
    record = json.loads(done.out)
    assert [pod["counted"] for pod in record["jobs"][0]["pods"]] == [
        "Failed",
        "Failed",
        "Succeeded",
    ]


def test_an_object_without_a_namespace_runs_in_default(folder: Path, command: Command) -> None:
    rule = "{action: FailJob, onExitCodes: {operator: In, values: [1]}}"
    (folder / "job.yaml").write_text(f"{GOOD}  podFailurePolicy: {{rules: [{rule}]}}\n")
    done = command("simulate", "job.yaml", "--scenario", "scenario.yaml")
    assert "Container main for pod default/train-1 failed with exit code 1" in done.out


def test_the_default_scenario_is_printed_and_read_back(folder: Path, command: Command) -> None:
    printed = command("simulate", "job.yaml", "--print-scenario")
    (folder / "mine.yaml").write_text(printed.out)
    one = command("simulate", "job.yaml", "--scenario", "mine.yaml")
    assert one.out == command("simulate", "job.yaml").out
    assert one.out


@pytest.mark.slow
def test_many_runs_give_intervals_and_requirements_an_exit_code(folder: Path) -> None:
    common = ("simulate", "job.yaml", "--runs", "20", "--jobs", "2")
    good = run(*common, "--assert", "complete >= 0.5", folder=folder)
    assert good.returncode == 0
    assert "complete >= 0.5 holds: 1 (95 % interval 0.8389 to 1)\n" in good.stderr
    bad = run(*common, "--assert", "time.p50 <= 1s", folder=folder)
    assert bad.returncode == 1
    assert "time.p50 <= 1s does not hold: " in bad.stderr


def test_many_runs_are_written_as_a_page(folder: Path, command: Command) -> None:
    done = command("simulate", "job.yaml", "--runs", "20", "-o", "html=many.html")
    assert (done.code, done.out) == (0, ""), done.err
    page = (folder / "many.html").read_text()
    assert "<h1>Job train, scenario default</h1>" in page
    assert ">100.0% (83.9% to 100.0%)</td>" in page


@pytest.mark.slow
def test_processes_make_no_difference(folder: Path) -> None:
    common = ("simulate", "job.yaml", "--runs", "25", "-o", "json")
    assert (
        run(*common, "--jobs", "2", folder=folder).stdout
        == run(*common, "--jobs", "1", folder=folder).stdout
    )


def test_a_sweep_compares_the_values_of_a_field(folder: Path, command: Command) -> None:
    done = command(
        "simulate", "job.yaml", "--scenario", "scenario.yaml", "--sweep", "spec.backoffLimit=0,1,2",
        "-o", "json"
    )  # fmt: skip
    variants = json.loads(done.out)["variants"]
    assert [(each["variant"], each["complete"]["value"]) for each in variants] == [
        ("backoffLimit=0", 0),
        ("backoffLimit=1", 0),
        ("backoffLimit=2", 1),
    ]


def test_a_sweep_may_change_the_scenario(folder: Path, command: Command) -> None:
    sweep = "scenario.spec.pods.cases[0].attempts=1,1-9"
    done = command("simulate", "job.yaml", "--scenario", "scenario.yaml", "--sweep", sweep)
    assert "attempts=1    Complete: CompletionsReached" in done.out
    assert "attempts=1-9  Failed: BackoffLimitExceeded" in done.out


def test_another_job_is_compared(folder: Path, command: Command) -> None:
    (folder / "other.yaml").write_text(GOOD.replace("spec:\n", "spec:\n  backoffLimit: 1\n", 1))
    done = command("simulate", "job.yaml", "--scenario", "scenario.yaml", "--compare", "other.yaml")
    assert done.code == 0, done.err
    assert "job.yaml    Complete: CompletionsReached" in done.out
    assert "other.yaml  Failed: BackoffLimitExceeded" in done.out


def test_a_policy_applies_before_the_run(folder: Path, command: Command) -> None:
    (folder / "policy.yaml").write_text(POLICY)
    done = command("simulate", "job.yaml", "--scenario", "scenario.yaml", "--policy", "policy.yaml")
    assert "Failed after 1 min" in done.out, done.err


def test_a_policy_may_apply_in_one_namespace_only(folder: Path, command: Command) -> None:
    (folder / "policy.yaml").write_text(
        POLICY.replace("spec:\n", "spec:\n  match: [{namespaces: [team-a]}]\n")
    )
    arguments = ("simulate", "job.yaml", "--scenario", "scenario.yaml", "--policy", "policy.yaml")
    assert "Failed after 1 min" not in command(*arguments).out
    assert "Failed after 1 min" in command(*arguments, "-n", "team-a").out


def test_a_cron_job_shows_its_runs_in_its_time_zone(folder: Path, command: Command) -> None:
    job = GOOD.replace("\n", "\n    ").split("spec:", 1)[1]
    (folder / "cron.yaml").write_text(
        "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: report}\nspec:\n"
        f"  schedule: '0 2 * * *'\n  timeZone: Europe/Berlin\n  jobTemplate:\n    spec:{job}"
    )
    done = command("simulate", "cron.yaml", "--from", "2023-10-27T12:00Z", "--until", "48h")
    assert done.out.count("02:00:00 +0200  started") == 2, done.err
    assert done.out.count("02:00:00 +0100  started") == 1


SKIPPING = """\
apiVersion: batch/v1
kind: CronJob
metadata: {name: report}
spec:
  schedule: "*/10 * * * *"
  concurrencyPolicy: POLICY
  jobTemplate:
    spec:
      template: {spec: {restartPolicy: Never, containers: [{name: main, image: "busybox:1.36"}]}}
---
apiVersion: jobsworth.dev/v1alpha1
kind: JobScenario
metadata: {name: one long run}
spec:
  until: 4h
  pods: {startup: 5s, duration: 8m, cases: [{runs: 2, duration: 2h}]}
"""


@pytest.mark.parametrize("policy", ["Forbid", "Replace"])
@pytest.mark.parametrize("requirement", ["complete >= 0.99", "time.max <= 9m"])
def test_a_requirement_on_one_job_is_refused_for_a_cron_job(
    folder: Path, command: Command, policy: str, requirement: str
) -> None:
    (folder / "cron.yaml").write_text(SKIPPING.replace("POLICY", policy))
    done = command("simulate", "cron.yaml", "--assert", requirement)
    assert (done.code, done.out) == (2, "")
    measure = requirement.partition(" ")[0]
    assert f'--assert: "{measure}" is a measure of one Job, and CronJob report starts' in done.err
    assert "Assert 'failed <= 0' and 'missed <= 0', or another of due, onTime" in done.err
    mixed = ("job.yaml", "--compare", "cron.yaml")
    assert command("simulate", *mixed, "--assert", requirement).code == 2


def test_a_requirement_on_a_cron_job_is_refused_for_a_job(folder: Path, command: Command) -> None:
    done = command("simulate", "job.yaml", "--assert", "missed <= 0")
    assert (done.code, done.out) == (2, "")
    assert '--assert: "missed" is a measure of CronJobs, and ' in done.err


@pytest.mark.parametrize(
    ("policy", "requirement", "code", "measured"),
    [
        ("Forbid", "missed <= 0", 1, "11"),
        ("Replace", "missed <= 0", 0, "0"),
        ("Replace", "replaced <= 0", 1, "1"),
        ("Forbid", "late <= 0", 1, "1"),
        ("Forbid", "delay <= 1h", 0, "6.1 s"),
        ("Forbid", "failed <= 0", 0, "0"),
    ],
)
def test_runs_of_a_cron_job_that_are_missed_late_or_replaced_can_be_required_not_to_be(
    folder: Path, command: Command, *, policy: str, requirement: str, code: int, measured: str
) -> None:
    (folder / "cron.yaml").write_text(SKIPPING.replace("POLICY", policy))
    done = command("simulate", "cron.yaml", "--assert", requirement)
    assert done.code == code, done.err
    assert f": {measured} in this one run" in done.err


@pytest.mark.slow
def test_variants_of_a_cron_job_are_compared_by_their_runs(folder: Path, command: Command) -> None:
    (folder / "cron.yaml").write_text(SKIPPING.replace("POLICY", "Forbid"))
    sweep = "spec.concurrencyPolicy=Allow,Forbid,Replace"
    done = command("simulate", "cron.yaml", "--sweep", sweep)
    heading, *rows = [re.split(" {2,}", line.strip()) for line in done.out.splitlines()[2:]]
    assert heading[:5] == ["DUE", "ON TIME", "LATE", "MISSED", "FAILED JOBS"]
    numbers = [row[1:5] for row in rows]
    assert numbers == [["23", "23", "0", "0"], ["23", "11", "1", "11"], ["23", "23", "0", "0"]]


def test_sums_over_the_jobs_of_a_cron_job_can_be_required(folder: Path, command: Command) -> None:
    (folder / "cron.yaml").write_text(SKIPPING.replace("POLICY", "Forbid"))
    requirements = [("pods <= 12", 0), ("pods < 12", 1), ("failedIndexes <= 0", 0)]
    for requirement, code in requirements:
        done = command("simulate", "cron.yaml", "--assert", requirement)
        assert done.code == code, done.err


@pytest.mark.slow
def test_many_runs_of_a_cron_job_report_no_measure_of_one_job(
    folder: Path, command: Command
) -> None:
    (folder / "cron.yaml").write_text(SKIPPING.replace("POLICY", "Replace"))
    done = command("simulate", "cron.yaml", "--runs", "3")
    assert done.code == 0, done.err
    assert "Pods                  23" in done.out
    assert "complete" not in done.out
    assert "  replaced            1" in done.out
    assert "0.0% (0.0% to 56.1%) of the simulations: every run that was due" in done.out
    assert "One simulation (without --runs) lists each Job, and each run that" in done.out
    (value,) = command("simulate", "cron.yaml", "--runs", "3", "-o", "json").loaded["variants"]
    assert (value["complete"], value["unfinished"], value["outcomes"]) == (None, None, [])
    assert value["cron_job"]["replaced"] == {"value": 1, "low": 1, "high": 1}
    both = command("simulate", "job.yaml", "--compare", "cron.yaml")
    assert "cron.yaml  -                             -  " in both.out
    page = command("simulate", "cron.yaml", "--compare", "job.yaml", "-o", "html").out
    outcomes = page[page.index("<h2>Outcomes</h2>") :].partition("</section>")[0]
    assert "job.yaml" in outcomes
    assert "cron.yaml" not in outcomes
    assert "cron.yaml" in page[page.index("<h2>Jobs of a simulation</h2>") :]
    alone = command("simulate", "cron.yaml", "-o", "json")
    assert json.loads(alone.out)["outcome"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--output", "pdf"), '--output: "pdf" is none of text, json, html, svg'),
        (("--output", "svg", "--runs", "2"), "--output svg shows one run"),
        (("--assert", "complete"), '--assert: "complete" is not a comparison'),
        (("--until", "soon"), '--until "soon" is not a duration; use for example 10s, 1h30m or 7d'),
        (("--from", "soon"), '--from: "soon" is not a date'),
        (("--sweep", "spec.backoffLimit"), "is not of the form PATH=A,B,..."),
        (("--sweep", "spec.completions[0]=1"), "spec.completions[0]: there is no such field"),
        (("--sweep", "spec.backoffLimit=-1"), "must be greater than or equal to 0"),
        (("--scenario", "job.yaml"), "expected one document of kind JobScenario, found 0"),
        (("--scenario", "none.yaml"), "none.yaml"),
    ],
)
def test_a_wrong_option_exits_with_2_and_says_what_to_do(
    folder: Path, command: Command, arguments: tuple[str, ...], message: str
) -> None:
    done = command("simulate", "job.yaml", *arguments)
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("{backoffLimitPerIndex: 1}", "spec.backoffLimitPerIndex: "),
        ("{parallelism: many}", "spec.parallelism: "),
        ("{completionMode: Indexed}", "spec.completionMode: Invalid value"),
    ],
)
def test_an_edit_that_the_api_server_rejects_is_not_made(
    folder: Path, command: Command, spec: str, message: str
) -> None:
    (folder / "scenario.yaml").write_text(f"{SCENARIO}  changes:\n    - {{at: 1h, spec: {spec}}}\n")
    done = command("simulate", "job.yaml", "--scenario", "scenario.yaml")
    assert done.code == 2
    assert f"rejects the edit at 1:00:00 of scenario two failures: {message}" in done.err


def test_a_job_that_the_api_server_rejects_is_not_run(folder: Path, command: Command) -> None:
    (folder / "bad.yaml").write_text(BAD)
    done = command("simulate", "bad.yaml")
    assert done.code == 2
    assert "the API server rejects the object:\nbad.yaml:" in done.err


def test_a_container_that_the_job_does_not_have_is_refused(folder: Path, command: Command) -> None:
    case = "{exitCode: 1, container: mian}"
    (folder / "scenario.yaml").write_text(SCENARIO.replace("{attempts: 1-2, exitCode: 1}", case))
    done = command("simulate", "job.yaml", "--scenario", "scenario.yaml")
    message = 'case 0 of scenario two failures: the Job has no container "mian"; it has main'
    assert (done.code, done.out) == (2, "")
    assert f'Error: {message}. did you mean "main"?\n' in done.err
    (folder / "scenario.yaml").write_text(
        SCENARIO.replace("exitCode: 1", "exitCode: 1, container: main")
    )
    sweep = "scenario.spec.pods.cases[0].container=main,mian"
    done = command("simulate", "job.yaml", "--scenario", "scenario.yaml", "--sweep", sweep)
    assert done.code == 2
    assert message in done.err


def test_a_manual_run_of_a_job_is_refused(folder: Path, command: Command) -> None:
    (folder / "scenario.yaml").write_text(SCENARIO + "  runNow: 1h\n")
    done = command("simulate", "job.yaml", "--scenario", "scenario.yaml")
    assert done.code == 2
    assert "a user runs a CronJob now, and this object is a Job" in done.err


def test_a_sweep_of_the_default_scenario_is_checked(folder: Path, command: Command) -> None:
    sweep = "scenario.spec.pods.duration=1m,[1]"
    done = command("simulate", "job.yaml", "--sweep", sweep)
    assert done.code == 2
    message = "spec.pods.duration: must be a string or a mapping, but is a list"
    assert done.err == f"Error: the scenario is invalid: {message}\n"


def test_a_wrong_scenario_is_reported_with_its_place(folder: Path, command: Command) -> None:
    (folder / "scenario.yaml").write_text(SCENARIO.replace("exitCode", "exitcode"))
    done = command("simulate", "job.yaml", "--scenario", "scenario.yaml")
    assert done.code == 2
    expected = 'scenario.yaml:8:35: error: spec.pods.cases[0].exitcode: unknown field (did you mean "exitCode"?)'
    assert expected in done.err


def test_questions_are_options(folder: Path, command: Command) -> None:
    typo = command("simulate", "job.yaml", "--image-typo", "--until", "5m")
    assert (
        "Unfinished after 5 min: waiting since 0:00:00 for an image that can be pulled" in typo.out
    )
    drain = command("simulate", "job.yaml", "--scenario", "scenario.yaml", "--drain", "3m")
    assert "evicted (node drain, scale-down, consolidation)" in drain.out
    wrong = command("simulate", "job.yaml", "--drain", "soon")
    assert (wrong.code, wrong.err) == (
        2,
        'Error: --drain: "soon" is not a duration such as 30m or 1h30m\n',
    )


def test_a_default_run_without_a_disruption_says_what_to_try(
    folder: Path, command: Command
) -> None:
    assert (
        "No disruption hit a Pod in this run. Ask what if: --drain"
        in command("simulate", "job.yaml").out
    )
    assert "No disruption" not in command("simulate", "job.yaml", "--scenario", "scenario.yaml").out


def test_questions_are_in_the_printed_scenario(folder: Path, command: Command) -> None:
    printed = command("simulate", "job.yaml", "--spot", "8h", "--print-scenario").out
    assert "SpotReclaim" in printed


def test_a_user_may_run_a_cron_job_now(folder: Path, command: Command) -> None:
    (folder / "cron.yaml").write_text(SKIPPING.replace("POLICY", "Forbid"))
    done = command("simulate", "cron.yaml", "--run-now", "30s")
    assert (done.code, "run now" in done.out) == (0, True)
    wrong = command("simulate", "cron.yaml", "--run-now", "soon")
    assert (wrong.code, "--run-now" in wrong.err) == (2, True)


JOB_SET = """\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train}
spec:
  failurePolicy: {maxRestarts: 2}
  replicatedJobs:
    - name: driver
      template: {spec: {template: {spec: &pod
        {restartPolicy: Never, containers: [{name: main, image: "a:1"}]}}}}
    - name: workers
      replicas: 3
      template: {spec: {backoffLimit: 0, template: {spec: *pod}}}
"""
RESTARTS = """\
apiVersion: jobsworth.dev/v1alpha1
kind: JobScenario
metadata: {name: one worker fails once}
spec:
  pods:
    cases:
      - {replicatedJobs: workers, runs: 1, duration: 2m, exitCode: 1}
"""
SCALED_JOB = """\
apiVersion: keda.sh/v1alpha1
kind: ScaledJob
metadata: {name: queue}
spec:
  triggers: []
  jobTargetRef:
    backoffLimit: 1
    template: {spec: {restartPolicy: Never, containers: [{name: main, image: "a:1"}]}}
"""


def test_a_job_set_is_run_with_its_restarts(tmp_path: Path, command: Command) -> None:
    (tmp_path / "set.yaml").write_text(f"{JOB_SET}---\n{RESTARTS}")
    done = command("simulate", "set.yaml")
    assert done.code == 0, done.err
    assert (
        "JobSet restart 1 (1 of 2): train-workers-0 failed (BackoffLimitExceeded); no rule matches, by default "
        "RestartJobSet\n"
    ) in done.out
    assert "Restarts   1: 1 of at most 2 counted\n" in done.out
    assert "Jobs       8: 1 deleted before the end, 3 failed, 4 complete\n" in done.out


def test_json_has_the_restarts_of_a_job_set(tmp_path: Path, command: Command) -> None:
    (tmp_path / "set.yaml").write_text(f"{JOB_SET}---\n{RESTARTS}")
    record = json.loads(command("simulate", "set.yaml", "-o", "json").out)
    assert (record["outcome"], record["job_set"]["restarts"]) == ("Complete", 1)
    assert [job["replicated_job"] for job in record["jobs"][:2]] == ["driver", "workers"]
    (decision,) = record["job_set"]["decisions"]
    assert (decision["job"], decision["rule"]) == ("train-workers-0", None)


def test_many_runs_of_a_job_set_are_measured_by_restarts(tmp_path: Path, command: Command) -> None:
    (tmp_path / "set.yaml").write_text(f"{JOB_SET}---\n{RESTARTS}")
    common = ("simulate", "set.yaml", "--runs", "4", "--jobs", "1")
    good = command(*common, "--assert", "restarts <= 1", "--assert", "lostHours < 1")
    assert good.code == 0, good.err
    assert "Pod-hours lost        0.1" in good.out
    bad = command(*common, "--assert", "workDone >= 1")
    assert bad.code == 2
    assert "train is a JobSet. Assert one of complete, failed" in bad.err


def test_a_sweep_changes_a_field_of_a_job_set(tmp_path: Path, command: Command) -> None:
    (tmp_path / "set.yaml").write_text(f"{JOB_SET}---\n{RESTARTS}")
    sweep = "spec.failurePolicy.maxRestarts=0,1"
    done = command("simulate", "set.yaml", "--sweep", sweep, "--runs", "2")
    assert done.code == 0, done.err
    assert "maxRestarts=0  0.0%" in done.out
    assert "maxRestarts=1  100.0%" in done.out


def test_a_scenario_for_a_replicated_job_that_does_not_exist_is_refused(
    tmp_path: Path, command: Command
) -> None:
    misspelt = RESTARTS.replace("workers", "worker")
    (tmp_path / "set.yaml").write_text(f"{JOB_SET}---\n{misspelt}")
    done = command("simulate", "set.yaml")
    assert done.code == 2
    assert 'there is no "worker"; the JobSet has driver, workers' in done.err


def test_a_job_that_the_api_server_rejects_is_named_at_its_line_in_the_job_set(
    tmp_path: Path,
    command: Command,
) -> None:
    broken = JOB_SET.replace("{backoffLimit: 0,", "{backoffLimit: -1,")
    (tmp_path / "set.yaml").write_text(broken)
    done = command("simulate", "set.yaml")
    assert done.code == 2
    assert "the API server rejects the Job that JobSet creates:" in done.err
    assert "set.yaml:12:39: error: spec.replicatedJobs[1].template.spec.backoffLimit: " in done.err


def test_the_job_of_a_scaled_job_is_run_and_a_note_says_so(
    tmp_path: Path, command: Command
) -> None:
    (tmp_path / "queue.yaml").write_text(SCALED_JOB)
    sweep = "spec.jobTargetRef.backoffLimit=0,1"
    done = command("simulate", "queue.yaml", "--sweep", sweep)
    assert done.code == 0, done.err
    assert "queue.yaml: simulated is the Job that KEDA creates" in done.err


@pytest.mark.parametrize("jobs", ["", "replicatedJobs: []"])
def test_a_job_set_without_jobs_is_refused(jobs: str, tmp_path: Path, command: Command) -> None:
    head = JOB_SET.partition("spec:")[0]
    (tmp_path / "set.yaml").write_text(f"{head}spec: {{{jobs}}}")
    done = command("simulate", "set.yaml")
    assert done.code == 2
    assert "set.yaml: the JobSet creates no Job. Set spec.replicatedJobs" in done.err


@pytest.mark.parametrize(
    ("gate", "policy", "field"),
    [
        ("RestartJob", "rules: [{name: a, action: RestartJob}]", "rules[0].action"),
        ("InPlaceRestart", "restartStrategy: InPlaceRestart", "restartStrategy"),
    ],
)
def test_what_alpha_gates_of_job_set_add_is_not_simulated(
    gate: str, policy: str, field: str, tmp_path: Path, command: Command
) -> None:
    required = (
        "podReplacementPolicy: Failed, parallelism: 1, completions: 1, backoffLimit: 2147483647"
    )
    text = JOB_SET.replace("backoffLimit: 0", required)
    text = text.replace("{template: {spec: &pod", f"{{{required}, template: {{spec: &pod")
    (tmp_path / "set.yaml").write_text(text.replace("maxRestarts: 2", policy))
    done = command("simulate", "set.yaml", "--feature-gates", f"{gate}=true")
    assert done.code == 2
    assert f"spec.failurePolicy.{field}: {gate} is not simulated" in done.err


def test_a_misspelt_kind_is_named_where_nothing_can_be_run(folder: Path, command: Command) -> None:
    (folder / "job.yaml").write_text(GOOD.replace("kind: Job", "kind: Jobb"))
    assert command("simulate", "job.yaml").err == (
        "Error: job.yaml: it has no Job, CronJob or JobSet. Line 2: The API server has no kind Jobb in "
        "batch/v1. Set kind: Job.\n"
    )


def test_spot_says_why_a_replacement_policy_makes_no_difference(command: Command) -> None:
    files = {"job.yaml": GOOD}
    done = command("simulate", "job.yaml", "--spot", "3h", files=files)
    assert "podReplacementPolicy makes no difference" in done.err
    assert "--spot 3h:EvictionAPI" in done.err
    assert command("simulate", "job.yaml", "--spot", "3h:EvictionAPI").err == ""
