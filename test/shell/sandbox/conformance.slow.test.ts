// Every sandbox that works on this system holds its walls against real commands.

import { spawn, spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { release } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { OpenableWall } from "../../../src/index.js";
import { openableWalls } from "../../../src/core/internal.js";
import { hostShell, type Shell } from "../../../src/tools/index.js";
import { has, pause, without } from "../../programs.js";
import { candidates, expectNoMoreBeats, folder, folderElsewhere, run, stubborn, type Candidate } from "../sandboxes.js";
import { given, tries, type Try } from "./conformance.js";
import "../../dist.js";

const expectedWalls: Readonly<Record<string, readonly string[]>> = {
  bubblewrap: ["files", "protected", "network", "home", "secrets"],
  "sandbox-exec": ["files", "protected", "network", "home", "secrets"],
  Landlock: ["files", "home"],
};

const folders = ["outside", "home", "root"] as const;
type Scene = Readonly<Record<(typeof folders)[number], string>>;

/** A home folder with a workspace in it, and a folder elsewhere, until the end of the test. */
function scene(): Scene {
  const home = folderElsewhere();
  const places = { home, outside: folderElsewhere(), root: join(home, "dev/project") };
  for (const [path, text] of Object.entries(given)) {
    const at = pathIn(places, path);
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, text);
  }
  vi.stubEnv("HOME", home);
  onTestFinished(() => void vi.unstubAllEnvs());
  return places;
}

function pathIn(places: Scene, path: string): string {
  const first = folders.find((name) => path.startsWith(`${name}/`));
  if (first === undefined) throw new Error(`${path} is in no folder`);
  return join(places[first], path.slice(first.length + 1));
}

/** The text and the mode of a file; "missing" if there is none. */
function look(path: string): string {
  try {
    return `${String(statSync(path).mode)} ${readFileSync(path, "utf8")}`;
  } catch {
    return "missing";
  }
}

/** Servers outside, until the end of the test. A server that was reached is in the set. */
async function serve(): Promise<{
  readonly reached: Set<string>;
  readonly variables: Readonly<Record<string, string>>;
}> {
  const reached = new Set<string>();
  const socket = join(folder(), "socket");
  async function listen(name: string, where: number | string): Promise<number> {
    const server = createServer((connection) => {
      reached.add(name);
      connection.on("error", () => undefined).end("reached");
    });
    server.listen(where);
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }
  await listen("socket", socket);
  const port = await listen("tcp", 0);
  const udp = createSocket("udp4").on("message", () => void reached.add("udp"));
  udp.bind(port, "127.0.0.1");
  await once(udp, "listening");
  onTestFinished(() => void udp.close());
  return { reached, variables: { SOCKET: socket, PORT: String(port) } };
}

/** Runs a try, and says for each harm whether it happened. */
async function harms(
  one: Try,
  shellIn: (root: string) => Shell,
  opens: readonly OpenableWall[] = [],
): Promise<boolean[]> {
  const places = scene();
  const { reached, variables } = await serve();
  const paths = (one.unchanged ?? []).map((path) => pathIn(places, path));
  const before = paths.map(look);
  const environment = { ...variables, HOME: places.home, OUTSIDE: places.outside };
  const { output } = await run(shellIn(places.root), places.root, one.command, { environment, opens });
  return [
    ...paths.map((path, index) => look(path) !== before[index]),
    ...(one.unseen === undefined ? [] : [output.includes(one.unseen)]),
    ...(one.unreached === undefined ? [] : [reached.has(one.unreached)]),
  ];
}

const isInTmp = import.meta.dirname.startsWith("/tmp/");

/** The control: the same command if this wall is not there. */
async function withoutWall(one: Try, { make }: Candidate): Promise<boolean[]> {
  // A home folder in /tmp stays closed with it.
  const isOnHost = one.control === "host" || one.wall === "files" || (one.wall === "home" && isInTmp);
  if (isOnHost) return await harms(one, () => hostShell());
  const opens = openableWalls.filter((wall) => wall === one.wall);
  return await harms(one, (root) => make({ root, writable: true }), opens);
}

for (const candidate of candidates.filter(({ finding }) => !finding.ok)) {
  const reason = candidate.finding.ok ? "" : candidate.finding.reason;
  test.skip(`${candidate.name} holds its walls (left out: not run on this system: ${reason})`, () => undefined);
}

