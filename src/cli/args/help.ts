// The help: an overview, and a page for each command and each group of options.

import { nearest } from "../display/misspelling.js";
import { paragraph, twoColumns } from "../display/paragraph.js";
import { commandNamed } from "./command-names.js";
import { codes, pages, usage, type Entry, type Page } from "./help-pages.js";
import { rows, type Name, type Row } from "./option-table.js";

/** The widest line: longer lines are hard to read. */
const widest = 100;

/** A page with options. */
interface Group {
  readonly name: string;
  readonly heading: string;
  readonly options: readonly (readonly [name: Name, row: Row])[];
}

const groups: readonly Group[] = (Object.entries(rows) as [Name, Row][]).reduce<readonly Group[]>((all, entry) => {
  const { page } = entry[1];
  const last = all.at(-1);
  if (page !== undefined) return [...all, { ...page, options: [entry] }];
  return last === undefined ? all : [...all.slice(0, -1), { ...last, options: [...last.options, entry] }];
}, []);

const names: readonly string[] = [...new Set([...Object.keys(pages), ...groups.map(({ name }) => name)])];

/**
 * A page of the help; without a name, the overview. The page `all` has all options. The name of an option is a name of its page.
 * Undefined if there is no such page.
 */
export function help(name: string | undefined, terminalColumns: number): string | undefined {
  const columns = Math.min(terminalColumns, widest);
  const lines = name === undefined ? overview(columns) : name === "all" ? everything(columns) : page(name, columns);
  return lines && `${lines.join("\n")}\n`;
}

/** The message about a page that the help does not have. */
export function noPage(name: string): string {
  const meant = nearest(name, names);
  const hint = meant === undefined ? `The pages are ${names.join(", ")}, all.` : `Did you mean lastcall help ${meant}?`;
  return `The help has no page ${JSON.stringify(name)}. ${hint} lastcall docs searches the pages beyond the command`;
}

function overview(columns: number): readonly string[] {
  const about = groups.map(({ name, options }): Entry => [name, options.map(([option]) => `--${option}`).join(" ")]);
  const others = names.filter((name) => !groups.some((group) => group.name === name)).join(", ");
  return [
    ...twoColumns(usage, columns),
    "",
    ...paragraph("The options by the pages about them: lastcall help PAGE, or lastcall help all.", columns),
    ...twoColumns(about, columns),
    ...paragraph(`More pages: ${others}.`, columns),
    ...paragraph("In a sandbox, commands run unasked behind walls: lastcall help rights.", columns),
    "",
    ...paragraph("The answer goes to standard output, progress to standard error. The exit codes:", columns),
    ...twoColumns(codes, columns),
  ];
}

function everything(columns: number): readonly string[] {
  return groups.flatMap((group, index) => [...(index === 0 ? [] : [""]), ...groupLines(group, columns)]);
}

function page(given: string, columns: number): readonly string[] | undefined {
  const word = given.replace(/^--/, "").toLowerCase();
  const name = commandNamed(word) ?? word;
  if (name === "help" || name === "version") return overview(columns);
  const text = Object.hasOwn(pages, name) ? pages[name] : undefined;
  const group =
    groups.find((one) => one.name === name) ??
    groups.find(({ options }) => options.some(([option]) => option === name));
  const parts = [text && pageLines(text, columns), group && groupLines(group, columns)].filter(
    (part) => part !== undefined,
  );
  return parts.length === 0 ? undefined : parts.flatMap((part, index) => (index === 0 ? part : ["", ...part]));
}

function pageLines({ usage: title, text, entries = [], options }: Page, columns: number): readonly string[] {
  return [
    ...paragraph(title, columns),
    "",
    ...paragraph(text, columns),
    ...(entries.length === 0 ? [] : ["", ...twoColumns(entries, columns)]),
    ...(options === undefined ? [] : ["", ...paragraph(`Options: ${options}; lastcall help all has them.`, columns)]),
  ];
}

function groupLines({ heading, options }: Group, columns: number): readonly string[] {
  return [...paragraph(heading, columns), ...twoColumns(options.flatMap(entryOf), columns)];
}

/** The line about an option; none if another line has it. */
function entryOf([name, row]: readonly [Name, Row]): readonly Entry[] {
  if (typeof row.help !== "string") return [];
  const short = row.short === undefined ? "" : `-${row.short}, `;
  const value = row.value === undefined ? "" : ` ${row.value}`;
  const alongside = row.alongside === undefined ? "" : `, --${row.alongside}`;
  const fallback = row.default === undefined ? "" : ` (default: ${row.default})`;
  return [[`${short}--${name}${value}${alongside}`, `${row.help}${fallback}`]];
}
