// Options: what a caller may say about the tools of one server.

import { LastcallError } from "../../core/index.js";
import {
  checkOptions,
  needed,
  listOf,
  recordOf,
  type OptionKinds,
  milliseconds,
  wholeNumber,
} from "../../core/internal.js";
import type { BreakerOptions } from "../../breaker/index.js";
import { readTarget, type Target, type McpTarget } from "../connect/target.js";
import { serverName } from "../foreign/foreign-name.js";
import { SignInDesk, type SignIns } from "../sign-in/sign-ins.js";
import type { Elicit } from "./elicitation.js";

/** The options of `mcpTools`: where the server is, and how its tools are used. */
export interface McpOptions<Name extends string = string> extends McpTarget {
  /** The name of the server. The model calls its tools `<name>__<tool>`. 1 to 32 letters, digits, `-` or single `_`. */
  readonly name: Name;
  /** The names of the tools to use, as the server calls them. Default: all tools. */
  readonly only?: readonly string[] | undefined;
  /**
   * True to believe what the server says about its tools: a tool that it says only reads gets the effect `read`, and a tool that it
   * says is idempotent may run again after a crash. Default false: every tool has the effect `network`, and permission is asked for
   * each call.
   */
  readonly trust?: boolean | undefined;
  /** The maximum number of tools. A server with more tools is refused; name some with `only`. Default 128. */
  readonly maxTools?: number | undefined;
  /** Milliseconds that a call may go without an answer or a sign of progress. A call takes at most ten times as long. Default 60,000. */
  readonly timeout?: number | undefined;
  /** Milliseconds until the server has to be ready. Default 30,000. */
  readonly startTimeout?: number | undefined;
  /** Stops the first start if it aborts: `mcpTools` rejects with its reason, and the server is ended. Default: nothing stops it. */
  readonly signal?: AbortSignal | undefined;
  /** Called before each start of the server or connection to it. If it rejects, the server is not started. Default: nothing is called. */
  readonly beforeStart?: (() => Promise<void>) | undefined;
  /**
   * Answers a question that the server asks during a call. Default: it becomes a question of the run, which ends `waiting`, and the call is
   * made again with the answer. If several calls are under way, or the agent is not interactive, the call fails, and the failure tells the
   * model the question.
   */
  readonly elicit?: Elicit | undefined;
  /**
   * The sign-ins of people at a server that wants it: `signIns({ vault, redirect })`. The call asks its person, the run ends `waiting`, and
   * after the sign-in the call is made with that person's token. It goes with `url` alone. Default: nobody signs in, and a server that
   * wants it can't be used.
   */
  readonly signIn?: SignIns | undefined;
  /** When the circuit of the server opens, and for how long. Default: at 5 identical faults in a row, for 30 s. */
  readonly circuit?: BreakerOptions | undefined;
  /** Tells a person what the server did: a tool that was left out, a changed list, its end. Default: a warning on the console. */
  readonly tell?: ((line: string) => void) | undefined;
}

/** The options, complete and checked. */
export interface Settings {
  readonly name: string;
  readonly target: Target;
  readonly only: ReadonlySet<string> | undefined;
  readonly trust: boolean;
  readonly maxTools: number;
  readonly timeout: number;
  readonly startTimeout: number;
  readonly beforeStart: (() => Promise<void>) | undefined;
  readonly elicit: Elicit | undefined;
  readonly signIn: SignInDesk | undefined;
  readonly circuit: BreakerOptions;
  readonly tell: (line: string) => void;
}

const mcpOptions = {
  name: needed("text"),
  command: "text",
  args: listOf("text"),
  env: recordOf("text"),
  cwd: "text",
  url: "text",
  headers: recordOf("text"),
  transport: "function",
  only: listOf("text"),
  trust: "flag",
  maxTools: "number",
  timeout: "number",
  startTimeout: "number",
  beforeStart: "function",
  signal: "signal",
  elicit: "function",
  signIn: "object",
  circuit: "object",
  tell: "function",
} satisfies OptionKinds<McpOptions>;

const breakerOptions = { identical: "number", pause: "number" } satisfies OptionKinds<BreakerOptions>;

/** @throws LastcallError `configuration` that names the wrong option. */
export function readOptions(options: McpOptions): Settings {
  checkOptions("mcpTools", options, mcpOptions);
  const name = serverName(options.name);
  const { only, trust = false, circuit = {}, elicit, beforeStart } = options;
  checkOptions("circuit", circuit, breakerOptions);
  const warn = (line: string): void => {
    console.warn(`lastcall: ${line}`);
  };
  const target = readTarget(name, options);
  return {
    name,
    target,
    only: only && new Set(only),
    trust,
    maxTools: wholeNumber("maxTools", options.maxTools ?? 128),
    timeout: milliseconds("timeout", options.timeout ?? 60_000),
    startTimeout: milliseconds("startTimeout", options.startTimeout ?? 30_000),
    beforeStart,
    elicit,
    signIn: readSignIn(name, options.signIn, target),
    circuit,
    tell: options.tell ?? warn,
  };
}

/** @throws LastcallError `configuration` for sign-ins of another kind, and for a server whose tokens others could read. */
function readSignIn(name: string, signIn: SignIns | undefined, target: Target): SignInDesk | undefined {
  if (signIn === undefined) return undefined;
  const wrong = (problem: string): LastcallError =>
    new LastcallError("configuration", `The MCP server "${name}" ${problem}.`);
  if (!(signIn instanceof SignInDesk)) throw wrong("has a signIn that signIns did not make (give signIns({ ... }))");
  if (target.kind !== "url") throw wrong("has a signIn, which goes with url alone");
  const { url, headers } = target;
  const header = Object.keys(headers).find((one) => one.toLowerCase() === "authorization");
  if (header !== undefined) throw wrong(`has a signIn and the header ${header}: leave one of them out`);
  if (url.protocol === "http:" && !["localhost", "127.0.0.1", "[::1]"].includes(url.hostname))
    throw wrong("has a signIn for an address without encryption, where others could read the tokens (give https:)");
  return signIn;
}
