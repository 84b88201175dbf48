// The colours of a terminal: the sixteen that its user has chosen.

import { styleText } from "node:util";
import { plain, type Style } from "./quantities.js";

/** The style is not for standard output alone, so that stream is not validated. */
const coloured =
  (name: "dim" | "bold" | "green" | "red") =>
  (text: string): string =>
    styleText(name, text, { validateStream: false });

const colours: Style = {
  dim: coloured("dim"),
  bold: coloured("bold"),
  good: coloured("green"),
  bad: coloured("red"),
};

/** The style for a stream: coloured at a terminal, unless `NO_COLOR` is set. */
export function styleFor(
  { isTTY = false }: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): Style {
  return isTTY && (env["NO_COLOR"] ?? "") === "" ? colours : plain;
}
