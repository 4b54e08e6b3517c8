import { Editor } from "./editor.js";
import { EXAMPLES, FIRST } from "./examples.js";
import { element, explanation, findingItem, runs } from "./panels.js";
import { Python } from "./python.js";
import { fragmentOf, readFragment } from "./share.js";

const MAX_TEXT = 200_000;
const DELAY = 150; // milliseconds without a keystroke until the text is evaluated
const SLOW = 2_000; // milliseconds until a run can be stopped
const NEWEST = "1.37";
const $ = id => document.getElementById(id);
let failure = ""; // why there is no Python
let linkProblem = ""; // what is wrong with the link that was opened; until the text changes
const verdict = text => ($("verdict").textContent = failure || [linkProblem, text].filter(Boolean).join(" "));

let findings = [];
let evaluated = null; // the text that has the findings
let state = {validate: 0};

const onStage = data => {
  if ("failed" in data) {
    failure = data.failed;
    verdict("");
    $("loading").hidden = true;
    return;
  }
  $("progress").value = data.stage;
  $("loading").querySelector("label").textContent = data.text;
  $("loading").hidden = data.stage === 4;
};
const python = new Python(globalThis.firstWorker, onStage);

const release = () => $("release").value || NEWEST;

const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

const summary = documents => {
  const of = status => documents.filter(each => each.status === status).length;
  const parts = [];
  if (of("valid")) parts.push(`${count(of("valid"), "object")} valid`);
  if (of("invalid")) parts.push(`${count(of("invalid"), "object")} invalid`);
  if (of("error")) parts.push(`${count(of("error"), "document")} unreadable`);
  if (of("skipped")) parts.push(`${count(of("skipped"), "object")} skipped`);
  for (const severity of ["error", "warning"]) {
    const number = findings.filter(each => each.severity === severity).length;
    if (number) parts.push(count(number, severity));
  }
  return parts.length ? `${parts.join(", ")} (Kubernetes ${release()})` : "No Job or CronJob: paste one.";
};

// The places of a fix are those of the text that was evaluated.
const applyFix = chosen => (editor.text === evaluated ? editor.apply(chosen) : verdict("Not fixed: the text has changed. Try again."));

const showFindings = () => {
  const shown = findings.filter(each => each.shown || $("infos").checked);
  const items = shown.map(finding => findingItem(finding, () => editor.focus(finding.line, finding.column), () => applyFix(finding.fix)));
  const hidden = findings.length - shown.length;
  if (!items.length) items.push(element("li", {}, hidden ? `Nothing to report but ${count(hidden, "info finding")}.` : "Nothing to report."));
  $("finding-list").replaceChildren(...items);
  editor.show(shown, applyFix);
  $("fix-safe").disabled = !shown.some(each => each.fix?.safe);
  $("fix-all").disabled = !shown.some(each => each.fix);
};

const evaluate = async () => {
  const number = ++state.validate;
  const text = editor.text;
  if (text.length > MAX_TEXT) {
    findings = [];
    showFindings();
    $("finding-list").replaceChildren();
    return verdict(`The text has more than ${MAX_TEXT.toLocaleString("en")} characters: use the command line.`);
  }
  try {
    const answer = await python.call("validate", text, release());
    if (number !== state.validate) return;
    findings = answer.findings;
    evaluated = text;
    showFindings();
    verdict(summary(answer.documents));
    document.documentElement.dataset.verdict = String(performance.now());
    await more(number);
  } catch (error) {
    if (number === state.validate) verdict(`Not evaluated: ${error.message}`);
  }
};

const more = async number => {
  const text = editor.text;
  if (!$("explain").hidden) {
    const objects = await python.call("explain", text, release());
    if (number === state.validate) $("explain").replaceChildren(...(objects.length ? objects.flatMap(explanation) : [element("p", {}, "No Job to explain.")]));
  }
  if (!$("simulate").hidden) {
    const seed = Math.min(Math.max(1, Math.trunc(Number($("seed").value)) || 1), 999_999_999);
    const objects = await python.call("simulate", text, release(), seed, $("question").value, $("time").value);
    if (number === state.validate) $("runs").replaceChildren(...(objects.length ? runs(objects) : [element("p", {}, "No Job to simulate.")]));
  }
};

