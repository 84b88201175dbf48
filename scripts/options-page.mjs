// Writes docs/options.md: every option of createAgent, of a run and of the command, from the docstrings and the command's own table.

import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import * as prettier from "prettier";
import ts from "typescript";

/** The interfaces with options, and the headings above their tables. A prefix is the option whose value has these options. */
const tables = [
  {
    heading: "createAgent",
    about: "`createAgent({ model, tools, ... })` makes an agent.",
    file: "src/core/agent/assemble.ts",
    name: "AgentOptions",
  },
  {
    heading: "limits",
    about: "`createAgent({ limits: { ... } })`, explained in [limits](limits.md).",
    file: "src/core/ports/limit.ts",
    name: "LimitOptions",
  },
  {
    heading: "circuit",
    about:
      "`createAgent({ circuit: { ... } })`, explained in [when the model gets it wrong](when-the-model-gets-it-wrong.md).",
    file: "src/core/journal/circuit.ts",
    name: "CircuitOptions",
  },
  {
    heading: "secrets",
    about: "`createAgent({ secrets: { ... } })`, explained in [secrets](secrets.md).",
    file: "src/core/secret/redact.ts",
    name: "SecretOptions",
  },
  {
    heading: "agent.run, agent.stream, agent.resume",
    about:
      "`agent.run(input, { ... })`. `resume` takes the session as its first argument. If a tool declares a `context`, each run has to give it, as `context`. `run` and `resume` also take `onEvent`, a function that sees every event.",
    file: "src/core/agent/agent.ts",
    name: "RunOptions",
  },
  {
    heading: "tool",
    about: "`tool({ name, description, input, ... })` makes a tool, explained in [tools](guide/2-tools.md).",
    file: "src/core/ports/tool.ts",
    name: "ToolOptions",
  },
  {
    heading: "tool with isLoopBreaking",
    about: "A tool that ends a run has these as well, explained in [endings](guide/3-endings.md).",
    file: "src/core/ports/tool.ts",
    name: "BreakingOptions",
  },
  {
    heading: "gate",
    about:
      "`createAgent({ permission: gate({ root, ... }) })`, explained in [what the agent may do](what-the-agent-may-do.md).",
    file: "src/permission/gate.ts",
    name: "GateOptions",
  },
];

/** The text of the page, as the formatter writes it. */
export async function optionsPage(root) {
  const sections = tables.map((table) => section(root, table));
  const text = [
    "# Options",
    "",
    "<!-- Written by `node scripts/options-page.mjs`. Change the docstrings instead. -->",
    "",
    "All options by name, with their kinds and defaults. A wrong name or value is an error at once, with the nearest name that there is.",
    "",
    ...sections.flat(),
    ...command(root),
  ].join("\n");
  const path = join(root, "docs/options.md");
  return prettier.format(text, { ...(await prettier.resolveConfig(path)), filepath: path });
}

function section(root, { heading, about, file, name }) {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.Latest, true);
  const rows = membersOf(source, name).map((member) => rowOf(member, source, constraintsOf(source, name)));
  return [
    `## ${heading}`,
    "",
    about,
    "",
    "| option | kind | default | meaning |",
    "| --- | --- | --- | --- |",
    ...rows,
    "",
  ];
}

function declarationOf(source, name) {
  const found = source.statements.find((one) => ts.isInterfaceDeclaration(one) && one.name.text === name);
  if (found === undefined) throw new Error(`${source.fileName} has no interface ${name}.`);
  return found;
}

/** The members of an interface, and of the interfaces of the same file that it extends. */
function membersOf(source, name) {
  const { members, heritageClauses = [] } = declarationOf(source, name);
  const bases = heritageClauses.flatMap(({ types }) => types.map(({ expression }) => expression.getText(source)));
  const own = members.filter((one) => ts.isPropertySignature(one) || ts.isMethodSignature(one));
  return [...bases.flatMap((base) => membersOf(source, base)), ...own];
}

