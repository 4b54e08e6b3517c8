"""Patches, unrendered templates, and Jobs in other objects: what is not a manifest, and what to run instead."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.cli.command_runs import Validate
from support.lint.manifests_with_findings import INVALID, SOUND

PATCH = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: etl}\nspec: {backoffLimit: 2}\n"
NAMED = {
    "patches": "patches: [{path: patch.yaml}]\n",
    "patchesStrategicMerge": "patchesStrategicMerge:\n- patch.yaml\n",
    "patchesJson6902": "patchesJson6902:\n- {target: {kind: Job, name: etl}, path: patch.yaml}\n",
}


@pytest.mark.parametrize("key", NAMED)
@pytest.mark.parametrize("name", ["kustomization.yaml", "kustomization.yml", "Kustomization"])
def test_a_patch_that_a_kustomization_names_is_skipped_with_the_command_that_renders_it(
    validate: Validate, key: str, name: str
) -> None:
    files = {f"overlay/{name}": f"kind: Kustomization\n{NAMED[key]}", "overlay/patch.yaml": PATCH}
    done = validate("overlay/patch.yaml", files=files)
    assert done.code == 0
    assert "info: Job etl: manifest [JW094 kustomize-patch]" in done.out
    assert "(jobsworth validate --kustomize overlay, or --render for all overlays)" in done.out
    loaded = validate("-o", "json", "overlay/patch.yaml").loaded
    assert loaded["results"][0]["status"] == "skipped"
    assert loaded["summary"]["invalid"] == 0


def test_a_kustomization_above_may_name_it(validate: Validate) -> None:
    files = {
        "k/kustomization.yaml": "patches: [{path: jobs/a/patch.yaml}]\n",
        "k/jobs/a/patch.yaml": PATCH,
    }
    assert validate("--mixed", ".", files=files).code == 0


def test_a_component_is_rendered_by_an_overlay(validate: Validate) -> None:
    files = {
        "c/kustomization.yaml": "kind: Component\npatches: [{path: patch.yaml}]\n",
        "c/patch.yaml": PATCH,
    }
    assert "validate --kustomize OVERLAY" in validate("c", files=files).out


def test_resources_of_a_kustomization_are_validated(validate: Validate) -> None:
    files = {"kustomization.yaml": "resources: [job.yaml]\n", "job.yaml": INVALID}
    assert validate(".", files=files).code == 1


def test_a_broken_kustomization_hides_nothing(validate: Validate) -> None:
    files = {"kustomization.yaml": "patches: [\n", "patch.yaml": PATCH}
    assert validate("patch.yaml", files=files).code == 1
    files = {"kustomization.yaml": "patches: 3\npatchesStrategicMerge: [4, {a: b}]\n"}
    assert validate("patch.yaml", files=files).code == 1


def test_a_patch_is_not_fixed(validate: Validate, tmp_path: Path) -> None:
    patch = PATCH.replace("backoffLimit", "backofLimit")
    files = {"kustomization.yaml": NAMED["patches"], "patch.yaml": patch}
    validate("--fix", "--unsafe", ".", files=files)
    assert (tmp_path / "patch.yaml").read_text() == patch


def test_a_patch_directive_marks_a_patch(validate: Validate) -> None:
    text = PATCH.replace("spec: {", "spec: {$patch: replace, ")
    done = validate("patch.yaml", files={"patch.yaml": text})
    assert (done.code, "this is a patch: it has $patch" in done.out) == (0, True)


@pytest.mark.parametrize(
    "placeholder",
    ["${NAME}", "$(NAME)", "($namespace)", "V_NAME", "IMAGE_TAG", "__NAME__", "<name>", "$NAME"],
)
def test_a_placeholder_gets_a_hint_beside_the_words_of_the_server(
    validate: Validate, placeholder: str
) -> None:
    text = SOUND.replace("name: sound", f"name: {json.dumps(placeholder)}")
    done = validate("a.yaml", files={"a.yaml": text})
    assert done.code == 1
    assert f'Invalid value: "{placeholder}": a lowercase RFC 1123' in done.out
    assert f"hint: is {placeholder} a placeholder, and this an unrendered template?" in done.out


def test_a_capability_is_not_a_placeholder(validate: Validate) -> None:
    image = "          image: registry.example.com/main:1.0\n"
    added = f"{image}          securityContext: {{capabilities: {{add: NET_ADMIN}}}}\n"
    text = SOUND.replace(image, added)
    done = validate("a.yaml", files={"a.yaml": text})
    assert "placeholder" not in done.out
    assert "fix: Wrap the value in a list (safe)" in done.out


POD = """{spec: {nodeSelector: {pool: "${POOL}"}, restartPolicy: Never, containers: [
  {name: a, image: "a:1", resources: {limits: {cpu: $CPU}}, command: [work]}]}}"""


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {template: POD}\n",
        "apiVersion: keda.sh/v1alpha1\nkind: ScaledJob\nmetadata: {name: a}\n"
        "spec: {jobTargetRef: {template: POD}}\n",
        "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: a}\n"
        "spec: {headGroupSpec: {rayStartParams: {}, template: POD}}\n",
        "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}\n"
        "spec: {pytorchReplicaSpecs: {Worker: {template: POD}}}\n",
        "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: a}\n"
        "spec: {replicatedJobs: [{name: b, template: {spec: {template: POD}}}]}\n",
        "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: a}\n"
        "spec: {replicatedJobs: [{name: b, replicas: $NUM, template: {spec: {template: POD}}}]}\n",
    ],
)
def test_a_placeholder_gets_its_hint_in_every_kind(validate: Validate, text: str) -> None:
    done = validate("a.yaml", files={"a.yaml": text.replace("POD", POD)})
    assert done.code == 1
    for name in ("${POOL}", "$CPU", "$NUM"):
        if name in text.replace("POD", POD):
            assert f"hint: is {name} a placeholder" in done.out


@pytest.mark.parametrize("name", ["Sound", "sound_1", "-", "sound/1"])
def test_other_wrong_names_do_not(validate: Validate, name: str) -> None:
    text = SOUND.replace("name: sound", f"name: {name}")
    assert "placeholder" not in validate("a.yaml", files={"a.yaml": text}).out


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (
            "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {name: a}\n",
            "Workflow a is not validated: containers of its templates are not Pod",
        ),
        (
            f"apiVersion: v1\nkind: ConfigMap\ndata:\n  job.yaml: {json.dumps(SOUND)}\n",
            "ConfigMap contains a Job that is not validated. Move it",
        ),
        (
            "apiVersion: example.com/v1\nkind: Bundle\nobjects:\n"
            "- {apiVersion: batch/v1, kind: Job}\n- {apiVersion: batch/v1, kind: CronJob}\n",
            "Bundle contains 2 Jobs that are not validated. Move them",
        ),
        (
            "- tasks:\n  - kubernetes.core.k8s:\n      definition: "
            "{apiVersion: batch/v1, kind: Job, spec: {}}\n",
            "a.yaml:3:7: info: [0].tasks[0].kubernetes.core.k8s.definition [JW095 unvalidated]\n"
            "  this document contains a Job that is not validated. Move it",
        ),
        (
            "extra: [{apiVersion: batch/v1, kind: CronJob, spec: {}}]\nport: 80\n",
            "this document contains a Job that is not validated. Move it",
        ),
    ],
)
def test_jobs_in_other_objects_are_not_skipped_in_silence(
    validate: Validate, text: str, what: str
) -> None:
    done = validate("a.yaml", files={"a.yaml": text})
    assert (done.code, what in done.out) == (0, True)
    loaded = validate("-o", "json", "a.yaml").loaded
    assert loaded["results"][0]["status"] == "skipped"
    assert loaded["results"][0]["findings"][0]["code"] == "JW095"


def test_other_objects_that_speak_of_jobs_are(validate: Validate) -> None:
    text = (
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nrules:\n"
        "- {apiGroups: [batch], resources: [jobs], verbs: [get]}\n# batch/v1\n"
    )
    assert validate("a.yaml", files={"a.yaml": text}).out == ""


@pytest.mark.parametrize(
    "reference",
    [
        "metadata:\n  name: train-x7k2p\n  ownerReferences:\n  - {apiVersion: batch/v1, kind: Job, name: train}\n",
        "involvedObject: {apiVersion: batch/v1, kind: Job, name: train}\n",
    ],
)
def test_an_object_that_only_names_a_job_carries_none(validate: Validate, reference: str) -> None:
    files = {"a.yaml": f"apiVersion: v1\nkind: Pod\n{reference}"}
    assert validate("a.yaml", files=files).out == ""


@pytest.mark.parametrize(
    "text",
    [
        "vars: [{objref: {apiVersion: batch/v1, kind: Job, name: train}}]\n",
        "- tasks: [{k8s_info: {api_version: batch/v1, kind: Job, name: train}}]\n",
    ],
)
def test_a_document_that_only_names_a_job_contains_none(validate: Validate, text: str) -> None:
    assert "JW095" not in validate("a.yaml", files={"a.yaml": text}).out


def test_the_summary_counts_a_document_with_a_job_that_is_not_validated(validate: Validate) -> None:
    text = "- tasks: [{k8s: {definition: {apiVersion: batch/v1, kind: Job, spec: {}}}}]\n"
    assert validate("--mixed", ".", files={"a.yaml": text}).err.splitlines()[0] == (
        "no Job or CronJob found; 1 info finding (show with --info); 1 other object skipped (with Jobs or "
        "Pods that are not validated: 1 without a kind)"
    )


SCALED_JOB = """\
apiVersion: keda.sh/v1alpha1
kind: ScaledJob
metadata: {name: worker}
spec:
  jobTargetRef:
    backofLimit: 3  # jobsworth: ignore[JW201]
    template:
      spec:
        containers:
        - {name: work, image: "registry.example/work:1"}
  triggers: [{type: cron, metadata: {}}]
