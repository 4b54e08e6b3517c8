"""Sessions of an editor with ``jobsworth lsp``, over standard input and output."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from support.cli.command_runs import Command
from support.editors.language_client import CAPABILITIES, LanguageClient, LanguageServerError

pytestmark = pytest.mark.slow  # each test starts a server, of which the library takes a second

COMMAND = [sys.executable, "-m", "jobsworth", "lsp"]
JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: train
spec:
  podFailurePolicy:
    rules:
    - action: FailJob
      onExitCodes: {operator: In, values: [42]}
  template:
    spec:
      restartPolicy: Always
      containers:
      - name: main
        image: a:1
"""


def codes(diagnostics: list[dict[str, Any]]) -> set[str]:
    return {each["code"] for each in diagnostics if "code" in each}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "my jobs"


@pytest.fixture
def client(folder: Path) -> Iterator[LanguageClient]:
    folder.mkdir()
    with LanguageClient([*COMMAND, "--info"], folder=folder) as session:
        yield session
        assert session.is_running
        assert session.close() == 0
        assert "Traceback" not in session.errors


def test_an_unsaved_text_has_diagnostics_that_follow_its_changes(
    client: LanguageClient, folder: Path
) -> None:
    uri = (folder / "job.yaml").as_uri()
    assert "JW003" in codes(client.open(uri, JOB))
    assert "JW003" not in codes(client.replace(uri, JOB.replace("Always", "Never")))
    assert "JW001" in codes(client.replace(uri, JOB.replace("image", "imag")))
    assert codes(client.replace(uri, "")) == set()
    client.notify("textDocument/didClose", textDocument={"uri": uri})
    assert client.diagnostics(uri) == []


def test_many_changes_end_with_the_findings_of_the_last(
    client: LanguageClient, folder: Path
) -> None:
    uri = (folder / "job.yaml").as_uri()
    many = "---\n".join([JOB] * 30)
    client.open(uri, many)
    for _ in range(20):
        client.send_change(uri, {"text": many})
    assert "JW003" not in codes(client.replace(uri, JOB.replace("Always", "Never")))


def test_a_changed_configuration_applies_to_open_texts(
    client: LanguageClient, folder: Path
) -> None:
    uri, configuration = (folder / "job.yaml").as_uri(), folder / ".jobsworth.yaml"
    assert "JW204" in codes(client.open(uri, JOB.replace("Always", "Never")))
    configuration.write_text("ignore: [JW204]\n")
    changes = [{"uri": configuration.as_uri(), "type": 1}]
    client.notify("workspace/didChangeWatchedFiles", changes=changes)
    assert "JW204" not in codes(client.diagnostics(uri))
    configuration.write_text("ignor: [JW204]\n")
    client.notify("textDocument/didSave", textDocument={"uri": uri})
    (problem,) = client.diagnostics(uri)
    assert "ignor" in problem["message"]


def test_the_client_is_asked_to_watch_configurations(client: LanguageClient, folder: Path) -> None:
    client.open((folder / "job.yaml").as_uri(), JOB)
    (request,) = client.requests
    (registration,) = request["params"]["registrations"]
    patterns = [each["globPattern"] for each in registration["registerOptions"]["watchers"]]
    assert "**/.jobsworth.yaml" in patterns


def test_a_client_that_cannot_watch_files_gets_no_error_message(folder: Path) -> None:
    folder.mkdir()
    uri = (folder / "job.yaml").as_uri()
    # Eglot, in a project of which it cannot list the files.
    with LanguageClient(COMMAND, folder=folder, refused=["client/registerCapability"]) as client:
        client.open(uri, JOB)
        client.replace(uri, JOB + "\n")
        assert [each["method"] for each in client.requests] == ["client/registerCapability"]
        assert client.close() == 0
        assert client.notifications == []


def test_a_fix_is_offered_and_all_safe_fixes_are_completed_when_chosen(
    client: LanguageClient, folder: Path
) -> None:
    uri = (folder / "job.yaml").as_uri()
    wrong = JOB.replace("[42]", "[42, 3]").replace("Always", "Never")
    client.open(uri, wrong)
    everywhere = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    actions = client.call(
        "textDocument/codeAction",
        textDocument={"uri": uri},
        range=everywhere,
        context={"diagnostics": [], "only": ["source.fixAll"]},
    )
    (action,) = actions
    assert "edit" not in action
    (edit,) = client.call("codeAction/resolve", **action)["edit"]["changes"][uri]
    assert "values: [3, 42]" in edit["newText"]


