"""Print the verdicts on the official samples of operators, as ``data/official_samples.tsv`` holds them.

    python tests/kinds/record_official_samples.py FOLDER > tests/kinds/data/official_samples.tsv

The folder has a folder for each repository and release, such as ``kubernetes-sigs/jobset/v0.12.0``, with the
files of that release. Only facts are printed, and no text of a sample.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


def facts(folder: Path) -> Iterator[str]:
    """Yield a line for each object: repository, release, file, kind, name, verdict, errors, warnings."""
    for release in sorted(folder.glob("*/*/*")):
        command = [
            sys.executable,
            "-m",
            "jobsworth",
            "validate",
            "--allow-empty",
            "-o",
            "json",
            ".",
        ]
        done = subprocess.run(command, cwd=release, capture_output=True, check=False)
        repository = "/".join(release.parts[-3:-1])
        for result in json.loads(done.stdout)["results"]:
            if _concerns(result):
                yield "\t".join([repository, release.name, *_row(result)])


def _concerns(result: dict[str, Any]) -> bool:
    noted = any(each["code"] == "JW095" for each in result["findings"])
    return bool(result["status"] != "skipped" or noted)


def _row(result: dict[str, Any]) -> Iterator[str]:
    yield from (result[part] or "-" for part in ("file", "kind", "name", "status"))
    for severity in ("error", "warning"):
        found = {each["code"] for each in result["findings"] if each["severity"] == severity}
        yield " ".join(sorted(found)) or "-"


if __name__ == "__main__":
    print("\n".join(sorted(facts(Path(sys.argv[1])))))
