"""Objects that are validated together: which ones count, and that the cache follows them."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from jobsworth.files.context import neighbor_files
from support.cli.command_runs import CommandResult, Validate
from support.lint.manifests_with_findings import SOUND

JOB = SOUND.replace(
    "      containers:", "      serviceAccountName: report-writter\n      containers:"
)
ACCOUNT = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: report-writer}\n"
SECRET = (
    "apiVersion: v1\nkind: Secret\nmetadata: {name: database}\nstringData: {password: hunter2}\n"
)
READER = SOUND.replace(
    "image: registry",
    "env: [{name: A, valueFrom: {secretKeyRef: {name: database, key: pasword}}}]\n          image: registry",
)


def found(done: CommandResult) -> list[str]:
    results = done.loaded["results"]
    return [each["code"] for result in results for each in result["findings"]]


@pytest.fixture
def run(validate: Validate) -> Validate:
    def run(*arguments: str, files: dict[str, str] | None = None) -> CommandResult:
        return validate("-o", "json", "--select", "JW7", *arguments, files=files)

    return run


def test_files_of_a_folder_are_neighbors(run: Validate) -> None:
    done = run("k8s", files={"k8s/job.yaml": JOB, "k8s/account.yaml": ACCOUNT})
    assert found(done) == ["JW701"]
    assert "k8s/account.yaml" in done.loaded["results"][-1]["findings"][0]["message"]
    assert found(run("k8s/job.yaml", "k8s/account.yaml")) == ["JW701"]
    assert found(run("--mixed", "k8s/job.yaml", "k8s/account.yaml")) == ["JW701"]


def test_a_file_that_is_validated_alone_has_no_neighbors(run: Validate) -> None:
    done = run("k8s/job.yaml", files={"k8s/job.yaml": JOB, "k8s/account.yaml": ACCOUNT})
    assert found(done) == []


def test_documents_of_a_file_or_stream_are_neighbors(
    validate: Validate, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"{ACCOUNT}---\n{JOB}"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    done = validate("-o", "json", "--select", "JW7", "-")
    assert found(done) == ["JW701"]
    assert "(" not in done.loaded["results"][-1]["findings"][0]["message"]
    done = validate("-o", "json", "--select", "JW7", "a.yaml", files={"a.yaml": text})
    assert found(done) == ["JW701"]


@pytest.mark.parametrize(
    ("arguments", "files"),
    [
        pytest.param((), {"other/account.yaml": ACCOUNT}, id="another folder"),
        pytest.param((), {"k8s/deep/account.yaml": ACCOUNT}, id="a folder below"),
        pytest.param(("--exclude", "account.yaml"), {"k8s/account.yaml": ACCOUNT}, id="excluded"),
        pytest.param((), {"k8s/account.yaml": ACCOUNT + "{"}, id="unreadable"),
        pytest.param((), {"k8s/account.txt": ACCOUNT}, id="no manifest"),
        pytest.param(
            (),
            {"k8s/account.yaml": ACCOUNT, "k8s/kustomization.yaml": "patches: [{path: p.yaml}]\n"},
            id="patches",
        ),
        pytest.param(
            (),
            {"k8s/account.yaml": ACCOUNT, "k8s/kustomization.yaml": "kind: Component\n"},
            id="a component",
        ),
    ],
)
def test_other_files_are_no_neighbors(
    run: Validate, arguments: tuple[str, ...], files: dict[str, str]
) -> None:
    done = run(*arguments, ".", files={"k8s/job.yaml": JOB, **files})
    assert "JW701" not in found(done)


def test_objects_that_kustomize_generates_are_there(run: Validate) -> None:
    generators = "secretGenerator: [{name: %s, literals: [pasword=x]}]\n"
    files = {"k8s/job.yaml": READER, "k8s/secret.yaml": SECRET}
    assert found(run("k8s", files=files)) == ["JW703"]
    for name, codes in (("databases", ["JW703"]), ("database", [])):
        files["k8s/kustomization.yaml"] = generators % name
        assert found(run("k8s", files=files)) == codes


def test_a_script_in_another_file_may_add_the_key(run: Validate) -> None:
    writer = JOB.replace("name: sound", "name: writer")
    files = {"k8s/job.yaml": READER, "k8s/secret.yaml": SECRET, "k8s/writer.yaml": writer}
    assert found(run("k8s", files=files)) == ["JW703"]
    files["k8s/writer.yaml"] = writer.replace(
        "image: registry", "command: [kubectl, patch, secret, database]\n          image: registry"
    )
    assert found(run("k8s", files=files)) == []


def test_a_kustomization_puts_all_objects_into_its_namespace(run: Validate) -> None:
    files = {
        "k8s/job.yaml": JOB.replace("name: sound", "name: sound\n  namespace: ml").replace(
            "tter", "ter"
        ),
        "k8s/account.yaml": ACCOUNT.replace("}", ", namespace: web}"),
    }
    assert found(run("k8s", files=files)) == ["JW702"]
    files["k8s/kustomization.yaml"] = "namespace: all\n"
    assert found(run("k8s", files=files)) == []


def test_a_link_out_of_the_repository_is_not_read(run: Validate, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside.yaml"
    outside.write_text(ACCOUNT)
    (tmp_path / "k8s/.git").mkdir(parents=True)
    (tmp_path / "k8s/account.yaml").symlink_to(outside)
    done = run("k8s", files={"k8s/job.yaml": JOB})
    assert "JW701" not in found(done)
    assert found(done) == ["JW090"]


def test_the_name_of_a_file_cannot_disturb_the_terminal(validate: Validate) -> None:
    name = "k8s/\x1b[2Jaccount.yaml"
    done = validate("-o", "concise", "k8s", files={"k8s/job.yaml": JOB, name: ACCOUNT})
    assert "JW701" in done.out
    assert "\x1b" not in done.out


def test_no_value_of_a_secret_is_printed(run: Validate) -> None:
    done = run("k8s", files={"k8s/job.yaml": READER, "k8s/secret.yaml": SECRET})
    assert found(done) == ["JW703"]
    assert "hunter2" not in json.dumps(done.loaded)


def test_the_misspelled_name_is_fixed(validate: Validate, tmp_path: Path) -> None:
    files = {"k8s/job.yaml": JOB, "k8s/account.yaml": ACCOUNT}
    done = validate("--fix", "--unsafe", "k8s", files=files)
    assert "serviceAccountName: report-writer\n" in (tmp_path / "k8s/job.yaml").read_text()
    assert "JW701" not in done.out


def test_large_folders_are_not_searched(run: Validate, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"k8s/job.yaml": JOB, "k8s/account.yaml": ACCOUNT}
    for limit in ("MAX_FILES", "MAX_BYTES"):
        with monkeypatch.context() as patched:
            patched.setattr(neighbor_files, limit, 1)
            assert found(run("k8s", files=files)) == []
    assert found(run("k8s", files=files)) == ["JW701"]


def test_no_folder_is_read_for_a_file_without_a_job(
    run: Validate, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unexpected(self: object, path: str) -> None:
        raise AssertionError(path)

    monkeypatch.setattr(neighbor_files.NeighborFiles, "_folder", unexpected)
    assert found(run("k8s", files={"k8s/secret.yaml": SECRET, "k8s/account.yaml": ACCOUNT})) == []


def test_a_service_in_another_file_of_the_folder_selects_the_job(run: Validate) -> None:
    labels = "metadata: {labels: {app: shop}}"
    server = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: shop}\nspec:\n"
        f"  selector: {{matchLabels: {{app: shop}}}}\n  template:\n    {labels}\n    spec: {{containers: []}}\n"
    )
    service = (
        "apiVersion: v1\nkind: Service\nmetadata: {name: shop}\nspec: {selector: {app: shop}}\n"
    )
    job = SOUND.replace("  template:\n", f"  template:\n    {labels}\n", 1)
    files = {"k8s/job.yaml": job, "k8s/server.yaml": server, "k8s/service.yaml": service}
    assert found(run("k8s", files=files)) == ["JW716"]
    assert found(run("k8s/job.yaml", files=files)) == []
