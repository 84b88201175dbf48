import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import {
  checkCassette,
  recordingProvider,
  replayingProvider,
  scriptedProvider,
  type RecordingOptions,
  type Script,
} from "../../../src/testing/index.js";
import { ask, cassetteFile, exchangesIn } from "./recorded-folder.js";

const key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD";

async function recording(script: Script, options: Partial<RecordingOptions> = {}) {
  const upstream = await scriptedProvider(script);
  const file = cassetteFile();
  const recorder = await recordingProvider({ upstream: upstream.url, file, ...options });
  onTestFinished(async () => {
    await Promise.all([recorder.close().catch(() => undefined), upstream.close()]);
  });
  return { upstream, recorder, file: options.file ?? file };
}

test("bytes that were split oddly, cut or refused are passed on and replayed byte for byte, in their order", async () => {
  const { recorder, file } = await recording([
    { status: 429, message: "busy", headers: { "retry-after-ms": "5", "x-secret-thing": "no" } },
    { text: "Grüße 🌍", split: 3, pause: 1 },
    { text: "the second of two equal requests" },
    { text: "half of it", cut: "reset", cutAfter: 40 },
  ]);
  const live = [];
  for (const prompt of ["a", "a", "a", "b"]) live.push(await ask(recorder, prompt));
  expect(live.map(({ status, isCut }) => [status, isCut])).toEqual([
    [429, false],
    [200, false],
    [200, false],
    [200, true],
  ]);
  expect(live[0]?.headers.get("retry-after-ms")).toBe("5");
  expect(live[0]?.headers.get("x-secret-thing")).toBeNull();
  expect(recorder.recorded).toBe(4);

  await using replay = await replayingProvider({ file });
  const again = [];
  for (const prompt of ["a", "a", "a", "b"]) again.push(await ask(replay, prompt));
  expect(again.map(({ status, text, isCut }) => [status, text, isCut])).toEqual(
    live.map(({ status, text, isCut }) => [status, text, isCut]),
  );
  expect(again[0]?.headers.get("retry-after-ms")).toBe("5");
  expect(replay.unsaid).toBe(0);
  const [, split] = exchangesIn(file);
  expect(split?.response.chunks.some(({ base64 }) => base64 !== undefined)).toBe(true);
});

test("a planted key in headers, the query, the body or the response is nowhere in the file", async () => {
  const planted = "planted-Value-9876";
  const { recorder, upstream, file } = await recording(
    [
      { text: `It is ${key}.` },
      { text: `It is ${key}, and ${planted}.`, piece: 3 },
      { text: `${planted} split over writes`, split: 5 },
      { status: 401, message: `Incorrect key: ${key}` },
    ],
    { secrets: [planted] },
  );
  const headers = { authorization: `Bearer ${key}`, "x-api-key": "header-Key-12345" };
  for (const prompt of ["1", `my key is ${key} and header-Key-12345`, planted])
    await ask(recorder, prompt, { headers });
  await ask(recorder, "4", { headers, path: "/chat/completions?key=query-Key-123456" });
  expect(upstream.requests[0]?.headers["authorization"]).toBe(`Bearer ${key}`);
  const bytes = readFileSync(file, "utf8");
  const decoded = exchangesIn(file)
    .flatMap(({ response }) => response.chunks)
    .map(({ text, base64 }) => text ?? Buffer.from(base64 ?? "", "base64").toString("latin1"));
  // A key that came in pieces of three characters must not stand there in pieces either.
  const joined = [...bytes.matchAll(/\\"content\\":\\"([^"\\]*)\\"/g)].map(([, piece]) => piece).join("");
  for (const secret of [key, planted, "header-Key-12345", "query-Key-123456", "abcdefghijklm", "lanted-Val"])
    for (const text of [bytes, decoded.join(""), joined]) expect(text).not.toContain(secret);
  expect(bytes).toContain("[redacted: ");
  expect((await checkCassette(file)).problems).toEqual([]);
  expect(statSync(file).mode & 0o077).toBe(0);

  await using replay = await replayingProvider({ file, secrets: [planted] });
  const { status } = await ask(replay, `my key is ${key} and header-Key-12345`, { headers });
  expect(status).toBe(200);
});

test("a compressed response is kept and passed on as its text", async () => {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
    response.end(gzipSync('{"ok":true}'));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const file = cassetteFile();
  const upstream = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`;
  await using recorder = await recordingProvider({ upstream, file });
  const { text, headers } = await ask(recorder, "a");
  expect([text, headers.get("content-encoding")]).toEqual(['{"ok":true}', null]);
  expect(exchangesIn(file)[0]?.response).toMatchObject({ chunks: [{ text: '{"ok":true}' }] });
});

test("`missing` answers from the file, and adds only what it lacks", async () => {
  const first = await recording(["one", "two"]);
  await ask(first.recorder, "a");
  await ask(first.recorder, "b");
  await first.recorder.close();
  const { recorder, upstream, file } = await recording(["three"], { file: first.file, record: "missing" });
  expect((await ask(recorder, "a")).text).toContain("one");
  expect((await ask(recorder, "changed")).text).toContain("three");
  expect(upstream.requests).toHaveLength(1);
  expect(recorder.departures).toEqual([
    'request 2 (POST /chat/completions) is not the recorded request 2: /messages/0/content was "b" and is "changed"',
  ]);
  expect(exchangesIn(file)).toHaveLength(3);
});

test("a secret in a label stays out of the file", async () => {
  const { file } = await recording([], { labels: { note: `${key} planted-Label-1` }, secrets: ["planted-Label-1"] });
  expect(readFileSync(file, "utf8")).toContain('"note":"[redacted: key] [redacted: value]"');
});

test("headers of the recorder take the place of the client's, and their secrets stay out of the file", async () => {
  const { recorder, upstream, file } = await recording(["ok own-Secret-123"], {
    headers: { authorization: "Bearer own-Secret-123" },
  });
  await ask(recorder, "a", { headers: { authorization: "Bearer none" } });
  expect(upstream.requests[0]?.headers["authorization"]).toBe("Bearer own-Secret-123");
  expect(readFileSync(file, "utf8")).not.toContain("own-Secret");
});

test("a file that is there is not overwritten, and a wrong upstream or ignoring is named", async () => {
  const file = cassetteFile();
  writeFileSync(file, "mine");
  const upstream = "http://127.0.0.1:9/v1";
  await expect(recordingProvider({ upstream, file })).rejects.toThrow(/is there already/);
  expect(readFileSync(file, "utf8")).toBe("mine");
  await expect(recordingProvider({ upstream: "localhost", file })).rejects.toThrow(/no http or https address/);
  const withPassword = recordingProvider({ upstream: "http://me:planted-Pass@127.0.0.1:9/v1", file });
  await expect(withPassword).rejects.toThrow(/has a user, a password or a query in its address/);
  await expect(withPassword).rejects.not.toThrow(/planted/);
  const ignore = ["dates"] as unknown as RecordingOptions["ignore"];
  await expect(recordingProvider({ upstream, file, ignore })).rejects.toThrow(
    /"dates" can't be ignored; nonces and folder can/,
  );
});

test("an upstream that can't be reached is told, and not recorded", async () => {
  const file = cassetteFile();
  await using recorder = await recordingProvider({ upstream: "http://127.0.0.1:9/v1", file });
  const { status, text } = await ask(recorder, "a");
  expect([status, text]).toEqual([502, expect.stringContaining("http://127.0.0.1:9/v1 can't be reached")]);
  expect(exchangesIn(file)).toEqual([]);
});
