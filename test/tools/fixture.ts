// Shared by the tests of the workspace tools: a real folder, and one call of a tool as the loop makes it.

import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { failClosed, type Budget, type Tool } from "../../src/core/index.js";
import { compile } from "../../src/schema/index.js";

/** The budget of a run without limits. */
const budget: Budget = { reserve: () => ({ settle: () => Promise.resolve(), release: () => undefined }) };

/** A fresh folder, as its real path; removed after the test. */
export async function makeFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "lastcall-tools-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The outcome of one call. */
export interface Called<Value> {
  readonly value: Value;
  readonly progress: readonly unknown[];
}

/** Validates the input and runs the tool to its end, collecting its progress. */
export async function callWhole<Input, Value>(
  tool: Tool<string, Input, Value>,
  input: Input,
  signal: AbortSignal = new AbortController().signal,
): Promise<Called<Value>> {
  const validation = await compile(tool.input).validate(input);
  if (!validation.ok) throw new Error(validation.issues.map(({ path, message }) => `${path}: ${message}`).join("; "));
  const made = tool.run(validation.value as Input, {
    signal,
    context: undefined,
    callId: "call_1",
    approved: undefined,
    principal: undefined,
    budget,
    permission: failClosed,
    decision: { allowed: true, reason: "the test runs it" },
    records: [],
    note: () => undefined,
    attach: () => undefined,
    ask: () => Promise.reject(new Error("nobody is there")),
    state: undefined,
    path: ["s/1/call:1:0"],
    child: () => Promise.reject(new Error("no agent is run here")),
    background: { look: () => undefined, wait: () => Promise.resolve(), stop: () => Promise.resolve() },
  });
  if (!isGenerator(made)) return { value: await made, progress: [] };
  const progress: unknown[] = [];
  for (;;) {
    const next = await made.next();
    if (next.done === true) return { value: next.value, progress };
    progress.push(next.value);
  }
}

/** Starts a call of a tool that yields progress, to be read step by step. */
export function start<Input, Value>(
  tool: Tool<string, Input, Value>,
  input: Input,
  signal: AbortSignal = new AbortController().signal,
): AsyncGenerator<unknown, Value> {
  const made = tool.run(input, {
    signal,
    context: undefined,
    callId: "call_1",
    approved: undefined,
    principal: undefined,
    budget,
    permission: failClosed,
    decision: { allowed: true, reason: "the test runs it" },
    records: [],
    note: () => undefined,
    attach: () => undefined,
    ask: () => Promise.reject(new Error("nobody is there")),
    state: undefined,
    path: ["s/1/call:1:0"],
    child: () => Promise.reject(new Error("no agent is run here")),
    background: { look: () => undefined, wait: () => Promise.resolve(), stop: () => Promise.resolve() },
  });
  if (!isGenerator(made)) throw new Error(`${tool.name} yields nothing`);
  return made;
}

/** The value of one call. */
export async function call<Input, Value>(
  tool: Tool<string, Input, Value>,
  input: Input,
  signal?: AbortSignal,
): Promise<Value> {
  return (await callWhole(tool, input, signal)).value;
}

function isGenerator<Value>(
  made: Value | Promise<Value> | AsyncGenerator<unknown, Value>,
): made is AsyncGenerator<unknown, Value> {
  return typeof made === "object" && made !== null && Symbol.asyncIterator in made;
}
