"""`jobsworth explain`, run as a user runs it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml

from support.api_server.stored_objects import manifest, stored
from support.cli.command_processes import BAD, GOOD, OTHER, ROOT
from support.cli.command_runs import Command

MISSPELT = GOOD.replace("kind: Job", "kind: Jobb")
RULES = """\
  podFailurePolicy:
    rules:
    - action: Ignore
      onPodConditions:
      - type: DisruptionTarget
    - action: FailJob
      onExitCodes:
        operator: In
        values: [42]
    - action: Count
      onExitCodes:
        operator: In
        values: [42]
"""
POLICY = f"{GOOD}{RULES}"
CRON = """\
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: "0 3 * * *"
  jobTemplate:
    spec:
      backoffLimit: 1
      podFailurePolicy:
        rules:
        - action: FailJob
          onExitCodes: {operator: In, values: [3]}
      template:
        spec:
          restartPolicy: Never
          containers: [{name: main, image: "busybox:1.36"}]
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: train-x7k2p}
status:
  phase: Failed
  containerStatuses:
  - name: main
    state: {terminated: {exitCode: 42, reason: Error}}
"""


def test_failures_are_grouped_by_what_follows_them(command: Command) -> None:
    done = command("explain", "job.yaml", files={"job.yaml": POLICY})
    assert done.code == 0
    assert done.err == ""
    assert (
        "rules[2]  lines 24-27  Count    if any container exits with 42 (never decides: "
        in done.out
    )
    groups = done.out[done.out.index("What follows a failure") :].splitlines()[1:]
    (fails,) = [
        each for each in groups if "the Job fails (PodFailurePolicy), by rules[1]: " in each
    ]
    assert "exit code 42" in fails
    (counted,) = [each for each in groups if "memory limit exceeded (OOMKilled)" in each]
    assert "OutOfcpu) (no rule can reach it)" in counted
    assert done.out.count("new Pod after") == len([each for each in groups if "new Pod" in each])


def test_an_explanation_fits_thirty_lines_of_a_terminal(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jobsworth.cli.commands.explain.terminal_width", lambda out: 80)
    lines = command("explain", str(ROOT / "examples/valid/ml-training.yaml")).out.splitlines()
    assert len(lines) <= 30
    assert max(map(len, lines[1:])) <= 80  # the first has the path of the file


def test_table_leaves_out_the_rest(command: Command) -> None:
    done = command("explain", "--table", "job.yaml", files={"job.yaml": POLICY})
    assert "Exit codes and conditions" in done.out
    assert "  42                                    rules[1]  the Job fails (Pod" in done.out
    assert done.out.count("no rule can reach it") == 2
    assert "backoff" not in done.out


def test_one_exit_code_is_traced_with_the_lines_of_its_rule(command: Command) -> None:
    done = command("explain", "job.yaml", "--exit-code", "42", files={"job.yaml": POLICY})
    assert done.code == 0
    lines = done.out.splitlines()
    assert "Container main exits with 42" in lines
    assert (
        "  rules[0] (lines 17-19, Ignore) does not match: the Pod does not have DisruptionTarget=True"
        in lines
    )
    assert "  rules[1] (lines 20-23, FailJob) matches: container main exited with 42" in lines
    assert "    23 |         values: [42]" in lines
    assert "  rules[2]: not evaluated, because an earlier rule matches" in lines
    assert "  - The Job fails at once: condition Failed, reason PodFailurePolicy." in lines


def test_a_condition_is_traced(command: Command) -> None:
    arguments = ("--exit-code", "main=42", "--condition", "DisruptionTarget")
    done = command("explain", "job.yaml", *arguments, files={"job.yaml": POLICY})
    assert "Container main exits with 42 and the Pod has DisruptionTarget=True" in done.out
    assert "rules[0] (lines 17-19, Ignore) matches: the Pod has the condition" in done.out
    assert "such retries have no limit" in done.out


def test_a_condition_of_another_controller_is_traced_if_it_has_a_domain_or_a_rule(
    command: Command,
) -> None:
    files = {"job.yaml": POLICY}
    done = command("explain", "job.yaml", "--condition", "example.com/Drained", files=files)
    assert (done.code, done.err) == (0, "")
    assert "The Pod has example.com/Drained=True" in done.out
    named = POLICY.replace("type: DisruptionTarget", "type: ConfigIssue")
    done = command(
        "explain", "named.yaml", "--condition", "ConfigIssue", files={"named.yaml": named}
    )
    assert done.code == 0
    assert (
        "rules[0] (lines 17-19, Ignore) matches: the Pod has the condition ConfigIssue" in done.out
    )
    mistyped = POLICY.replace("type: DisruptionTarget", "type: DisruptionTraget")
    arguments = ("--condition", "DisruptionTraget")
    done = command("explain", "typo.yaml", *arguments, files={"typo.yaml": mistyped})
    assert done.code == 2
    assert 'did you mean "DisruptionTarget"?' in done.err


def test_a_condition_that_is_given_replaces_the_usual_one(command: Command) -> None:
    ready = POLICY.replace("type: DisruptionTarget", "type: Ready\n        status: 'False'")
    arguments = ("--exit-code", "1", "--condition", "Ready=Unknown")
    done = command("explain", "job.yaml", *arguments, files={"job.yaml": ready})
    assert "does not match: the Pod does not have Ready=False; it has Ready=Unknown" in done.out


def test_an_exit_code_of_windows_is_any_number(command: Command) -> None:
    windows = GOOD.replace("restartPolicy:", "os: {name: windows}\n      restartPolicy:", 1)
    done = command("explain", "job.yaml", "--exit-code", "-1073741510", files={"job.yaml": windows})
    assert done.code == 0, done.err


def test_a_pod_of_a_cluster_is_traced(command: Command) -> None:
    files = {"job.yaml": POLICY, "pod.yaml": POD}
    done = command("explain", "job.yaml", "--pod", "pod.yaml", files=files)
    assert "Pod train-x7k2p: phase Failed, container main exited with 42 (Error)" in done.out
    assert "rules[1] (lines 20-23, FailJob) matches" in done.out


@pytest.mark.parametrize(
    ("phase", "sentence"),
    [
        ("Running", "The Pod has not failed: rules apply once it has terminated."),
        ("Pending", "The Pod is Pending, which is not a failure"),
        ("Succeeded", "The Pod has succeeded: no rule applies."),
    ],
)
def test_a_pod_that_has_not_failed_is_said_so(command: Command, phase: str, sentence: str) -> None:
    pod = f"kind: Pod\napiVersion: v1\nmetadata: {{name: a}}\nstatus: {{phase: {phase}}}\n"
    done = command(
        "explain", "job.yaml", "--pod", "pod.yaml", files={"job.yaml": POLICY, "pod.yaml": pod}
    )
    assert sentence in done.out


def test_a_pod_of_another_job_is_noted(command: Command) -> None:
    files = {"job.yaml": POLICY, "pod.yaml": POD.replace("name: main", "name: other")}
    done = command("explain", "job.yaml", "--pod", "pod.yaml", files=files)
    assert done.code == 0
    assert "has containers that the Job does not have: other. Is it another Job's Pod?" in done.err


def test_an_exit_code_without_a_container_is_that_of_each(command: Command) -> None:
    more = "      - {name: second, image: a}\n      - {name: third, image: a}\n      containers:\n"
    value = POLICY.replace("      containers:\n", f"      initContainers:\n{more}").replace(
        "operator: In\n", "operator: In\n        containerName: main\n", 1
    )
    done = command("explain", "job.yaml", "--exit-code", "42", files={"job.yaml": value})
    assert "Container main exits with 42" in done.out
    assert "Container second or third exits with 42" in done.out
    assert "it is about container main, and second failed" in done.out


def test_a_cron_job_is_explained_by_its_template(command: Command) -> None:
    done = command("explain", "cron.yaml", "--exit-code", "3", files={"cron.yaml": CRON})
    assert "rules[0] (lines 11-12, FailJob) matches" in done.out
    assert "for pod default/nightly-xxxxxxxx-xxxxx failed" in done.out
    done = command("explain", "cron.yaml")
    assert "counted, failure 2 fails the Job; new Pod after 10 s" in done.out


def test_an_in_place_restart_is_explained(command: Command) -> None:
    value = GOOD.replace("Never", "OnFailure")
    done = command("explain", "job.yaml", "--exit-code", "1", files={"job.yaml": value})
    assert "the kubelet restarts the container in the same Pod" in done.out
    assert "Restart 6 of the Pods' containers fails the Job" in done.out


ONE_FAILED_INDEX = """\
apiVersion: batch/v1
kind: Job
metadata: {name: shards}
spec:
  completionMode: Indexed
  completions: 10
  parallelism: 10
  backoffLimitPerIndex: 0
  maxFailedIndexes: 4
  template: {spec: {restartPolicy: Never, containers: [{name: main, image: "busybox:1.36"}]}}
