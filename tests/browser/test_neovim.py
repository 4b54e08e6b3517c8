"""``jobsworth lsp`` in a headless Neovim: the diagnostics of a buffer that is changed.

The tests are skipped without Neovim (``apt-get install neovim``). From 0.11 on, they use the first recipe of docs/editors.md,
before that the second.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

NEOVIM = shutil.which("nvim")
pytestmark = pytest.mark.skipif(NEOVIM is None, reason="Neovim is not installed")

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/editors.md").read_text("utf-8")
SCRIPT = """
vim.bo.filetype = "yaml"
local function found_with(code)
  vim.wait(30000, function()
    return #vim.tbl_filter(function(each) return each.code == code end, vim.diagnostic.get(0)) > 0
  end, 50)
  return vim.tbl_map(function(each)
    return { code = each.code, line = each.lnum, column = each.col, stop = each.end_col }
  end, vim.diagnostic.get(0))
end
local found = { before = found_with("JW003") }
local last = vim.api.nvim_buf_line_count(0)
vim.api.nvim_buf_set_lines(0, last, last, false, { "          imag: x" })
found.after = found_with("JW001")
vim.fn.writefile({ vim.json and vim.json.encode(found) or vim.fn.json_encode(found) }, "found.json")
vim.cmd("qall!")
"""


def recipe(name: str) -> str:
    """Return a recipe of the page by the name in its comment."""
    found = re.search(rf"<!-- {name}: language server -->\n```lua\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


def test_a_buffer_has_the_findings_of_the_server_as_it_is_changed(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    job = (ROOT / "examples/invalid/max-failed-indexes-alone.yaml").read_text("utf-8")
    (tmp_path / "job.yaml").write_text(job)
    (tmp_path / "script.lua").write_text(
        f"if vim.lsp.config then {recipe('neovim')} else {recipe('neovim 0.7')} end\n{SCRIPT}"
    )
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(
        [str(NEOVIM), "--clean", "--headless", "job.yaml", "-c", "luafile script.lua"],
        cwd=tmp_path,
        env={**os.environ, "PATH": programs},
        timeout=120,
        check=True,
        capture_output=True,
    )
    found: dict[str, list[dict[str, Any]]] = json.loads((tmp_path / "found.json").read_text())
    assert "JW003" in {each.get("code") for each in found["before"]}
    (unknown,) = [each for each in found["after"] if each.get("code") == "JW001"]
    assert unknown["line"] == job.count("\n")
    assert (unknown["column"], unknown["stop"]) == (10, 14)