def test_an_action_without_an_edit_to_complete_is_returned_as_it_is(
    client: LanguageClient, folder: Path
) -> None:
    uri = (folder / "job.yaml").as_uri()
    client.open(uri, JOB)
    at_start = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    context = {"diagnostics": []}
    document = {"uri": uri}
    actions = client.call(
        "textDocument/codeAction", textDocument=document, range=at_start, context=context
    )
    (explain,) = [each for each in actions if each["title"] == "Explain this failure policy"]
    # Visual Studio Code asks for the edit of every action that has none.
    assert client.call("codeAction/resolve", **explain) == explain
    of_another = {"title": "Fix", "data": (folder / "not-open.yaml").as_uri()}
    assert client.call("codeAction/resolve", **of_another) == of_another


def test_a_client_that_completes_no_actions_gets_them_whole(folder: Path) -> None:
    folder.mkdir()
    plain = deepcopy(CAPABILITIES)
    del plain["textDocument"]["codeAction"]["resolveSupport"]
    uri = (folder / "job.yaml").as_uri()
    with LanguageClient(COMMAND, folder=folder, capabilities=plain) as client:
        client.open(uri, JOB.replace("[42]", "[42, 3]").replace("Always", "Never"))
        (action,) = client.call(
            "textDocument/codeAction",
            textDocument={"uri": uri},
            range={"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}},
            context={"diagnostics": [], "only": ["source.fixAll"]},
        )
        assert action["edit"]["changes"][uri]


def test_a_failure_policy_is_explained_in_a_message_or_a_page(folder: Path) -> None:
    folder.mkdir()
    uri = (folder / "job.yaml").as_uri()
    sound = JOB.replace("Always", "Never")
    with LanguageClient(COMMAND, folder=folder) as client:
        client.open(uri, sound)
        text = client.call("workspace/executeCommand", command="jobsworth.explain", arguments=[uri])
        assert "| 42 | rules\\[0\\] | the Job fails (PodFailurePolicy) |" in text
        assert client.notifications[-1]["method"] == "window/showMessage"
        client.replace(uri, JOB)
        text = client.call("workspace/executeCommand", command="jobsworth.explain", arguments=[uri])
        assert "the API server rejects it" in text
    shows = {**CAPABILITIES, "window": {"showDocument": {"support": True}}}
    with LanguageClient(COMMAND, folder=folder, capabilities=shows) as client:
        client.open(uri, sound)
        text = client.call("workspace/executeCommand", command="jobsworth.explain", arguments=[uri])
        (shown,) = [each for each in client.requests if each["method"] == "window/showDocument"]
        page = Path(shown["params"]["uri"].removeprefix("file://"))
        assert page.read_text("utf-8") == text
        assert page.parent.stat().st_mode & 0o077 == 0
        client.close()
        assert not page.exists()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_columns_are_in_the_units_that_the_client_chose(folder: Path, encoding: str) -> None:
    folder.mkdir()
    chosen = {**CAPABILITIES, "general": {"positionEncodings": [encoding]}}
    text = (
        JOB.replace("name: main", 'command: ["😀", Never], nam: x, name: main')
        .replace("      - command", "      - {command")
        .replace("name: main\n        image: a:1", "name: main, image: a:1}")
    )
    with LanguageClient(COMMAND, folder=folder, capabilities=chosen) as client:
        assert client.capabilities["positionEncoding"] == encoding
        (found,) = [
            each
            for each in client.open((folder / "job.yaml").as_uri(), text)
            if each.get("code") == "JW001"
        ]
        line = text.splitlines()[found["range"]["start"]["line"]]
        before = line[: line.index("nam: ")]
        size = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
        name = encoding if size == 1 else f"{encoding}-le"
        assert found["range"]["start"]["character"] == len(before.encode(name)) // size


@pytest.mark.parametrize(
    "uri",
    [
        "untitled:Untitled-1",
        "untitled:",
        "file:///a%00b.yaml",
        "file://",
        "file:///",
        "http://x/y.yaml",
        f"file:///{'d/' * 3000}a.yaml",
        "x",
    ],
)
def test_a_text_of_any_address_is_evaluated(client: LanguageClient, uri: str) -> None:
    assert "JW003" in codes(client.open(uri, JOB))


def test_a_text_that_is_not_open_is_not_read(client: LanguageClient, folder: Path) -> None:
    (folder / "closed.yaml").write_text(JOB)
    uri = (folder / "closed.yaml").as_uri()
    place = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 1}}
    assert client.call("textDocument/hover", **place) is None
    text = client.call("workspace/executeCommand", command="jobsworth.explain", arguments=[uri])
    assert "is not open" in text


