// What watchers read of a claim while it is written, from the bytes on the wire to the accepted value: in the end all of it, and nothing else.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createAgent, type Event } from "../../src/index.js";
import { openai, type OpenAIOptions } from "../../src/model/index.js";
import { writeCall } from "../../src/model/text/index.js";
import { call, scriptedProvider, type ScriptedReply } from "../../src/testing/index.js";
import { converse, taskCompletion } from "../../src/tools/index.js";

const tools = [converse(), taskCompletion()] as const;

/** The words of the claim that stand in the end, and how often some were withdrawn. */
class Reading {
  words: string[] = [];
  withdrawn = 0;
  readonly see = (event: Event): void => {
    if (event.type === "text-delta" && event.claim === true) this.words.push(event.text);
    if (event.type !== "reply-retracted" && event.type !== "claim-retracted") return;
    this.words = [];
    this.withdrawn += 1;
  };
}

/** Says these replies over and over, and has a turn of a conversation read. */
async function conversing(reach: OpenAIOptions): Promise<
  AsyncDisposable & {
    /** What was read of the turn that ended, and the message that was accepted. */
    readonly turn: (
      ...replies: readonly ScriptedReply[]
    ) => Promise<{ readonly reading: Reading; readonly message: string; readonly iterations: number }>;
  }
> {
  let left: ScriptedReply[] = [];
  const provider = await scriptedProvider(() => left.shift() ?? { text: "" });
  const model = openai({ baseURL: provider.url, model: "scripted", steady: false, ...reach });
  const agent = createAgent({ model, tools, circuit: { identical: 2 } });
  return {
    async turn(...replies) {
      left = [...replies];
      const reading = new Reading();
      const outcome = await agent.run("Go on.", { onEvent: reading.see });
      if (outcome.status !== "waiting") throw new Error(`The run ended ${outcome.status}.`);
      return { reading, message: outcome.value.message, iterations: outcome.iterations };
    },
    [Symbol.asyncDispose]: () => provider.close(),
  };
}

const words = fc
  .array(
    fc.oneof(
      fc.constantFrom("\\", '"', "'", "\n", "😀", "\u2028", "{", "}", "```", "<", "&", "]]>", "</message>", "<b>", "é"),
      fc.string({ unit: "grapheme", maxLength: 6 }),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => parts.join("").replaceAll("\0", ""))
  .filter((text) => text.trim() !== "");

const short: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t", "\b": "\\b", "\f": "\\f", "\r": "\\r" };

/** The text as JSON, each sign that may be written in several ways in one of them. */
function written(text: string, choices: readonly number[]): string {
  const code = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const signs = [...text.split("")].map((unit, index) => {
    const choice = choices[index % choices.length] ?? 0;
    if (choice === 1) return code(unit);
    if (choice === 2) return code(unit).toUpperCase().replace("\\U", "\\u");
    if (unit === '"' || unit === "\\") return `\\${unit}`;
    if (unit === "/" && choice === 3) return "\\/";
    return short[unit] ?? (unit < " " ? code(unit) : unit);
  });
  return `"${signs.join("")}"`;
}

/** Ways to write arguments, most of which have to be mended. */
const manners: readonly ((value: string, message: string) => string)[] = [
  (value) => `{"message": ${value}}`,
  (value) => ` {\n "message" : ${value} ,}`,
  (value) => `{"suggestions":["a","b"],"message":${value}}`,
  (value) => `{"suggestions":["a"],"message":${value}}}}`,
  (value) => `{"message":${value}`,
  (value) => `{message: ${value}}`,
  (value) => `\`\`\`json\n{"message":${value}}\n\`\`\``,
  (value) => JSON.stringify(`{"message":${value}}`),
  (value) => JSON.stringify(JSON.stringify(`{"message":${value}}`)),
  (value) => `{"arguments":{"message":${value}}}`,
  (value) => `{"name":"converse","input":${JSON.stringify(`{"message":${value}}`)}}`,
  (value) => `{"message":${value}}{"message":${value}}`,
  (value) => `{}{"message":${value}}`,
  (value) => `{"Message":${value}}`,
  (value) => `{"message":[${value}]}`,
  (_value, message) => `{"message":'${message.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'}`,
  (_value, message) => `{"message":"${message.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"}`,
];
const source = fc
  .record({
    message: words,
    manner: fc.constantFrom(...manners),
    choices: fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 7 }),
  })
  .map(({ message, manner, choices }) => ({ message, json: manner(written(message, choices), message) }));
const travel = fc.record({
  piece: fc.integer({ min: 1, max: 12 }),
  split: fc.option(fc.integer({ min: 1, max: 900 }), { nil: undefined }),
});

