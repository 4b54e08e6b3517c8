// The results as elements. Texts are set as text: nothing of a manifest becomes HTML.
export const element = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};

const table = (caption, heads, rows) => {
  const scroll = element("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption});
  const head = element("tr", {}, ...heads.map(text => element("th", {scope: "col"}, text)));
  const body = rows.map(cells => element("tr", {}, ...cells.map(cell => element("td", {}, cell))));
  scroll.append(element("table", {}, element("caption", {}, caption), element("thead", {}, head), element("tbody", {}, ...body)));
  return scroll;
};

export const findingItem = (finding, goTo, apply) => {
  const place = element("button", {type: "button", class: "place"}, `${finding.line}:${finding.column}`);
  place.addEventListener("click", goTo);
  place.setAttribute("aria-label", `${finding.line}:${finding.column}, go to line and column`);
  const code = element("a", {href: `../rules/${encodeURIComponent(`${finding.code}-${finding.reason}`)}.html`}, finding.code);
  const item = element("li", {class: finding.severity}, place, " ", element("strong", {}, finding.severity), " ", element("code", {}, finding.field), " ", code);
  item.append(element("p", {}, finding.message));
  if (finding.hint) item.append(element("p", {class: "soft"}, `Hint: ${finding.hint}`));
  if (finding.further) item.append(element("p", {class: "soft"}, "The API server reports this once the errors before it are fixed."));
  if (finding.fix) {
    const button = element("button", {type: "button"}, `Fix: ${finding.fix.title}${finding.fix.safe ? "" : " (unsafe)"}`);
    button.disabled = !finding.fix.changes.length;
    button.addEventListener("click", apply);
    item.append(button);
  }
  return item;
};

const codes = ranges => ranges.map(range => (Array.isArray(range) ? (range[0] === range[1] ? range[0] : `${range[0]}–${range[1]}`) : range)).join(", ");
const heading = object => element("h3", {}, `${object.kind} ${object.name}`);
const problem = object => element("p", {class: "error"}, object.error);

export const explanation = object => {
  if ("error" in object) return [heading(object), problem(object)];
  const {settings, rules, exit_codes: exits, causes} = object.job;
  const parts = [heading(object)];
  parts.push(table("Settings", ["setting", "value"], Object.entries(settings).map(([name, value]) => [name.replaceAll("_", " "), value])));
  if (rules.length) parts.push(table("Rules", ["rule", "action", "matches"], rules.map(rule => [rule.name, rule.action, rule.requirement])));
  parts.push(table("Exit codes", ["container", "exit code", "condition", "the Job"], exits.map(row => [
    row.containers.join(", "), codes(row.codes), row.condition ?? row.reason ?? "", row.outcome?.text ?? ""])));
  parts.push(table("Causes", ["cause", "the Job"], causes.map(row => [row.title, row.outcome?.text ?? ""])));
  return parts;
};

let pictures = [];
export const runs = objects => {
  pictures.forEach(URL.revokeObjectURL);
  pictures = [];
  return objects.flatMap(object => {
    if ("error" in object) return [heading(object), problem(object)];
    const url = URL.createObjectURL(new Blob([object.svg], {type: "image/svg+xml"}));
    pictures.push(url);
    const picture = element("img", {src: url, alt: `Timeline of the Pods of ${object.kind} ${object.name}; the same as text below`});
    return [heading(object), picture, element("pre", {tabindex: "0", "aria-label": "The run as text"}, object.lines.join("\n"))];
  });
};
