"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const SELECTOR = ["file", "untitled"].flatMap((scheme) =>
  ["yaml", "json"].map((language) => ({ scheme, language })),
);

// An explanation is Markdown: show it as a page beside the text.
const middleware = {
  window: {
    async showDocument({ uri }) {
      await vscode.commands.executeCommand("markdown.showPreviewToSide", vscode.Uri.parse(uri));
      return { success: true };
    },
  },
};

let output;
let client;
let turn = Promise.resolve();

async function start() {
  const settings = vscode.workspace.getConfiguration("jobsworth");
  client = new LanguageClient(
    "jobsworth",
    { command: settings.get("command"), args: settings.get("arguments") },
    { documentSelector: SELECTOR, outputChannel: output, middleware },
  );
  try {
    await client.start();
  } catch {
    // The client has reported why.
    explainFailure();
  }
}

async function explainFailure() {
  const open = "Open settings";
  const message =
    "jobsworth does not run. Install it with pip install 'jobsworth[lsp]', or set jobsworth.command to the path of the program.";
  if ((await vscode.window.showErrorMessage(message, open)) === open) {
    vscode.commands.executeCommand("workbench.action.openSettings", "jobsworth");
  }
}

async function stop() {
  if (client?.needsStop()) {
    await client.stop();
  }
}

// One after the other, because two settings may change at once; also after a server that did not stop.
function restart() {
  turn = turn.then(stop).then(start, start);
  return turn;
}

function activate(context) {
  output = vscode.window.createOutputChannel("jobsworth", { log: true });
  context.subscriptions.push(
    output,
    vscode.commands.registerCommand("jobsworth.restart", restart),
    vscode.workspace.onDidChangeConfiguration(
      (change) => change.affectsConfiguration("jobsworth") && restart(),
    ),
  );
  return restart();
}

function deactivate() {
  return turn.then(stop);
}

module.exports = { activate, deactivate };
