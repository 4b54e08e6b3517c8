// A message as kubectl or a controller prints it, pasted into the search: leave out what differs between clusters.
"use strict";
const NOT_OF_A_MESSAGE = [
  [/^.*?(is invalid:\s*(\* )?\[?|cannot be handled as an? \w+: )/s, ""], // The Job "train" is invalid: …
  [/^.*?(error when \w+ "[^"]*": |Error from server( \(\w+\))?: |error: )/s, ""],
  [/^.*?no matches for kind.*/s, "resource mapping not found: no matches for kind"],
  [/(?<![\w.])[\w.]*\{.*\}/s, " "], // an object, as JSON or as Go prints it
  [/"[^"]*"/g, " "],
  [/'[^']*'/g, " "],
  [/\[[^[\]]*\]/g, ""], // an index, a key
  [/(\s\* |, )(spec|metadata)\..*/s, ""], // further errors
  [/\bspec\.jobTemplate\.spec\b/g, "spec"],
  [/(Go struct field) \S+/, "$1"],
  [/(Container) \S+ (for pod) \S+/, "$1 $2"],
  [/(exceeded quota|violates PodSecurity|denied the request|error looking up service account|unknown time zone|failed to parse int from|invalid DNS label).*/s, "$1"],
  [/(^|[\s:(])-?\d\S*/g, "$1"], // numbers and quantities
  [/[^\p{L}\p{N}\s.:_-]+/gu, " "],
  [/\s+/g, " "],
];
const SHORTEST = 20; // characters of a message
const essence = message => NOT_OF_A_MESSAGE.reduce((text, [part, rest]) => text.replace(part, rest), message).trim();
addEventListener("input", event => {
  const field = event.composedPath()[0];
  if (!(field.getRootNode() instanceof ShadowRoot) || !event.isTrusted) return; // the search of the theme
  const pasted = event.inputType?.startsWith("insertFrom") || (event.data ?? "").length >= SHORTEST;
  if (!pasted || event.isComposing || field.value.length < SHORTEST) return; // typed
  const text = essence(field.value);
  if (!text || text === field.value) return;
  field.value = text;
  field.dispatchEvent(new InputEvent("input", {bubbles: true, composed: true}));
}, true);
