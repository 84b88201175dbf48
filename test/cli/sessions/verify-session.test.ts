// lastcall verify, over sessions in a folder: signed, changed on disk, without a key, without a signature, redacted.

import { generateKeyPairSync } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAgent, tool, type ApprovalSigner } from "../../../src/index.js";
import { ed25519, fileStore, openSession } from "../../../src/memory/index.js";
import { noSum, writeLine, type Header } from "../../../src/memory/session/record-lines.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { delegate, taskCompletion } from "../../../src/tools/index.js";
import { runHere, temporary, type Ended } from "../command.js";

/** A pair of keys: the signer, and the public key as files have it. */
async function keyNamed(name: string) {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const pkcs8 = privateKey.export({ format: "der", type: "pkcs8" });
  const key = await crypto.subtle.importKey("pkcs8", new Uint8Array(pkcs8), "Ed25519", false, ["sign"]);
  return {
    sign: ed25519(name, key),
    pem: publicKey.export({ format: "pem", type: "spki" }).toString(),
    jwk: JSON.stringify(publicKey.export({ format: "jwk" })),
    secret: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
  };
}

const [old, current, stranger] = await Promise.all([keyNamed("k1"), keyNamed("k2"), keyNamed("k1")]);

const pay = tool({
  name: "pay",
  description: "Pays.",
  input: { type: "object", properties: { sum: { type: "number" } } },
  effect: "network",
  run: () => "paid",
});

type Value = Readonly<Record<string, unknown>>;

