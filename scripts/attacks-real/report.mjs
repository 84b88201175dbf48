// The lines that tell what was found.

import { homeMark } from "./fixture.mjs";

/** The text as one word of a shell; in the form of bash and zsh if it has characters that nobody sees. */
function quoted(text) {
  if (/^[\w./,-]+$/.test(text)) return text;
  if (/^[\x20-\x7e]*$/.test(text)) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const byte = (value) => `\\x${value.toString(16).padStart(2, "0")}`;
  const escaped = (char) => (/['\\]/.test(char) ? `\\${char}` : [...Buffer.from(char)].map(byte).join(""));
  return `$'${text.replace(/['\\]|[^\x20-\x7e]/gu, escaped)}'`;
}

/** The words for a difference. */
export function wordsFor({ kind, what, program, law }) {
  const by = program.replace(/^.*\//, "");
  const told = {
    words: `started with words that the gate did not judge: ${what}`,
    program: `started what nobody judged: ${what}`,
    outside: `${by} read outside of the workspace: ${what}`,
    secret: `${by} read a secret file: ${what}`,
    forbidden: `${by} read what a rule forbids: ${what}`,
    printed: `${by} printed ${what}`,
    change: `${by} changed something: ${what}`,
    socket: `${by} used a socket: ${what}`,
    hung: what,
    crash: `the gate throws: ${what}`,
  }[kind];
  return `${told.replaceAll(/\/[^\s"]*?\/f-\w+\/home\b/g, homeMark)}${law === undefined ? "" : ` (law: ${law})`}`;
}

/** The lines for a failure. */
export function linesFor({ command, shortest = command, shell, number, seed, main }) {
  const folder = shortest.folder === "." ? "" : `--folder ${quoted(shortest.folder)} `;
  return [
    `FAIL in ${shell}, command ${number} of seed ${seed}:`,
    `  ${shortest.text.replaceAll("\n", "\n  ")}`,
    `  ${wordsFor(main)}`,
    ...(shortest.text === command.text ? [] : [`  made from: ${JSON.stringify(command.text)}`]),
    `  npm run attacks:real -- ${main.kind === "crash" ? "" : `--shells ${shell} `}${folder}--only ${quoted(shortest.text)}`,
  ].join("\n");
}