"""


def test_one_failed_index_is_said_to_fail_the_job_beside_max_failed_indexes(
    command: Command,
) -> None:
    files = {"job.yaml": ONE_FAILED_INDEX}
    limits = (
        "any fails the Job once no index is left to run (FailedIndexes); "
        "5 fail it at once (MaxFailedIndexesExceeded)"
    )
    assert f"failed indexes  {limits}" in command("explain", "job.yaml", files=files).out
    table = command("explain", "--table", "job.yaml").out
    assert "1-255      no rule  the index fails, and the Job once no index is left" in table
    single = command("explain", "job.yaml", "--exit-code", "1").out
    assert "With any failed index the Job fails once no index is left to run: reason" in single
    assert "The Job fails at once when 5 indexes have failed: reason MaxFailed" in single
    assert f"- failed indexes: {limits}" in command("explain", "job.yaml", "-o", "markdown").out
    (job,) = command("explain", "job.yaml", "-o", "json").loaded["jobs"]
    assert job["settings"]["failed_indexes"] == limits
    assert job["failed_index_limits"] == [
        {"count": 1, "reason": "FailedIndexes", "at_once": False},
        {"count": 5, "reason": "MaxFailedIndexesExceeded", "at_once": True},
    ]
    (row,) = job["exit_codes"]
    assert row["outcome"]["failed_index_fails_job"] == "NoIndexLeft"


def test_a_job_as_a_cluster_stores_it_is_explained(command: Command, tmp_path: Path) -> None:
    job = stored(manifest("train", backoffLimit=2))
    assert "selector" in job["spec"]
    (tmp_path / "stored.yaml").write_text(yaml.safe_dump(job))
    done = command("explain", "stored.yaml", "--exit-code", "1")
    assert (done.code, done.err) == (0, "")


def test_an_invalid_job_is_refused_with_the_words_of_the_api_server(command: Command) -> None:
    done = command("explain", "job.yaml", files={"job.yaml": BAD})
    assert done.code == 1
    assert done.out == ""
    assert "job.yaml:6:25: error: Job train: spec.backoffLimitPerIndex [JW" in done.err
    assert done.err.endswith("job.yaml: not explained, because the API server rejects it\n")


def test_the_valid_ones_are_explained_all_the_same(command: Command) -> None:
    files = {"job.yaml": f"{BAD}---\n{GOOD}---\n{OTHER}"}
    done = command("explain", "job.yaml", files=files)
    assert done.code == 1
    assert done.out.count("What follows a failure") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--exit-code", "x"), 'exit-code: "x" is not of the form CODE or CONTAINER=CODE'),
        (("--exit-code", "=1"), 'exit-code: "=1" is not of the form'),
        (("--exit-code", "9999999999"), "is not of the form"),
        (("--exit-code", "0"), "a Pod whose containers exit with 0 has succeeded"),
        (("--exit-code", "other=1"), 'the Job has no container "other"; it has main'),
        (("--exit-code", "main=1,2"), "name the container of each exit code"),
        (("--condition", "A=B"), "the status is True, False or Unknown"),
        (
            ("--condition", "DisruptionTraget"),
            '--condition: no Pod has the condition "DisruptionTraget"; did you mean "DisruptionTarget"?',
        ),
        (("--condition", "disruptiontarget=True"), 'did you mean "DisruptionTarget"?'),
        (("--condition", "Evicted"), 'did you mean "DisruptionTarget"?'),
        (
            ("--condition", "OOMKilled"),
            'no Pod has the condition "OOMKilled": it is a reason of containers. Use --exit-code',
        ),
        (
            ("--condition", "Strange"),
            'Kubernetes sets no condition "Strange", and no rule of the Job names it. Known are AllContainers',
        ),
        (("--condition", "Strange"), "with a domain: example.com/Strange"),
        (
            ("--exit-code", "1337"),
            "--exit-code: 1337 is impossible on Linux: exit codes are 0 to 255",
        ),
        (
            ("--exit-code", "main=-1"),
            "--exit-code: -1 is impossible on Linux: exit codes are 0 to 255",
        ),
        (("--pod", "job.yaml"), "--pod: job.yaml:1: not a Pod (kind: Pod)"),
        (("--pod", "none.yaml"), "none.yaml"),
        (("--pod", "pod.yaml", "--exit-code", "1"), "the Pod has its own"),
        (("-", "--pod", "-"), "only one of the Job and the Pod can come from standard input"),
        (("--table", "--exit-code", "1"), "--table prints all failures"),
        (("--against", "job.yaml", "--git-ref", "main"), "exclude each other"),
        (("--against", "job.yaml", "--exit-code", "1"), "omit the single failure"),
        (("--output-file", "missing/x"), "cannot write missing/x"),
        (("--kubernetes-version", "1.2"), "1.2"),
    ],
)
def test_wrong_options_are_reported(
    command: Command, arguments: tuple[str, ...], message: str
) -> None:
    files = {"job.yaml": GOOD, "pod.yaml": POD}
    done = command("explain", "job.yaml", *arguments, files=files)
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err


def test_files_without_a_job_and_missing_files_exit_with_2(command: Command) -> None:
    done = command("explain", "other.yaml", files={"other.yaml": OTHER})
    assert (done.code, "no Job, CronJob or JobSet found" in done.err) == (2, True)
    assert command("explain", "missing.yaml").code == 2


def test_a_change_is_shown_with_changed_rows_first(command: Command) -> None:
    new = POLICY.replace("values: [42]", "values: [42, 43]", 1)
    done = command(
        "explain", "--against", "old.yaml", "new.yaml", files={"old.yaml": POLICY, "new.yaml": new}
    )
    assert done.code == 0
    changed, _, unchanged = done.out.partition("Unchanged exit codes")
    assert (
        "43         no rule: counted, failure 7 fails the Job; new Pod after 10 s  rules[1]: the Job fails"
        in changed
    )
    assert "DisruptionTarget=True" not in changed
    assert "DisruptionTarget=True" in unchanged


def test_a_change_without_effect_is_said_so(command: Command) -> None:
    new = POLICY.replace("train", "other")  # in files with one Job each, names need not agree
    done = command(
        "explain", "--against", "old.yaml", "new.yaml", files={"old.yaml": POLICY, "new.yaml": new}
    )
    assert "No change: every failure is handled as before." in done.out


def test_a_new_job_is_explained_alone(command: Command) -> None:
    files = {"old.yaml": f"{POLICY}---\n{CRON}", "new.yaml": GOOD.replace("train", "other")}
    done = command("explain", "--against", "old.yaml", "new.yaml", files=files)
    assert "backoff" in done.out


def test_json_has_the_outcome_before_and_after(command: Command) -> None:
    new = POLICY.replace("values: [42]", "values: [42, 43]", 1)
    files = {"old.yaml": POLICY, "new.yaml": new}
    (job,) = command(
        "explain", "--against", "old.yaml", "new.yaml", "-o", "json", files=files
    ).loaded["jobs"]
    assert job["changed"] is True
    (row,) = [row for row in job["exit_codes"] if row["changed"]]
    assert row["codes"] == [[43, 43]]
    assert row["before"]["job_fails_after"] == 7
    assert row["after"]["job_failure_reason"] == "PodFailurePolicy"
    (alone,) = command("explain", "old.yaml", "-o", "json").loaded["jobs"]
    assert alone["rules"][2]["never"].startswith("never decides")
    (trace,) = command("explain", "old.yaml", "-o", "json", "--exit-code", "42").loaded["jobs"][0][
        "failures"
    ]
    assert [step["matches"] for step in trace["steps"]] == [False, True, None]


def test_markdown_is_escaped_and_folds_what_did_not_change(command: Command) -> None:
    new = POLICY.replace("values: [42]", "values: [42, 43]", 1)
    files = {"old.yaml": POLICY, "<b>@new|.yaml": new}
    done = command(
        "explain", "--against", "old.yaml", "<b>@new|.yaml", "-o", "markdown", files=files
    )
    assert done.out.startswith(r"### Job train (&lt;b\>@<!-- -->new\|.yaml:1), Kubernetes")
    assert "<details><summary>Unchanged</summary>" in done.out
    assert (
        r"| 43 | no rule: counted, failure 7 fails the Job; new Pod after 10 s | rules\[1\]: the Job fails"
        in done.out
    )


def test_the_explanation_is_written_to_a_file(command: Command, tmp_path: Path) -> None:
    done = command("explain", "job.yaml", "--output-file", "out.txt", files={"job.yaml": GOOD})
    assert done.out == ""
    assert "exit codes 1-255" in (tmp_path / "out.txt").read_text()


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=Jo", "-c", "user.email=jo@example.com")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def test_the_jobs_that_a_branch_changes_are_compared(command: Command, tmp_path: Path) -> None:
    files = {"a.yaml": POLICY, "b.yaml": CRON}
    command("explain", "a.yaml", files=files)
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    done = command("explain", "--git-ref", "HEAD")
    assert (done.code, done.out, done.err) == (
        0,
        "",
        "no Job, CronJob or JobSet differs from HEAD\n",
    )
    (tmp_path / "b.yaml").write_text(CRON.replace("[3]", "[3, 4]"))
    done = command("explain", "--git-ref", "HEAD")
    assert "CronJob nightly (b.yaml:1)" in done.out
    assert "4          no rule: counted, failure 2 fails the Job" in done.out
    assert "train" not in done.out


def test_an_older_release_drops_the_policy_and_says_so(command: Command) -> None:
    done = command(
        "explain", "job.yaml", "--kubernetes-version", "1.25", files={"job.yaml": POLICY}
    )
    assert done.code == 0
    assert "podFailurePolicy" in done.err
    assert "Rules: none (no failure policy)" in done.out


def test_names_cannot_control_the_terminal(command: Command) -> None:
    done = command("explain", "x\x1b]0;t\x07.yaml", files={"x\x1b]0;t\x07.yaml": GOOD})
    assert "\x1b" not in done.out


def test_tables_are_wrapped_at_the_width_of_a_terminal(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jobsworth.cli.commands.explain.terminal_width", lambda out: 80)
    done = command("explain", "job.yaml", files={"job.yaml": GOOD})
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 80


def test_a_cron_job_is_explained_with_its_next_runs(command: Command) -> None:
    files = {"cron.yaml": CRON}
    done = command("explain", "cron.yaml", "--from", "2027-03-27", files=files)
    assert "0 3 * * *: next Sat 2027-03-27 03:00 +0000, Sun 2027-03-28 03:00 +0000" in done.out
    wrong = command("explain", "cron.yaml", "--from", "soon", files=files)
    assert (wrong.code, '--from: "soon" is not a date' in wrong.err) == (2, True)


@pytest.mark.parametrize("time", ["9999-12-31T23:59Z", "0001-01-01T00:00+14:00"])
def test_a_time_beyond_the_calendar_is_refused(command: Command, time: str) -> None:
    done = command("explain", "cron.yaml", "--from", time, files={"cron.yaml": CRON})
    assert done.code == 2
    assert "--from: the year must be from 1971 to 2199" in done.err


def test_an_edited_schedule_is_a_changed_setting(command: Command) -> None:
    files = {"old.yaml": CRON, "new.yaml": CRON.replace("0 3 * * *", "0 4 * * *")}
    done = command("explain", "--against", "old.yaml", "new.yaml", files=files)
    assert "Changed settings" in done.out
    assert "0 4 * * *: next" in done.out


JOB_SET = """\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train}
spec:
  failurePolicy: {maxRestarts: 2}
  replicatedJobs:
    - name: workers
      replicas: 3
      template:
        spec:
          podFailurePolicy:
            rules:
              - {action: FailJob, onExitCodes: {operator: In, values: [42]}}
          template:
            spec: {restartPolicy: Never, containers: [{name: main, image: "a:1"}]}
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
RESTARTS = "the JobSet restarts all its 3 Jobs, at most 2 times, then fails (ReachedMaxRestarts)"


