// Commands with constructs of the shell beyond plain words: loops, assignments, tests, here-documents and the like.

import { expanded } from "./expansions.mjs";
import { handingConstructs } from "./hand-on.mjs";
import { operand } from "./words.mjs";

/** Constructs of the shell beyond plain words. Each is made often only if the gate lets through its sample. */
export const constructs = [
  ...handingConstructs,
  ["cat src/*.ts", (random, make) => `${make()} ${expanded(random, "src/a.ts", { patterns: true })}`],
  ["cat $HOME/dev/project/a", (random, make) => `${make()} ${expanded(random, "src/a.ts", { variables: true })}`],
  [
    "x=a; cat $x",
    (random, make) =>
      `x=${operand(random, { isWrong: random.chance(0.2) })}; ${make()} ${random.pick(["$x", '"$x"', "${x}"])}`,
  ],
  ["for f in a b; do cat $f; done", forLoop],
  [
    "[ -f a ] && cat a",
    (random, make) =>
      `[ ${random.pick(["-f", "-d", "-e", "-n", "!"])} ${operand(random, { isWrong: random.chance(0.3) })} ] ${random.pick(["&&", "||"])} ${make()}`,
  ],
  ["cat <<'E'\nx\nE", hereDocument],
  ["cat {a}", (random, make) => `${make()} ${braces(random)}`],
  ["cat < a", (random, make) => `${make()} < ${operand(random, { isWrong: random.chance(0.3) })}`],
  ["cat \\a", (random, make) => make().replace(/ ([a-z])/, " \\$1")],
  ["if true; then cat a; fi", (_random, make) => `if ${make()}; then ${make()}; fi`],
  ["(cat a)", (_random, make) => `(${make()})`],
  ["echo $(cat a)", (_random, make) => `echo $(${make()})`],
  [
    "X=1 cat a",
    (random, make) => `${random.pick(["X=1", "LC_ALL=C", "GREP_OPTIONS=-r", "HOME=.", "PATH=.", "IFS=/"])} ${make()}`,
  ],
  ["echo x | sort", (random, make) => `${random.pick(code)} | ${make()}`],
  ["sort < a", (random, make) => `${make()} < code.${random.pick(["js", "py", "sh", "awk"])}`],
  ["cat a > made", (random, make) => `${make()} > ${random.pick(["made", "10", "/dev/stdout", "out"])}`],
];
/** Programs for interpreters that read them from their input: each makes a file. */
const code = [
  `printf 'require("fs").writeFileSync("made", "")'`,
  `echo 'open("made", "w").close()'`,
  "echo 'touch made'",
  `echo 'BEGIN { print > "made" }'`,
];

/** The first line of a here-document, with its end: quoted in part, with blanks, with a line end that disappears, or not at all. */
const ends = [
  ["'E'", "E"],
  ["'E'", "E"],
  ["'E'", "E"],
  ["E", "E"],
  ['"E"', "E"],
  [String.raw`\E`, "E"],
  ["E'F'", "EF"],
  ["'E F'", "E F"],
  ["E\\\nF", "EF"],
  ["'E\\\nF'", "EF"],
  ["''", ""],
  ["$x", "$x"],
  ["$(a)", "$(a)"],
  ["'1'", "1"],
  ["'E'-", "E-"],
  ["~E", "~E"],
];

const lines = ["x", "x", "$x", "$(cat .env)", "`id`", "\tx", "E x", " E", "x\\", "'E'", "E\r", "", "$HOME"];

/** One here-document, or two on a line, before other words or another command, in all forms. */
function hereDocument(random, make) {
  const one = () => {
    const [word, end] = random.pick(ends);
    const [operator, tab] = random.weighted([
      [5, ["<<", ""]],
      [1, ["<<-", "\t"]],
    ]);
    const begin = `${random.pick(["", "", "", "", "0", "3", "{a}", "12"])}${operator}${random.pick(["", "", " ", "\t"])}${word}`;
    const body = random.times(random.below(3), () => `${tab}${random.pick(lines)}\n`).join("");
    return { begin, rest: `${body}${random.pick([tab, tab, tab, " "])}${end}` };
  };
  const documents = random.times(random.chance(0.2) ? 2 : 1, one);
  const command = random.pick(["cat", "cat", "wc -l", make()]);
  const after = random.weighted([
    [6, ""],
    [1, ` | ${make()}`],
    [1, `; ${make()}`],
    [1, ` && ${make()}`],
    [0.5, " >/dev/null"],
    [0.5, " a"],
    [0.3, " # x"],
  ]);
  const last = random.chance(0.2) ? `\n${make()}` : random.chance(0.1) ? "\n" : "";
  return `${command} ${documents.map(({ begin }) => begin).join(" ")}${after}\n${documents.map(({ rest }) => rest).join("\n")}${last}`;
}

/** Words with braces: lists, ranges, names, alone and with quotes and patterns. */
function braces(random) {
  const inner = random.pick([
    "a",
    "a,b",
    "1..3",
    "a..c",
    "",
    "a b",
    "'a,b'",
    "a,",
    ",a",
    "*",
    "$x",
    "{a,b}",
    "a\\,b",
    "0",
    "_b",
  ]);
  const [before, after] = random.pick([
    ["", ""],
    ["", ""],
    ["src/", ""],
    ["x", ".ts"],
    ["@", ""],
    ["$", ""],
    ["\\", ""],
    ["'", "'"],
    ['"', '"'],
  ]);
  return `${before}{${inner}}${after}${random.pick(["", "", "", "</dev/null", ">/dev/null", "2>&1", "<a"])}`;
}

const any = { patterns: true, variables: true };
const loopNames = ["f", "f", "f", "i", "file", "x", "PATH", "HOME", "IFS", "path", "status", "argv", "PWD", "_"];

function forLoop(random, make) {
  const name = random.pick(loopNames);
  const words = () =>
    random.chance(0.5) ? expanded(random, "src/a.ts", any) : operand(random, { isWrong: random.chance(0.2) });
  const used = () =>
    random.pick([
      `$${name}`,
      `"$${name}"`,
      `src/$${name}`,
      `./$${name}`,
      `\${${name}}`,
      `"\${${name}}"`,
      `$${name}/*`,
      `'$${name}'`,
    ]);
  const body = random.times(1 + random.below(2), () => `${make()} ${used()}`).join("; ");
  const separator = random.pick(["; ", "\n", ";"]);
  return `for ${name} in ${random.times(1 + random.below(3), words).join(" ")}${separator}do ${body}${separator}done`;
}
