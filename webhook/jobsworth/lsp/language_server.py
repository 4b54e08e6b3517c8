"""The server: receives texts, publishes diagnostics, and answers requests."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import time
from pathlib import PurePath
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.workspace import PositionCodec

import jobsworth
from jobsworth.files.configuration.configurations import OWN_FILE, SHARED_FILE
from jobsworth.files.steps import Steps
from jobsworth.lsp.code_actions import EXPLAIN, KINDS, code_actions, with_all_safe_fixes
from jobsworth.lsp.diagnostics import diagnostics
from jobsworth.lsp.failure_policy import ExplanationPages, explanation
from jobsworth.lsp.field_hover import hover
from jobsworth.lsp.open_text import EvaluatedText, OpenText, evaluated
from jobsworth.lsp.text_positions import TextPositions
from jobsworth.lsp.workspace_evaluator import WorkspaceEvaluator, file_path
from jobsworth.printable import printable
from jobsworth.usage_error import UsageError

T = TypeVar("T")

WATCHED = (f"**/{OWN_FILE}", f"**/{SHARED_FILE}", "**/*.{yaml,yml,json}")
"""The files on which findings of others depend: configurations, policies, the objects that Jobs refer to."""

PATIENCE = 0.05
"""Seconds that an evaluation may take; after a longer one, the next waits as long for further changes."""


class JobsworthServer(LanguageServer):
    """Publishes the findings of each open text.

    Args:
        workspace: evaluates the texts.

    Attributes:
        has_ended: True once the client has asked for the end of the session.
    """

    def __init__(self, workspace: WorkspaceEvaluator) -> None:
        super().__init__(
            "jobsworth",
            jobsworth.__version__,
            # The whole text with each change: the library applies parts of a text by other line ends than
            # the protocol's.
            text_document_sync_kind=types.TextDocumentSyncKind.Full,
        )
        self._evaluator = workspace
        self._pages = ExplanationPages()
        self._evaluated: dict[str, EvaluatedText] = {}
        self._publishing: dict[str, asyncio.Task[None]] = {}
        self._took = 0.0
        self.has_ended = False

    # Texts

    async def changed(self, uri: str) -> None:
        """Evaluate a text: at once, or, if that takes long, when no more changes come."""
        await self.publish(uri, 0.0 if self._took < PATIENCE else self._took)

    async def publish(self, uri: str, after: float = 0.0) -> None:
        """Evaluate an open text in place of an earlier version, and publish its diagnostics.

        Args:
            uri: of the text.
            after: the seconds to wait for further changes.
        """
        self._give_up(uri)
        task = self._publishing[uri] = asyncio.create_task(self._publish(uri, after))
        with contextlib.suppress(asyncio.CancelledError):
            await task

    async def _publish(self, uri: str, after: float) -> None:
        await asyncio.sleep(after)
        text = self.open_text(uri)
        began = time.monotonic()
        found = await _in_turns(evaluated(text, self._evaluator))
        self._took = time.monotonic() - began
        self._evaluated[uri] = found
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, diagnostics(found), text.version)
        )

    def _give_up(self, uri: str) -> None:
        """End the evaluation of an earlier version of a text."""
        task = self._publishing.pop(uri, None)
        if task is not None:
            task.cancel()

    def closed(self, uri: str) -> None:
        """Withdraw the diagnostics of a text."""
        self._give_up(uri)
        self._evaluated.pop(uri, None)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    async def read_again(self) -> None:
        """Read configurations and files again, and evaluate all open texts."""
        folders = [file_path(folder.uri) for folder in self.workspace.folders.values()]
        self._evaluator.read_again([folder for folder in folders if folder is not None])
        await asyncio.gather(*map(self.publish, list(self._publishing)))

    def is_open(self, uri: str) -> bool:
        """Return True for a text that the client has opened."""
        return uri in self._publishing

    def open_text(self, uri: str) -> OpenText:
        """Return the newest version of a text."""
        document = self.workspace.get_text_document(uri)
        codec = PositionCodec(self.workspace.position_encoding)
        positions = TextPositions(document.source, codec)
        return OpenText(uri, document.version, self._evaluator.path_of(uri), positions)

    def _is_newest(self, text: OpenText) -> bool:
        """Return True if a text has not changed meanwhile: an edit of another version would be wrong."""
        return (
            self.is_open(text.uri)
            and self.open_text(text.uri).positions.text == text.positions.text
        )

    async def newest(self, uri: str) -> EvaluatedText | None:
        """Return the published findings of the newest version of a text; None if it is closed."""
        while (task := self._publishing.get(uri)) is not None and not task.done():
            await asyncio.wait([task])
        return self._evaluated.get(uri)

    # Requests

    async def actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """Return what can be done at a range of a text."""
        newest = await self.newest(params.text_document.uri)
        if newest is None or newest.problem:
            return []
        actions = await _in_turns(code_actions(newest, self._evaluator, params))
        if not self._is_newest(newest.text):
            return []
        if self._completes_actions:
            return actions
        return [each if each.data is None else await self.completed(each) for each in actions]

    @property
    def _completes_actions(self) -> bool:
        """True if the client asks for the edit of an action when the user has chosen it."""
        capabilities = self.client_capabilities.text_document
        action = capabilities.code_action if capabilities is not None else None
        support = action.resolve_support if action is not None else None
        return support is not None and "edit" in support.properties

    async def completed(self, action: types.CodeAction) -> types.CodeAction:
        """Return an action with its edit; without one if its text is not open, or has a problem by now."""
        uri = action.data
        if not isinstance(uri, str) or not self.is_open(uri):
            return action
        text = self.open_text(uri)
        try:
            found = await _in_turns(with_all_safe_fixes(action, text, self._evaluator))
        except UsageError:
            return action
        return found if self._is_newest(text) else action

    def documentation(self, params: types.HoverParams) -> types.Hover | None:
        """Return the documentation of the field at a position."""
        if not self.is_open(params.text_document.uri):
            return None
        text = self.open_text(params.text_document.uri)
        try:
            server = self._evaluator.server_of(text.path)
        except UsageError:
            return None
        return hover(text, server, params.position)

    async def explain(self, uri: str) -> str:
        """Show the explanation of an open text, and return it as Markdown."""
        if not self.is_open(uri):
            message = f"{printable(uri) or 'the text'} is not open: open it, then explain it"
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, message))
            return message
        text = self.open_text(uri)
        try:
            markdown = await _in_turns(explanation(text, self._evaluator.server_of(text.path)))
        except UsageError as error:
            markdown = f"{error}\n"
        page = self._page(text, markdown)
        if page:
            # The answer is not awaited: a client may never give it.
            self.window_show_document(
                types.ShowDocumentParams(page, external=False, take_focus=True)
            )
        else:
            self.window_show_message(types.ShowMessageParams(types.MessageType.Info, markdown))
        return markdown

    def _page(self, text: OpenText, markdown: str) -> str:
        """Write an explanation into a page, and return its address; empty if the client can show none."""
        window = self.client_capabilities.window
        if window is None or window.show_document is None or not window.show_document.support:
            return ""
        try:
            return self._pages.write(PurePath(text.path).stem, markdown)
        except OSError:  # such as a full disk
            return ""

    async def watch(self) -> None:
        """Ask the client to report changes of files, if it can; they are also read again on each save."""
        workspace = self.client_capabilities.workspace
        watched = workspace.did_change_watched_files if workspace is not None else None
        if watched is None or not watched.dynamic_registration:
            return
        options = types.DidChangeWatchedFilesRegistrationOptions(
            [types.FileSystemWatcher(pattern) for pattern in WATCHED]
        )
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        registration = types.Registration("jobsworth-files", method, options)
        with contextlib.suppress(JsonRpcException):
            await self.client_register_capability_async(types.RegistrationParams([registration]))

    def end(self) -> None:
        """Remove what was written: the client has asked for the end of the session."""
        self._pages.remove()
        self.has_ended = True

    def serve(self) -> int:
        """Serve the client on standard input and output, and return the exit code that the protocol wants."""
        # The library closes the stream that it is given.
        with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out:
            self.start_io(stdout=out)
        self._pages.remove()
        return 0 if self.has_ended else 1


async def _in_turns(steps: Steps[T]) -> T:
    """Carry out a computation, and let requests be answered after each of its steps."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
        await asyncio.sleep(0)


