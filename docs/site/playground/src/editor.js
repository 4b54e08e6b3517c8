// The editor: YAML, diagnostics with fixes, colors from the style sheet. Tab leaves it, as in any field.
import { basicSetup } from "codemirror";
import { redo, undo } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const highlight = HighlightStyle.define([
  {tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--key)"},
  {tag: [tags.string, tags.content], color: "var(--string)"},
  {tag: [tags.number, tags.bool, tags.null], color: "var(--number)"},
  {tag: tags.comment, color: "var(--soft)", fontStyle: "italic"},
]);
const theme = EditorView.theme({
  "&": {backgroundColor: "var(--panel)", color: "var(--text)", fontSize: "14px", border: "1px solid var(--line)", borderRadius: "6px"},
  "&.cm-focused": {outline: "2px solid var(--focus)"},
  ".cm-scroller": {fontFamily: "ui-monospace, monospace", minHeight: "18rem", maxHeight: "70vh"},
  ".cm-gutters": {backgroundColor: "var(--panel)", color: "var(--soft)", border: "none"},
  ".cm-activeLine, .cm-activeLineGutter": {backgroundColor: "var(--active)"},
  ".cm-cursor": {borderLeftColor: "var(--text)"},
  ".cm-tooltip": {backgroundColor: "var(--panel)", color: "var(--text)", border: "1px solid var(--line)"},
  ".cm-diagnosticAction": {backgroundColor: "var(--focus)", color: "var(--on-focus)"},
  ".cm-selectionBackground, &.cm-focused .cm-selectionBackground": {backgroundColor: "var(--selection) !important"},
});

export class Editor {
  constructor(parent, text, onChange) {
    this.view = new EditorView({
      parent,
      doc: text,
      extensions: [
        basicSetup, yaml(), lintGutter(), theme, syntaxHighlighting(highlight),
        EditorView.contentAttributes.of({"aria-label": "Manifest", "aria-multiline": "true", role: "textbox", tabindex: "0"}),
        EditorView.updateListener.of(update => update.docChanged && onChange()),
      ],
    });
  }

  get text() {
    return this.view.state.doc.toString();
  }

  set text(text) {
    this.view.dispatch({changes: {from: 0, to: this.view.state.doc.length, insert: text}});
  }

  undo() {
    undo(this.view);
  }

  redo() {
    redo(this.view);
  }

  show(findings, applyFix) {
    const diagnostics = findings.map(finding => {
      const from = this.#offset(finding.line, finding.column);
      const to = Math.min(from + finding.width, this.view.state.doc.lineAt(from).to);
      const actions = finding.fix?.changes.length ? [{name: finding.fix.title, apply: () => applyFix(finding.fix)}] : [];
      return {from, to: Math.max(from, to), severity: finding.severity, message: `${finding.message} [${finding.code}]`, actions};
    });
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics));
  }

  apply(fix) {
    const changes = fix.changes.map(change => ({
      from: this.#offset(change.start, 1), to: this.#offset(change.end, change.endColumn), insert: change.text,
    }));
    this.view.dispatch({changes});
  }

  focus(line, column) {
    const place = this.#offset(line, column);
    this.view.dispatch({selection: {anchor: place}, effects: EditorView.scrollIntoView(place, {y: "center"})});
    this.view.focus();
  }

  // Columns count code points, offsets UTF-16 code units.
  #offset(line, column) {
    const doc = this.view.state.doc;
    if (line > doc.lines) return doc.length;
    const {from, text} = doc.line(Math.max(1, line));
    return from + Array.from(text).slice(0, column - 1).join("").length;
  }
}
