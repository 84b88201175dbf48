// The stand-ins for Node's modules do what Node's modules do.

import { createHash, timingSafeEqual } from "node:crypto";
import { validateHeaderName, validateHeaderValue } from "node:http";
import { StringDecoder } from "node:string_decoder";
import { describe, expect, test, vi } from "vitest";
import { Buffer as OurBuffer } from "../../src/web/buffer.js";
import * as crypto from "../../src/web/crypto.js";
import * as http from "../../src/web/http.js";
import { process as ourProcess } from "../../src/web/process.js";
import { StringDecoder as OurDecoder } from "../../src/web/string-decoder.js";
import * as timers from "../../src/web/timers.js";
import { setTimeout as wait } from "../../src/web/timers-promises.js";

const texts = [
  "",
  "words",
  "\uFEFFä€😀",
  "half \uD83D and \uDE00 half",
  "\u0000\r\n",
  "x".repeat(20_000),
  "€".repeat(9000),
];

/** Bytes that are no text: every byte, and pieces of characters. */
const bytes = Uint8Array.from({ length: 512 }, (_none, index) => index % 256);

describe("Buffer", () => {
  test("reads, measures and writes texts", () => {
    for (const text of texts) {
      expect([...OurBuffer.from(text)]).toEqual([...Buffer.from(text)]);
      expect(OurBuffer.byteLength(text)).toBe(Buffer.byteLength(text));
      const [ours, nodes] = [OurBuffer.alloc(80_000), Buffer.alloc(80_000)];
      expect(ours.write(text, 3)).toBe(nodes.write(text, 3));
      expect(nodes.equals(ours)).toBe(true);
    }
  });

  test.each(["utf8", "base64", "hex"] as const)("tells bytes as %s", (encoding) => {
    expect(OurBuffer.from(bytes).toString(encoding)).toBe(Buffer.from(bytes).toString(encoding));
    expect(OurBuffer.from(bytes).toString(encoding, 3, 90)).toBe(Buffer.from(bytes).toString(encoding, 3, 90));
  });

  test.each(["", "AA==", "AA", "-_-_", "a b\nc", "AAAA=BBBB", "A", "!?", "AAECAwQ="])("reads the Base64 %j", (text) => {
    expect([...OurBuffer.from(text, "base64")]).toEqual([...Buffer.from(text, "base64")]);
  });

  test("joins and copies pieces, and a view shares its memory", () => {
    const pieces = [Uint8Array.of(1, 2), Uint8Array.of(), Uint8Array.of(3)];
    expect([...OurBuffer.concat(pieces)]).toEqual([...Buffer.concat(pieces)]);
    const memory = OurBuffer.allocUnsafeSlow(4);
    expect(OurBuffer.from([7, 8, 9]).copy(memory, 1, 1, 3)).toBe(2);
    expect([...memory]).toEqual([0, 8, 9, 0]);
    memory.subarray(0, 1)[0] = 5;
    expect([...OurBuffer.from(memory.buffer, 0, 2)]).toEqual([5, 8]);
  });
});

test("hashes are SHA-256, over several pieces and in each form", () => {
  for (const text of texts) {
    const own = crypto.createHash("sha256").update(text).update(bytes);
    expect(own.digest("hex")).toBe(createHash("sha256").update(text).update(bytes).digest("hex"));
    expect(crypto.hash("sha256", text, "base64")).toBe(createHash("sha256").update(text).digest("base64"));
  }
  for (const [one, other] of [
    ["same", "same"],
    ["same", "sane"],
  ] as const)
    expect(crypto.timingSafeEqual(OurBuffer.from(one), OurBuffer.from(other))).toBe(
      timingSafeEqual(Buffer.from(one), Buffer.from(other)),
    );
});