/** The bounds of the type parameters, such as `readonly Tool[]` for `Tools`. */
function constraintsOf(source, name) {
  const { typeParameters = [] } = declarationOf(source, name);
  return new Map(typeParameters.map((one) => [one.name.text, one.constraint?.getText(source) ?? "any"]));
}

function rowOf(member, source, constraints) {
  const name = member.name.getText(source);
  const doc = docOf(member);
  if (doc === "") throw new Error(`The option ${name} in ${source.fileName} has no docstring.`);
  const { meaning, standard } = withDefault(doc);
  const isNeeded = member.questionToken === undefined;
  if (meaning === "") throw new Error(`The docstring of ${name} in ${source.fileName} says its default alone.`);
  const given = standard ?? (isNeeded ? "needed" : "none");
  return `| \`${name}\` | ${cell(`\`${kindOf(member, source, constraints)}\``)} | ${cell(given)} | ${cell(meaning)} |`;
}

function docOf(member) {
  return ts
    .getJSDocCommentsAndTags(member)
    .map(({ comment = "" }) => (typeof comment === "string" ? comment : ts.getTextOfJSDocComment(comment)))
    .join(" ")
    .replace(/\s+/g, " ")
    .trim();
}

/** Takes the first sentence about the default out of a docstring. */
function withDefault(doc) {
  const [whole, standard] = /(?:^| )Default:? (.+?)\.(?= |$)/.exec(doc) ?? [];
  if (whole === undefined) return { meaning: doc, standard: undefined };
  return { meaning: doc.replace(whole, "").trim(), standard };
}

function kindOf(member, source, constraints) {
  if (ts.isMethodSignature(member)) return "function";
  const text = member.type.getText(source);
  return short(text.replace(/\b[A-Z]\w*\b/g, (name) => constraints.get(name) ?? name));
}

/** A type without the arguments of generic types, and without `undefined`. A function is `function`. */
function short(text) {
  let plain = text.replace(/=>/g, "→").replace(/\s+/g, " ");
  for (let last = ""; last !== plain;) {
    last = plain;
    plain = plain.replace(/<[^<>]*>/g, "");
  }
  if (plain.includes("→")) return "function";
  return plain
    .replace(/\breadonly /g, "")
    .split("|")
    .map((one) => one.trim())
    .filter((one) => one !== "" && one !== "undefined")
    .join(" | ");
}

/** The options of the command, from its table. */
function command(root) {
  const file = "src/cli/args/option-table.ts";
  const source = ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.Latest, true);
  const statement = source.statements
    .filter((one) => ts.isVariableStatement(one))
    .flatMap(({ declarationList }) => declarationList.declarations)
    .find((one) => one.name.getText(source) === "table");
  // The table is a literal of this repository.
  const table = new Function(`return (${statement.initializer.expression.getText(source)})`)();
  const lines = [
    "## The command",
    "",
    "`lastcall help PAGE` explains these at the terminal. In a config file, the same names stand without the dashes.",
    "",
  ];
  for (const [name, row] of Object.entries(table)) {
    if (row.page)
      lines.push("", `### ${row.page.name}`, "", row.page.heading, "", "| option | meaning |", "| --- | --- |");
    const help = typeof row.help === "string" ? row.help : `see \`--${row.help.in}\``;
    const standard = row.default === undefined || help.includes("(default:") ? "" : ` (default: ${row.default})`;
    lines.push(`| \`--${name}${row.value === undefined ? "" : ` ${cell(row.value)}`}\` | ${cell(help + standard)} |`);
  }
  return [...lines, ""];
}

/** A text that can stand in a cell of a table. */
function cell(text) {
  const parts = text.replaceAll("|", "\\|").split("`");
  // Every second part is code, in which only the bar of a table has a meaning.
  return parts.map((part, at) => (at % 2 === 1 ? part : part.replace(/[*<]/g, "\\$&"))).join("`");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const root = resolve(import.meta.dirname, "..");
  writeFileSync(join(root, "docs/options.md"), await optionsPage(root));
}