let timer = 0;
const later = () => {
  linkProblem = "";
  clearTimeout(timer);
  timer = setTimeout(evaluate, DELAY);
};

const fix = async unsafe => {
  try {
    const text = editor.text;
    const answer = await python.call("fix", text, release(), unsafe, $("infos").checked);
    if (editor.text !== text) return verdict("Not fixed: the text has changed. Try again.");
    editor.text = answer.text;
    $("attempts").replaceChildren(...answer.attempts.map(text => element("li", {}, text)));
  } catch (error) {
    verdict(`Not fixed: ${error.message}`);
  }
};

const select = tab => {
  for (const other of document.querySelectorAll("[role=tab]")) {
    const chosen = other === tab;
    other.setAttribute("aria-selected", chosen);
    other.tabIndex = chosen ? 0 : -1;
    $(other.getAttribute("aria-controls")).hidden = !chosen;
  }
  evaluate();
};

const tabs = [...document.querySelectorAll("[role=tab]")];
const KEYS = {ArrowRight: 1, ArrowLeft: -1};
tabs.forEach((tab, index) => {
  tab.addEventListener("click", () => select(tab));
  tab.addEventListener("keydown", event => {
    const next = event.key in KEYS ? (index + KEYS[event.key] + tabs.length) % tabs.length : {Home: 0, End: tabs.length - 1}[event.key];
    if (next === undefined) return;
    event.preventDefault();
    tabs[next].focus();
    select(tabs[next]);
  });
});

let shared = null;
try {
  shared = await readFragment(location.hash);
} catch (error) {
  linkProblem = `The link cannot be read: ${error.message}. This is an example.`;
}
const editor = new Editor($("editor"), shared?.text ?? FIRST, later);
for (const name of Object.keys(EXAMPLES)) $("example").append(element("option", {value: name}, name));
document.documentElement.dataset.editor = String(performance.now());
Object.assign(globalThis, {playgroundEditor: editor, playgroundPython: python}); // for tests

$("example").addEventListener("change", () => $("example").value && (editor.text = EXAMPLES[$("example").value]));
$("infos").addEventListener("change", showFindings);
$("release").addEventListener("change", evaluate);
$("fix-safe").addEventListener("click", () => fix(false));
$("fix-all").addEventListener("click", () => fix(true));
$("undo").addEventListener("click", () => editor.undo());
for (const id of ["question", "time", "seed"]) {
  $(id).addEventListener("change", () => {
    $("time").disabled = ["", "image_typo"].includes($("question").value);
    evaluate();
  });
}
$("share").addEventListener("click", async () => {
  try {
    history.replaceState(null, "", await fragmentOf(editor.text, release()));
    await navigator.clipboard?.writeText(location.href).then(() => verdict("The link is copied."), () => verdict("The link is in the address bar."));
  } catch (error) {
    verdict(`Not shared: ${error.message}`);
  }
});
// Another link in the same tab.
addEventListener("hashchange", () => new URLSearchParams(location.hash.slice(1)).has("m") && location.reload());
$("stop").addEventListener("click", () => python.stop());
setInterval(() => {
  const loaded = $("progress").value === 4;
  const since = python.busy && loaded ? (state.busy ??= performance.now()) : (state.busy = undefined);
  const slow = since !== undefined && performance.now() - since > SLOW;
  $("stop").hidden = !slow;
  if (loaded) $("loading").hidden = !slow;
}, 500);

python.call("releases").then(async releases => {
  $("release").replaceChildren(...releases.map(each => element("option", {value: each}, each > NEWEST ? `${each} (preview)` : each)));
  $("release").value = releases.includes(shared?.release) ? shared.release : NEWEST;
  if (shared && !releases.includes(shared.release)) linkProblem = `The link names a release of Kubernetes that is not known here: ${shared.release.slice(0, 20)}.`;
  await evaluate();
  navigator.serviceWorker?.register("service_worker.js");
}).catch(error => verdict(`Not evaluated: ${error.message}`));
