import type { Script } from "../src/testing/index.js";
/** The lines on standard error that pages speak of, by words of the snippet. */
export const told: Readonly<Record<string, string>>;
/** The model's words while a snippet runs, by words in it, and the printed text if the page does not say it. */
export const scripts: readonly { readonly words: string; readonly script: Script; readonly prints?: string | RegExp }[];