"""


def test_a_job_in_another_kind_is_judged_at_its_line(validate: Validate) -> None:
    done = validate("a.yaml", files={"a.yaml": SCALED_JOB})
    assert done.code == 1
    assert "a.yaml:6:5: error: ScaledJob worker: spec.jobTargetRef.backofLimit [JW001]" in done.out


def test_a_fix_of_a_job_in_another_kind_is_applied_there(validate: Validate) -> None:
    validate("--fix", "a.yaml", files={"a.yaml": SCALED_JOB})
    assert validate("a.yaml").code == 0


def test_a_kind_of_a_configuration_is_judged(validate: Validate) -> None:
    configuration = (
        "kinds:\n- {apiVersion: example.com/*, kind: Fleet, path: spec.job, type: JobSpec}\n"
    )
    text = SCALED_JOB.replace("keda.sh/v1alpha1", "example.com/v1").replace("ScaledJob", "Fleet")
    files = {"a.yaml": text.replace("jobTargetRef", "job"), ".jobsworth.yaml": configuration}
    done = validate("a.yaml", files=files)
    assert (done.code, "spec.job.backofLimit" in done.out) == (1, True)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("3", "kinds[0]: must be a mapping, but is 3"),
        ("{kind: Fleet, path: a, type: JobSpec}", "kinds[0].apiVersion: must be set"),
        (
            "{apiVersion: a/v1, kind: Fleet, path: a, type: Job}",
            'kinds[0].type: unsupported value "Job" (supported values: Object',
        ),
        (
            "{apiVersion: a/v1, kind: Fleet, path: 'a[0]', type: JobSpec}",
            'kinds[0].path: "a[0]" must be a field path',
        ),
        (
            "{apiVersion: a/v1, kind: Fleet, path: a, type: JobSpec, owners: Pod}",
            'kinds[0].owners: unknown field (did you mean "owner"?)',
        ),
    ],
)
def test_wrong_entries_for_kinds_name_what_is_wrong(
    validate: Validate, entry: str, words: str
) -> None:
    files = {"a.yaml": SCALED_JOB, ".jobsworth.yaml": f"kinds: [{entry}]\n"}
    done = validate("a.yaml", files=files)
    assert (done.code, words in done.err) == (2, True)


@pytest.mark.parametrize("keys", ["on: 1\n", "on: 1\nyes: 2\n", "nested: {on: 1, Y: 2, y: 3}\n"])
def test_keys_of_other_files_that_kubectl_would_convert_are_left_alone(
    validate: Validate, keys: str
) -> None:
    text = f"# batch/v1\n{keys}"
    files = {"settings.yaml": text}
    assert validate("--allow-empty", "settings.yaml", files=files).out == ""


def test_a_real_duplicate_in_another_file_is_reported(validate: Validate) -> None:
    text = "# batch/v1\nextra: {a: 1}\nextra: {a: 2}\n"
    assert "JW301" in validate("settings.yaml", files={"settings.yaml": text}).out


@pytest.mark.parametrize("text", ["de:\n  kind: Job\n  a: 1\n  a: 2\n", "kind: Job\na: 1\na: 2\n"])
def test_a_duplicate_in_a_file_of_another_kind_is_none_of_a_manifest(
    validate: Validate, text: str
) -> None:
    assert validate("--mixed", "de.yaml", files={"de.yaml": text}).out.count("JW") == 0
    manifest = f"apiVersion: apps/v1\nmetadata: {{name: job}}\n{text.replace('Job', 'Deployment')}"
    if text.startswith("kind"):
        assert "JW301" in validate("--mixed", "a.yaml", files={"a.yaml": manifest}).out


@pytest.mark.parametrize("name", ["values.yaml", "values-prod.yaml"])
def test_the_values_of_a_chart_need_no_api_version(validate: Validate, name: str) -> None:
    text = "kind: CronJob\nmetadata: {labels: {a: b}}\nschedule: '* * * * *'\n"
    assert "JW320" not in validate("--mixed", name, files={name: text}).out
    assert "JW320" in validate("--mixed", "a.yaml", files={"a.yaml": text}).out


CONFIGURATION = '{\n  // of TypeScript\n  "compilerOptions": {}\n}\n'


def test_an_unreadable_configuration_in_a_folder_is_not_a_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, validate: Validate
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tsconfig.json").write_text(CONFIGURATION)
    (tmp_path / "job.json").write_text('{\n  // nightly\n  "kind": "Job"}\n')
    done = validate("-o", "concise", ".")
    assert "tsconfig.json:2:3: info JW092" in done.out
    assert "job.json:2:3: error JW090" in done.out
    assert "tsconfig.json:2:3: error JW090" in validate("-o", "concise", "tsconfig.json").out


def test_tasks_of_ansible_with_a_job_are_not_a_list_of_objects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, validate: Validate
) -> None:
    monkeypatch.chdir(tmp_path)
    job = "{apiVersion: batch/v1, kind: Job, metadata: {name: a}}"
    (tmp_path / "tasks.yml").write_text(f"- name: create\n  k8s:\n    definition: {job}\n")
    (tmp_path / "list.yml").write_text(f"- {job}\n")
    done = validate("-o", "concise", ".")
    assert [line[:9] for line in done.out.splitlines() if "JW096" in line] == ["list.yml:"]