interface Way {
  readonly reach: OpenAIOptions;
  readonly reply: (json: string, message: string) => ScriptedReply;
}

const entities = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const xml = (body: string): string =>
  `<tool>\n<tool_name>converse</tool_name>\n<arguments>${body}</arguments>\n</tool>`;

const ways: Readonly<Record<string, Way>> = {
  "function calls": { reach: { forcing: "required" }, reply: (json) => ({ calls: [call("converse", json)] }) },
  "function calls, over Responses": {
    reach: { forcing: "required", api: "responses" },
    reply: (json) => ({ calls: [call("converse", json)] }),
  },
  "function calls of a name that is mended": {
    reach: { forcing: "required" },
    reply: (json) => ({ text: "So.", calls: [call("functions.converse", json)] }),
  },
  XML: {
    reach: { forcing: "xml" },
    reply: (_json, message) => ({ text: writeCall({ name: "converse", input: { message } }) }),
  },
  "XML behind words, with references": {
    reach: { forcing: "xml" },
    reply: (_json, message) => ({ text: `I say:\n${xml(`<message>${entities(message)}</message>`)}` }),
  },
  "XML with JSON in it": {
    reach: { forcing: "xml" },
    reply: (json) => ({ text: xml(`<![CDATA[${json.replaceAll("]]>", "]]\\u003e")}]]>`) }),
  },
  "XML with what the schema does not know": {
    reach: { forcing: "xml" },
    reply: (_json, message) => ({ text: xml(`<message>${entities(message)}</message><mood>fine</mood>`) }),
  },
  "calls that leak into the text": {
    reach: { forcing: "auto", textCalls: true },
    reply: (json) => ({ text: `<tool_call>{"name": "converse", "arguments": ${json}}</tool_call>` }),
  },
};

/** What is said where the first reply could not be read. */
const fallback = { message: "Well." };

describe("the words that watchers read of a claim are in the end those of its value", () => {
  test.each(Object.entries(ways))("in %s, however they are written and split", async (_name, { reach, reply }) => {
    await using stage = await conversing(reach);
    const isXml = reach.forcing === "xml";
    const again = isXml
      ? { text: writeCall({ name: "converse", input: fallback }) }
      : { calls: [call("converse", fallback)] };
    const runs = 60;
    let atOnce = 0;
    await fc.assert(
      fc.asyncProperty(source, travel, async ({ message, json }, { piece, split }) => {
        const first = { ...reply(json, message), piece, ...(split !== undefined && { split }) };
        const { reading, message: accepted, iterations } = await stage.turn(first, again);
        expect(reading.words.join("")).toBe(accepted);
        if (iterations === 1) atOnce += 1;
      }),
      { numRuns: runs },
    );
    expect(atOnce).toBeGreaterThan(runs / 4);
  });
});

describe("a long message", () => {
  const unit = 'He said: "x < y && y > z". \\ 😀é\n\t]]> </message> ';
  const long = (length: number): string => unit.repeat(length / unit.length);
  const reply = (way: string, message: string): ScriptedReply => ({
    ...ways[way]!.reply(JSON.stringify({ message }), message),
    piece: 40,
    split: 60_000,
  });

  test.each(["function calls", "XML", "calls that leak into the text"])(
    "of 4 MB in %s is read in linear time, piece by piece",
    async (way) => {
      await using stage = await conversing(ways[way]!.reach);
      const spentOn = async (length: number): Promise<number> => {
        const message = long(length);
        const before = process.cpuUsage();
        const turn = await stage.turn(reply(way, message));
        const { user, system } = process.cpuUsage(before);
        expect(turn.message === message).toBe(true);
        expect(turn.reading.words.join("") === message).toBe(true);
        expect(turn.reading.words.filter((words) => /\p{Surrogate}/u.test(words))).toEqual([]);
        // Deltas that arrive in one piece are one event, so there are about as many as pieces of the answer.
        expect(turn.reading.words.length > 1 + length / 120_000).toBe(!way.includes("leak"));
        expect(turn.reading.withdrawn).toBe(0);
        return user + system;
      };
      await spentOn(100_000);
      let [quarter, time] = [Infinity, Infinity];
      // A collection of garbage makes single rounds slow. Quadratic time is 16 times as much in each of them.
      for (let round = 0; round < 4 && !(time / quarter < 8); round += 1) {
        quarter = Math.min(quarter, await spentOn(1_000_000));
        time = Math.min(time, await spentOn(4_000_000));
      }
      expect(time / quarter).toBeLessThan(8);
    },
  );
});
