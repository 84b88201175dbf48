// Expands the words of a command as a shell does: variables, patterns, and the loops around it.

import { Work } from "../command/decision-work.js";
import { folderVariable, unknownText, type Loop, type Part, type SimpleCommand, type Word } from "../command/words.js";
import { expandPattern, Unsure, type Piece } from "./expand-pattern.js";

/** The place of a command. */
export interface Place {
  /** A real path. */
  readonly root: string;
  /** The folder that the command runs in. */
  readonly folder: string;
  /** The work that is left. Default: the work of a whole decision. */
  readonly work?: Work;
}

/** A command as a program gets it. A NUL in a word stands for digits that only the shell knows, two NULs for any text. */
export interface ExpandedCommand {
  readonly words: readonly string[];
  /** The files that its input is redirected from. */
  readonly reads: readonly string[];
  /** The words that patterns stood for. */
  readonly found: readonly string[];
}

/** The commands that one written command stands for; or the reason why nobody can tell. */
export type Expansion =
  | { readonly is: "known"; readonly commands: readonly ExpandedCommand[] }
  | { readonly is: "unknown"; readonly reason: string };

/** The most commands and words that loops and patterns may lead to. */
const maxCommands = 256;
const maxWords = 2000;

/** Variables that commands get from this process. */
const inherited: ReadonlySet<string> = new Set(["PATH", "HOME", "USER", "LANG", "TERM", "SHELL"]);

/** The steps of a command, of a word that is looked at, and of a word that is expanded. */
const stepsOfCommand = 2;
const stepsOfWord = 0.2;
const stepsOfExpansion = 1;

/** True if files decide what a word of the command stands for. */
export function hasPatterns({ parts, loops }: SimpleCommand, work: Work = new Work()): boolean {
  return [parts, ...loops.map((loop) => loop.words)].some((words) => {
    work.spend(words.length * stepsOfWord);
    return words.some((word) => word.parts.some(({ is }) => is === "pattern"));
  });
}

/**
 * Expands a command that is understood.
 * @throws TooMuchWork if the work that is left does not suffice.
 */
export function expandCommand(command: SimpleCommand, from: Place): Expansion {
  const { work = new Work() } = from;
  const { words, reads, loops } = command;
  work.spend(stepsOfCommand + words.length * stepsOfWord);
  if (loops.length === 0 && [...command.parts, ...command.inputs].every(isText))
    return { is: "known", commands: [{ words, reads, found: [] }] };
  const place = { ...from, work };
  try {
    const commands: ExpandedCommand[] = [];
    let count = 0;
    for (const variables of loopValues(command.loops, place)) {
      const found: string[] = [];
      const words = command.parts.flatMap((word) => expandWord(word, variables, place, found));
      const reads = command.inputs.flatMap((word) => expandWord(word, variables, place, []));
      count += words.length + 1;
      if (commands.length >= maxCommands || count > maxWords) throw new Unsure("it stands for too many commands");
      commands.push({ words, reads, found });
    }
    return { is: "known", commands };
  } catch (thrown) {
    if (thrown instanceof Unsure) return { is: "unknown", reason: thrown.message };
    throw thrown;
  }
}

/** True if a shell takes the word as it is, without its quotes. */
function isText({ parts }: Word): boolean {
  return parts.every(({ is }) => is === "text");
}

type Variables = ReadonlyMap<string, string>;

/** The values of the variables, for each run of the innermost loop. */
function* loopValues(
  [loop, ...inner]: readonly Loop[],
  place: Required<Place>,
  outer: Variables = new Map(),
): Generator<Variables> {
  if (loop === undefined) {
    yield outer;
    return;
  }
  const values = loop.isRead ? [unknownText] : loop.words.flatMap((word) => expandWord(word, outer, place, []));
  // The shell puts the home folder in its place before the loop begins.
  if (values.some((value) => value.startsWith("~"))) throw new Unsure("its loop is over the home folder");
  for (const value of values) yield* loopValues(inner, place, new Map([...outer, [loop.variable, value]]));
}

function expandWord({ parts }: Word, variables: Variables, place: Required<Place>, found: string[]): readonly string[] {
  place.work.spend(parts.length * stepsOfExpansion);
  const pieces = parts.map((part): Piece => (part.is === "variable" ? valueOf(part, variables, place) : part));
  const text = pieces.map((piece) => piece.text).join("");
  // A judge of a word takes a `~` for the home folder; the shell does so only if it is written.
  if (text.startsWith("~") && !(parts[0]?.is === "text" && parts[0].text.startsWith("~")))
    throw new Unsure("one of its words begins with a ~ that is no home folder");
  const isAssigned = parts.some(({ is }) => is === "variable") && /[=:]~|^-.*~(?:\/|$)/s.test(text);
  if (isAssigned) throw new Unsure("one of its words holds a ~ that is no home folder");
  if (!pieces.some(({ is }) => is === "pattern")) return [text];
  if (text.includes("\0") || text.startsWith("~")) throw new Unsure("nobody can tell what its patterns stand for");
  const names = expandPattern(place, pieces);
  if (names.some((name) => /^-|~/.test(name)))
    throw new Unsure("one of its patterns stands for a name that begins with a - or holds a ~");
  found.push(...names);
  return names.length === 0 ? [text] : names;
}

/** The value of a variable, as text. */
function valueOf(
  { name, isQuoted }: Extract<Part, { readonly is: "variable" }>,
  variables: Variables,
  { folder }: Place,
): Piece {
  // The exit code, the number of arguments, and the number of the process.
  if (/^[?#$]$/.test(name)) return { is: "text", text: "\0" };
  const known = inherited.has(name) ? process.env[name] : undefined;
  const ofFolder = name === folderVariable ? folder.replace(/\n+$/, "") : name === "PWD" ? folder : undefined;
  const text = variables.get(name) ?? ofFolder ?? known;
  if (text === undefined) throw new Unsure(`nobody can tell the value of $${name}`);
  if (!isQuoted && text.includes(unknownText)) throw new Unsure(`the value of $${name} is read, and is not quoted`);
  if (!isQuoted && (text === "" || /[\s*?[\]\\]/.test(text)))
    throw new Unsure(`the value of $${name} has blanks or patterns, and is not quoted`);
  return { is: "text", text };
}
