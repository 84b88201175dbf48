// `inBackground`: tools whose calls return at once and go on beside the run, with the tools to await and to stop them.

import { z } from "zod";
import { LastcallError, tool, type AsksUser, type Tool, type ToolContext } from "../../core/index.js";
import { atCaller, expectKind, objectWith } from "../../core/internal.js";

/** The arguments of `background_result`. */
export interface BackgroundResult {
  /** The name of the work, such as `bg-1`. */
  id: string;
  /** Seconds to wait for its end, at most 600. Default 0: it only looks. */
  wait_seconds?: number | undefined;
}

/** The arguments of `background_stop`. */
export interface BackgroundStop {
  /** The name of the work, such as `bg-1`. */
  id: string;
}

/** A tool in the background: it asks nobody. */
type Backgrounded<One> = One extends AsksUser<unknown> ? Omit<One, "asks"> : One;

/** The tools in the background, and the tools that await and stop them. */
export type InBackground<Tools extends readonly Tool[]> = readonly (
  | Backgrounded<Tools[number]>
  | Tool<"background_result", BackgroundResult, string, "never">
  | Tool<"background_stop", BackgroundStop, string, "never">
)[];

/** Seconds that `background_result` waits at most. */
const maxWait = 600;

/**
 * Makes the calls of these tools go on in the background: a dev server, a long test, an agent (`delegate`). Such a call returns at once
 * with a name, and a notice tells the model when it has ended. `background_result` looks at it or awaits it, `background_stop` ends it.
 * Both come with the list: `tools: [...inBackground(runCommand({ root })), taskCompletion()]`. A completion is refused while work is open.
 * All work ends with the run. The next run goes on with an agent, and tells the model that other work is gone. Nobody can be asked in the
 * background. Only the tool's own timeout counts.
 * @throws LastcallError `configuration` without a tool, or for a loop-breaking tool.
 */
export function inBackground<const Tools extends readonly Tool[]>(...tools: Tools): InBackground<Tools> {
  return atCaller(inBackground as never, () => makeAll(tools)) as unknown as InBackground<Tools>;
}

function makeAll(tools: readonly Tool[]): readonly Tool[] {
  const refuse = (what: string): LastcallError =>
    new LastcallError("configuration", `inBackground ${what}, for example inBackground(runCommand({ root })).`);
  if (tools.length === 0) throw refuse("needs a tool that takes its time");
  for (const [at, one] of tools.entries()) {
    const { name, ending } = expectKind(`Argument ${String(at + 1)} of inBackground`, one, toolKind);
    if (ending !== "never") throw refuse(`takes no loop-breaking tool such as ${name}: give it a tool that works`);
  }
  const described =
    "It goes on in the background: the call returns at once with a name, and you are told when it ends.";
  return [
    ...tools.map((one) => ({ ...one, description: `${one.description} ${described}`, background: true })),
    backgroundResult,
    backgroundStop,
  ];
}

const toolKind = objectWith("a tool, for example runCommand({ root }); spread a list, ...tools", "run", "breaks");

const id = z.string().describe("The name of the work, such as bg-1");

const backgroundResult = tool({
  name: "background_result",
  description:
    "Looks at work in the background: its result, or its latest output while it runs. It can wait for its end.",
  input: z.object({
    id,
    wait_seconds: z
      .number()
      .refine((seconds) => seconds >= 0 && seconds <= maxWait, `must be from 0 to ${String(maxWait)}`)
      .optional()
      .describe("How long to wait for its end; 0 if left out"),
  }),
  effect: "read",
  pollable: true,
  async run({ id: work, wait_seconds: seconds = 0 }, { background }) {
    expectKnown(background, work);
    if (seconds > 0) await background.wait(work, seconds * 1000);
    const look = expectKnown(background, work);
    if (look.status === "ended") return look.text ?? `${work} has ended. Its result follows.`;
    return look.output === ""
      ? `${work} runs, without output so far.`
      : `${work} runs. Its latest output:\n${look.output}`;
  },
});

const backgroundStop = tool({
  name: "background_stop",
  description: "Stops work in the background.",
  input: z.object({ id }),
  effect: "none",
  readsOutside: false,
  async run({ id: work }, { background }) {
    if (expectKnown(background, work).status === "ended") return `${work} had ended already.`;
    await background.stop(work);
    return `${work} was stopped.`;
  },
});

type Look = NonNullable<ReturnType<ToolContext["background"]["look"]>>;

/** @throws Error for the model if there is no such work. */
function expectKnown(background: ToolContext["background"], work: string): Look {
  const look = background.look(work);
  if (look === undefined)
    throw new Error(`Nothing goes on as ${JSON.stringify(work)}. Give the name that its call returned.`);
  return look;
}
