"""Rules on scripts judge any order of the words that they know, however little of it makes sense."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

import jobsworth
from jobsworth.lint.effects import CLOUDS, COPIES, LOSSES, REPEATED, RUNNERS, VALUED
from jobsworth.lint.risky_uses import RISKS
from support.law_examples import number_of_examples
from support.lint.linted_jobs import job

PROGRAMS = sorted({
    *CLOUDS, *COPIES, *LOSSES, *REPEATED, *RISKS, *RUNNERS, "cd", "curl", "date", "export", "find", "grep", "head",
    "ls", "sort", "tail", "tar", "wget", "while read x; do",
})  # fmt: skip
WORDS = sorted({
    *VALUED, "-delete", "-exec", "-mtime", "-o", "-7", "+7", "\\;", "done", "--all", "--prune", "--mirror", "--force", "--target", "-C", "-O", "-c", "-d", "/data/a", "/tmp/b/*",
    "FLUSHALL", "TRUNCATE", "CASCADE", "$X", "${X}/", "$(aws ec2 describe-volumes)", "s3://a/b", "https://a/b", "apply",
    "clone", "cp", "delete", "list", "mirror", "push", "rm", "s3", "sync", "X=$(curl a)", "yesterday",
})  # fmt: skip
LINES = st.builds(
    lambda program, words: " ".join([program, *words]),
    st.sampled_from(PROGRAMS),
    st.lists(st.sampled_from(WORDS), max_size=5),
)
SEPARATORS = st.sampled_from([" ", "\n", " && ", " || ", " | ", "; ", " > ", "; } ", " <<EOF\n"])
SCRIPTS = st.lists(st.tuples(LINES, SEPARATORS), min_size=1, max_size=4).map(
    lambda parts: "".join(line + separator for line, separator in parts)
)


@settings(max_examples=number_of_examples(200))
@given(SCRIPTS, st.sampled_from(["sh", "python3", "pwsh"]))
@example("redis-cli FLUSHALL -n", "sh")
@example("pg_dump a; mv /a", "sh")
@example("a ]; > restic | redis-cli b", "sh")
@example("find . \\; -exec", "sh")
def test_any_order_of_known_words_is_judged(script: str, interpreter: str) -> None:
    if interpreter == "python3":
        script = "import os, subprocess\n" + "".join(
            f"subprocess.run({line.split()!r})\nos.system({line!r})\n"
            for line in script.splitlines()
        )
    option = "-Command" if interpreter == "pwsh" else "-c"
    for command in ([interpreter, option, script], script.split()):
        jobsworth.evaluate(
            job({"containers": [{"name": "main", "image": "a:1", "command": command}]})
        )
