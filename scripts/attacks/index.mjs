// Attacks, one case per line. An attack on the gate is a call in its own temporary folders, made in a real agent with the real tools.
// A line with a `format` is a text for the redaction of secrets.

import { readFileSync } from "node:fs";
import { digestOf, makeWorld } from "./world.mjs";

const tiers = { ReadOnly: "read-only", WorkspaceWrite: "workspace-write", DangerFullAccess: "full-access" };
const tools = { execute_command: "run_command", apply_diff: "edit_file" };
const verdicts = ["allow", "ask", "deny"];

/** Cases of others that this project decides otherwise, by id, with the reason. */
const decided = JSON.parse(readFileSync(new URL("../../test/cases/attacks/decided.json", import.meta.url), "utf8"));

/** Reads files with one case per line. */
export function readAttacks(files) {
  return files.flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line, index) => {
        try {
          const attack = JSON.parse(line);
          const { expect = attack.expect, why } = decided[attack.id] ?? {};
          return { ...attack, expect, decided: why };
        } catch (thrown) {
          return { id: `${file}:${index + 1}`, broken: thrown.message };
        }
      }),
  );
}

/** Tries one case after the other. A call that is not expected to be allowed never really runs. */
export async function tryAll(cases, library) {
  const results = [];
  for (const attack of cases) results.push(await tryOne(attack, library));
  return results;
}

/** The line to print for a result. */
export function lineOf({ id, wanted, got, reason, problem }) {
  const is = problem === undefined ? "ok  " : "FAIL";
  const words = problem === undefined ? `${got}: ${reason}` : problem;
  return `${is} ${String(id).padEnd(34)} ${String(wanted).padEnd(6)} ${words.replaceAll("\n", " ").slice(0, 300)}`;
}

/** The number of passed and failed cases, as a text. */
export function countsOf(results) {
  const failed = results.filter(({ problem }) => problem !== undefined).length;
  const others = results.filter(({ decided: why }) => why !== undefined).map((one) => `${one.id}: ${one.decided}`);
  const counts = `${results.length - failed} passed, ${failed} failed`;
  return others.length === 0 ? counts : `Decided otherwise than the file says:\n${others.join("\n")}\n${counts}`;
}

async function tryOne(attack, library) {
  const { id, expect } = attack;
  if (attack.format !== undefined) return findSecret(attack, library);
  try {
    const wanted = wantedOf(attack);
    const { got, reason, problem } = await meet(attack, wanted, library);
    const isWrong = wanted.includes(got) ? undefined : `was ${got} (${reason})`;
    return { id, wanted: wanted.join("|"), got, reason, problem: problem ?? isWrong, decided: attack.decided };
  } catch (thrown) {
    return { id, wanted: JSON.stringify(expect), problem: `could not be tried: ${thrown.message}` };
  }
}

/** Looks for the secret of a case that names a format. */
function findSecret({ format, text, expect }, { redactor }) {
  if (typeof text !== "string" || !["found", "not found"].includes(expect))
    return { id: format, wanted: JSON.stringify(expect), problem: "the case has no text, or no known expectation" };
  const left = redactor().text(text);
  const got = left === text ? "not found" : "found";
  return {
    id: format,
    wanted: expect,
    got,
    reason: left,
    problem: got === expect ? undefined : `was ${got} (${left})`,
  };
}

function wantedOf({ expect, broken }) {
  if (broken !== undefined) throw new Error(broken);
  const wanted = typeof expect === "object" && expect !== null ? expect.any_of : [expect];
  if (!Array.isArray(wanted) || wanted.length === 0 || !wanted.every((one) => verdicts.includes(one)))
    throw new Error(`there is no expectation ${JSON.stringify(expect)}`);
  return wanted;
}

