// Workspaces with all kinds of files, histories of a run in them, and what other people do in between.

import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { without } from "../../programs.js";

export function newFolder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "lastcall-changes-")));
  onTestFinished(() => {
    open(path);
    rmSync(path, { recursive: true, force: true });
  });
  return path;
}

/** Gives the owner all rights to the folders. */
function open(path: string): void {
  chmodSync(path, 0o700);
  for (const entry of readdirSync(path, { withFileTypes: true })) if (entry.isDirectory()) open(join(path, entry.name));
}

/** The reason why commands that change files can't run; an empty string if they can. */
export const leftOut: string = without("cat", "chmod", "cp", "dirname", "ln", "mkdir", "mv", "rm", "sleep", "touch");

/** Everything below the folder: its kind, its mode, its content, by path. */
export function picture(root: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const walk = (path: string): void => {
    for (const name of readdirSync(join(root, path))) {
      const at = path === "" ? name : `${path}/${name}`;
      const stats = lstatSync(join(root, at));
      const mode = (stats.mode & 0o7777).toString(8);
      if (stats.isSymbolicLink()) found[at] = `link ${readlinkSync(join(root, at))}`;
      else if (stats.isDirectory()) {
        found[at] = `folder ${mode}`;
        walk(at);
      } else found[at] = `file ${mode} ${readFileSync(join(root, at)).toString("base64")}`;
    }
  };
  walk("");
  return found;
}

export type Random = () => number;

/** A workspace of about this many files: sources, a folder that git ignores, binary files, links, programs. */
export function fill(root: string, files: number, random: Random): void {
  const put = (path: string, content: string | Buffer, mode = 0o644): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
    chmodSync(join(root, path), mode);
  };
  put(".gitignore", "dist/\n");
  for (let index = 0; index < files; index += 1) {
    const folder = ["src", "src/deep/er", "dist", "docs", "node_modules/a", "node_modules/b/lib"][index % 6]!;
    const bytes = Buffer.from(Array.from({ length: 20 }, () => Math.floor(256 * random())));
    const isBinary = index % 7 === 0;
    put(
      `${folder}/f${String(index)}.${isBinary ? "bin" : "txt"}`,
      isBinary ? bytes : `line ${String(index)}\nend\n`,
      index % 11 === 0 ? 0o755 : 0o644,
    );
  }
  symlinkSync("src", join(root, "link-to-folder"));
  symlinkSync("nowhere", join(root, "dangling"));
}

const pick = <T>(list: readonly T[], random: Random): T => list[Math.floor(list.length * random())]!;

/** All files of the workspace, without what is in folders that other steps may remove as a whole. */
export function filesOf(root: string): readonly string[] {
  return Object.entries(picture(root)).flatMap(([path, what]) => (what.startsWith("file") ? [path] : []));
}

/** A command that changes something, in the words of a shell. */
export function commandFor(root: string, step: number, random: Random): string {
  const files = filesOf(root);
  const [one, other] = [pick(files, random), pick(files, random)];
  const fresh = `made/by-${String(step)}`;
  return pick(
    [
      `printf 'more ${String(step)}' >> '${one}'`,
      `rm -f '${one}' '${other}'`,
      `mkdir -p '${fresh}/in' && printf x > '${fresh}/in/file' && cp '${one}' '${fresh}/copy'`,
      `mv '${one}' '${one}.moved'`,
      `chmod 700 '${one}'`,
      `rm -rf "$(dirname '${one}')"`,
      `mv "$(dirname '${one}')" 'moved-${String(step)}'`,
      `ln -sf '${String(step)}' 'link-${String(step)}'; rm -f dangling`,
      `rm -f '${one}' && mkdir '${one}' && printf y > '${one}/now-a-folder'`,
      `cat '${one}' > made-${String(step)}.tmp; mv made-${String(step)}.tmp '${other}'`,
      `mkdir -p sealed-${String(step)} && printf z > sealed-${String(step)}/f && chmod 500 sealed-${String(step)}`,
      `true`,
      `touch '${one}'`,
    ],
    random,
  );
}
