"""``--fix`` on manifests that the API server rejects, and what it leaves alone."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.findings.finding import Finding
from support.cli.command_runs import Validate
from support.lint.applied_fixes import attempts, autofixed, cron_job_text, findings_left, job_text

POLICY = """\
    podFailurePolicy:
      rules:
        - action: FailJob
          onExitCodes:
            operator: In
            values: [42]
    """
ON_EXIT_CODES = """\
    podFailurePolicy:
      rules:
        - action: FailJob
          onExitCodes:
            operator: In
            values: {values}
    """


def errors(text: str) -> list[Finding]:
    return [finding for finding in findings_left(autofixed(text)) if finding.severity == "error"]


def check(before: str, after: str, *, unsafe: bool = False, release: str = "1.36") -> None:
    """Check that the manifest becomes the other, is valid then, and has nothing left to fix."""
    assert before != after
    done = autofixed(before, unsafe=unsafe, release=release)
    assert done.data.decode() == after
    assert findings_left(done) == []
    assert autofixed(after, unsafe=unsafe, release=release).data == done.data
    if unsafe:
        assert findings_left(autofixed(before, release=release)) != []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[42, 3]", "[3, 42]"),
        ("[3, 3, 42]", "[3, 42]"),
        ("[0, 1]", "[1]"),
        ("[9, 0, 2, 9]  # odd", "[2, 9]  # odd"),
        ("\n  - 42  # out of memory\n  # again\n  - 3\n", "\n  # again\n  - 3\n  - 42  # out of memory\n"),
    ],
)  # fmt: skip
def test_exit_codes_become_a_sorted_set(before: str, after: str) -> None:
    def text(values: str) -> str:
        return job_text(ON_EXIT_CODES.format(values=values.replace("\n", "\n            ")))

    check(text(before), text(after))


def test_an_exit_code_of_zero_alone_is_left_to_its_author() -> None:
    text = job_text(ON_EXIT_CODES.format(values="[0]"))
    assert autofixed(text, unsafe=True).data.decode() == text


def test_zero_stays_where_it_is_allowed() -> None:
    policy = ON_EXIT_CODES.replace("In", "NotIn")
    check(job_text(policy.format(values="[2, 0]")), job_text(policy.format(values="[0, 2]")))


def test_with_a_failure_policy_pods_are_replaced_when_they_have_failed() -> None:
    check(
        job_text(f"podReplacementPolicy: TerminatingOrFailed  # soon\n{dedented(POLICY)}"),
        job_text(f"podReplacementPolicy: Failed  # soon\n{dedented(POLICY)}"),
    )


def dedented(text: str) -> str:
    return "\n".join(line[4:] for line in text.splitlines())


@pytest.mark.parametrize("written", ["", "restartPolicy: OnFailure", "restartPolicy: Always"])
def test_with_a_failure_policy_containers_are_not_restarted(written: str) -> None:
    check(job_text(POLICY, pod=written), job_text(POLICY, pod="restartPolicy: Never"))


def test_a_restart_policy_that_is_missing_is_a_choice() -> None:
    check(job_text(pod=""), job_text(pod="restartPolicy: Never"), unsafe=True)


def test_always_means_on_failure_to_a_job() -> None:
    check(
        job_text(pod="restartPolicy: Always # on and on"),
        job_text(pod="restartPolicy: OnFailure # on and on"),
        unsafe=True,
    )


@pytest.mark.parametrize("release", ["1.31", "1.36"])
def test_a_restart_policy_in_the_container_moves_to_the_pod(release: str) -> None:
    check(
        job_text(pod="hostNetwork: false", container="restartPolicy: OnFailure  # retry"),
        job_text(pod="hostNetwork: false\nrestartPolicy: OnFailure  # retry"),
        release=release,
    )


@pytest.mark.parametrize(
    ("before", "after", "unsafe"),
    [
        ("backoffLimitPerIndex: 1", "backoffLimitPerIndex: 1\ncompletionMode: Indexed", False),
        ("completions: 3\nsuccessPolicy: {rules: [{succeededCount: 1}]}", "completions: 3\nsuccessPolicy: {rules: [{succeededCount: 1}]}\ncompletionMode: Indexed", False),
        ("completionMode: NonIndexed\nbackoffLimitPerIndex: 1", "completionMode: Indexed\nbackoffLimitPerIndex: 1", True),
        ("completions: 3\nmaxFailedIndexes: 1", "completions: 3\nmaxFailedIndexes: 1\ncompletionMode: Indexed\nbackoffLimitPerIndex: 1", True),
    ],
)  # fmt: skip
def test_limits_per_index_need_indexes(before: str, after: str, unsafe: bool) -> None:
    check(job_text(before), job_text(after), unsafe=unsafe)


def test_without_completions_there_are_no_indexes() -> None:
    text = job_text("backoffLimitPerIndex: 1\nparallelism: 2")
    assert autofixed(text, unsafe=True).data.decode() == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("backofflimit: 3  # thrice", "backoffLimit: 3  # thrice"),
        ("backoff_limit: 3", "backoffLimit: 3"),
        ("backoff-limit: 3", "backoffLimit: 3"),
        ('"BackoffLimit": 3', '"backoffLimit": 3'),
        ("backofLimit: 3", "backoffLimit: 3"),
        ("activeDeadlineSecond: 3", "activeDeadlineSeconds: 3"),
        ("ttlSecondsAfterFinshed: 3", "ttlSecondsAfterFinished: 3"),
        ("backoff_limit: '3'", "backoffLimit: 3"),
        ("backoffLimit: 3\nbackoff_limit: 3", "backoffLimit: 3"),
        ("podFailurePolicy:\n  Rules: []", "podFailurePolicy:\n  rules: []"),
    ],
)
def test_a_misspelt_field_gets_its_name(before: str, after: str) -> None:
    check(job_text(before), job_text(after))


@pytest.mark.parametrize(
    "spec",
    [
        "madeUp: 1",
        "limit: 3",
        "backoff_limit: 3\nbackoffLimit: 4",
        "name: x",
        "podReplacement: Failed",
    ],
)
def test_a_field_that_is_near_to_none_stays(spec: str) -> None:
    text = job_text(spec)
    assert autofixed(text).data.decode() == text


def test_a_misplaced_field_goes_where_it_belongs() -> None:
    check(
        job_text("# who it is\nserviceAccountName: trainer  # not root"),
        job_text(pod="restartPolicy: Never\n# who it is\nserviceAccountName: trainer  # not root"),
    )
    check(
        job_text(pod="restartPolicy: Never\nimagePullPolicy: Always"),
        job_text(container="imagePullPolicy: Always"),
    )
    check(
        cron_job_text("schedule: '@daily'\nbackoffLimit: 3"),
        cron_job_text("schedule: '@daily'", job="backoffLimit: 3"),
    )
    check(
        job_text(container="labels: {a: b}").replace("labels", "env: []\n          labels")
        .replace("          labels: {a: b}\n", "").replace("          env: []\n", "")
        .replace("  template:\n", "  template:\n    labels: {a: b}\n"),
        job_text().replace("  template:\n", "  template:\n    metadata:\n      labels: {a: b}\n"),
    )  # fmt: skip


def test_fields_that_move_keep_their_order() -> None:
    moved = "serviceAccountName: a\nhostNetwork: true\nterminationGracePeriodSeconds: 3"
    check(
        job_text(container=moved),
        job_text(pod=f"restartPolicy: Never\n{moved}"),
    )


@pytest.mark.parametrize(
    ("field", "pod"),
    [
        ("image: x", "restartPolicy: Never\nimage: y"),
        ("activeDeadlineSeconds: 1", "restartPolicy: Never"),
    ],
)
def test_a_field_that_belongs_in_several_places_stays(field: str, pod: str) -> None:
    text = job_text(pod=pod).replace("  template:\n", f"  template:\n    {field}\n")
    assert autofixed(text).data.decode() == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("restartPolicy: never", "restartPolicy: Never"),
        ("restartPolicy: 'on-failure'", "restartPolicy: 'OnFailure'"),
        ("restartPolicy: onfailure  # why", "restartPolicy: OnFailure  # why"),
        ("restartPolicy: OnFailiure", "restartPolicy: OnFailure"),
        ("restartPolicy: Never\ndnsPolicy: clusterfirst", "restartPolicy: Never\ndnsPolicy: ClusterFirst"),
    ],
)  # fmt: skip
def test_a_name_that_is_nearly_supported_is_written_right(before: str, after: str) -> None:
    check(job_text(pod=before), job_text(pod=after))


@pytest.mark.parametrize("release", ["1.29", "1.33"])
def test_a_value_that_only_another_release_supports_stays(release: str) -> None:
    text = job_text(
        pod="restartPolicy: Never\ninitContainers: [{name: a, image: b, restartPolicy: OnFailure}]"
    )
    (left,) = findings_left(autofixed(text, release=release))
    assert left.reason == "FieldValueNotSupported"
    assert left.fix is None


@pytest.mark.parametrize("action", ["failjob", "Failjob", "Fail_Job", "FialJob", "FailJobs"])
def test_a_nearly_right_action_is_written_right(action: str) -> None:
    check(job_text(POLICY.replace("FailJob", action)), job_text(POLICY))


@pytest.mark.parametrize("action", ["Fail", "Retry", "Stop", "FailIndexes"])
def test_an_action_that_could_be_several_stays(action: str) -> None:
    text = job_text(POLICY.replace("FailJob", action))
    assert autofixed(text).data.decode() == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("y", '"y"'),
        ("yes", '"yes"'),
        ("off", '"off"'),
        ("1.10  # minor", '"1.10"  # minor'),
        ("0644", '"0644"'),
        ("1_000", '"1_000"'),
        ("1e3", '"1e3"'),
        ("!!int 3", '"3"'),
    ],
)
def test_a_value_that_must_be_a_string_is_quoted_as_written(before: str, after: str) -> None:
    env = "env:\n  - name: A\n    value: {}"
    check(job_text(container=env.format(before)), job_text(container=env.format(after)))


def only_error(validate: Validate, text: str) -> dict[str, Any]:
    done = validate("-o", "json", "--select", "JW0", "a.yaml", files={"a.yaml": text})
    (finding,) = done.loaded["results"][0]["findings"]
    return dict(finding)


@pytest.mark.parametrize(
    ("written", "hint"),
    [
        ("y", 'y without quotes is a boolean in YAML: write "y"'),
        ("yes", 'yes without quotes is a boolean in YAML: write "yes"'),
        ("Off", 'Off without quotes is a boolean in YAML: write "Off"'),
        ("0x10", '0x10 without quotes is a number: write "0x10"'),
        ("010", '010 without quotes is a number: write "010"'),
        ("1_000", '1_000 without quotes is a number: write "1_000"'),
        ("true", ""),
        ("1", ""),
    ],
)
def test_the_hint_and_the_fix_show_the_text_as_written(
    written: str, hint: str, validate: Validate
) -> None:
    text = job_text(container=f"env:\n  - name: A\n    value: {written}")
    finding = only_error(validate, text)
    assert finding.get("hint", "") == hint
    assert finding["fix"]["title"] == f'Quote the value: "{written}"'


@pytest.mark.parametrize("written", ["12:30:00", "~", "null", "", "2026-11-29"])
def test_what_yaml_reads_as_text_or_as_nothing_is_no_error(written: str) -> None:
    text = job_text(container=f"env:\n  - name: A\n    value: {written}")
    assert errors(text) == []


def test_a_number_of_hundreds_of_digits_is_quoted_without_being_repeated(
    validate: Validate,
) -> None:
    digits = "1" * 300
    text = job_text(container=f"env:\n  - name: A\n    value: {digits}")
    finding = only_error(validate, text)
    assert finding["fix"]["title"] == "Quote the value"
    assert "hint" not in finding


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("args: [--n, 3, on]", 'args: [--n, "3", "on"]'),
        ("args: --verbose", "args: [--verbose]"),
        ("stdin: 'true'", "stdin: true"),
        ("resources: {limits: {cpu: yes}}", None),
        ("args: run --all", None),
        ("args: {a: b}", None),
    ],
)
def test_a_value_of_the_wrong_type_is_fixed_where_it_is_clear(
    before: str, after: str | None
) -> None:
    if after is None:
        text = job_text(container=before)
        assert autofixed(text, unsafe=True).data.decode() == text
    else:
        check(job_text(container=before), job_text(container=after))


def test_labels_and_annotations_are_quoted() -> None:
    def text(one: str, other: str) -> str:
        metadata = f"  labels:\n    version: {one}\n  annotations: {{a/b: {other}}}\nspec:"
        return job_text().replace("spec:", metadata, 1)

    check(text("1.0", "yes"), text('"1.0"', '"yes"'))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('schedule: "0 6 * * 7"  # Sundays', 'schedule: "0 6 * * 0"  # Sundays'),
        ("schedule: 0 6 * * 5-7", "schedule: 0 6 * * 5-6,0"),
        ("schedule: 0 6 * * sat-sun", "schedule: 0 6 * * sat,sun"),
        ("schedule: 0 6 * * Monday", "schedule: 0 6 * * Mon"),
        ("schedule: 0 0 6 * * ?", "schedule: 0 6 * * ?"),
        ('schedule: "@daily Europe/Berlin"', 'schedule: "@daily"\ntimeZone: Europe/Berlin'),
        ("schedule: TZ=Europe/Berlin 0 6 * * *", "schedule: 0 6 * * *\ntimeZone: Europe/Berlin"),
        ("schedule: CRON_TZ=UTC 0 6 * * 7\ntimeZone: UTC", "schedule: 0 6 * * 0\ntimeZone: UTC"),
        ("schedule: '@daily'\ntimeZone: europe/berlin", "schedule: '@daily'\ntimeZone: Europe/Berlin"),
        ("schedule: '@daily'\nconcurrencyPolicy: forbid", "schedule: '@daily'\nconcurrencyPolicy: Forbid"),
    ],
)  # fmt: skip
def test_a_cron_job_that_other_crons_take_is_fixed(before: str, after: str) -> None:
    check(cron_job_text(before), cron_job_text(after))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("schedule: 0 22-2 * * *", "schedule: 0 22-23,0-2 * * *"),
        ("schedule: '@daily'\ntimeZone: US/New_York", "schedule: '@daily'\ntimeZone: America/New_York"),
    ],
)  # fmt: skip
def test_an_ambiguous_cron_schedule_is_fixed_with_unsafe_fixes(before: str, after: str) -> None:
    check(cron_job_text(before), cron_job_text(after), unsafe=True)


@pytest.mark.parametrize(
    "spec",
    [
        "schedule: '@reboot'",
        "schedule: TZ=Nowhere 0 6 * * *",
        "schedule: TZ=UTC 0 6 * * *\ntimeZone: Europe/Berlin",
        "schedule: '@daily'\ntimeZone: Mars/Olympus",
    ],
)
def test_a_schedule_of_which_the_meaning_is_not_clear_stays(spec: str) -> None:
    text = cron_job_text(spec)
    assert autofixed(text, unsafe=True).data.decode() == text


def test_server_generated_fields_are_deleted() -> None:
    selector = "selector:\n  matchLabels:\n    controller-uid: 8d1a-1"
    labels = "    metadata:\n      labels:\n        app: x\n        controller-uid: 8d1a-1\n"
    before = job_text(selector).replace("    spec:\n", f"{labels}    spec:\n")
    after = job_text().replace(
        "    spec:\n", "    metadata:\n      labels:\n        app: x\n    spec:\n"
    )
    check(before, after)
    check(
        cron_job_text(
            "schedule: '@daily'", job="selector: {matchLabels: {a: b}}\nmanualSelector: true"
        ),
        cron_job_text("schedule: '@daily'"),
    )


def test_a_missing_status_is_true_before_1_34() -> None:
    rule = "podFailurePolicy:\n  rules:\n    - action: Ignore\n      onPodConditions:\n        - type: DisruptionTarget"
    check(
        cron_job_text('schedule: "@daily"', job=rule),
        cron_job_text('schedule: "@daily"', job=f'{rule}\n          status: "True"'),
        release="1.33",
    )


def test_several_things_are_fixed_one_after_the_other() -> None:
    before = job_text(
        "pod_failure_policy:\n  rules:\n    - action: failjob\n      onExitCodes: {operator: in, values: [3, 0, 3]}",
        pod="",
        container="env: [{name: A, value: 1}]",
    )
    after = job_text(
        "podFailurePolicy:\n  rules:\n    - action: FailJob\n      onExitCodes: {operator: In, values: [3]}",
        container='env: [{name: A, value: "1"}]',
    )
    check(before, after)
    assert [attempt.reason for attempt in attempts(autofixed(before))] == [""] * 6


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (job_text("made_up: 1").replace("kind: Job", "kind: job"), "kind: Job\n"),
        (
            cron_job_text("schedule: never").replace("batch/v1", "batch/v1beta1"),
            "apiVersion: batch/v1\n",
        ),
    ],
)
def test_a_near_miss_is_fixed_though_more_is_wrong_with_it(text: str, after: str) -> None:
    assert after in autofixed(text, select="JW0,JW320").data.decode()


def test_a_fix_that_brings_an_error_is_undone_and_reported() -> None:
    text = job_text("completions: 3\nbackoffLimitPerIndex: 1").replace("train ", "train.1 ")
    done = autofixed(text)
    assert done.data.decode() == text
    (attempt,) = attempts(done)
    assert attempt.reason == (
        'it would cause JW004 metadata.name: Invalid value: "train.1": will not able to create pod with '
        "invalid DNS label: train.1-2"
    )


def test_a_field_behind_an_alias_is_left_alone_and_reported() -> None:
    text = job_text(
        "podFailurePolicy:\n  rules:\n    - action: Count\n      onExitCodes: &codes {operator: In, values: [2, 1]}\n"
        "    - action: FailJob\n      onExitCodes: *codes"
    )
    done = autofixed(text)
    assert done.data.decode() == text
    assert len(attempts(done)) == 2
    assert all(attempt.reason for attempt in attempts(done))


def test_every_document_and_item_is_fixed() -> None:
    one = job_text(ON_EXIT_CODES.format(values="[2, 1]"))
    text = f"{one}---\nkind: Other\n---\n{one}"
    assert autofixed(text).data.decode() == text.replace("[2, 1]", "[1, 2]")
    item = "  - " + one.split("\n", 1)[1].replace("\n", "\n    ").rstrip() + "\n"
    listed = f"apiVersion: v1\nkind: List\nitems:\n{item}{item}"
    assert autofixed(listed).data.decode() == listed.replace("[2, 1]", "[1, 2]")


def test_json_is_fixed_too() -> None:
    text = '{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "x"}, "spec": {"backoff_limit": 3.0, "template": {"spec": {"restartPolicy": "never", "containers": [{"name": "a", "image": "b", "env": [{"name": "A", "value": 1.10}]}]}}}}\n'
    wanted = (
        text.replace("backoff_limit", "backoffLimit").replace("3.0", "3").replace("never", "Never")
    )
    done = autofixed(text, file="job.json")
    assert done.data.decode() == wanted.replace("1.10", '"1.10"')
    assert findings_left(done) == []


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_missing_separator_is_inserted_above_the_comment_of_its_object(ending: str) -> None:
    objects = [job_text(), f"# The second.\n{job_text()}", job_text()]
    before = "".join(objects).replace("\n", ending)
    fixed = autofixed(before, select="JW301")
    assert fixed.data.decode() == "---\n".join(objects).replace("\n", ending)
    titles = [each.located.finding.fix for result in fixed.results for each in result.attempts]
    assert [fix.title for fix in titles if fix] == ["Insert --- before this object"] * 2


def test_a_separator_is_not_inserted_if_a_document_would_be_unreadable() -> None:
    text = "apiVersion: v1\nkind: ConfigMap\ndata: &a {b: c}\napiVersion: v1\nkind: ConfigMap\ndata: *a\n"
    assert autofixed(text, select="JW301").data.decode() == text
