"""``jobsworth lsp`` in Emacs with Eglot, by the recipe of docs/editors.md: a diagnostic, a quick fix, a change.

``tests/browser/install`` provides Emacs with Eglot and yaml-mode; the test is skipped without.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/editors.md").read_text("utf-8")
EMACS = shutil.which("emacs")
OPTIONS = ("-q", "--batch", "--eval", "(package-initialize)")
SCRIPT = """
(setq eglot-sync-connect t)
(find-file "job.yaml")
(call-interactively #'eglot)
(defun shown () (mapconcat #'flymake-diagnostic-text (flymake-diagnostics) "\\n"))
(defun wait-for (code)
  (with-timeout (60 (error "No %s in: %s" code (shown)))
    (while (not (string-match-p code (shown)))
      (flymake-start)
      (accept-process-output nil 0.1))))
(wait-for "JW004")
(let* ((found (car (flymake-diagnostics)))
       (line (line-number-at-pos (flymake-diagnostic-beg found)))
       (key (buffer-substring (flymake-diagnostic-beg found) (flymake-diagnostic-end found))))
  (eglot-code-actions (flymake-diagnostic-beg found) (flymake-diagnostic-end found) "quickfix" t)
  (let ((fixed (buffer-string)))
    (goto-char (point-max))
    (insert "          imag: x\\n")
    (save-buffer)  ; in a batch, Eglot sends no change while Emacs is idle
    (wait-for "JW001")
    (with-temp-file "found.json"
      (insert (json-encode `((line . ,line) (key . ,key) (fixed . ,fixed)))))))
"""


def _has_eglot() -> bool:
    if EMACS is None:
        return False
    needed = "(progn (require 'eglot) (require 'yaml-mode))"
    done = subprocess.run([EMACS, *OPTIONS, "--eval", needed], capture_output=True, check=False)
    return done.returncode == 0


pytestmark = pytest.mark.skipif(
    not _has_eglot(), reason="Emacs with Eglot and yaml-mode is not installed"
)


def test_a_buffer_has_findings_and_their_fixes(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    shutil.copy(ROOT / "examples/invalid/exit-codes-not-sorted.yaml", tmp_path / "job.yaml")
    recipe = re.search(r"<!-- emacs: language server -->\n```elisp\n(.*?)```", PAGE, re.DOTALL)
    assert recipe is not None
    (tmp_path / "script.el").write_text(recipe[1] + SCRIPT)
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [str(EMACS), *OPTIONS, "-l", "script.el"],
        cwd=tmp_path,
        env={**os.environ, "PATH": programs},
        timeout=120,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "Error in server" not in done.stderr
    found = json.loads((tmp_path / "found.json").read_text())
    assert (found["line"], found["key"]) == (17, "values")
    assert "values: [3, 42]" in found["fixed"]
