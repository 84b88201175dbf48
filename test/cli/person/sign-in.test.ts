// The address that ends a sign-in at the command, beside other sign-ins that wait.

import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { askSignIn, signInReply } from "../../../src/cli/person/sign-in.js";
import type { SignIns } from "../../../src/mcp/index.js";

const question = {
  kind: "sign_in",
  server: "bank",
  message: "Sign in.",
  address: "https://auth.example/authorize?state=ours",
  scopes: [],
} as const;

/** Sign-ins that all end well, and the addresses that ended one. */
function signInsAt(port: number): {
  readonly signIn: Pick<SignIns, "redirect" | "complete">;
  readonly ended: string[];
} {
  const ended: string[] = [];
  const signIn: Pick<SignIns, "redirect" | "complete"> = {
    redirect: `http://127.0.0.1:${String(port)}/oauth/callback`,
    complete(address) {
      ended.push(address);
      return Promise.resolve({ server: "bank", call: "c", answer: { action: "accept" } });
    },
  };
  return { signIn, ended };
}

test("the pasted address of another sign-in ended that one, and answered the question that was asked here", async () => {
  const { signIn, ended } = signInsAt(1);
  const theirs = `${signIn.redirect}?code=c&state=theirs`;
  const answering = { question, signIn, by: undefined };
  await expect(signInReply(theirs, answering)).rejects.toThrow("ended another sign-in, at bank");
  expect(ended).toEqual([theirs]);
  expect(await signInReply(`${signIn.redirect}?code=c&state=ours`, answering)).toBe('{"action":"accept"}');
});

test("a browser that came back from another sign-in answered the question on the screen", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  taken.close();
  await once(taken, "close");
  const { signIn, ended } = signInsAt(port);
  const person = { ask: (_words: string, signal: AbortSignal) => once(signal, "abort").then(() => undefined) };
  const lines: string[] = [];
  const asking = {
    person: person as unknown as Parameters<typeof askSignIn>[1]["person"],
    say: (line: string) => void lines.push(line),
    signal: new AbortController().signal,
    ...{ signIn, by: undefined },
  };
  let isAnswered = false;
  const answer = askSignIn(question, asking).finally(() => (isAnswered = true));
  await expect.poll(() => lines.some((line) => line.startsWith("This goes on"))).toBe(true);
  const other = await fetch(`${signIn.redirect}?code=c&state=theirs`);
  expect(await other.text()).toContain("You are signed in at bank");
  expect([ended.length, isAnswered]).toEqual([1, false]);
  await (await fetch(`${signIn.redirect}?code=c&state=ours`)).text();
  expect(await answer).toBe('{"action":"accept"}');
});