describe.each(candidates.filter(({ finding }) => finding.ok).map((one) => [one.name, one] as const))(
  "%s",
  (name, candidate) => {
    const { make } = candidate;

    test("lists the walls that the documentation says", () => {
      const root = folder();
      expect(make({ root, writable: true }).walls).toEqual(expectedWalls[name]);
      const all = make({ root, writable: false }).walls;
      expect([...all].sort()).toEqual([...expectedWalls[name]!, "workspace"].sort());
    });

    const { walls } = make({ root: import.meta.dirname, writable: false });
    for (const one of tries.filter(({ wall }) => walls.includes(wall))) {
      const isGap = one.gapOf?.includes(name) === true;
      const missing = without(...(one.needs ?? []));
      const does = isGap ? "does not keep out, as documented" : "keeps out";
      test.skipIf(missing !== "")(`${one.wall}: ${does}: ${one.name}${missing}`, async () => {
        const isWritable = one.wall !== "workspace";
        const made = await harms(one, (root) => make({ root, writable: isWritable }));
        expect(made.length).toBeGreaterThan(0);
        expect(made).toEqual(made.map(() => isGap));
        if (one.control !== "none") expect(await withoutWall(one, candidate)).toEqual(made.map(() => true));
      });
    }

    test("gives the exit code", async () => {
      const root = folder();
      for (const code of [0, 1, 41, 125])
        expect((await run(make({ root, writable: true }), root, `exit ${String(code)}`)).ending).toEqual({
          how: "exited",
          code,
        });
      expect((await run(make({ root, writable: true }), root, "no-such-program")).ending).toEqual({
        how: "exited",
        code: 127,
      });
    });

    test("has a folder for temporary files, and nothing of it stays", async () => {
      const root = folder();
      const { output } = await run(
        make({ root, writable: false }),
        root,
        'echo x > "$TMPDIR/mine"; cat "$TMPDIR/mine"; echo "$TMPDIR"',
        {
          environment: { TMPDIR: "/tmp" },
        },
      );
      const [text, at = ""] = output.trim().split("\n");
      expect(text).toBe("x");
      expect(look(join(at, "mine"))).toBe("missing");
      expect(at === "/tmp" || look(at)).toBe(at === "/tmp" ? true : "missing");
    });

    test("ends processes that a command left in the background", async () => {
      const root = folder();
      const command = `${stubborn} & until test -s beats; do ${process.execPath} -e 0; done`;
      await run(make({ root, writable: true }), root, command);
      await expectNoMoreBeats(root);
    });

    const outlives = name !== "bubblewrap";
    const ending = outlives ? "leaves alone, as documented, but inside its walls," : "ends";
    test.skipIf(!has("setsid"))(`${ending} processes that left their group${without("setsid")}`, async () => {
      const [root, other] = [folder(), folderElsewhere()];
      const loop = `echo $$ > pid; while :; do echo x >> beats; echo x > ${other}/made; ${pause(0.02)}; done`;
      writeFileSync(join(root, "loop.sh"), loop);
      const command = "setsid sh loop.sh >/dev/null 2>&1 & until test -s beats; do :; done";
      await run(make({ root, writable: true }), root, command);
      if (!outlives) {
        await expectNoMoreBeats(root);
        return;
      }
      const before = look(join(root, "beats")).length;
      await sleep(200);
      const after = look(join(root, "beats")).length;
      process.kill(Number(readFileSync(join(root, "pid"), "utf8")), "SIGKILL");
      expect(after).toBeGreaterThan(before);
      expect(look(join(other, "made"))).toBe("missing");
    });

    test("does not pass on descriptors that this process inherited", () => {
      const [root, other] = [folder(), folderElsewhere()];
      const kept = join(other, "kept");
      const descriptor = openSync(kept, "a");
      onTestFinished(() => {
        closeSync(descriptor);
      });
      // Node handles the descriptors with low numbers itself, so this one is high.
      const stdio = Array.from({ length: 41 }, (_, number) => (number === 40 ? descriptor : ("ignore" as const)));
      const command = `'${process.execPath}' -e 'require("fs").writeSync(40, "x")'`;
      const start = (shell: string): void =>
        void spawnSync(process.execPath, [join(import.meta.dirname, "../victim.mjs"), root, command, shell], { stdio });
      start(name);
      expect(readFileSync(kept, "utf8")).toBe("");
      start("host");
      expect(readFileSync(kept, "utf8")).toBe("x");
    });

    test("closes other processes: their variables, their memory, and signals to them", async () => {
      const root = folder();
      const other = spawn(process.execPath, ["-e", "setInterval(String, 1000)"], { env: { MARK: "PLANTED" } });
      onTestFinished(() => void other.kill("SIGKILL"));
      await once(other, "spawn");
      const attach = `perl -e 'syscall(101, 16, $ENV{OTHER}, 0, 0) == 0 and print "PLANTED"'`;
      const canAttach = process.platform === "linux" && process.arch === "x64" && has("perl");
      const reading = process.platform === "linux" ? "cat /proc/$OTHER/environ; ls /proc/$OTHER/cwd/" : "ps -E $OTHER";
      const environment = { OTHER: String(other.pid) };
      const command = `${reading}; ${canAttach ? attach : ":"}`;
      const seen = await run(make({ root, writable: true }), root, command, { environment });
      expect(seen.output).not.toContain("PLANTED");
      expect((await run(hostShell(), root, command, { environment })).output).toContain("PLANTED");
      const [major = 0, minor = 0] = release().split(".").map(Number);
      const keepsSignals = name !== "Landlock" || major > 6 || (major === 6 && minor >= 12);
      await run(make({ root, writable: true }), root, "kill -9 $OTHER", { environment });
      await sleep(100);
      if (keepsSignals) expect(other.exitCode ?? other.signalCode).toBe(null);
    });
  },
);
