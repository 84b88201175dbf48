// Runs the demo: a recorded model in a real loop, with explanations.

import { readSettings, type Settings } from "../args/args.js";
import { demo, demoTask } from "./demo.js";
import { parseOptions } from "../args/options.js";
import type { Model } from "../../core/index.js";
import { openai } from "../../model/index.js";
import { loadModules } from "../modules/modules.js";
import { surfaceOf, type Surface, type Surroundings } from "../person/surface.js";
import { runTask, type Task } from "../task/run-task.js";
import { workplaceFor } from "../task/workplace-for.js";

/** Runs the demo. Returns the exit code. */
export async function runDemo(settings: Settings, around: Surroundings): Promise<number> {
  const surface = await surfaceOf(settings, around);
  const { say } = surface;
  const { workdir, provider } = await demo(around.stderr.isTTY ? 400 : 0);
  say(
    "This is a demo. The model is recorded: its words were written beforehand and come from a server on this machine.",
  );
  say("Everything else is real: the loop, the tools, the files, the tests that fail and pass.");
  say(`\nTask: ${demoTask}\nFolder: ${workdir}\n`);
  try {
    return await runTask(await demoOf(workdir, openai({ baseURL: provider.url, model: "recorded" }), surface));
  } finally {
    await provider.close();
    const command = around.env["npm_lifecycle_event"] === "start" ? "npm start --" : "lastcall";
    say("\nThe folder is left for you to look at. With a model of your own:");
    say(`  OPENAI_API_KEY=... ${command} "your task"`);
    say(`  ${command} --base-url http://127.0.0.1:11434/v1 --model NAME "your task"`);
  }
}

/** The command that checks the demo's project. */
const check = "npm test --silent";

/** The options of the demo, as a person would type them. */
const options = ["--until", check, "--protect", "test", "--allow", `run_command(${check})`];

/** The task of the demo. Nobody is asked, so whatever no rule allows is refused. */
async function demoOf(workdir: string, model: Model, surface: Surface): Promise<Task> {
  const settings = readSettings(parseOptions([...options, "--", demoTask]));
  const modules = await loadModules(settings);
  const guarded: readonly string[] = [];
  return {
    ...surface,
    settings,
    workdir,
    model,
    guidance: "",
    limits: settings.limits,
    window: undefined,
    approver: undefined,
    secrets: [],
    guarded,
    modules: modules.files,
    workplaceFor: (rights) => workplaceFor({ ...settings, rights }, { root: workdir, guarded, modules }),
    events: undefined,
    session: undefined,
    notesFrom: undefined,
    input: demoTask,
    answers: undefined,
    attachments: [],
    person: undefined,
  };
}
