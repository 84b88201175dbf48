// Good replies, hurt at every byte on their way: cut, split, changed, doubled.

import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type Event, type Outcome } from "../../src/index.js";
import { openai, type OpenAIOptions } from "../../src/model/index.js";
import { writeCall } from "../../src/model/text/index.js";
import { allowAll } from "../../src/permission/index.js";
import { call, type ScriptedReply } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { checkEnd, checkInvariants, type SeenEffect } from "./invariants.js";
import { head, recorded, replayServer, type Answers, type RecordedApi } from "./replay.js";
import { counted } from "./counted.js";
import { atEach, places } from "./scale.js";

interface Manner {
  readonly name: string;
  readonly reach: OpenAIOptions;
  readonly api: RecordedApi;
  /** A reply that makes these calls. */
  readonly say: (text: string, calls: readonly (readonly [string, object])[]) => ScriptedReply;
  /** What ends the reply: without it, it is not whole. */
  readonly end: string;
}

const natively: Manner["say"] = (text, calls) => ({ text, calls: calls.map(([name, input]) => call(name, input)) });
const asText: Manner["say"] = (text, calls) => ({
  text: [text, ...calls.map(([name, input]) => writeCall({ name, input: input as never }))].join("\n"),
});

const manners: readonly Manner[] = [
  {
    name: "native, over chat",
    reach: { forcing: "required", api: "chat" },
    api: "chat/completions",
    say: natively,
    end: '"finish_reason":"tool_calls"',
  },
  {
    name: "native, over responses",
    reach: { forcing: "required", api: "responses" },
    api: "responses",
    say: natively,
    end: "event: response.completed",
  },
  { name: "XML", reach: { forcing: "xml" }, api: "chat/completions", say: asText, end: '"finish_reason":"stop"' },
];

const inputs = [
  { path: "grüße.ts", content: 'a < b && "c"\n👋' },
  { path: "b", content: "語" },
];

/** What came of one run. */
interface Ran {
  readonly outcome: Outcome;
  readonly events: readonly Event[];
  readonly effects: readonly SeenEffect[];
  readonly requests: number;
}

/** An agent on a server that answers it with bytes. */
interface Stage extends AsyncDisposable {
  /** Runs with the first answer hurt. */
  run(hurt: readonly Buffer[]): Promise<Ran>;
}