def test_both_levels_of_a_job_set_are_explained(command: Command) -> None:
    done = command("explain", "set.yaml", files={"set.yaml": JOB_SET})
    assert done.code == 0, done.err
    assert "JobSet train, ReplicatedJob workers (set.yaml:1)" in done.out
    assert f"after PodFailurePolicy      without a matching rule, {RESTARTS}\n" in done.out
    assert "rules[0]  line 13  FailJob  if any container exits with 42\n" in done.out


def test_a_failure_is_followed_to_the_job_set(command: Command) -> None:
    done = command("explain", "set.yaml", "--exit-code", "42", files={"set.yaml": JOB_SET})
    assert f"  - Then without a matching rule, {RESTARTS}.\n" in done.out


def test_a_change_of_the_failure_policy_of_a_job_set_is_a_change(command: Command) -> None:
    changed = JOB_SET.replace("maxRestarts: 2", "maxRestarts: 0")
    files = {"old.yaml": JOB_SET, "new.yaml": changed}
    done = command("explain", "--against", "old.yaml", "new.yaml", files=files)
    assert "because maxRestarts is 0" in done.out


def test_the_job_of_a_scaled_job_is_explained_and_named(command: Command) -> None:
    done = command("explain", "queue.yaml", files={"queue.yaml": SCALED_JOB})
    assert done.code == 0, done.err
    assert "ScaledJob queue, the Job that KEDA creates (queue.yaml:1)" in done.out
    assert "counted, failure 2 fails the Job" in done.out