def test_an_unknown_request_is_answered_with_an_error(client: LanguageClient) -> None:
    with pytest.raises(LanguageServerError):
        client.call("textDocument/unknown")


@pytest.mark.parametrize("data", [None, 5, {"a": 1}, "file:///etc/passwd", "file:///no/such.yaml"])
def test_an_action_of_another_text_is_completed_with_nothing(
    client: LanguageClient, data: Any
) -> None:
    assert "edit" not in client.call("codeAction/resolve", title="Apply all safe fixes", data=data)


def test_an_action_is_completed_with_nothing_when_the_configuration_became_wrong(
    client: LanguageClient, folder: Path
) -> None:
    uri = (folder / "job.yaml").as_uri()
    client.open(uri, JOB)
    (folder / ".jobsworth.yaml").write_text("ignor: [JW204]\n")
    client.notify("textDocument/didSave", textDocument={"uri": uri})
    client.diagnostics(uri)
    assert "edit" not in client.call("codeAction/resolve", title="Apply all safe fixes", data=uri)


def test_an_explanation_of_no_text_says_what_to_do(client: LanguageClient) -> None:
    text = client.call("workspace/executeCommand", command="jobsworth.explain")
    assert text == "the text is not open: open it, then explain it"


def test_what_is_no_message_of_the_protocol_leaves_no_traceback(
    client: LanguageClient, folder: Path
) -> None:
    uri = (folder / "job.yaml").as_uri()
    client.notify("textDocument/didOpen", textDocument={})
    place = {"textDocument": {"uri": uri}, "position": {"line": -1, "character": "x"}}
    client.notify("textDocument/hover", **place)
    client.notify(
        "workspace/didChangeWorkspaceFolders",
        event={"added": [{"uri": "http://[", "name": ""}], "removed": []},
    )
    client.notify(
        "textDocument/didOpen",
        textDocument={"uri": "http://[", "languageId": "yaml", "version": 1, "text": JOB},
    )
    assert "JW003" in codes(client.open(uri, JOB))
    assert "Unable to deserialize message" in client.errors
    messages = [each["params"]["message"] for each in client.notifications]
    assert "Traceback" not in "".join([client.errors, *messages])
    assert all(len(each.splitlines()) == 1 for each in messages)


def test_jobsworth_traceback_adds_the_traceback(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.mkdir()
    monkeypatch.setenv("JOBSWORTH_TRACEBACK", "1")
    with LanguageClient(COMMAND, folder=folder) as client:
        client.notify("textDocument/didOpen", textDocument={})
        client.open((folder / "job.yaml").as_uri(), JOB)
        assert "Traceback" in client.errors


def test_options_take_precedence(folder: Path) -> None:
    folder.mkdir()
    uri = (folder / "job.yaml").as_uri()
    options = ["--kubernetes-version", "1.29", "--ignore", "JW204", "--stdio"]
    with LanguageClient([*COMMAND, *options], folder=folder) as client:
        managed = JOB.replace("Always", "Never").replace(
            "spec:\n", "spec:\n  managedBy: a.b/c\n", 1
        )
        found = codes(client.open(uri, managed))
    assert "JW001" in found
    assert "JW204" not in found


@pytest.mark.parametrize(
    ("options", "configuration"),
    [([], ".jobsworth.yaml"), (["--config", "FOLDER/mine.yaml"], "mine.yaml")],
)
@pytest.mark.parametrize("text", ["policy: [/etc]\n", "ignor: [JW204]\n", "a: [\n"])
def test_a_wrong_configuration_at_the_start_is_a_diagnostic_like_one_that_became_wrong(
    folder: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], configuration: str, text: str
) -> None:
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / configuration).write_text(text)
    uri = (folder / "job.yaml").as_uri()
    given = [each.replace("FOLDER", str(folder)) for each in options]
    with LanguageClient([*COMMAND, *given], folder=folder) as client:
        (problem,) = client.open(uri, JOB)
        assert configuration in problem["message"]
        (folder / configuration).write_text("ignore: [JW204]\n")
        client.notify("textDocument/didSave", textDocument={"uri": uri})
        assert "JW003" in codes(client.diagnostics(uri))
        assert client.close() == 0
        assert "Traceback" not in client.errors