test("a text in pieces is decoded as Node decodes it", () => {
  const whole = Buffer.from("\uFEFFa€😀");
  for (let at = 0; at <= whole.length; at += 1) {
    const parts = [whole.subarray(0, at), whole.subarray(at)];
    const [ours, nodes] = [new OurDecoder(), new StringDecoder("utf8")];
    expect(parts.map((part) => ours.write(part)).join("") + ours.end()).toBe(
      parts.map((part) => nodes.write(part)).join("") + nodes.end(),
    );
  }
});

test("the names and values of headers that Node refuses are refused", () => {
  const refuses = (work: () => void): boolean => {
    try {
      work();
      return false;
    } catch {
      return true;
    }
  };
  for (const text of ["x-a", "a b", "a:b", "", "ä", "a\tb", "a\u0001b", "a\r\nb", "a\u007fb", "€", "\u00ff"]) {
    expect([
      text,
      refuses(() => {
        http.validateHeaderName(text);
      }),
    ]).toEqual([
      text,
      refuses(() => {
        validateHeaderName(text);
      }),
    ]);
    expect([
      text,
      refuses(() => {
        http.validateHeaderValue("x", text);
      }),
    ]).toEqual([
      text,
      refuses(() => {
        validateHeaderValue("x", text);
      }),
    ]);
  }
});

test("timers start again, stop, and come in their order", async () => {
  vi.useFakeTimers();
  const said: string[] = [];
  const timer = timers.setTimeout(() => said.push("once"), 100);
  const beat = timers.setInterval(() => said.push("beat"), 60).unref();
  await vi.advanceTimersByTimeAsync(90);
  timer.refresh();
  await vi.advanceTimersByTimeAsync(90);
  expect(said).toEqual(["beat", "beat", "beat"]);
  timers.clearInterval(beat);
  await vi.advanceTimersByTimeAsync(90);
  expect(said).toEqual(["beat", "beat", "beat", "once"]);
  vi.useRealTimers();
  await new Promise<void>((resolve) => {
    timers.setImmediate(() => said.push("first"));
    timers.clearImmediate(timers.setImmediate(() => said.push("never")));
    timers.setImmediate(() => {
      said.push("second");
      resolve();
    });
    said.push("now");
  });
  expect(said.slice(4)).toEqual(["now", "first", "second"]);
  const stop = new AbortController();
  const late = wait(60_000, "late", { signal: stop.signal });
  stop.abort(new Error("enough"));
  await expect(late).rejects.toThrow("enough");
  expect(await wait(1, "value")).toBe("value");
});

test("opossum, which asks for Node's events with `require`, gets a class to extend", async () => {
  // `steady` failed in browsers when a circuit opened: what it extended was a list of exports.
  // The package has no types in this program.
  const path = `${import.meta.dirname}/../../src/web/events.ts`;
  const events = (await import(path)) as Readonly<Record<"EventEmitter" | "module.exports", unknown>>;
  expect(events["module.exports"]).toBe(events.EventEmitter);
});

test("a later turn in workerd needs no queue that another request began", async () => {
  vi.stubGlobal("navigator", { userAgent: "Cloudflare-Workers" });
  vi.stubGlobal("MessageChannel", undefined);
  // Another name, so that the module is loaded again.
  const again = `${import.meta.dirname}/../../src/web/timers.ts?in-workerd`;
  const inWorkerd = (await import(again)) as typeof timers;
  const asked: unknown[] = [];
  vi.stubGlobal("setTimeout", (work: () => void) => asked.push(work));
  inWorkerd.setImmediate(() => undefined);
  inWorkerd.clearImmediate(inWorkerd.setImmediate(() => expect.fail("It was cleared.")));
  vi.unstubAllGlobals();
  // Each work is a timer of its own. With a queue, one timer would do the work of another request.
  expect(new Set(asked).size).toBe(2);
  for (const work of asked) (work as () => void)();
});

test("a module that has no stand-in says so, and the variables of the environment are those of the runtime", () => {
  expect(() => ourProcess.getBuiltinModule("node:worker_threads")).toThrow("There is no node:worker_threads here.");
  expect(ourProcess.env).toBe(process.env);
});
