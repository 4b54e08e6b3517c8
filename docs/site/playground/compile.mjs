// Compile the modules that a first verdict imports with the Python of Pyodide, in place of their sources:
//   node compile.mjs PYODIDE_FOLDER FOLDER MANIFEST
import { resolve } from "node:path";
const [pyodide, folder, manifest] = process.argv.slice(2).map(path => resolve(path));
const { loadPyodide } = await import(`${pyodide}/pyodide.mjs`);
const python = await loadPyodide({env: {PYTHONNODEBUGRANGES: "1"}});
python.mountNodeFS("/sources", folder);
python.mountNodeFS("/manifests", resolve(manifest, ".."));
python.globals.set("manifest", manifest.split("/").at(-1));
python.runPython(`
import py_compile, sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, "/sources")
import playground

playground.validate(Path("/manifests", manifest).read_text(encoding="utf-8"), "1.37")
for module in list(sys.modules.values()):
    source = Path(getattr(module, "__file__", None) or "/")
    if source.is_relative_to("/sources"):
        name = str(source.relative_to("/sources"))
        mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
        py_compile.compile(str(source), f"{source}c", name, doraise=True, invalidation_mode=mode)
        source.unlink()
`);
process.exit(0);
