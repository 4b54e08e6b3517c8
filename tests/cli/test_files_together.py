"""Files that are evaluated together have the same results as one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobsworth.cli import file_evaluation
from jobsworth.cli.configuration.resolved_settings import Configurations, Overrides
from jobsworth.cli.file_evaluation import FileEvaluator
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.reports.result import Result

ROOT = Path(__file__).parents[2]
EXAMPLES = [str(path) for path in sorted((ROOT / "examples").rglob("*.yaml"))]
POLICIES = [str(ROOT / "policies/ml-training.yaml")]


def plain(results: list[Result]) -> list[tuple[object, ...]]:
    return [tuple(getattr(each, name) for name in each.__slots__) for each in results]


@pytest.mark.parametrize("only_invalid", [False, True])
@pytest.mark.parametrize("policies", [[], POLICIES], ids=["without policies", "with policies"])
def test_files_have_the_same_results_as_one_by_one(
    policies: list[str], only_invalid: bool, tmp_path: Path
) -> None:
    (tmp_path / "two.yaml").write_text("---\n".join(map(read, EXAMPLES[:2])) + "---\nkind: [\n")
    (tmp_path / "empty.yaml").write_text("")
    files = [*EXAMPLES, str(tmp_path / "absent.yaml"), *map(str, sorted(tmp_path.iterdir()))]
    configurations = Configurations(Overrides(policy=policies), isolated=True)
    evaluator = FileEvaluator(configurations, only_invalid=only_invalid)
    together = evaluator.files(files)
    assert len(together) == len(files)
    assert list(map(plain, together)) == [plain(evaluator.file(file)) for file in files]


def read(path: str) -> str:
    return Path(path).read_text()


def test_files_of_several_settings_are_evaluated_by_their_own(tmp_path: Path) -> None:
    names = []
    for release in ("1.25", "1.36"):
        folder = tmp_path / release
        folder.mkdir()
        (folder / ".jobsworth.yaml").write_text(f'kubernetes-version: "{release}"\n')
        (folder / "job.yaml").write_text(read(str(ROOT / "examples/valid/ml-training.yaml")))
        names.append(str(folder / "job.yaml"))
    files = [names[0], names[1], names[0]]
    evaluator = FileEvaluator(Configurations(Overrides()))
    old, new, again = map(plain, evaluator.files(files))
    assert old == again
    assert old != new
    assert [old, new] == [plain(evaluator.file(name)) for name in names]


def test_large_files_are_not_in_memory_together(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    evaluate = Evaluator.evaluate_manifests

    def watched(self: Evaluator, subjects: list[object]) -> object:
        sizes.append(len(subjects))
        return evaluate(self, subjects)  # type: ignore[arg-type]

    monkeypatch.setattr(Evaluator, "evaluate_manifests", watched)
    example = read(str(ROOT / "examples/valid/ml-training.yaml")).encode()
    evaluator = FileEvaluator(Configurations(Overrides(), isolated=True))
    many = [("job.yaml", b"---\n".join([example] * 3)), ("other.yaml", example)]
    evaluator.texts(many)
    monkeypatch.setattr(file_evaluation, "MOST_DOCUMENTS_TOGETHER", 3)
    evaluator.texts(many)
    monkeypatch.setattr(file_evaluation, "MOST_BYTES_TOGETHER", 100)
    evaluator.texts(many)
    assert sizes == [4, 3, 1, 1, 1, 1, 1]
