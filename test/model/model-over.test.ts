import { expect, test } from "vitest";
import { LastcallError, noUsage, type ModelEvent } from "../../src/core/index.js";
import type { Answer, Carrier } from "../../src/model/data/carrier.js";
import type { RawReply } from "../../src/model/data/raw-reply.js";
import { ladder } from "../../src/model/forcing.js";
import { modelOver } from "../../src/model/model-over.js";
import { ask, requestOf } from "../ai-sdk/request.js";

const server = { name: "a carrier", starts: "required", leaksCalls: false } as const;

/** A carrier that sends what it is given, and remembers what happened. */
function carrierOf(
  answers: readonly (Partial<Answer> & { readonly text?: string; readonly pieces?: readonly string[] })[],
) {
  const log: string[] = [];
  const carrier: Carrier = {
    name: "m",
    provider: "p",
    send(_request, rung) {
      const {
        text = "",
        pieces = [text],
        ...more
      } = answers[log.filter((each) => each.startsWith("send")).length] ?? {};
      log.push(`send ${rung}`);
      const left = [...pieces];
      const reply: RawReply = { text, refusal: "", calls: [], finish: "complete", usage: noUsage, extras: {} };
      return Promise.resolve({
        get hasEnded() {
          return left.length === 0;
        },
        read: () => Promise.resolve(left.shift()),
        take: (piece: unknown): readonly ModelEvent[] => [{ type: "text-delta", text: String(piece) }],
        leave: () => void log.push("leave"),
        end: () => reply,
        ...more,
      });
    },
    faultOf: (thrown) =>
      thrown instanceof LastcallError ? thrown : new LastcallError("provider_unavailable", String(thrown)),
    mistakeIn: () => undefined,
  };
  return { carrier, log };
}

const xml = "<tool><tool_name>lookup</tool_name><arguments><key>a</key></arguments></tool>";

test("a carrier that leaves out the choice moves the ladder at once, and its reply is read for calls in its text", async () => {
  const { carrier, log } = carrierOf([
    { text: xml, ignored: { part: "choice", reason: "it says so" } },
    { text: "Well." },
  ]);
  const model = modelOver(carrier, ladder("ladder", server, undefined));
  const { events, reply } = await ask(model);
  expect(events.slice(0, 2)).toEqual([
    { type: "forcing-step", from: "required", to: "auto", reason: "it says so" },
    { type: "prompt-rewrite", reason: "forcing" },
  ]);
  expect(reply?.calls).toMatchObject([{ name: "lookup", input: { key: "a" } }]);
  await ask(model);
  expect(log).toEqual(["send required", "leave", "send auto", "leave"]);
});

test("a carrier that leaves out the tools is left, and asked again on the rung that needs none", async () => {
  const { carrier, log } = carrierOf([
    { text: "Well.", ignored: { part: "tools", reason: "it says so" } },
    { text: xml },
  ]);
  const { events, reply } = await ask(modelOver(carrier, ladder("ladder", server, undefined)));
  expect(events.some((event) => event.type === "text-delta" && event.text === "Well.")).toBe(false);
  expect(reply?.calls).toMatchObject([{ name: "lookup", input: { key: "a" } }]);
  expect(log).toEqual(["send required", "leave", "send xml", "leave"]);
});

test("a pinned rung stays, and what a carrier leaves out of a request that needs no call is no matter", async () => {
  const ignored = { part: "choice", reason: "it says so" } as const;
  const pinned = carrierOf([{ text: "Well.", ignored }]);
  const { events } = await ask(modelOver(pinned.carrier, ladder("required", server, undefined)));
  expect(events).toEqual([{ type: "text-delta", text: "Well." }]);
  const free = carrierOf([{ text: "Well.", ignored }]);
  const answered = await ask(
    modelOver(free.carrier, ladder("ladder", server, undefined)),
    requestOf({ needsCall: false }),
  );
  expect(answered.events.some(({ type }) => type === "forcing-step")).toBe(false);
});

test("an answer that fails on its way is left once, and what was shown is withdrawn", async () => {
  let reads = 0;
  const read = (): Promise<string> => {
    reads += 1;
    return reads === 1 ? Promise.resolve("Half") : Promise.reject(new Error("it broke"));
  };
  const { carrier, log } = carrierOf([{ read, pieces: ["Half", "a piece that never comes"] }]);
  const { events, fault } = await ask(modelOver(carrier, ladder("ladder", server, undefined)));
  expect(events).toEqual([
    { type: "text-delta", text: "Half" },
    { type: "reply-retracted", reason: "Error: it broke" },
  ]);
  expect(fault).toMatchObject({ code: "provider_unavailable" });
  expect(log).toEqual(["send required", "leave"]);
});

test("an answer that is left half read is left once", async () => {
  const { carrier, log } = carrierOf([{ text: "One. Two.", pieces: ["One. ", "Two."] }]);
  const source = modelOver(carrier, ladder("ladder", server, undefined)).respond(
    requestOf(),
    new AbortController().signal,
  );
  await source.next();
  await source.return(undefined as never);
  expect(log).toEqual(["send required", "leave"]);
});