async function meet(attack, wanted, library) {
  const world = await makeWorld(attack.setup ?? []);
  try {
    const { name, input } = callOf(attack, world);
    const before = await digestOf(world);
    const observed = await callIn(
      world,
      { name, input, ...gateOf(attack, world) },
      { library, runs: wanted.includes("allow") },
    );
    const after = await digestOf(world);
    const verdict = verdictOf(observed);
    return { ...verdict, problem: problemOf(verdict, observed, { before, after }) };
  } finally {
    await world.remove();
  }
}

/** The call, with the paths of this world and the names of our tools. */
function callOf({ tool, input }, world) {
  const name = tools[tool] ?? tool;
  if (typeof name !== "string") throw new Error("the case names no tool");
  return { name, input: placed(input?.call ?? input, world) };
}

function gateOf({ tier, rules = {} }, world) {
  const known = tiers[tier];
  if (known === undefined) throw new Error(`there is no tier ${JSON.stringify(tier)}`);
  const strange = Object.keys(rules).find((kind) => kind !== "allow" && kind !== "deny");
  if (strange !== undefined) throw new Error(`there are no rules called ${strange}`);
  const ours = (texts = []) =>
    texts.map((text) =>
      placed(
        text.replace(/^\w+/, (name) => tools[name] ?? name),
        world,
      ),
    );
  return { tier: known, allow: ours(rules.allow), deny: ours(rules.deny) };
}

/** Replaces the root that the cases use (`/home/dev/project` or `$ROOT`) by the root of this world. */
function placed(value, world) {
  return JSON.parse(
    JSON.stringify(value, (_key, one) =>
      typeof one === "string"
        ? one.replaceAll("$ROOT", world.root).replace(/^\/home\/dev\//, `${world.home}/dev/`)
        : one,
    ),
  );
}

/** Makes the call in an agent, and returns the decision, the questions to the approver, the runs and the result. */
async function callIn(world, { name, input, tier, allow, deny }, { library, runs }) {
  const { createAgent, scriptedModel, call, gate, workspaceTools, taskCompletion } = library;
  const asked = [];
  const ran = [];
  const watched = workspaceTools({ root: world.root, env: { npm_config_cache: world.scratch } }).map((tool) => ({
    ...tool,
    run(given, context) {
      ran.push(given);
      // A call that must not run is not executed, even if the gate wrongly allows it.
      return runs ? tool.run(given, context) : "not run";
    },
  }));
  if (!watched.some((tool) => tool.name === name)) throw new Error(`there is no tool ${name}`);
  const permission = gate({
    root: world.root,
    tier,
    allow,
    deny,
    approver(frozen, { why }) {
      asked.push({ frozen, why });
      return false;
    },
  });
  const model = scriptedModel([[call(name, input)], [call("task_completion", { result: "ok" })]]);
  const agent = createAgent({ model, tools: [...watched, taskCompletion()], permission });
  const { session } = await agent.run("Go.");
  const { records } = session;
  const first = records.find(({ type }) => type === "reply").reply.calls[0].id;
  return {
    asked,
    ran,
    decision: records.find(({ type, callId }) => type === "decision" && callId === first),
    result: records.find(({ type, result }) => type === "result" && result.callId === first)?.result,
  };
}

function verdictOf({ asked, decision, result }) {
  if (decision === undefined) return { got: "invalid", reason: result?.text ?? "the call was never decided about" };
  if (decision.allowed) return { got: "allow", reason: decision.reason };
  return asked.length > 0 ? { got: "ask", reason: asked[0].why } : { got: "deny", reason: decision.reason };
}

function problemOf({ got }, { ran, result }, { before, after }) {
  if (got !== "allow" && ran.length > 0) return "it ran without having been allowed";
  if (before.outside !== after.outside) return "the world outside the workspace was changed";
  if (got !== "allow" && before.inside !== after.inside) return "the workspace was changed";
  if (got === "allow" && result?.ok !== true) return `it was allowed, and then failed: ${result?.text}`;
  return undefined;
}