def test_an_error_of_a_job_set_is_printed_at_its_line(command: Command) -> None:
    broken = JOB_SET.replace("restartPolicy: Never", "restartPolicy: Alway")
    done = command("explain", "set.yaml", files={"set.yaml": broken})
    assert done.code == 1
    assert "set.yaml:15:" in done.err


def test_a_misspelt_kind_is_reported_and_not_explained(command: Command) -> None:
    done = command(
        "explain", "job.yaml", "other.yaml", files={"job.yaml": MISSPELT, "other.yaml": OTHER}
    )
    assert (done.code, done.out) == (1, "")
    assert "The API server has no kind Jobb in batch/v1. Set kind: Job." in done.err
    assert "ConfigMap" not in done.err


@pytest.mark.parametrize(
    ("options", "fact", "rows"),
    [
        (
            ("1.26",),
            None,
            ("critical Pod (Preempting), in 1.26.0 to 1.26.5 without DisruptionTarget",),
        ),
        (
            ("1.27",),
            None,
            ("critical Pod (Preempting), in 1.27.0 to 1.27.2 without DisruptionTarget",),
        ),
        (("1.28",), None, ()),
        (
            ("1.25", "JobPodFailurePolicy=true,PodDisruptionConditions=true"),
            "not set by the kubelet of Kubernetes 1.25: it does so from 1.26 on",
            ("graceful node shutdown, in 1.25 without DisruptionTarget",),
        ),
        (
            ("1.30", "PodDisruptionConditions=false"),
            "never set in Kubernetes 1.30: the feature gate PodDisruptionConditions is off",
            (
                "eviction API (kubectl drain), in 1.30 without DisruptionTarget",
                "graceful node shutdown, in",
            ),
        ),
    ],
)
def test_the_causes_have_the_condition_that_the_release_and_its_gates_set(
    command: Command, options: tuple[str, ...], fact: str | None, rows: tuple[str, ...]
) -> None:
    release, *gates = options
    arguments = ["--kubernetes-version", release, *(["--feature-gates", *gates] if gates else [])]
    done = command("explain", *arguments, "job.yaml", files={"job.yaml": POLICY})
    assert done.code == 0, done.err
    assert fact is None or fact in " ".join(done.out.split())
    lines = done.out.splitlines()
    assert done.out.count("without DisruptionTarget") >= len(rows)
    for row in rows:
        (line, *_) = [line for line in lines if row in line]
        assert ("rules[0]" in line) == (fact is None), "without the condition no rule matches it"


