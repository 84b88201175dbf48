// The code of the examples: as it was written, and as the reader has changed it.

import { examples, type Example } from "./examples/list.js";
import { keep, kept } from "./kept.js";

const files = import.meta.glob<string>("./examples/*.js", { query: "?raw", import: "default", eager: true });

/** The example with this name, or the first. */
export function exampleOf(id: string): Example {
  const [first] = examples;
  const found = examples.find((one) => one.id === id) ?? first;
  if (found === undefined) throw new Error("There are no examples.");
  return found;
}

/** The code of the example as it was written. */
export function originalOf({ id }: Example): string {
  return (files[`./examples/${id}.js`] ?? "").trimEnd();
}

/** The code of the example as the reader has it. */
export function codeOf(example: Example): string {
  return kept().codes?.[example.id] ?? originalOf(example);
}

/** Keeps the reader's code of an example; undefined is the original. */
export function keepCode({ id }: Example, code: string | undefined): void {
  const { [id]: _before, ...others } = kept().codes ?? {};
  keep({ codes: code === undefined ? others : { ...others, [id]: code } });
}
