// An approval over HTTP: asked in one request, given in another, days and a kill -9 later, and paid once.

import { createAgent, tool } from "lastcall";
import { fileStore, openSession } from "lastcall/memory";
import { openai } from "lastcall/model";
import { taskCompletion } from "lastcall/tools";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { z } from "zod";

const proposeRefund = tool({
  name: "propose_refund",
  description: "Proposes a refund. A person decides; the answer says if it was paid.",
  input: z.object({ order: z.string(), cents: z.int().positive() }),
  isLoopBreaking: true,
  awaitsReply: true,
  replySchema: z.object({ paid: z.boolean(), note: z.string() }),
  expiresAfter: 7 * 24 * 3_600_000,
});
const agent = createAgent({ model: openai(), tools: [proposeRefund, taskCompletion()] });

/** Simulates a bank: a payment that is sent again with the same key is not paid twice. */
async function pay(key: string, payment: object): Promise<void> {
  await mkdir("payments", { recursive: true });
  const file = `payments/${encodeURIComponent(key)}`;
  if (!existsSync(file)) await writeFile(file, JSON.stringify(payment));
}

const request = z.object({ words: z.string().min(1) });
const decision = z.object({ id: z.string(), approved: z.boolean(), note: z.string().default("") });

type Answer = readonly [status: number, body: object];

/** GET shows what a ticket waits for, POST starts one, PUT decides. */
async function handle(method: string, ticket: string, body: unknown): Promise<Answer> {
  const session = openSession({ store: fileStore("tickets"), id: ticket });
  if (method === "GET") return [200, { waiting: (await agent.waiting(session)) ?? null }];
  if (method === "POST") return answer(await agent.run(request.parse(body).words, { session }));
  const { id, approved, note } = decision.parse(body);
  const due = await agent.waiting(session);
  // The id of the call is the key. If the process dies after the payment, the decision is sent again and pays nothing more.
  if (approved && due?.id === id) await pay(id, due.value);
  return answer(await agent.run({ paid: approved, note }, { session, answers: id }));
}

function answer(outcome: Awaited<ReturnType<typeof agent.run>>): Answer {
  if (outcome.status === "waiting") return [202, { id: outcome.id, approve: outcome.value }];
  if (outcome.status === "completed") return [200, { result: outcome.value.result }];
  return [outcome.status === "failed" ? 409 : 500, { error: outcome.message }];
}

const server = createServer((incoming, response) => {
  const { method = "GET", url = "/" } = incoming;
  void (method === "GET" ? Promise.resolve() : json(incoming))
    .then((body) => handle(method, url.slice(1), body))
    .catch((thrown: unknown) => [400, { error: String(thrown) }] as const)
    .then(([status, body]) => response.writeHead(status).end(`${JSON.stringify(body)}\n`));
});
server.listen(Number(process.argv[2] ?? 3000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
});
