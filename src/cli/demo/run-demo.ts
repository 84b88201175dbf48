// Runs the demo: a recorded model in a real loop, with explanations.

import type { Settings } from "../args/args.js";
import { demo, demoTask } from "./demo.js";
import { defaultLimits } from "../args/limits.js";
import { openai } from "../../model/index.js";
import { surfaceOf, type Surroundings } from "../person/surface.js";
import { runTask } from "../task/run-task.js";

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
    return await runTask({
      ...surface,
      events: undefined,
      session: undefined,
      input: demoTask,
      answers: undefined,
      workdir,
      model: openai({ baseURL: provider.url, model: "recorded" }),
      guidance: "",
      rights: {
        tier: "workspace-write",
        mode: "ask-never",
        allow: ["run_command(npm test --silent)"],
        deny: [],
        dryRun: false,
        shell: "sandbox",
      },
      until: [{ line: "npm test --silent", every: "claim" }],
      protect: ["test"],
      requireVerified: false,
      attempts: undefined,
      onEdit: [],
      limits: defaultLimits,
      notes: false,
      notesFrom: undefined,
      window: undefined,
      person: undefined,
      approver: undefined,
      secrets: [],
      guarded: [],
      interactive: true,
    });
  } finally {
    await provider.close();
    const command = around.env["npm_lifecycle_event"] === "start" ? "npm start --" : "lastcall";
    say("\nThe folder is left for you to look at. With a model of your own:");
    say(`  OPENAI_API_KEY=... ${command} "your task"`);
    say(`  ${command} --base-url http://127.0.0.1:11434/v1 --model NAME "your task"`);
  }
}
