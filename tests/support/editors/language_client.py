"""A headless client of the Language Server Protocol, over standard input and output."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

SECONDS = 120
"""The longest wait for a message."""


class LanguageClient:
    """An editor without a window: starts a server, opens and changes texts, and receives diagnostics.

    Args:
        command: the server's command line.
        settings: the answer to each `workspace/configuration`, by section.
        folder: the workspace's root.
        capabilities: the client's.
        refused: the methods of the server's requests that are answered with an error.

    Attributes:
        capabilities: the server's.
        notifications: the notifications of the server, except diagnostics.
        requests: the requests of the server, except `workspace/configuration`.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        settings: Mapping[str, Any] | None = None,
        folder: Path | None = None,
        capabilities: Mapping[str, Any] | None = None,
        refused: Sequence[str] = (),
    ) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self._settings = settings or {}
        self._refused = refused
        self._sent = 0
        self._writing = threading.Lock()
        self._answers: dict[int, queue.Queue[dict[str, Any]]] = {}
        self._diagnostics: queue.Queue[dict[str, Any]] = queue.Queue()
        self._versions: dict[str, int] = {}
        self._errors: list[bytes] = []
        self.notifications: list[dict[str, Any]] = []
        self.requests: list[dict[str, Any]] = []
        for task in (self._read, self._read_errors):
            threading.Thread(target=task, daemon=True).start()
        root = None if folder is None else folder.as_uri()
        answer = self.call(
            "initialize",
            processId=None,
            rootUri=root,
            workspaceFolders=None if root is None else [{"uri": root, "name": "workspace"}],
            capabilities=capabilities or CAPABILITIES,
        )
        self.capabilities = answer["capabilities"]
        self.notify("initialized")
        if settings is not None:
            self.notify("workspace/didChangeConfiguration", settings=settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self.close()

    def close(self) -> int:
        """Shut the server down, and return its exit code."""
        self.call("shutdown")
        self.notify("exit")
        return self._process.wait(SECONDS)

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    @property
    def errors(self) -> str:
        """The server's standard error until now."""
        return b"".join(self._errors).decode()

    def call(self, method: str, **parameters: Any) -> Any:
        """Send a request, and return its result.

        Raises:
            LanguageServerError: the server answered with an error.
        """
        self._sent += 1
        number = self._sent
        self._answers[number] = queue.Queue()
        self._send({"id": number, "method": method, "params": parameters or None})
        answer = self._answers[number].get(timeout=SECONDS)
        del self._answers[number]
        if "error" in answer:
            raise LanguageServerError(answer["error"])
        return answer.get("result")

    def notify(self, method: str, **parameters: Any) -> None:
        """Send a notification."""
        self._send({"method": method, "params": parameters})

    def open(self, uri: str, text: str, language: str = "yaml") -> list[dict[str, Any]]:
        """Open a text, and return its diagnostics."""
        self.send_open(uri, text, language)
        return self.diagnostics(uri)

    def send_open(self, uri: str, text: str, language: str = "yaml") -> None:
        """Open a text, and do not wait for its diagnostics."""
        self._versions[uri] = 1
        document = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.notify("textDocument/didOpen", textDocument=document)

    def change(self, uri: str, *changes: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Change an open text, and return the diagnostics of the new version."""
        self.send_change(uri, *changes)
        return self.diagnostics(uri)

    def send_change(self, uri: str, *changes: Mapping[str, Any]) -> None:
        """Change an open text, and do not wait for its diagnostics."""
        self._versions[uri] += 1
        document = {"uri": uri, "version": self._versions[uri]}
        self.notify("textDocument/didChange", textDocument=document, contentChanges=list(changes))

    def replace(self, uri: str, text: str) -> list[dict[str, Any]]:
        """Replace an open text, and return the diagnostics of the new one."""
        return self.change(uri, {"text": text})

    def diagnostics(self, uri: str) -> list[dict[str, Any]]:
        """Wait for the next diagnostics of a text's newest version, and return them."""
        while True:
            found = self._diagnostics.get(timeout=SECONDS)
            if found["uri"] == uri and found.get("version") in (None, self._versions.get(uri)):
                diagnostics: list[dict[str, Any]] = found["diagnostics"]
                return diagnostics

    def has_more_diagnostics(self) -> bool:
        """Return True if diagnostics came that no call has returned."""
        return not self._diagnostics.empty()

    def _send(self, message: Mapping[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        with self._writing:
            self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            self._process.stdin.flush()

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while line := stream.readline():
            length = 0
            while line.strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
                line = stream.readline()
            self._receive(json.loads(stream.read(length)))

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._errors.append(line)

    def _receive(self, message: dict[str, Any]) -> None:
        method = message.get("method")
        if method is None:
            self._answers[message["id"]].put(message)
        elif method == "textDocument/publishDiagnostics":
            self._diagnostics.put(message["params"])
        elif method == "workspace/configuration":
            asked = message["params"]["items"]
            result = [self._settings.get(each.get("section")) for each in asked]
            self._send({"id": message["id"], "result": result})
        elif "id" in message:
            self.requests.append(message)
            if method in self._refused:
                error = {"code": -32603, "message": "Internal error"}
                self._send({"id": message["id"], "error": error})
                return
            self._send({"id": message["id"], "result": ANSWERS.get(method)})
        else:
            self.notifications.append(message)


ANSWERS = {"window/showDocument": {"success": True}}
"""The answers to the server's requests, by method; null to others."""


class LanguageServerError(Exception):
    """The error of an answer."""


CAPABILITIES: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {
        "configuration": True,
        "workspaceFolders": True,
        "didChangeConfiguration": {"dynamicRegistration": True},
        "applyEdit": True,
        "workspaceEdit": {"documentChanges": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True},
    },
    "textDocument": {
        "publishDiagnostics": {
            "versionSupport": True,
            "codeDescriptionSupport": True,
            "dataSupport": True,
        },
        "codeAction": {
            "codeActionLiteralSupport": {
                "codeActionKind": {"valueSet": ["quickfix", "source.fixAll"]}
            },
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit"]},
        },
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "completion": {"completionItem": {"documentationFormat": ["markdown"]}},
    },
}
"""The capabilities of an editor of 2026: what Neovim, Helix, Zed and Visual Studio Code have in common."""