def test_requests_are_answered_while_a_long_text_is_evaluated(
    client: LanguageClient, folder: Path
) -> None:
    small, long = (folder / "small.yaml").as_uri(), (folder / "long.yaml").as_uri()
    client.open(small, JOB)
    many = "---\n".join(JOB.replace("train", f"train-{number}") for number in range(3000))
    client.send_open(long, many)
    place = {"textDocument": {"uri": small}, "position": {"line": 5, "character": 4}}
    assert client.call("textDocument/hover", **place) is not None
    assert not client.has_more_diagnostics()
    everywhere = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    context = {"diagnostics": []}
    found = {"textDocument": {"uri": small}, "range": everywhere, "context": context}
    assert client.call("textDocument/codeAction", **found)
    arguments = {"command": "jobsworth.explain", "arguments": [small]}
    assert client.call("workspace/executeCommand", **arguments)
    assert not client.has_more_diagnostics()
    assert "JW003" in codes(client.diagnostics(long))


def test_an_evaluation_is_given_up_for_a_newer_version(
    client: LanguageClient, folder: Path
) -> None:
    uri = (folder / "job.yaml").as_uri()
    many = "---\n".join(JOB.replace("train", f"train-{number}") for number in range(600))
    client.open(uri, JOB)
    client.send_change(uri, {"text": many})
    assert "JW003" not in codes(client.replace(uri, JOB.replace("Always", "Never")))
    client.send_change(uri, {"text": many})
    client.notify("textDocument/didClose", textDocument={"uri": uri})
    while client.diagnostics(uri):
        pass  # of a client so slow that the evaluation ended before the text was closed
    assert not client.has_more_diagnostics()
    assert client.open(uri, JOB)


ADDRESSES = [
    "untitled:Untitled-1", "untitled:", "file:///a%00b.yaml", "file:///%00a.yaml", "file://", "file:///", "http://x/y.yaml",
    f"file:///{'d/' * 3000}a.yaml", f"file:///{'x' * 5000}.yaml", "file:///%ED%A0%80.yaml", "file:///a%0Ab.yaml",
    "file:///..%2f..%2fetc%2fpasswd", "x",
]  # fmt: skip


@pytest.mark.parametrize("shows", [True, False])
def test_each_request_about_a_text_of_any_address_is_answered(folder: Path, shows: bool) -> None:
    folder.mkdir()
    capabilities = {**CAPABILITIES, "window": {"showDocument": {"support": shows}}}
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    with LanguageClient(COMMAND, folder=folder, capabilities=capabilities) as client:
        for uri in ADDRESSES:
            text = {"uri": uri}
            assert "JW003" in codes(client.open(uri, JOB)), uri
            place = {"line": 5, "character": 4}
            assert client.call("textDocument/hover", textDocument=text, position=place), uri
            actions = client.call(
                "textDocument/codeAction",
                textDocument=text,
                range=whole,
                context={"diagnostics": []},
            )
            assert actions, uri
            for action in actions:
                assert client.call("codeAction/resolve", **action), uri
            explained = client.call(
                "workspace/executeCommand", command="jobsworth.explain", arguments=[uri]
            )
            assert "the API server rejects it" in explained, uri
            client.notify("textDocument/didSave", textDocument=text)
            client.notify("textDocument/didClose", textDocument=text)
        assert client.close() == 0
        assert "Traceback" not in client.errors


@pytest.mark.parametrize("argument", [None, 5, [], {"uri": "x"}])
def test_an_explanation_of_no_address_says_what_to_do(
    client: LanguageClient, argument: Any
) -> None:
    with pytest.raises(LanguageServerError):
        client.call(
            "workspace/executeCommand", command="jobsworth.explain", arguments=[argument, argument]
        )
    text = client.call(
        "workspace/executeCommand", command="jobsworth.explain", arguments=[argument]
    )
    assert "is not open" in text


def test_an_end_without_a_client_is_said(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jobsworth.lsp.language_server.JobsworthServer.serve", lambda _: 1)
    done = command("lsp")
    assert done.code == 1
    assert "an editor starts this command. Documentation: https://" in done.err
