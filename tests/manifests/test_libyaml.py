"""The parser, also where PyYAML has no libyaml."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import jobsworth.manifests
from jobsworth.manifests.editing.ranges import spans_of

ROOM = Path(jobsworth.manifests.__file__).parent

PREAMBLE = f"""
import sys
package = type(sys)("jobsworth")  # only this room of the package, to see what it imports
package.__path__ = [{str(ROOM.parent)!r}]
sys.modules["jobsworth"] = package
from jobsworth.manifests import read_text

def kind():
    from jobsworth.manifests.parsing.libyaml import backend

    return backend().kind

def value(text):
    return [document.value for document in read_text(text, "file.yaml")]
"""


def run(code: str) -> str:
    """Run code in a fresh interpreter, with the project on its path."""
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    result = subprocess.run(
        [sys.executable, "-c", PREAMBLE + code],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


WITHOUT_LIBYAML = """
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name == "yaml._yaml":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
"""


def test_without_libyaml_the_python_parser_is_used() -> None:
    code = f"""{WITHOUT_LIBYAML}
print(value(b"a:\\t[1,\\tx]\\t# tabs\\n"), value(b"on: 1"), kind())
error = read_text(b"a:\\n\\t- b\\n", "f")[0].error
print(error.line, error.column, error.message)
"""
    first, second = run(code).splitlines()
    assert first == "[{'a': [1, 'x']}] [{'true': 1}] python"
    assert second.startswith("2 1 YAML does not allow tabs")


@pytest.mark.slow
def test_the_python_parser_agrees_with_kubectl_too() -> None:
    tests = Path(__file__).parent
    code = f"""{WITHOUT_LIBYAML}
sys.path.insert(0, {str(tests)!r})
import test_kubectl_facts as facts
assert kind() == "python"
for known in facts.DOCUMENTS:
    facts.test_a_small_document_becomes_what_sigs_yaml_makes_of_it(known)
for probe in facts.PROBES:
    if probe["name"] not in facts.UNRECORDED | facts.SHORTENED:
        facts.test_a_stream_becomes_what_kubectl_makes_of_it(probe)
print("agrees")
"""
    assert run(code) == "agrees\n"


@pytest.mark.slow
def test_the_python_parser_reads_deep_text_on_one_line_like_that_on_many() -> None:
    code = f"""{WITHOUT_LIBYAML}
import time
def seconds(text):
    began = time.process_time()
    assert read_text(text, "f.txt")[0].error is None
    return time.process_time() - began
seconds(b"[]")
print(seconds(b"[" * 10_000 + b"]" * 10_000) < 8 * seconds(b"[\\n" * 10_000 + b"]\\n" * 10_000))
"""
    assert run(code) == "True\n"


def test_text_is_edited_that_is_deeper_than_libyaml_reads() -> None:
    depth = 1_200
    span = spans_of("[" * depth + "a" + "]" * depth)
    for _ in range(depth):
        assert span is not None
        (span,) = span.items
    assert span is not None
    assert (span.start, span.end) == (depth, depth + 1)


@pytest.mark.parametrize("text", ['a: "\\ud800"', 'a: "\\U00110000"', "a: \x01", "{" * 300])
def test_the_python_parser_never_fails_but_with_an_error(text: str) -> None:
    code = f"{WITHOUT_LIBYAML}\nprint(read_text({text.encode()!r}, 'f.txt')[0].error is not None)"

    assert run(code) == "True\n"