def language_server(workspace: WorkspaceEvaluator) -> JobsworthServer:
    """Return a server with all its features."""
    server = JobsworthServer(workspace)

    @server.feature(types.INITIALIZED)
    async def _initialized(ls: JobsworthServer, params: types.InitializedParams) -> None:
        await ls.read_again()
        await ls.watch()

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def _opened(ls: JobsworthServer, params: types.DidOpenTextDocumentParams) -> None:
        await ls.publish(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def _changed(ls: JobsworthServer, params: types.DidChangeTextDocumentParams) -> None:
        await ls.changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def _saved(ls: JobsworthServer, params: types.DidSaveTextDocumentParams) -> None:
        await ls.read_again()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def _closed(ls: JobsworthServer, params: types.DidCloseTextDocumentParams) -> None:
        ls.closed(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def _files_changed(
        ls: JobsworthServer, params: types.DidChangeWatchedFilesParams
    ) -> None:
        await ls.read_again()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def _folders_changed(
        ls: JobsworthServer, params: types.DidChangeWorkspaceFoldersParams
    ) -> None:
        await ls.read_again()

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def _hover(ls: JobsworthServer, params: types.HoverParams) -> types.Hover | None:
        return ls.documentation(params)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=list(KINDS), resolve_provider=True),
    )
    async def _actions(
        ls: JobsworthServer, params: types.CodeActionParams
    ) -> list[types.CodeAction]:
        return await ls.actions(params)

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def _resolved(ls: JobsworthServer, action: types.CodeAction) -> types.CodeAction:
        return await ls.completed(action)

    @server.command(EXPLAIN)
    async def _explain(ls: JobsworthServer, uri: str = "") -> str:
        return await ls.explain(uri)

    @server.feature(types.SHUTDOWN)
    def _shutdown(ls: JobsworthServer, params: Any) -> None:
        ls.end()

    return server
