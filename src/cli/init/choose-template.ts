// The choice of a template at a terminal: a list, with arrow keys, digits and Return.

import type { TemplateName } from "../args/values.js";
import { listen, type Press, type Terminal } from "../chat/screen/keys.js";
import type { Style } from "../display/quantities.js";
import { clipped } from "../display/width.js";

/** A template in the list. */
export interface Choice {
  readonly name: TemplateName;
  readonly about: string;
}

/** The terminal of the person. */
export interface ChoicePlace {
  readonly input: Terminal;
  readonly output: Pick<NodeJS.WritableStream, "write">;
  readonly columns: number;
  readonly style: Style;
  /** Ends the choice without one. */
  readonly signal: AbortSignal;
}

/** Asks for a template. Undefined if the person leaves: by Escape, Ctrl-C, Ctrl-D, or the end of the input. */
export function chooseTemplate(choices: readonly Choice[], place: ChoicePlace): Promise<TemplateName | undefined> {
  const { input, output, signal } = place;
  return new Promise((resolve) => {
    let chosen = 0;
    const draw = (isFirst = false): void => {
      const up = isFirst ? "" : `\u001b[${String(choices.length)}A`;
      output.write(up + linesOf(choices, chosen, place).join(""));
    };
    const end = (name: TemplateName | undefined): void => {
      unlisten();
      signal.removeEventListener("abort", leave);
      input.off("end", leave);
      resolve(name);
    };
    const leave = (): void => {
      end(undefined);
    };
    const unlisten = listen(input, (press) => {
      const step = stepOf(press, choices.length);
      if (step === "take") end(choices[chosen]?.name);
      else if (step === "leave") leave();
      else if (step !== undefined) {
        chosen = step.isIndex ? step.by : (chosen + step.by + choices.length) % choices.length;
        draw();
      }
    });
    signal.addEventListener("abort", leave, { once: true });
    input.on("end", leave);
    output.write("Make which project? Choose with the arrow keys, and press Return.\n");
    draw(true);
    if (signal.aborted) leave();
  });
}

type Step = "take" | "leave" | { readonly by: number; readonly isIndex: boolean } | undefined;

/** The step of a key press; undefined if the key means nothing here. */
function stepOf(press: Press, count: number): Step {
  if (press.type === "text") {
    const index = Number(press.text) - 1;
    return Number.isInteger(index) && index >= 0 && index < count ? { by: index, isIndex: true } : undefined;
  }
  const { name, ctrl } = press;
  if (name === "return" || name === "enter") return "take";
  if (name === "escape" || (ctrl && (name === "c" || name === "d"))) return "leave";
  if (name === "up") return { by: -1, isIndex: false };
  return name === "down" || name === "tab" ? { by: 1, isIndex: false } : undefined;
}

function linesOf(choices: readonly Choice[], chosen: number, { columns, style }: ChoicePlace): readonly string[] {
  const width = Math.max(...choices.map(({ name }) => name.length));
  return choices.map(({ name, about }, index) => {
    const mark = index === chosen ? "❯" : " ";
    const line = clipped(`${mark} ${String(index + 1)}. ${name.padEnd(width)}  ${about}`, Math.max(1, columns - 1));
    return `\u001b[2K${index === chosen ? style.bold(line) : line}\n`;
  });
}
