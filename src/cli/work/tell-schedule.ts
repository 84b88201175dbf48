// lastcall schedule: gives tasks to the workers, and lists and removes what they get at times.

import { LastcallError } from "../../core/index.js";
import { cutTo } from "../../core/internal.js";
import type { HostAgent } from "../../host/index.js";
import { nextAfter } from "../../host/host-parts.js";
import type { Settings } from "../args/args.js";
import type { SchedulePlan } from "../args/order.js";
import { visible, visibleWords } from "../display/visible.js";
import { sayer, type Surroundings } from "../person/surface.js";
import { agentName } from "../serve/command-agents.js";
import { newId } from "../sessions/sessions.js";
import type { StoredPlan } from "./stored-plans.js";
import { workersDatabase, workersHost, type WorkersDatabase } from "./workers-host.js";

/**
 * Obeys the order. Returns the exit code.
 * @throws LastcallError `configuration` without an address, tables or the package of DBOS, and for a name that is not there; `store` if
 * the database does not answer.
 */
export async function tellSchedule(plan: SchedulePlan, settings: Settings, around: Surroundings): Promise<number> {
  const database = await workersDatabase(settings, around);
  const print = (line: string): boolean => around.stdout.write(`${line}\n`);
  const say = settings.quiet ? (): void => undefined : await sayer(around);
  try {
    switch (plan.is) {
      case "list": {
        const plans = await database.plans.list();
        for (const line of plans.map(lineOf)) print(line);
        if (plans.length === 0) say("There are no schedules.");
        return 0;
      }
      case "removed": {
        const isThere = (await database.plans.list()).some(({ name }) => name === plan.name);
        const stored = isThere ? await database.plans.remove(plan.name) : undefined;
        if (stored === undefined)
          throw new LastcallError(
            "configuration",
            `There is no schedule ${JSON.stringify(plan.name)}. lastcall schedule lists them.`,
          );
        await withdraw(stored, database);
        say(`Removed: ${lineOf(stored)}`);
        return 0;
      }
      case "given": {
        const { at, every } = settings;
        const agent = agentName(settings);
        const session = newId();
        const { name = session, task: input } = plan;
        if (at !== undefined && every === undefined && at < Date.now())
          throw new LastcallError(
            "configuration",
            `--at ${new Date(at).toISOString()} is over; leave it out to give the task now.`,
          );
        const given = { name, agent, input, ...(at !== undefined && { at }), ...(every !== undefined && { every }) };
        print(await give(given, session, database));
        say(wordsAbout(given));
        return 0;
      }
    }
  } finally {
    await database.store[Symbol.asyncDispose]();
  }
}

/** Gives a task to the workers, or keeps it for its times. Returns the id of its session, or the name of the schedule. */
async function give(plan: StoredPlan, session: string, database: WorkersDatabase): Promise<string> {
  const { name, agent, input, at, every } = plan;
  if (at === undefined && every === undefined)
    return withHost(
      plan,
      database,
      async (host) => (await host.give({ session, agent, input, inputId: session })).session,
    );
  const isOnce = every === undefined;
  // The task is in the queue before it is kept, so whoever replaces it can withdraw it.
  if (isOnce) await withHost(plan, database, (host) => host.schedule({ name: session, session, agent, input, at }));
  for (const old of await database.plans.keep(isOnce ? { ...plan, session } : plan)) await withdraw(old, database);
  return isOnce ? session : name;
}

/** Withdraws what the queue has for a time that has not come. */
async function withdraw({ at = 0, session, ...plan }: StoredPlan, database: WorkersDatabase): Promise<void> {
  if (session !== undefined && at > Date.now())
    await withHost(plan, database, (host) => host.abort(session, "its schedule was removed"));
}

type GivingHost = Awaited<ReturnType<typeof workersHost>>;

/** Uses a host that only gives. */
async function withHost<Made>(
  { agent }: Pick<StoredPlan, "agent">,
  database: WorkersDatabase,
  use: (host: GivingHost) => Promise<Made>,
): Promise<Made> {
  const host = await workersHost(database, { agents: { [agent]: elsewhere }, work: false });
  try {
    return await use(host);
  } finally {
    await host.close();
  }
}

/** The agent is in the workers. */
const elsewhere: HostAgent = {
  stream() {
    throw new LastcallError("configuration", "This process gives tasks, and runs none.");
  },
};

function wordsAbout({ agent, at, every }: StoredPlan): string {
  const to = `workers of ${visible(agent)}`;
  if (every === undefined && at === undefined) return `Given to the ${to}: lastcall work runs one.`;
  const next = every === undefined ? (at ?? 0) : nextAfter(Date.now(), { every, at });
  return `The ${to} get it ${every === undefined ? "at" : "next at"} ${new Date(next).toISOString()}.`;
}

/** Characters of a task that its line has. */
const taskLength = 60;

function lineOf({ name, agent, input, at, every }: StoredPlan): string {
  const next = new Date(every === undefined ? (at ?? 0) : nextAfter(Date.now(), { every, at }));
  const times = every === undefined ? "once" : `every ${periodOf(every)}`;
  const task = cutTo(visibleWords(input.replace(/\s+/g, " ").trim()), taskLength);
  // Another version may have written a time that this version does not understand.
  const when = Number.isFinite(next.getTime()) ? next.toISOString() : "never";
  return `${visible(name)}  ${times}, next ${when}  ${visible(agent)}  ${task}`;
}

/** A period as one would type it. */
function periodOf(milliseconds: number): string {
  const units = [
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["m", 60_000],
  ] as const;
  const [unit, size] = units.find(([, one]) => milliseconds % one === 0) ?? ["s", 1000];
  return `${String(milliseconds / size)}${unit}`;
}
