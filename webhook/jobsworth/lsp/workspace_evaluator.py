"""Evaluate the texts of a workspace as ``jobsworth validate --mixed FOLDER`` evaluates its files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from urllib.parse import SplitResult, urlsplit

from jobsworth.api.api_server import ApiServer
from jobsworth.files.configuration.configurations import Configurations
from jobsworth.files.configuration.settings import Settings
from jobsworth.files.file_evaluation import EvaluationOptions, FileEvaluator
from jobsworth.files.steps import Steps
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import Result


class WorkspaceEvaluator:
    """Evaluates texts, which need not be saved; reads configurations and the files beside them once.

    Args:
        settings: settings of the command line, which take precedence over those of any configuration.
        file: the configuration for every file; None to look for the nearest one above each.
        isolated: use no configuration.
        infos: also show info findings.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        file: str | None = None,
        isolated: bool = False,
        infos: bool = False,
    ) -> None:
        self._settings = settings
        self._file = file
        self._isolated = isolated
        self._infos = infos
        self._folders: tuple[str, ...] = ()
        self._configurations: Configurations | None = None
        self._evaluator: FileEvaluator | None = None

    def read_again(self, folders: Sequence[str]) -> None:
        """Forget what was read of files, and take the folders of the workspace, which may be none."""
        self._folders = tuple(folders)
        self._configurations = self._evaluator = None

    def results(self, path: str, data: bytes) -> Steps[list[Result]]:
        """Return the findings of the documents of a text; none if a configuration excludes it.

        Args:
            path: the file that the text is, or will be.
            data: the text.

        Raises:
            UsageError: a configuration above it is wrong.
        """
        if self.configurations.excludes(path):
            return []
        return (yield from self.evaluator.text_in_steps(path, data))

    def shows(self, result: Result, located: LocatedFinding) -> bool:
        """Return True for a finding that the editor shows: the same as the command line."""
        return result.shows(located.finding, infos=self._infos)

    def server_of(self, path: str) -> ApiServer:
        """Return the API server of a file.

        Raises:
            UsageError: a configuration above it is wrong.
        """
        return self.configurations.of(path).server

    @property
    def configurations(self) -> Configurations:
        """The configurations of the files.

        Raises:
            UsageError: that of the command line is wrong.
        """
        if self._configurations is None:
            self._configurations = Configurations(
                self._settings, file=self._file, isolated=self._isolated
            )
        return self._configurations

    @property
    def evaluator(self) -> FileEvaluator:
        """The evaluator of texts.

        Raises:
            UsageError: the configuration of the command line is wrong.
        """
        if self._evaluator is None:
            options = EvaluationOptions(validated_paths=self._folders, tolerate_templates=True)
            self._evaluator = FileEvaluator(self.configurations, options=options)
        return self._evaluator

    def path_of(self, uri: str) -> str:
        """Return the path of a text; in the first folder of the workspace if it is not a file.

        >>> from jobsworth.files.configuration.settings import Settings
        >>> WorkspaceEvaluator(Settings()).path_of("file:///repository/my%20jobs/a.yaml")
        '/repository/my jobs/a.yaml'
        """
        path = file_path(uri)
        if path is not None:
            return path
        name = os.path.basename(_parts(uri).path) or "untitled"
        return os.path.join(self._folders[0] if self._folders else os.curdir, name)


def file_path(uri: str) -> str | None:
    """Return the path of a file's address; None for another address, such as ``untitled:Untitled-1``."""
    from pygls.uris import to_fs_path

    return to_fs_path(uri) if _parts(uri).scheme == "file" else None


def _parts(uri: str) -> SplitResult:
    """Return the parts of an address; all are empty for a malformed one, such as ``http://[::1``."""
    try:
        return urlsplit(uri)
    except ValueError:
        return urlsplit("")