/** A folder of sessions with one session, "bill", whose payment ben and cas approved; and the files of keys. */
async function place(signers: readonly [ApprovalSigner?, ApprovalSigner?], { isBelow = false, quorum = 2 } = {}) {
  const folder = await temporary();
  const sessions = join(folder.path, "sessions");
  const store = fileStore(sessions);
  const agentWith = (sign: ApprovalSigner | undefined) => {
    const buyer = createAgent({
      model: scriptedModel(({ lastText }) =>
        lastText.includes("paid") ? [call("task_completion", { result: "done" })] : [call("pay", { sum: 900 })],
      ),
      tools: [pay, taskCompletion()],
      permission: ({ name }) => (name === "pay" ? { later: true, reason: "money" } : { allowed: true }),
      approvals: { quorum, ...(sign && { sign }) },
    });
    if (!isBelow) return buyer;
    return createAgent({
      model: scriptedModel(({ lastText }) =>
        lastText.includes("done") ? [call("task_completion", { result: "all" })] : [call("buyer", { task: "buy" })],
      ),
      tools: [delegate(buyer, { name: "buyer", description: "Buys." }), taskCompletion()],
      permission: ({ name }: { readonly name: string }, { approval }) =>
        name === "pay" ? (approval ?? { later: true, reason: "money" }) : { allowed: true },
      approvals: { quorum, ...(sign && { sign }) },
    });
  };
  const session = openSession({ store, id: "bill" });
  await agentWith(signers[0]).run("Pay", { session, by: { id: "ann" } });
  for (const [index, id] of ["ben", "cas"].entries()) {
    const agent = agentWith(signers[index]);
    const waiting = await agent.waiting(session);
    await agent.run({ allowed: true }, { session, answers: waiting!.id, by: { id } });
  }
  const verifyOf = (...args: readonly string[]): Promise<Ended> =>
    runHere(["verify", ...args, "--sessions", sessions], { XDG_CONFIG_HOME: folder.path });
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder.path, name), text);
    return join(folder.path, name);
  };
  return {
    store,
    verifyOf,
    verify: (...args: readonly string[]): Promise<Ended> => verifyOf("bi", ...args),
    file,
    /** Changes records on the disk, and makes the checksums of all lines anew, as anybody can. */
    async change(how: (record: Value) => Value): Promise<void> {
      const journal = join(sessions, "bill", "journal.jsonl");
      const lines = (await readFile(journal, "utf8")).trimEnd().split("\n");
      let sum = noSum;
      const changed = lines.map((line) => {
        const { sum: _sum, ...value } = JSON.parse(line) as Value;
        const written = writeLine(how(value) as unknown as Header, sum);
        sum = written.sum;
        return written.line;
      });
      await writeFile(journal, `${changed.join("\n")}\n`);
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const isAnswer = (record: Value): boolean => record["type"] === "approval";

test("a signed session holds: each answer with its person and time, each effect, and a line about all", async () => {
  await using at = await place([old.sign, old.sign]);
  const pem = await at.file("k1.pem", old.pem);
  const jwk = await at.file("k1.json", old.jwk);
  const { code, stdout, stderr } = await at.verify("--key", pem);
  expect([code, stderr]).toEqual([0, ""]);
  const lines = stdout.trimEnd().split("\n");
  const time = String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z  record \d+: `;
  expect(lines[0]).toMatch(new RegExp(`${time}the yes of ben to pay \\(\\S+\\): holds$`));
  expect(lines[1]).toMatch(new RegExp(`${time}the yes of cas to pay \\(\\S+\\): holds$`));
  expect(lines[2]).toMatch(new RegExp(`${time}the effect of pay \\(\\S+\\): holds$`));
  expect(lines.slice(4)).toEqual(["It holds: 2 answers and 2 effects."]);
  for (const key of [`k1=${pem}`, jwk, `k1=${jwk}`]) expect((await at.verify("--key", key)).stdout).toBe(stdout);
  const json = JSON.parse((await at.verify("--key", pem, "--json")).stdout) as Value;
  expect(json).toMatchObject({ session: "bill", signed: true, holds: true });
  expect(json["verdicts"]).toHaveLength(4);
  expect(json["verdicts"]).toMatchObject([
    { what: "the yes of ben", tool: "pay", at: expect.any(Number) as number, holds: true },
    {},
    {},
    {},
  ]);
});

test("a person who was changed on the disk is found, with the effects that lost their yes", async () => {
  await using at = await place([old.sign, old.sign]);
  await at.change((record) =>
    isAnswer(record) && JSON.stringify(record).includes('"cas"') ? { ...record, by: { id: "eve" } } : record,
  );
  const { code, stdout } = await at.verify("--key", await at.file("k1.pem", old.pem));
  expect(code).toBe(2);
  expect(stdout).toMatch(/the yes of ben to pay \(\S+\): holds\n/);
  expect(stdout).toMatch(/the yes of eve to pay \(\S+\): does not hold: the person is another\n/);
  expect(stdout).toMatch(/the effect of pay \(\S+\): does not hold: 1 of 2 people had said a yes/);
  expect(stdout).toMatch(/\nProblems: 1 of 2 answers, 2 of 2 effects\.\n$/);
  expect(JSON.parse((await at.verify("--key", await at.file("k1.pem", old.pem), "--json")).stdout)).toMatchObject({
    holds: false,
  });
});

test("signatures that were taken away are found if there is a key; another key fits no signature", async () => {
  await using at = await place([old.sign, old.sign]);
  const other = await at.verify("--key", await at.file("other.pem", stranger.pem));
  expect(other.code).toBe(2);
  expect(other.stdout).toContain("does not hold: its signature does not fit what it says");
  await at.change((record) => {
    const { proof: _proof, ...rest } = record;
    return isAnswer(record) ? rest : record;
  });
  const { code, stdout } = await at.verify("--key", await at.file("k1.pem", old.pem));
  expect([code, stdout.match(/it has no signature/g)]).toEqual([2, ["it has no signature", "it has no signature"]]);
});

test("without a key, and with keys that can't be used, it says which is missing and what --key takes", async () => {
  await using at = await place([old.sign, current.sign]);
  const [first, second] = [await at.file("k1.pem", old.pem), await at.file("k2.json", current.jwk)];
  expect((await at.verify("--key", `k1=${first}`, "--key", `k2=${second}`)).code).toBe(0);
  const none = await at.verify();
  expect([none.code, none.stdout]).toEqual([4, ""]);
  for (const name of ["k1", "k2"])
    expect(none.stderr).toContain(
      `The key ${name} is missing: --key ${name}=FILE takes a file with the public key, as PEM or JWK.`,
    );
  const half = await at.verify("--key", `k1=${first}`);
  expect(half.code).toBe(2);
  expect(half.stdout).toContain("does not hold: there is no key k2");
  expect(half.stderr).toContain("--key k2=FILE");
  const refusals: readonly (readonly [readonly string[], string])[] = [
    [[first], "each key needs its name: --key k1="],
    [[`k1=${first}`, `k1=${second}`], "The key k1 is given twice"],
    [[`=${first}`], "is no FILE and no NAME=FILE"],
    [["k1="], "is no FILE and no NAME=FILE"],
    [["k1=/nowhere.pem"], "has no public key of Ed25519"],
    [[`k1=${await at.file("text", "words")}`], "has no public key of Ed25519"],
    [[`k1=${await at.file("secret.pem", old.secret)}`], "it is a private key"],
    [[`k1=${await at.file("ec.pem", otherKind())}`], "of another kind than Ed25519"],
  ];
  for (const [words, why] of refusals) {
    const { code, stdout, stderr } = await at.verify(...words.flatMap((word) => ["--key", word]));
    expect([code, stdout]).toEqual([4, ""]);
    expect(stderr).toContain(why);
  }
});

function otherKind(): string {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return publicKey.export({ format: "pem", type: "spki" }).toString();
}

test("a name of a key that each object has is no key", async () => {
  await using at = await place([old.sign, old.sign]);
  await at.change((record) =>
    isAnswer(record) ? { ...record, proof: { ...(record["proof"] as Value), key: "constructor" } } : record,
  );
  const { code, stdout } = await at.verify("--key", `k1=${await at.file("k1.pem", old.pem)}`);
  expect([code, stdout.includes("there is no key constructor")]).toEqual([2, true]);
});

test("without any signature it says so, and checks order, times and people", async () => {
  await using at = await place([]);
  const { code, stdout, stderr } = await at.verify();
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/the yes of ben to pay \(\S+\): not signed\n/);
  expect(stdout).toMatch(
    /\nOrder, times and people are right: 2 answers and 2 effects\. The answers are not signed: a change/,
  );
  expect(JSON.parse((await at.verify("--json")).stdout)).toMatchObject({ signed: false, holds: true });
  await at.change((record) => (isAnswer(record) ? { ...record, by: { id: "ben" } } : record));
  const same = await at.verify();
  expect(same.code).toBe(2);
  expect(same.stdout).toContain("does not hold: 1 of 2 people had said a yes that holds before it");
  expect(same.stdout).toContain("The answers are not signed");
  await at.change((record) => (isAnswer(record) ? { ...record, at: 5 } : record));
  expect((await at.verify()).stdout).toContain("does not hold: its time does not fit the records around it");
});

test("what was redacted after its answer is said to be unchecked, in its line and in the last one", async () => {
  await using at = await place([old.sign, old.sign]);
  await at.change((record) => (record["type"] === "parked" ? { ...record, preview: "[redacted: key]" } : record));
  const { code, stdout } = await at.verify("--key", await at.file("k1.pem", old.pem));
  // A changed call can be made to look redacted.
  expect(code).toBe(2);
  expect(stdout).toMatch(/the yes of ben .*: not checked in full: the call was redacted after its answer\n/);
  expect(stdout).toMatch(/Not all was checked: 2 answers and 2 effects, 2 of these not in full\. A change by /);
});

test.each([[true], [false]])(
  "the calls of an agent that a call ran are verified as well (signed: %s)",
  async (isSigned) => {
    await using at = await place(isSigned ? [old.sign, old.sign] : [], { isBelow: true });
    const { code, stdout } = await at.verify(...(isSigned ? ["--key", await at.file("k1.pem", old.pem)] : []));
    expect(stdout).toMatch(/ bill\/\S+ record \d+: the yes of cas to pay /);
    expect(stdout).toMatch(/ bill\/\S+ record \d+: the effect of pay \(\S+\): holds/);
    expect(code).toBe(0);
  },
);

test("a session in which no call waited has nothing to verify", async () => {
  await using at = await place([]);
  const agent = createAgent({
    model: scriptedModel([[call("task_completion", { result: "done" })]]),
    tools: [taskCompletion()],
  });
  await agent.run("go", { session: openSession({ store: at.store, id: "other" }) });
  const words = "No call that waited was answered: there is nothing to verify.\n";
  expect(await at.verifyOf("other")).toEqual({ code: 0, stdout: words, stderr: "" });
});