describe.each(manners)("$name:", ({ reach, api, say, end }) => {
  const usage = { inputTokens: 100, outputTokens: 20 };
  const saves = {
    ...say(
      "Grüße 👋.",
      inputs.map((input) => ["save", input] as const),
    ),
    usage,
    piece: 40,
  };
  const whole = recorded(saves, api);
  const done = recorded(say("", [["task_completion", { result: "ok" }]]), api);

  /** After the first answer come whole ones: the same again, where it is asked for again, and then the end. */
  async function stage(): Promise<Stage> {
    let answers: Answers = () => [];
    const server = await replayServer((...asked) => answers(...asked));
    const effects: SeenEffect[] = [];
    const save = tool({
      name: "save",
      description: "Saves a text",
      input: z.object({ path: z.string(), content: z.string() }),
      effect: "write",
      run: (input, { callId }) => {
        effects.push({ callId, input });
        return "saved";
      },
    });
    const tools = [save, taskCompletion()] as const;
    const model = openai({ baseURL: server.url, model: "m", steady: { firstDelay: 1 }, idleTimeout: 2000, ...reach });
    const agent = createAgent({ model, tools, permission: allowAll() });
    const [again, end] = await Promise.all([whole, done]);

    async function run(hurt: readonly Buffer[]): Promise<Ran> {
      const from = server.requests.length;
      effects.length = 0;
      answers = (number, request) => {
        if (number === from + 1) return hurt;
        return [isDeepStrictEqual(request, server.requests[from]) ? again : end];
      };
      const events: Event[] = [];
      const signal = AbortSignal.timeout(10_000);
      const outcome = await agent.run("go", { signal, onEvent: (event) => void events.push(event) });
      const requests = server.requests.slice(from);
      checkInvariants({ records: outcome.session.records, requests, effects, tools });
      checkEnd(events, outcome);
      if (outcome.status !== "completed") expect(await goOn(outcome)).toBe("completed");
      return { outcome, events, effects: [...effects], requests: requests.length };
    }
    /** A status of HTTP that is changed ends the run with a fault; the session goes on. How that ends. */
    async function goOn(outcome: Outcome): Promise<Outcome["status"]> {
      const code = outcome.status === "failed" ? outcome.fault.code : outcome.status;
      expect(code).toMatch(/^(?:provider_rejected|authentication)$/);
      return (await agent.run("again", { session: outcome.session })).status;
    }
    return { run, [Symbol.asyncDispose]: server[Symbol.asyncDispose] };
  }

  /** Does the work at each place, on a few agents at a time. */
  async function onStages(all: readonly number[], work: (on: Stage, place: number) => Promise<unknown>): Promise<void> {
    const lanes = Array.from({ length: 4 }, async (_none, lane) => {
      await using on = await stage();
      const own = all.filter((_place, index) => index % 4 === lane);
      await atEach(own, (place) => work(on, place));
    });
    await Promise.all(lanes);
  }

  test("ended cleanly after any byte, it is asked for again until it is whole, and its calls run once", async () => {
    const bytes = await whole;
    const evidence = bytes.indexOf(end);
    const all = places(bytes.length + 1, 16);
    await onStages(all, async (on, place) => {
      const ran = await on.run([bytes.subarray(0, place)]);
      expect(ran.effects.map(({ input }) => input)).toEqual(inputs);
      const isRetried = ran.events.some(({ type }) => type === "request-retry");
      expect(ran.requests).toBe(isRetried ? 3 : 2);
      if (!isRetried) expect(place).toBeGreaterThan(evidence);
      if (place === bytes.length) expect(isRetried).toBe(false);
    });
    counted("net-cut-every-byte", all.length);
  });

  test("in two segments, split at any byte, or one byte a segment, it gives the same events and the same result", async () => {
    const bytes = await whole;
    const all = places(bytes.length, 16);
    await using plain = await stage();
    const expected = timeless(await plain.run([bytes]));
    const single = await plain.run(Array.from(bytes, (_byte, index) => bytes.subarray(index, index + 1)));
    expect(timeless(single)).toBe(expected);
    await onStages(all, async (on, place) => {
      expect(timeless(await on.run([bytes.subarray(0, place), bytes.subarray(place)]))).toBe(expected);
    });
    counted("net-split-every-byte", all.length + 1);
  });

  test.each([
    ["its lowest bit", 0x01],
    ["its case", 0x20],
    ["its highest bit", 0x80],
    ["all of its bits", 0xff],
  ])(
    "with %s changed in any byte, nothing runs but what the journal has, and the run comes to its end",
    async (_what, bits) => {
      const bytes = await whole;
      const all = places(bytes.length, 8);
      await onStages(all, async (on, place) => {
        const hurt = Buffer.from(bytes);
        hurt[place]! ^= bits;
        await on.run([hurt]);
      });
      counted("net-corrupt-byte", all.length);
    },
  );

  test("with any of its events sent twice, nothing runs but what the journal has, and the run comes to its end", async () => {
    const bytes = await whole;
    const parts = bytes.subarray(head.length).toString().split("\n\n").slice(0, -1);
    const all = places(parts.length, 8);
    const written = (chosen: readonly string[]) => [head, Buffer.from(`${chosen.join("\n\n")}\n\n`)];
    await onStages(all, (on, place) => on.run(written(parts.toSpliced(place, 0, parts[place]!))));
    await using on = await stage();
    await on.run(written(parts.flatMap((part) => [part, part])));
    counted("net-duplicate-event", all.length + 1);
  });
});

/**
 * The events of a run as a text, without ids, addresses and what the clock makes: times, and the events `call-writing`. Neighbouring deltas
 * of one kind and one call are joined: watchers may rely on their order and their text, and not on where they are cut.
 */
function timeless({ outcome, events }: Ran): string {
  const times = new Set(["asked", "at", "duration", "elapsed"]);
  const told = events.filter(({ type }) => type !== "call-writing");
  return JSON.stringify(joined(told), (key, value: unknown) => (times.has(key) ? 0 : value))
    .replaceAll(outcome.session.id, "id")
    .replaceAll(/"id\/[a-z0-9]{6}\//g, '"id/life/')
    .replaceAll(/127\.0\.0\.1:\d+/g, "host");
}

function joined(events: readonly Event[]): readonly Event[] {
  const all: Event[] = [];
  for (const event of events) {
    const last = all.at(-1);
    if (last !== undefined && "text" in last && "text" in event && isDeepStrictEqual(untold(last), untold(event)))
      all[all.length - 1] = { ...last, text: `${last.text}${event.text}` };
    else all.push(event);
  }
  return all;
}

/** An event without its text and its time. */
function untold(event: Event): object {
  return { ...event, text: "", at: 0 };
}
