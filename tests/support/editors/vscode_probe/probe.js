// Uses the extension in the workbench as a user does, and writes what it saw to found.json.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");

const SECONDS = 60;
const folder = vscode.workspace.workspaceFolders[0].uri.fsPath;

async function until(value) {
  for (const deadline = Date.now() + SECONDS * 1000; Date.now() < deadline; ) {
    const found = await value();
    if (found) {
      return found;
    }
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`nothing in ${SECONDS} s: ${value}`);
}

async function open(name) {
  const document = await vscode.workspace.openTextDocument(path.join(folder, name));
  return vscode.window.showTextDocument(document, { preview: false });
}

const found = (document) =>
  vscode.languages.getDiagnostics(document.uri).filter((each) => each.source === "jobsworth");
const codeOf = (diagnostic) => diagnostic.code?.value ?? "";
const codes = (document) => found(document).map(codeOf);
const isError = (diagnostic) => diagnostic.severity === vscode.DiagnosticSeverity.Error;

async function diagnosticsOfExamples() {
  const errors = {};
  for (const name of fs.readdirSync(path.join(folder, "invalid"))) {
    const { document } = await open(path.join("invalid", name));
    errors[name] = (await until(() => found(document).length && found(document)))
      .filter(isError)
      .map((each) => [each.range.start.line + 1, codeOf(each)]);
  }
  return errors;
}

// The light bulb's preferred fix, at the first finding that has one.
async function quickFix() {
  const editor = await open("fixed.yaml");
  const { document } = editor;
  const [first] = await until(() => found(document).length && found(document));
  editor.selection = new vscode.Selection(first.range.start, first.range.start);
  const before = document.getText();
  await vscode.commands.executeCommand("editor.action.autoFix");
  await until(() => document.getText() !== before && !codes(document).includes(codeOf(first)));
  return { code: codeOf(first), text: document.getText() };
}

async function fixAllOnSaving() {
  const editor = await open("saved.yaml");
  await until(() => found(editor.document).length);
  await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "# changed\n"));
  await editor.document.save();
  return fs.readFileSync(editor.document.fileName, "utf-8");
}

async function explanation() {
  const { document } = await open("explained.yaml");
  const range = new vscode.Range(0, 0, 0, 0);
  const action = await until(async () => {
    const actions = await vscode.commands.executeCommand(
      "vscode.executeCodeActionProvider", document.uri, range, undefined, 100,
    );
    return actions.find((each) => each.title === "Explain this failure policy");
  });
  const { command, arguments: parameters } = action.command ?? action;
  const text = await vscode.commands.executeCommand(command, ...parameters);
  const page = () => vscode.window.tabGroups.all.flatMap((group) => group.tabs).at(-1);
  await until(() => page().input?.viewType?.endsWith("markdown.preview"));
  return { tab: page().label, text };
}

async function unsavedText() {
  const content = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {paralelism: 1}\n";
  const document = await vscode.workspace.openTextDocument({ language: "yaml", content });
  await vscode.window.showTextDocument(document);
  await until(() => found(document).length);
  return found(document).map((each) => each.message);
}

async function changedSettings() {
  const { document } = await open("invalid/exit-code-zero.yaml");
  await until(() => found(document).length);
  const settings = vscode.workspace.getConfiguration("jobsworth");
  const command = settings.get("command");
  const target = vscode.ConfigurationTarget.Global;
  // There is no such program; a program that ends, as jobsworth without its extra does.
  for (const other of ["/no/such/program", "false"]) {
    await settings.update("command", other, target);
    await until(() => found(document).length === 0);
    await settings.update("command", command, target);
    await until(() => found(document).length);
  }
  return codes(document);
}

const STEPS = { diagnosticsOfExamples, quickFix, fixAllOnSaving, explanation, unsavedText, changedSettings };

async function seen() {
  const results = {};
  for (const [name, step] of Object.entries(STEPS)) {
    try {
      results[name] = await step();
    } catch (error) {
      results[name] = { error: String(error.stack) };
    }
  }
  return results;
}

exports.activate = () => {
  seen().then((results) => {
    fs.writeFileSync(path.join(folder, "found.part"), JSON.stringify(results));
    fs.renameSync(path.join(folder, "found.part"), path.join(folder, "found.json"));
  });
};
