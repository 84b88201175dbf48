// The prompt of an iteration, and its difference to the prompt before.

import type { JSX } from "preact";
import type { Message, ToolDescription } from "../../core/index.js";
import type { Api, Prompt } from "../data/server-api.js";
import { diff, type Part } from "../data/diff.js";
import { count } from "../data/shown-words.js";
import { Text } from "../parts/text.js";
import { useLoaded } from "../parts/use-task.js";

interface PromptProps {
  readonly api: Api;
  readonly id: string;
  /** The number of the reply to the request. */
  readonly seq: number;
  /** The number of the reply to the request before. With it, only the difference is shown. */
  readonly before?: number | undefined;
}

/** A part of a prompt that is shown as one text. */
interface Piece {
  readonly label: string;
  readonly text: string;
}

/** Pieces that are drawn at once: the last pieces, which are the new pieces. */
const most = 40;

/** The very request that the model got. */
export function PromptView({ api, id, seq, before }: PromptProps): JSX.Element {
  const { problem, value } = useLoaded(
    () => Promise.all([api.prompt(id, seq), before === undefined ? undefined : api.prompt(id, before)]),
    `${id} ${String(seq)} ${String(before)}`,
  );
  if (problem !== "") return <p class="problem">{problem}</p>;
  if (value === undefined) return <p class="dim">Loading …</p>;
  const [prompt, earlier] = value;
  const pieces = piecesOf(prompt);
  if (earlier === undefined) return <Pieces pieces={pieces} />;
  const parts = diff(piecesOf(earlier), pieces, ({ label, text }) => `${label}\n${text}`);
  const changed = parts.filter(({ side }) => side !== "both");
  return (
    <>
      <p class="dim">
        {count(parts.length - changed.length, "part")} as before, {count(onSide(changed, "second"), "part")} new,{" "}
        {count(onSide(changed, "first"), "part")} gone.
      </p>
      {changed.slice(0, most).map(({ side, item }, at) => (
        <Text
          key={at}
          label={`${side === "first" ? "gone" : "new"}: ${item.label}`}
          text={item.text}
          tone={side === "first" ? "bad" : "good"}
        />
      ))}
    </>
  );
}

function onSide(parts: readonly Part<Piece>[], side: Part<Piece>["side"]): number {
  return parts.filter((part) => part.side === side).length;
}

function Pieces({ pieces }: { readonly pieces: readonly Piece[] }): JSX.Element {
  const left = pieces.length - most;
  const shown = left > 0 ? [...pieces.slice(0, 2), ...pieces.slice(2 - most)] : pieces;
  return (
    <>
      {left > 0 && <p class="dim">The first two and the last parts of {pieces.length}.</p>}
      {shown.map(({ label, text }, at) => (
        <Text key={at} label={label} text={text} />
      ))}
    </>
  );
}

function piecesOf({ system, tools, messages }: Prompt): readonly Piece[] {
  return [
    { label: "system", text: system ?? "The journal does not have the system prompt." },
    { label: "tools", text: tools?.map(toolLine).join("\n\n") ?? "The journal does not have the tools." },
    ...messages.map(pieceOf),
  ];
}

function toolLine({ name, description, parameters }: ToolDescription): string {
  return `${name}: ${description}\n${JSON.stringify(parameters)}`;
}

function pieceOf(message: Message): Piece {
  if (message.role === "user") return { label: "user", text: message.text };
  if (message.role === "tool")
    return { label: message.ok === false ? "result (failed)" : "result", text: message.text };
  const calls = message.reply.calls.map((call) =>
    call.type === "call" ? `${call.name}(${JSON.stringify(call.input)})` : call.source,
  );
  return { label: "assistant", text: [message.reply.text, ...calls].filter(Boolean).join("\n") };
}
