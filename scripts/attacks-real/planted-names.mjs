// Faults to plant in the parts of the gate that follow names through loops and from one program to another.

const one = (name, file, from, to) => ({ name, changes: [{ file: `src/permission/${file}`, from, to }] });

/** Each is a hole that the gate had, or would have without this line. */
export const handedOn = [
  one(
    "xargs gets a name with blanks as one name",
    "decide/fed-files.ts",
    String.raw`blanks: /^[^\s'"\\\p{C}]+$/u,`,
    "blanks: /^/,",
  ),
  one("a link that find lists is handed on", "decide/fed-files.ts", "if (!isLink) continue;", "continue;"),
  one("an inner loop may have the variable of the outer one", "command/command-list.ts", "if (isTaken || ", "if ("),
  one(
    "a value of printf may be more than a number",
    "command/expressions.ts",
    "return values.every(fits) ? [] : undefined;",
    "return [];",
  ),
];