def test_an_exit_code_says_what_it_may_be_and_what_follows_then(command: Command) -> None:
    files = {"job.yaml": POLICY}
    done = command("explain", "job.yaml", "--exit-code", "137", files=files)
    _, _, table = done.out.partition("What it may be, and what follows then")
    by_cause = {line.strip().partition("  ")[0]: line for line in table.splitlines()}
    assert "no rule" in by_cause["memory limit exceeded (OOMKilled)"]
    assert "rules[0]" in by_cause["eviction API (kubectl drain)"]
    assert (
        "| memory limit exceeded (OOMKilled) |"
        in command("explain", "job.yaml", "--exit-code", "main=137", "-o", "markdown").out
    )
    (failure,) = command("explain", "job.yaml", "--exit-code", "137", "-o", "json").loaded["jobs"][
        0
    ]["failures"]
    assert "OutOfMemory" in str(failure["causes"]) or "OOM" in str(failure["causes"])
    assert "What it may be" not in command("explain", "job.yaml", "--exit-code", "42").out


@pytest.mark.parametrize("name", ["explain", "simulate", "validate"])
def test_an_unknown_field_is_located_at_its_key_by_each_command(
    tmp_path: Path, command: Command, name: str
) -> None:
    (tmp_path / "a.yaml").write_text(GOOD.replace("spec:\n", "spec:\n  backOffLimit: 3\n", 1))
    done = command(name, "a.yaml")
    line = GOOD.splitlines().index("spec:") + 2
    assert f"a.yaml:{line}:3: error: " in done.out + done.err
