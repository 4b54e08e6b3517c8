"""Validate a repository of 100,000 files, of which 1 % hold Jobs, beside ``git grep -l 'kind: Job'``.

    python benchmarks/repository.py [--files 100000] [--yaml 0.3]

``--yaml`` is the share of other YAML files; the rest is source code. ``--mixed`` is the mode for such
repositories: files without a Job are skipped before they are parsed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "benchmarks")]

from measurement import Measurement, in_turn, write  # noqa: E402

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web-{number}}}
spec:
  replicas: 3
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      containers:
        - name: web
          image: registry.example.com/web:{number}
          ports: [{{containerPort: 8080}}]
          resources: {{requests: {{cpu: 100m, memory: 128Mi}}}}
"""
SOURCE = "package example\n\nfunc Example() {\n}\n" * 60


def write_repository(folder: Path, files: int, share: float) -> None:
    """Write and commit the files; every hundredth is a Job."""
    job = (ROOT / "examples/valid/ml-training.yaml").read_text()
    for number in range(files):
        place = folder / f"team-{number % 100}" / f"service-{number // 100 % 10}"
        place.mkdir(parents=True, exist_ok=True)
        if number % 100 == 0:
            (place / f"{number}.yaml").write_text(job)
        elif number * 7919 % 1000 < share * 1000:
            (place / f"{number}.yaml").write_text(DEPLOYMENT.format(number=number))
        else:
            (place / f"{number}.go").write_text(SOURCE)
    git = ["git", "-c", "user.name=benchmark", "-c", "user.email=benchmark@example.com"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "files"]):
        subprocess.run([*git, *arguments], cwd=folder, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobsworth", default=str(ROOT / ".venv/bin/jobsworth"))
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--yaml", type=float, default=0.3)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--results", help="also write the measurements to this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        write_repository(Path(name), options.files, options.yaml)
        validate = [options.jobsworth, "validate", "--quiet"]
        commands = {
            "git grep -l 'kind: Job'": ["git", "grep", "-l", "kind: Job"],
            "--mixed": [*validate, "--mixed", "."],
            "every manifest": [*validate, "."],
        }
        runs = in_turn(commands, options.runs, Path(name))
    anchor, *ours = runs
    measured = [
        Measurement(
            "repository",
            f"{options.files:,} files, {title}",
            anchor,
            "s",
            runs[title].median,
            runs[anchor].median,
            2.5 if "mixed" in title else None,
        )
        for title in ours
    ]
    for title, each in runs.items():
        print(f"{title:28} {each.median:6.2f} s, {each.cpu:6.2f} s of CPU time")
    for one in measured:
        print(f"{one.what:44} {one.ratio:6.2f} times {anchor}")
    print(f"largest process: {runs[anchor].most_mib:.0f} MiB")
    write(options.results, measured)


if __name__ == "__main__":
    main()
