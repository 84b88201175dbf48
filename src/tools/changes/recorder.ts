// The recorder: keeps what the calls of a run change in a workspace, so that it can be shown, taken back and made again.

import { randomUUID } from "node:crypto";
import { existsSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import {
  LastcallError,
  type AnyOutcome,
  type Event,
  type Hook,
  type RunStart,
  type Tool,
  type ToolContext,
} from "../../core/index.js";
import { checkOptions, needed, type OptionKinds } from "../../core/internal.js";
import { contains, locate, locateItself, openRoot } from "../../files/index.js";
import { freeLock, giveBack, heldBy, newHolder, renewLock, waitForLock, type Holder } from "../../lock/index.js";
import { append, linesIn, type Begun, type Change, type Line } from "./change-file.js";
import { digestOf } from "./tree/workspace-entry.js";
import { Looks } from "./looks.js";
import type { ChangesOptions } from "./changes-options.js";
import { Packs } from "./tree/packs.js";
import { checkWord, openCalls, unfinished } from "./plan.js";
import type { Made } from "./undone.js";
import type { TreeLimits } from "./tree/tree-limits.js";
import type { Difference } from "./tree/workspace-tree.js";
import { makeChanges } from "./turn-back.js";

const changesOptions = {
  root: needed("text"),
  folder: needed("text"),
  limits: "object",
} satisfies OptionKinds<ChangesOptions>;

const limitsOptions = { entries: needed("number"), bytes: needed("number") } satisfies OptionKinds<TreeLimits>;

/** The milliseconds for which a run waits for an undo of its session. */
const longestUndo = 30_000;

/** The milliseconds between two signs of life of a run. */
const heartbeat = 1000;

/** The run that records: the run of a nested agent belongs to the run around it. */
interface Recording {
  readonly session: string;
  /** The key of the run. */
  readonly run: string;
  readonly file: string;
  iteration: number;
  /** The lock of the session's changes. A run that changes nothing takes none. */
  holding: Promise<Holding> | undefined;
}

interface Holding {
  readonly holder: Holder;
  readonly beat: NodeJS.Timeout;
}

/** The recorder of one workspace in this process. */
export class Recorder {
  readonly root: string;
  readonly folder: string;
  readonly packs: Packs;
  readonly #looks: Looks;
  /** The runs that record, and work outside of runs. */
  readonly #running = new Set<Recording>();
  /** The tools that record already. */
  readonly #recorded = new WeakSet<Tool>();
  /** The recorded tools of sources, by the tools that they stand for. */
  readonly #sourced = new WeakMap<Tool, Tool>();
  /** True once a tool records. */
  #hasTools = false;
  /** True if commands are counted, also behind walls that let them change nothing. */
  countsCommands = false;
  /** The names of checks that only read what is recorded. */
  readonly #readers = new Set<string>();

  constructor(options: ChangesOptions) {
    checkOptions("workspaceChanges", options, changesOptions);
    if (options.limits !== undefined) checkOptions("workspaceChanges: limits", options.limits, limitsOptions);
    this.root = openRoot(options.root);
    this.folder = join(options.folder, digestOf(Buffer.from(this.root)).slice(0, 24));
    this.packs = new Packs(join(this.folder, "packs"));
    this.#looks = new Looks({ root: this.root, folder: this.folder, packs: this.packs, limits: options.limits });
  }

  /** The hook that records a run. */
  get hook(): Hook {
    return { run: (start, next) => this.#run(start, next) };
  }

  /** The tool, with its changes recorded. A tool that records already, or says that it changes nothing, stays as it is. */
  recorded<T extends Tool>(tool: T): T {
    if (this.#recorded.has(tool)) return tool;
    if (tool.effect === "none" || tool.effect === "read" || tool.effect === "network") return tool;
    return this.#wrapped(tool);
  }

  /** A tool of a local program, recorded as a command is: it says `network` of whatever it does. The same tool gives the same. */
  sourced(tool: Tool): Tool {
    if (tool.effect === "none" || tool.effect === "read") return tool;
    const known = this.#sourced.get(tool) ?? this.#wrapped(tool);
    this.#sourced.set(tool, known);
    return known;
  }

  #wrapped<T extends Tool>(tool: T): T {
    const run = (input: unknown, context: ToolContext): unknown => this.#around(tool, input, context);
    const made = { ...tool, run };
    this.#recorded.add(made);
    this.#hasTools = true;
    return made;
  }

  /** Leaves out the check with this name: it only reads what is recorded. */
  leaveOut(check: string): void {
    this.#readers.add(check);
  }

  /**
   * The run that a check's key belongs to, once all of its calls that have ended are looked at.
   * @throws Error if nothing of the run is recorded.
   */
  async current(key: string): Promise<Pick<Recording, "session" | "run" | "file">> {
    const recording = this.#recordingOf(key);
    if (recording === undefined)
      throw new Error("the run is not recorded: give the agent the hook, hooks: [changes.hook]");
    if (!this.#hasTools) throw new Error("no tool is recorded: give the agent tools: changes.recorded(tools)");
    await this.#looks.settled();
    return recording;
  }

  /** The file with the changes of the session. */
  fileOf(session: string): string {
    return sessionFile(this.folder, session);
  }

  /**
   * Does the work while no run of the session records, after what a dead process left is done.
   * @throws LastcallError `configuration` if a run is at work.
   */
  async alone<Made>(session: string, work: (lines: readonly Line[]) => Promise<Made>): Promise<Made> {
    // Nothing was changed: no lock is made for it.
    if (!existsSync(this.fileOf(session))) return work([]);
    const holder = await this.#take(session);
    try {
      await this.#recover(session);
      return await work(linesIn(this.fileOf(session)));
    } finally {
      await this.#free(session, holder);
    }
  }

  /** True if a run that has changed something, or an undo, holds the changes of the session, in any process. */
  async isAtWork(session: string): Promise<boolean> {
    return (await heldBy(this.#lockOf(session))) !== undefined;
  }

  /** Does the work outside of a run, and records what it changes at these paths, from the root, as the session's. */
  async record<Made>(session: string, paths: readonly string[], work: () => Promise<Made>): Promise<Made> {
    const id = randomUUID();
    const recording: Recording = {
      ...{ session, run: `${session}/${id}`, file: this.fileOf(session), iteration: 0 },
      holding: undefined,
    };
    this.#running.add(recording);
    try {
      const begun = await this.#begin(recording, { name: "record", id, paths });
      try {
        return await work();
      } finally {
        if (begun !== undefined) await this.#end(recording.file, begun);
      }
    } finally {
      await this.#leave(recording);
    }
  }

  async *#run(
    { session, key: run }: RunStart,
    next: () => AsyncGenerator<Event, AnyOutcome, void>,
  ): AsyncGenerator<Event, void, void> {
    // The run of an agent in a call: its key begins with the call's id.
    if (this.#recordingOf(run) !== undefined) {
      yield* next();
      return;
    }
    const recording: Recording = { session, run, file: this.fileOf(session), iteration: 0, holding: undefined };
    this.#running.add(recording);
    try {
      // The work that a dead process left is finished before anything else happens.
      if (existsSync(recording.file)) await this.#hold(recording);
      yield* this.#within(recording, next());
    } finally {
      await this.#leave(recording);
    }
  }

  /** The recording of the run that a key or the id of a call belongs to, also by way of agents in calls. */
  #recordingOf(key: string): Recording | undefined {
    for (const recording of this.#running) if (key.startsWith(`${recording.run}/`)) return recording;
    return undefined;
  }

  /** Ends a recording. */
  async #leave(recording: Recording): Promise<void> {
    await this.#looks.settled();
    const holding = await recording.holding?.catch(() => undefined);
    if (holding !== undefined) {
      clearInterval(holding.beat);
      await this.#free(recording.session, holding.holder);
    }
    this.#running.delete(recording);
    if (this.#running.size === 0) {
      this.#looks.close();
      this.packs.close();
    }
  }

  /** Takes the lock of the session's changes, once, and shows from then on that the process lives. */
  #hold(recording: Recording): Promise<Holding> {
    recording.holding ??= (async () => {
      const { session, file } = recording;
      // An undo takes moments.
      const holder = await this.#take(session, longestUndo);
      await this.#recover(session);
      const beat = setInterval(() => {
        void renewLock(this.#lockOf(session), holder, Date.now);
        if (existsSync(file)) utimesSync(file, new Date(), new Date());
      }, heartbeat);
      beat.unref();
      return { holder, beat };
    })();
    return recording.holding;
  }

  /** Yields the events of the run, and records what its checks change. */
  async *#within(
    recording: Recording,
    events: AsyncGenerator<Event, AnyOutcome, void>,
  ): AsyncGenerator<Event, void, void> {
    /** The check that runs: a check may be a command. It waits while its event is read. */
    let check: Begun | undefined;
    try {
      for await (const event of events) {
        if (event.type === "iteration-start") recording.iteration = event.iteration;
        if (event.type === "check-start" && !this.#readers.has(event.check))
          check = await this.#begin(recording, {
            name: `${checkWord}${event.check}`,
            id: randomUUID(),
            paths: undefined,
          });
        if (event.type === "check-end" && check !== undefined) {
          await this.#end(recording.file, check);
          check = undefined;
        }
        yield event;
      }
    } finally {
      if (check !== undefined) await this.#end(recording.file, check);
    }
  }

  async *#around(tool: Tool, input: unknown, context: ToolContext): AsyncGenerator<unknown, unknown, void> {
    const recording = this.#recordingOf(context.callId);
    const { writes, command, walls = [] } = tool.reach?.(input) ?? {};
    if (this.countsCommands && recording !== undefined && command !== undefined)
      append(recording.file, { type: "ran", run: recording.run, call: context.callId });
    // Behind this wall, a command can't change the workspace.
    if (recording === undefined || walls.includes("workspace")) return yield* passed(tool.run(input, context));
    const paths = writes === undefined || command !== undefined ? undefined : await this.#pathsOf(writes);
    const begun = await this.#begin(recording, { name: tool.name, id: context.callId, paths });
    try {
      return yield* passed(tool.run(input, context));
    } finally {
      if (begun !== undefined) await this.#end(recording.file, begun);
    }
  }

  async #begin(
    recording: Recording,
    { name, id, paths }: { readonly name: string; readonly id: string; readonly paths: readonly string[] | undefined },
  ): Promise<Begun | undefined> {
    const { session, run, file } = recording;
    // A run that goes on within an iteration does not begin it again.
    const iteration = (recording.iteration = iterationIn(id, run) ?? recording.iteration);
    await this.#hold(recording);
    return this.#looks.next(async () => {
      const about = { run, call: id, tool: name, iteration };
      if ((await this.#looks.look(paths)) === undefined) {
        append(file, { type: "unseen", ...about, at: Date.now() });
        return undefined;
      }
      const saved = this.#looks.save();
      const begun = { type: "begun", session, ...about, at: Date.now(), ...saved, ...(paths && { paths }) } as const;
      append(file, begun);
      return begun;
    });
  }

  /** The end of a command is looked at while the model answers. The next call waits for that. */
  async #end(file: string, begun: Begun): Promise<void> {
    const at = Date.now();
    const look = async (): Promise<void> => {
      appendEnd(file, begun, await this.#looks.look(begun.paths), at);
    };
    if (begun.paths !== undefined) await this.#looks.next(look);
    else void this.#looks.later(look).catch(() => undefined);
  }

  /** The paths from the root: of what each names, and of what it leads to. What is outside of the workspace is left out. */
  async #pathsOf(writes: readonly string[]): Promise<readonly string[]> {
    const found = await Promise.all(
      writes
        .flatMap((path) => [locate(this.root, path), locateItself(this.root, path)])
        .map((one) => one.catch(() => "")),
    );
    return [...new Set(found.filter((path) => path !== this.root && contains(this.root, path)))].map((path) =>
      path.slice(this.root.length + 1),
    );
  }

  /** Writes the end of calls that a dead process left, and goes on with an undo that it left. */
  async #recover(session: string): Promise<void> {
    const file = this.fileOf(session);
    const lines = linesIn(file);
    const left = openCalls(lines);
    const died = left.length === 0 ? 0 : lastSignIn(file);
    for (const begun of left) appendEnd(file, begun, await this.#looks.lookSince(begun), Math.max(begun.at, died));
    const turned = unfinished(lines);
    if (turned === undefined) return;
    const going = { isGoingOn: true, signal: new AbortController().signal };
    appendDone(file, turned.id, await makeChanges(this.root, this.packs, turned, going));
  }

  #lockOf(session: string): string {
    return `${this.fileOf(session)}.lock`;
  }

  async #take(session: string, longest = 0): Promise<Holder> {
    const holder = newHolder();
    const other = await waitForLock(this.#lockOf(session), holder, { longest });
    if (other === undefined) return holder;
    throw new LastcallError(
      "configuration",
      `A run or an undo of the session ${session} is at work in this workspace (process ${String(other.pid)} on ${other.host}). Wait for its end, or abort it.`,
    );
  }

  async #free(session: string, holder: Holder): Promise<void> {
    await giveBack(holder, () => freeLock(this.#lockOf(session), holder));
  }
}

