// Python and jobsworth, in a thread of their own. A request is {id, name, arguments}; its answer {id, result} or {id, error}.
import { loadPyodide } from "./pyodide.mjs";

const FUNCTIONS = ["validate", "fix", "explain", "simulate", "releases"];
const base = new URL("./", import.meta.url);
const stage = (value, text) => postMessage({stage: value, text});

const archiveOf = async name => {
  const answer = await fetch(new URL(name, base));
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  return new Response(answer.body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
};

let python;
const load = async () => {
  stage(0, "Loading Python");
  const archive = archiveOf("app.gzip");
  python = await loadPyodide({indexURL: base.href});
  stage(2, "Loading jobsworth");
  python.unpackArchive(await archive, "zip");
  stage(3, "Loading the rules");
  const module = python.pyimport("playground");
  stage(4, "");
  return module;
};

// Few manifests name a time zone, so that the database is loaded with the first that does.
let zones;
const withZones = text => (/timeZone/.test(text) ? (zones ??= archiveOf("zones.gzip").then(data => python.unpackArchive(data, "zip"))) : null);

const ready = load();
ready.catch(error => postMessage({failed: String(error)}));

addEventListener("message", async ({data: {id, name, parameters}}) => {
  try {
    if (!FUNCTIONS.includes(name)) throw new Error(`unknown function ${name}`);
    const module = await ready;
    await withZones(parameters[0] ?? "");
    postMessage({id, result: JSON.parse(module[name](...parameters))});
  } catch (error) {
    const lines = String(error.message || error).trim().split("\n");
    postMessage({id, error: lines[lines.length - 1]});
  }
});
