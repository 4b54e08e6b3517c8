"""The CustomResourceDefinitions of operators: pinned, downloaded as Go modules, and kept in the cache.

Only the standard library is needed here: see :mod:`cluster.programs`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from cluster.programs import MODULES, MissingProgram, cache

NAME = "crds"
"""The name of all of them for ``install --only``."""
PINNED = MODULES / NAME / "modules.toml"


class Definitions(NamedTuple):
    """The CustomResourceDefinitions of an operator.

    Attributes:
        operator: its name.
        module: its Go module with the version, such as ``sigs.k8s.io/lws@v0.9.0``.
        sum: the module's hash, as in a ``go.sum``.
        files: the paths of the definitions in the module.
    """

    operator: str
    module: str
    sum: str
    files: tuple[str, ...]

    @property
    def paths(self) -> list[Path]:
        """The paths in the cache, which is keyed by version."""
        version = self.module.rpartition("@v")[2]
        folder = cache() / f"{self.operator}-{version}"
        return [folder / Path(file).name for file in self.files]

    def download(self, go: str) -> None:
        """Copy the definitions from the Go module into the cache.

        Raises:
            CalledProcessError: Go could not download the module; Go says why.
            ValueError: the module is another one than that which was pinned.
        """
        with tempfile.TemporaryDirectory() as outside_of_any_module:
            done = subprocess.run(
                [go, "mod", "download", "-json", self.module],
                cwd=outside_of_any_module,
                env={**os.environ, "GOFLAGS": "", "GOWORK": "off"},
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
        module = json.loads(done.stdout)
        if module["Sum"] != self.sum:
            raise ValueError(f"{self.module} has the sum {module['Sum']}, pinned is {self.sum}")
        for file, path in zip(self.files, self.paths, strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(Path(module["Dir"]) / file, path)


def pinned() -> Iterator[Definitions]:
    """Yield the definitions of each operator."""
    for operator, values in tomllib.loads(PINNED.read_text(encoding="utf-8")).items():
        yield Definitions(operator, values["module"], values["sum"], tuple(values["files"]))


def find() -> list[Path]:
    """Return the paths of all definitions.

    Raises:
        MissingProgram: one of them is not on this machine.
    """
    paths = [path for each in pinned() for path in each.paths]
    for path in paths:
        if not path.exists():
            raise MissingProgram(f"no {path.name}: run tests/cluster/install --only {NAME}")
    return paths
