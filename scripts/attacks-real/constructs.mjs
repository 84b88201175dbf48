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
  [
    "cat <<E\nx\nE",
    (random) =>
      `cat ${random.pick(["<<E", "<<'E'", "<<-E"])}\n${random.pick(["x", "$x", "$(cat .env)", "`id`", "\tx"])}\nE`,
  ],
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
