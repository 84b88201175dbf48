// The part of a Dockerfile that needs no container: a work folder, copies of files, and commands that prepare them.

/** One step that prepares the work folder. */
export type BuildStep =
  | { readonly kind: "copy"; readonly from: readonly string[]; readonly to: string; readonly line: string }
  | { readonly kind: "run"; readonly command: string; readonly folder: string; readonly line: string };

/** A Dockerfile as far as it can be followed without a container. */
export interface Recipe {
  /** The image of the one `FROM`. */
  readonly image: string;
  /** The last work folder, as an absolute path; `/` without one. */
  readonly folder: string;
  readonly steps: readonly BuildStep[];
  readonly variables: Readonly<Record<string, string>>;
  /** The lines that install programs. They are not followed: whether the programs of this machine do is another question. */
  readonly installs: readonly string[];
  /** The lines that can't be followed, with the reasons. */
  readonly unmet: readonly string[];
}

/** Instructions that change nothing for a task: Harbor starts a command of its own in the container. */
const idle: ReadonlySet<string> = new Set(["CMD", "EXPOSE", "LABEL", "MAINTAINER", "STOPSIGNAL", "VOLUME"]);

/** Variables about printing, asking and the place of the tests. No task is about them. */
const harmless: ReadonlySet<string> = new Set([
  "DEBIAN_FRONTEND",
  "PYTHONUNBUFFERED",
  "PYTHONDONTWRITEBYTECODE",
  "PIP_NO_CACHE_DIR",
  "LANG",
  "LC_ALL",
  "TEST_DIR",
]);

/** Programs that install other programs, or download them, at the beginning of a command. */
const installers =
  /(?:^|[;&|(]\s*)(?:sudo\s+)?(?:apt|apt-get|apk|yum|dnf|microdnf|pip3?|python3? -m pip|uv|npm|pnpm|yarn|cargo|go (?:get|install|mod)|gem|conda|curl|wget|git clone|useradd|adduser)\b/m;

/** Reads a Dockerfile. Nothing is thrown: a line that can't be followed is listed with its reason. */
export function readDockerfile(text: string): Recipe {
  let [image, folder] = ["", "/"];
  const steps: BuildStep[] = [];
  const variables: Record<string, string> = {};
  const [installs, unmet]: [string[], string[]] = [[], []];
  for (const line of linesOf(text)) {
    const [, word = "", rest = ""] = /^(\w+)\s+([\s\S]*)$/.exec(line) ?? ["", line];
    const refuse = (why: string): void => void unmet.push(`the Dockerfile's line "${headOfLine(line)}" ${why}`);
    switch (word.toUpperCase()) {
      case "FROM":
        if (image !== "") refuse("begins a second image");
        image = rest.replace(/^--platform=\S+\s+/, "").replace(/\s+AS\s+\S+$/i, "");
        break;
      case "WORKDIR":
        if (rest.includes("$")) refuse("has a variable in a path");
        else folder = joined(folder, rest.trim());
        break;
      case "COPY":
      case "ADD": {
        const copy = copyOf(rest, { folder, line });
        if (typeof copy === "string") refuse(copy);
        else steps.push(copy);
        break;
      }
      case "RUN":
        if (/^(?:--|\[|<<)|<</.test(rest)) refuse("has a form that is not read here");
        else if (installers.test(rest)) installs.push(headOfLine(line));
        else steps.push({ kind: "run", command: rest, folder, line: headOfLine(line) });
        break;
      case "ENV": {
        const pairs = pairsOf(rest);
        if (Object.keys(pairs).every((name) => harmless.has(name))) Object.assign(variables, pairs);
        else refuse("sets a variable that the agent's commands would not have");
        break;
      }
      default:
        if (!idle.has(word.toUpperCase())) refuse("needs a container");
    }
  }
  return { image, folder, steps, variables, installs, unmet };
}

/** The instructions, with continued lines joined, without comments and without the texts that follow a line with `<<`. */
function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).filter((line) => !/^\s*#/.test(line));
  const joinedLines = lines
    .join("\n")
    .replaceAll(/\\[ \t]*\n/g, " ")
    .split("\n")
    .map((line) => line.trim());
  const kept: string[] = [];
  let until: string | undefined;
  for (const line of joinedLines) {
    if (until !== undefined) {
      if (line === until) until = undefined;
      continue;
    }
    until = /<<-?\s*["']?(\w+)["']?/.exec(line)?.[1];
    if (line !== "") kept.push(line);
  }
  return kept;
}

function headOfLine(line: string): string {
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

/** A path in the container, from the folder. */
function joined(folder: string, path: string): string {
  const parts = (path.startsWith("/") ? path : `${folder}/${path}`).split("/");
  const kept: string[] = [];
  for (const part of parts) {
    if (part === "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  }
  return `/${kept.join("/")}`;
}

/** The copy that the words ask for; a reason if it can't be made. */
function copyOf(
  rest: string,
  { folder, line }: { readonly folder: string; readonly line: string },
): BuildStep | string {
  const flags = /^(?:--\S+\s+)*/.exec(rest)?.[0] ?? "";
  if (/--(?!chown=|link\b)/.test(flags)) return "copies with an option that is not read here";
  const words = wordsOf(rest.slice(flags.length));
  if (words === undefined) return "has a form that is not read here";
  const to = words.at(-1) ?? "";
  const from = words.slice(0, -1);
  if (from.length === 0) return "names no file to copy";
  if (words.some((word) => /[$*?[]|<</.test(word))) return "has a pattern or a variable in a path";
  if (from.some((word) => /^[a-z]+:\/\//.test(word))) return "downloads a file";
  if (from.some((word) => word.split("/").includes(".."))) return "names a file outside of its folder";
  const isFolder = /(?:^|\/)\.?$/.test(to) || from.length > 1;
  return { kind: "copy", from, to: `${joined(folder, to)}${isFolder ? "/" : ""}`, line: headOfLine(line) };
}

function wordsOf(text: string): readonly string[] | undefined {
  if (!text.startsWith("[")) return text.split(/\s+/).filter((word) => word !== "");
  try {
    const read: unknown = JSON.parse(text);
    return Array.isArray(read) && read.every((word) => typeof word === "string") ? read : undefined;
  } catch {
    return undefined;
  }
}

/** The variables of an `ENV` line, in both of its forms. */
function pairsOf(rest: string): Readonly<Record<string, string>> {
  const old = /^(\w+)\s+([^=]*)$/.exec(rest);
  if (old !== null) return { [old[1] ?? ""]: old[2] ?? "" };
  const found = rest.matchAll(/(\w+)=(?:"([^"]*)"|'([^']*)'|(\S*))/g);
  return Object.fromEntries([...found].map(([, name = "", a, b, c]) => [name, a ?? b ?? c ?? ""]));
}