test("requests side by side move the ladder one rung, whether they are refused or answered without a call", async () => {
  const objection = { status: 400, message: "tool_choice is not supported" };
  const refused = carrierOf([{}, {}, { text: xml }, { text: xml }]);
  const { send } = refused.carrier;
  let arrived = 0;
  let onBoth!: () => void;
  const both = new Promise<void>((resolve) => {
    onBoth = resolve;
  });
  const side: Carrier = {
    ...refused.carrier,
    async send(...sent) {
      const answer = await send(...sent);
      arrived += 1;
      if (arrived === 2) onBoth();
      await both;
      if (arrived <= 2) throw Object.assign(new Error(objection.message), objection);
      return answer;
    },
  };
  const model = modelOver(side, ladder("ladder", server, undefined));
  const steps = (await Promise.all([ask(model), ask(model)])).map(({ events }) =>
    events.flatMap((event) => (event.type === "forcing-step" ? [event.to] : [])),
  );
  expect(steps.flat()).toEqual(["auto"]);
  expect(refused.log.filter((line) => line.startsWith("send"))).toEqual([
    ...["send required", "send required", "send auto", "send auto"],
  ]);

  const worded = carrierOf([{ text: "Well." }, { text: "Well." }, { text: "Well." }]);
  const steady = modelOver(worded.carrier, ladder("ladder", server, undefined));
  await Promise.all([ask(steady), ask(steady)]);
  // The first reply stepped down. The second one was on the rung above, and counts for nothing: this is the first on this rung.
  await ask(steady);
  await ask(steady);
  await ask(steady);
  expect(worded.log.filter((line) => line.startsWith("send"))).toEqual([
    ...["send required", "send required", "send auto", "send auto", "send xml"],
  ]);
});

test("requests side by side whose carrier leaves out the tools are both asked again without them", async () => {
  const ignored = { part: "tools", reason: "it says so" } as const;
  const { carrier, log } = carrierOf([
    { text: "Well.", ignored },
    { text: "Well.", ignored },
    { text: xml },
    { text: xml },
  ]);
  let arrived = 0;
  let onBoth!: () => void;
  const both = new Promise<void>((resolve) => {
    onBoth = resolve;
  });
  const side: Carrier = {
    ...carrier,
    async send(...sent) {
      const answer = await carrier.send(...sent);
      arrived += 1;
      if (arrived === 2) onBoth();
      await both;
      return answer;
    },
  };
  const model = modelOver(side, ladder("ladder", server, undefined));
  const replies = await Promise.all([ask(model), ask(model)]);
  expect(replies.map(({ reply }) => reply?.calls.length)).toEqual([1, 1]);
  expect(log.filter((line) => line.startsWith("send"))).toEqual([
    ...["send required", "send required", "send xml", "send xml"],
  ]);
  expect(log.filter((line) => line === "leave")).toHaveLength(4);
});

test("an answer is left if its reader stops at the step before it", async () => {
  const { carrier, log } = carrierOf([{ text: "Well.", ignored: { part: "choice", reason: "it says so" } }]);
  const request = requestOf({});
  const source = modelOver(carrier, ladder("ladder", server, undefined)).respond(request, new AbortController().signal);
  expect(await source.next()).toMatchObject({ value: { type: "forcing-step" } });
  await source.return(undefined as never);
  expect(log).toEqual(["send required", "leave"]);
});

test("a reply to a request without tools is not searched for calls, on any rung", async () => {
  for (const rung of ["auto", "xml"] as const) {
    const { carrier } = carrierOf([{ text: `A summary with ${xml} in it.` }]);
    const model = modelOver(carrier, ladder(rung, server, undefined));
    const { reply } = await ask(model, requestOf({ tools: [], needsCall: false }));
    expect(reply).toMatchObject({ text: `A summary with ${xml} in it.`, calls: [] });
  }
});

test("a refusal about tools of a request without any moved the ladder of the agent's model for good", async () => {
  for (const words of ["tool_choice is not supported", "tools are not supported"]) {
    const refusal = new LastcallError("provider_rejected", words, { status: 400 });
    const { carrier, log } = carrierOf([{ text: "Short." }]);
    let refused = 0;
    const strict: Carrier = {
      ...carrier,
      send: (request, rung, signal) =>
        rung === "required" && request.tools.length === 0 && refused++ === 0
          ? Promise.reject(refusal)
          : carrier.send(request, rung, signal),
    };
    const forcing = ladder("ladder", server, undefined);
    const { events } = await ask(modelOver(strict, forcing), requestOf({ tools: [], needsCall: false }));
    expect(events.map(({ type }) => type)).toEqual(["request-adjusted", "text-delta"]);
    expect(log).toEqual(["send xml", "leave"]);
    expect(forcing.rung).toBe("required");
  }
});

test("a request without tools that is refused twice is not sent a third time", async () => {
  const refusal = new LastcallError("provider_rejected", "tool_choice is not supported", { status: 400 });
  const { carrier } = carrierOf([]);
  let sent = 0;
  const strict: Carrier = { ...carrier, send: () => ((sent += 1), Promise.reject(refusal)) };
  const model = modelOver(strict, ladder("ladder", server, undefined));
  const { fault } = await ask(model, requestOf({ tools: [], needsCall: false }));
  expect((fault as LastcallError | undefined)?.message).toContain("tool_choice");
  expect(sent).toBe(2);
});
