"""The search for the template that a comment of Helm names."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobsworth.files import chart_sources
from jobsworth.files.chart_sources import ChartSources


def chart(folder: Path, name: str = "etl") -> None:
    (folder / "templates").mkdir(parents=True)
    (folder / "templates" / "job.yaml").write_text("")
    (folder / "Chart.yaml").write_text(f"name: {name}\n")


def test_a_folder_with_the_name_of_the_chart_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    chart(tmp_path / "etl")
    chart(tmp_path / "copy")
    assert ChartSources().file("etl/templates/job.yaml") == "etl/templates/job.yaml"


def test_charts_in_hidden_folders_and_templates_are_passed_over(tmp_path: Path) -> None:
    for folder in (".cache", "node_modules", "other/templates"):
        chart(tmp_path / folder / "chart")
    assert ChartSources(str(tmp_path)).file("etl/templates/job.yaml") is None


def test_a_tree_that_is_too_large_is_not_guessed_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chart(tmp_path / "a")
    sources = ChartSources(str(tmp_path))
    assert sources.file("etl/templates/job.yaml") == str(tmp_path / "a/templates/job.yaml")
    monkeypatch.setattr(chart_sources, "MAX_FOLDERS", 1)
    assert ChartSources(str(tmp_path)).file("etl/templates/job.yaml") is None


def test_a_dependency_that_leads_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    chart(tmp_path / "outside", "db")
    app = tmp_path / "repository" / "app"
    chart(app, "app")
    (app / "Chart.yaml").write_text(
        "name: app\ndependencies: [{name: db, repository: file://../../outside}]\n"
    )
    sources = ChartSources(str(tmp_path / "repository"))
    assert sources.file("app/charts/db/templates/job.yaml") is None
    assert ChartSources(str(tmp_path)).file("app/charts/db/templates/job.yaml") == str(
        tmp_path / "outside/templates/job.yaml"
    )


@pytest.mark.parametrize("text", ["", "name: [a", "- a", "name: 1", "name: {a: b}"])
def test_a_broken_chart_is_no_chart(text: str, tmp_path: Path) -> None:
    chart(tmp_path / "x")
    (tmp_path / "x" / "Chart.yaml").write_text(text)
    assert ChartSources(str(tmp_path)).file("etl/templates/job.yaml") is None
    assert ChartSources(str(tmp_path)).file("etl/charts/db/templates/job.yaml") is None