/** The last sign of life of the process that works on the session, in milliseconds since 1970: a heartbeat later at the most. */
export function lastSignIn(file: string): number {
  return statSync(file).mtimeMs + heartbeat;
}

/** The file with the changes of a session, in the folder of a workspace. */
export function sessionFile(folder: string, session: string): string {
  return join(folder, "sessions", `${digestOf(Buffer.from(session)).slice(0, 32)}.jsonl`);
}

/** A change after the end is somebody else's. The end is in whole milliseconds, and times of files have parts. */
function isWithin({ at }: Difference, end: number): boolean {
  return at < end + 1;
}

/** Writes the end of a call, with what it has changed. `found` is undefined if there were too many files. */
function appendEnd(file: string, begun: Begun, found: readonly Difference[] | undefined, at: number): void {
  const { run, call, tool, iteration, paths } = begun;
  if (found === undefined) append(file, { type: "unseen", run, call, tool, iteration, at });
  const own = (found ?? []).filter((one) => paths !== undefined || isWithin(one, at));
  const changes = own.map(({ path, before, after }): Change => ({ path, before, after }));
  append(file, { type: "ended", call, at, changes });
}

/** The iteration of the run that a call's id names, also for a call of an agent in the call; undefined if it names none. */
function iterationIn(callId: string, run: string): number | undefined {
  const start = `${run}/call:`;
  return callId.startsWith(start) ? Number.parseInt(callId.slice(start.length), 10) : undefined;
}

/** Writes that an undo or a redo is over, and the paths that it left as they are. */
export function appendDone(file: string, id: string, { conflicts }: Made): void {
  const left = conflicts.map(({ path }) => path);
  append(file, { type: "done", id, at: Date.now(), ...(left.length > 0 && { left }) });
}

/** Yields what a tool yields, and returns its value. */
async function* passed(returned: unknown): AsyncGenerator<unknown, unknown, void> {
  return isGenerator(returned) ? yield* returned : await returned;
}

function isGenerator(value: unknown): value is AsyncGenerator<unknown, unknown, void> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value && "next" in value;
}
