"""Policy files that are emptied, cut, moved and deleted while a command runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobsworth.files.policies.effective_policy_files import EffectivePolicyFiles

POLICY = """\
apiVersion: jobsworth.dev/v1alpha1
kind: JobPolicy
metadata: {{name: {}}}
spec: {{limits: {{backoffLimit: {{maximum: 5}}}}}}
"""
OTHER_KIND = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"


def names(files: EffectivePolicyFiles) -> tuple[list[str], list[str]]:
    """Load the files; return the names of the active policies, and the errors."""
    loaded = files.load()
    return sorted(policy.name for policy in loaded.policies.policies), list(loaded.errors)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in "ab":
        (tmp_path / f"{name}.yaml").write_text(POLICY.format(name))
    return tmp_path


@pytest.mark.parametrize("text", ["", "\n", "# limits\n", "---\n", "{}\n", OTHER_KIND])
def test_a_file_that_has_no_policies_any_more_is_broken(folder: Path, text: str) -> None:
    files = EffectivePolicyFiles([folder])
    files.load()
    (folder / "a.yaml").write_text(text)
    for _ in range(3):  # it stays broken
        active, (error,) = names(files)
        assert active == ["a", "b"]
        assert "a.yaml:1:1: error: no JobPolicy of" in error
        assert "delete the file to remove its policies" in error


def test_a_deleted_file_has_no_policies(folder: Path) -> None:
    files = EffectivePolicyFiles([folder])
    files.load()
    (folder / "a.yaml").unlink()
    assert names(files) == (["b"], [])


def test_a_policy_may_move_to_another_file(folder: Path) -> None:
    files = EffectivePolicyFiles([folder])
    files.load()
    (folder / "a.yaml").write_text("# moved\n")
    (folder / "c.yaml").write_text(POLICY.format("a"))
    assert names(files) == (["a", "b"], [])


def test_a_file_that_never_had_policies_is_none(folder: Path) -> None:
    (folder / "c.yaml").write_text(OTHER_KIND)
    assert names(EffectivePolicyFiles([folder])) == (["a", "b"], [])


def test_a_process_that_starts_knows_from_the_stored_versions_what_a_file_had(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    stored = tmp_path_factory.mktemp("stored")
    for name, version in EffectivePolicyFiles([folder]).load().versions.items():
        (stored / name).write_text(version.to_json())
    (folder / "a.yaml").write_text("")
    active, errors = names(EffectivePolicyFiles([folder], stored=stored))
    assert active == ["a", "b"]
    assert len(errors) == 1


def test_an_emptied_folder_has_no_policies(folder: Path) -> None:
    files = EffectivePolicyFiles([folder])
    files.load()
    for file in folder.iterdir():
        file.unlink()
    assert names(files) == ([], [])
