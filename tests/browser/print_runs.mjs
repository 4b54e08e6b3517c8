// Print runs of the simulator in Pyodide, which is Python compiled to WebAssembly.
//   node print_runs.mjs PYODIDE_FOLDER REPOSITORY FOLDER: reads FOLDER/documents.json, writes FOLDER/pyodide.json
const [pyodide, repository, folder] = process.argv.slice(2);
const { loadPyodide } = await import(`${pyodide}/pyodide.mjs`);
const python = await loadPyodide();
python.mountNodeFS("/repository", repository);
python.mountNodeFS("/folder", folder);
python.runPython(`
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path[:0] = ["/repository/webhook", "/repository/tests"]
from support.simulation.printed_runs import print_runs

print_runs(Path("/folder/documents.json"), Path("/folder/pyodide.json"))
print(sys.version)
`);
