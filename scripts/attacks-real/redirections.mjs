// Redirections in all their forms: operators, descriptors, names in braces, targets, and the blanks between them.

import { operand } from "./words.mjs";

/** Characters that are blank to somebody. A shell takes the first three for blanks. */
const blanks = [" ", "\t", "\\\n", "\n", "\r", "\v", "\f", "\u0085", "\u00a0", "\u2003", "\u2028", "\u3000", "\ufeff"];

/** What stands before an operator, with the blank before it. Shells differ about most of these: only one digit is a descriptor everywhere. */
const descriptors = [
  " ",
  "",
  ..."0 1 2 3 9 10 11 12 100 {a} {b} x{a} {a[0]} {_1} {1} -1 1a '1' \\1 & <1-9 <5 a<1-9 a"
    .split(" ")
    .flatMap((one) => [` ${one}`, ` ${one}`, one]),
];

const operators = "< > >> <> >| >& <& &> &>> >! >>| >>! <<< |& <- >-".split(" ");

const targets = ["/dev/null", "/dev/null", "/dev/null", "1", "2", "0", "-", "3", "p", "made", "{a}", "(cat)"];

/** What is believed to be a descriptor. `<1-9>` is a pattern of zsh, and to other shells the file 1-9 and a redirection that touches it. */
const beforeOperator = "10 11 12 1 2 3 0 9 100 {a} {a[0]} <1-9 {a} <1-9 <1- <1-9".split(" ");

/** What follows a command: most of the time nothing, or a redirection that everybody knows. */
export function redirection(random, isWild) {
  const known = random.pick(beforeOperator);
  return random.weighted([
    [66, ""],
    [6, " 2>/dev/null"],
    [4, " 2>&1"],
    [2, " >/dev/null"],
    [2, " </dev/null"],
    [3, ` ${known}${random.pick(["<", ">", ">>"])}/dev/null`],
    [0.7, ` ${known}>&1`],
    [1, "2>/dev/null"],
    [isWild ? 1 : 0.2, ` > ${random.pick(["made", "10", "&2", "/dev/null", "| a"])}`],
    [isWild ? 1 : 0.2, ` < ${operand(random, { isWrong: random.chance(0.3) })}`],
    [0.5, " &>/dev/null"],
    [
      1.5,
      ` ${random.pick(["2>", ">", "<", ">&"])}${random.pick(blanks)}${random.pick(["/dev/null", "/dev/null", "1", "2"])}`,
    ],
    [0.3, ` >/dev/null${random.pick(blanks)}`],
    [4, random.times(1 + random.below(2), () => anyForm(random)).join("")],
  ]);
}

function anyForm(random) {
  const blank = random.weighted([
    [6, ""],
    [2, " "],
    [0.5, "\t"],
    [0.5, "\\\n"],
  ]);
  return `${random.pick(descriptors)}${random.pick(operators)}${blank}${random.pick(targets)}`;
}
