// The operations of the slash commands on a conversation at a terminal.

import type { Model, Session } from "../../core/index.js";
import type { WorkspaceChanges } from "../../tools/index.js";
import { visible } from "../display/visible.js";
import type { AgentInUse } from "./agent-in-use.js";
import type { Control } from "./commands.js";
import type { Look } from "./markdown/markdown.js";
import type { NextFiles } from "./next-files.js";
import { agentLines } from "../delegates/agent-lines.js";
import { undoneLines } from "../sessions/session-changes.js";
import { contextLines, costLines, toolLines } from "./telling.js";
import type { ChatTerminal } from "./screen/terminal.js";

/** The parts of a conversation that commands read and change. */
export interface Controlled {
  readonly agent: AgentInUse;
  readonly terminal: ChatTerminal;
  readonly look: Look;
  /** The context window in tokens; undefined if it is unknown. */
  readonly window: number | undefined;
  readonly modelNamed: (name: string) => Model;
  readonly files: NextFiles;
  /** The record of changes; undefined if nothing is recorded. */
  readonly changes: WorkspaceChanges | undefined;
  session(): Promise<Session>;
  /** The lines of the agents that calls of the last turn ran. */
  below(): readonly string[];
  /** Does long work, which Escape and Ctrl-C stop. */
  busy(work: (signal: AbortSignal) => Promise<void>): Promise<void>;
  /** Shortens the prompt, with the next turn. */
  compact(): void;
  /** Copies the session, and continues with the copy. Returns both ids. */
  fork(): Promise<readonly [from: string, to: string]>;
  /** Begins a new conversation. Returns the ids of both; the old id is undefined if nothing was said under it, so that nothing is kept. */
  startAnew(): Promise<readonly [from: string | undefined, to: string]>;
  quit(): void;
}

/** Makes the operations for a conversation. */
export function controlOf(chat: Controlled): Control {
  const { agent, terminal, look } = chat;
  const say = (lines: readonly string[]): void => {
    terminal.explain(lines);
  };
  return {
    get columns() {
      return terminal.columns;
    },
    say,
    model: () => agent.model,
    async useModel(name) {
      await agent.useModel(chat.modelNamed(name));
      terminal.show({ model: name });
    },
    tier: () => agent.tier,
    useTier: (tier) => agent.useTier(tier),
    async tools() {
      return toolLines((await agent.get()).tools, terminal.columns);
    },
    async agents() {
      const { called } = await agent.get();
      const none = "There are no agents to call. Write one in .lastcall/agents/NAME.md: lastcall help agents says how.";
      return called.length === 0 ? [none] : called.flatMap(agentLines);
    },
    calls() {
      const lines = chat.below();
      return lines.length === 0 ? ["No agent was called in the last turn."] : lines;
    },
    attach: (path) => chat.files.add(path),
    async check() {
      const { checks } = await agent.get();
      if (checks.length === 0) say(['There are no checks: begin with --until "npm test", for example.']);
      const { id, records } = await chat.session();
      await chat.busy(async (signal) => {
        for (const check of checks) {
          terminal.show({ talk: { ...terminal.view.talk, check: check.name } });
          const { passed, output } = await check.verify({
            key: `${id}/by-hand/check`,
            signal,
            when: "baseline",
            records,
          });
          say([`check ${visible(check.name)}: ${passed ? look.good("passed") : look.bad("failed")}`]);
          if (!passed) say(lastLines(output).map((line) => look.dim(`  ${line}`)));
        }
      });
    },
    compact() {
      chat.compact();
      say(["Older messages are summed up with your next words."]);
    },
    async context() {
      const { records } = await chat.session();
      return contextLines(records, { context: terminal.view.talk.context, window: chat.window });
    },
    async diff() {
      const diff = chat.changes?.diff((await chat.session()).id) ?? "";
      return diff === "" ? ["Nothing was changed in the folder."] : diffLines(diff, look);
    },
    async turnBack(what) {
      const { id } = await chat.session();
      const { changes } = chat;
      if (changes === undefined) return ["Nothing is recorded, so nothing can be taken back."];
      const undone = what === "undo" ? await changes.undo(id, { after: 0 }) : await changes.redo(id);
      return [...undoneLines(undone, what), "The model does not know of it: tell it if that matters."];
    },
    async fork() {
      const [from, to] = await chat.fork();
      say([`This goes on as ${to}; ${from} stays as it is.`]);
    },
    async cost() {
      return costLines((await chat.session()).records);
    },
    clear: () => {
      terminal.wipe();
    },
    async startAnew() {
      const [from, to] = await chat.startAnew();
      const kept = from === undefined ? "" : ` To go on with the conversation before: lastcall chat ${from}`;
      say([`This is a new conversation, ${to}.${kept}`]);
    },
    quit: () => {
      chat.quit();
    },
  };
}

/** A diff in lines for people. */
function diffLines(diff: string, look: Look): readonly string[] {
  return visible(diff, { multiline: true })
    .split("\n")
    .map((line) => (/^\+(?!\+\+ )/.test(line) ? look.good(line) : /^-(?!-- )/.test(line) ? look.bad(line) : line));
}

/** The last lines of a check's output. */
function lastLines(output: string): readonly string[] {
  return visible(output.trimEnd(), { multiline: true }).split("\n").slice(-20);
}
