// Texts of models and tools. They are text nodes alone: nothing in them becomes markup.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { headOf } from "../../core/internal.js";
import { visible } from "../data/shown-words.js";

/** Characters that are drawn at once. More would make the page slow. */
const most = 200_000;

interface TextProps {
  readonly label: string;
  readonly text: string;
  /** Fetches the whole text. Absent if this is it. */
  readonly whole?: (() => Promise<string>) | undefined;
  readonly tone?: "bad" | "good" | undefined;
}

const cut = /… \(\d+ more characters\)$/;

/** A text with its heading. A text that was cut has a button that shows the rest. */
export function Text({ label, text, whole, tone }: TextProps): JSX.Element {
  const [fetched, setFetched] = useState<string>();
  const [problem, setProblem] = useState("");
  const full = fetched ?? text;
  const isCut = fetched === undefined && whole !== undefined && cut.test(text);
  const show = async (): Promise<void> => {
    try {
      setFetched(await whole?.());
    } catch (thrown) {
      setProblem(thrown instanceof Error ? thrown.message : String(thrown));
    }
  };
  return (
    <section class="text">
      <p class="text-label">{label}</p>
      <pre class={tone === undefined ? "" : `tone-${tone}`} tabIndex={0} aria-label={label}>
        {visible(headOf(full, most))}
        {full.length > most && `\n… the first ${String(most)} of ${String(full.length)} characters`}
      </pre>
      {isCut && (
        <button type="button" onClick={() => void show()}>
          Show all
        </button>
      )}
      {problem !== "" && <p class="problem">{problem}</p>}
    </section>
  );
}

interface ChangeProps {
  readonly label: string;
  readonly text: string;
  /** False if the label is only for programs that read the page out. Default true. */
  readonly isLabelSeen?: boolean;
}

/** Lines of a change: added lines with + and removed lines with - have their colours. */
export function Change({ label, text, isLabelSeen = true }: ChangeProps): JSX.Element {
  return (
    <section class="text">
      {isLabelSeen && <p class="text-label">{label}</p>}
      <pre tabIndex={0} aria-label={label}>
        {visible(text)
          .split("\n")
          .map((line, at) => (
            <span key={at} class={toneOf(line)}>
              {line}
              {"\n"}
            </span>
          ))}
      </pre>
    </section>
  );
}

function toneOf(line: string): string {
  if (line.startsWith("@@ ")) return "dim";
  return line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "";
}
