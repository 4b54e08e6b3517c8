// Manifests to begin with, from examples/ of the repository; build.py fills in their texts.
import texts from "./examples.json";

export const EXAMPLES = texts;
export const FIRST = Object.values(texts)[0];
