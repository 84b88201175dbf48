// Faults to plant in a copy of the gate: each is a hole that it once had. The suite must find every one.

import { handedOn } from "./planted-names.mjs";

/** `shells`: the shells in which it shows, if not in all. `changes`: each file has the text `from` exactly once, and `to` stands in its place. */
export const faults = [
  {
    name: "the first path after grep -f FILE is taken for the pattern",
    changes: [
      {
        file: "src/permission/command/program-options.ts",
        from: 'words === "pattern" && letter === "f");',
        to: "false);",
      },
    ],
  },
  {
    name: "a number of several digits before a redirection counts as a descriptor",
    changes: [
      {
        file: "src/permission/command/read-command.ts",
        from: "if (number !== undefined && number.length > 1) this.#list.doubt();",
        to: "",
      },
      {
        file: "src/permission/command/read-command.ts",
        from: "if (number?.length === 1) this.#list.dropWord();",
        to: "if (number !== undefined) this.#list.dropWord();",
      },
    ],
  },
  {
    name: "diff of folders is let through",
    changes: [{ file: "src/permission/command/programs.ts", from: "      opensFolders: true,\n", to: "" }],
  },
  {
    name: "a recursive reader is let through although its folder holds secret files",
    changes: [
      { file: "src/permission/command/programs.ts", from: '      look: "grep",\n', to: "" },
      { file: "src/permission/command/programs.ts", from: '      look: "ripgrep",\n', to: "" },
    ],
  },
  {
    name: "a quoted ~ counts as the home folder",
    changes: [
      {
        file: "src/permission/command/read-command.ts",
        from: "if (begins && (isQuoted || word.isQuoted)) this.#list.doubt();",
        to: "void begins;",
      },
    ],
  },
  {
    name: "a redirection to /dev/null is believed after a blank that no shell takes for one",
    changes: [
      {
        file: "src/permission/command/read-command.ts",
        from: "/^[ \\t]*(?:\\/dev\\/null|[012])(?=[ \\t\\n;&|)]|$)/",
        to: "/^\\s*(?:\\/dev\\/null|[012])(?=[\\s;&|)]|$)/",
      },
    ],
  },
  {
    name: "an interpreter without an option is let through, and runs its input",
    changes: [
      {
        file: "src/permission/command/program-options.ts",
        from: "if (needsOption && options.size === 0) return undefined;",
        to: "",
      },
    ],
  },
  {
    name: "a {name} before a redirection counts as a word",
    shells: ["bash-as-sh"],
    changes: [{ file: "src/permission/command/read-command.ts", from: "word?.hasBrace === true || ", to: "" }],
  },
  {
    name: "a redirection that touches the file of another one is believed",
    shells: ["zsh"],
    changes: [
      {
        file: "src/permission/command/read-command.ts",
        from: " || (word !== undefined && this.#list.isTarget)",
        to: "",
      },
    ],
  },
  {
    name: "links in .git are not looked for",
    changes: [
      {
        file: "src/permission/decide/git-repository.ts",
        from: ' ?? strangeEntry(join(root, ".git"), work)',
        to: "",
      },
    ],
  },
  ...handedOn,
];
