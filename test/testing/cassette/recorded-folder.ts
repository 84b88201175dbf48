// A temporary file for a cassette, and requests by hand, for the tests of recordings.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** The path of a file that is not there yet; it is deleted after the test. */
export function cassetteFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "lastcall-cassette-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return join(folder, "run.jsonl");
}

/** The exchanges of a cassette as they stand in the file. */
export function exchangesIn(file: string): readonly {
  readonly request: { readonly path: string; readonly body?: unknown };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly chunks: readonly { readonly at: number; readonly text?: string; readonly base64?: string }[];
    readonly end: string;
  };
}[] {
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => JSON.parse(line) as ReturnType<typeof exchangesIn>[number]);
}

/** Sends a chat completion with this prompt. Its text is what came of the body, also if the connection was cut. */
export async function ask(
  { url }: { readonly url: string },
  prompt: string,
  {
    headers = {},
    path = "/chat/completions",
  }: { readonly headers?: Readonly<Record<string, string>>; readonly path?: string } = {},
): Promise<{ readonly status: number; readonly text: string; readonly isCut: boolean; readonly headers: Headers }> {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: prompt }], stream: true }),
  });
  const pieces: Uint8Array[] = [];
  let isCut = false;
  try {
    for await (const piece of response.body ?? []) pieces.push(piece as Uint8Array);
  } catch {
    isCut = true;
  }
  return { status: response.status, text: Buffer.concat(pieces).toString(), isCut, headers: response.headers };
}
