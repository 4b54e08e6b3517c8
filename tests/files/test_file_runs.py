"""A run yields the results of a file before it reads the next one."""

from __future__ import annotations

from jobsworth.files.validation_run import evaluate_files
from jobsworth.findings.result import VALID, Result
from jobsworth.manifests import ManifestError


def test_the_results_of_a_file_come_before_the_next_file_is_read() -> None:
    happened = []

    def evaluate(path: str) -> list[Result]:
        happened.append(f"read {path}")
        return [Result(file=path, document=0, status=VALID, findings=[])]

    files = ["a.yaml", ManifestError("b.yaml", 1, 1, "no such file"), "c.yaml"]
    for results in evaluate_files(evaluate, files, jobs=2):
        happened += [f"reported {result.file}" for result in results]
    assert happened == [
        "read a.yaml",
        "reported a.yaml",
        "reported b.yaml",
        "read c.yaml",
        "reported c.yaml",
    ]
