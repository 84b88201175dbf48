// The tools that the program of each peer gives to its agent, and the end of the program: 0 done, 3 given up, 1 anything else.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export const [model, task] = process.argv.slice(2);
export const baseURL = process.env.PEER_URL;

/** The most requests, as many as the agents of lastcall have here. */
export const mostSteps = Number(process.env.PEER_STEPS);

export const instructions =
  "You work on the files of the current folder with the tools. If the task is done, call task_completion. If it can't be done, call give_up.";

let ending;

/** Each with a description, the names of its arguments, which are texts, and its function. */
export const tools = {
  read_file: { description: "Reads a file.", fields: ["path"], run: ({ path }) => readFileSync(path, "utf8") },
  write_file: {
    description: "Writes a file. It has only this content then.",
    fields: ["path", "content"],
    run({ path, content }) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return `${path} is written.`;
    },
  },
  run_command: {
    description: "Runs a command line in sh, and returns its output.",
    fields: ["command"],
    run: ({ command }) =>
      execFileSync("/bin/sh", ["-c", `${command} 2>&1; echo "exit code $?"`], { encoding: "utf8", timeout: 20_000 }),
  },
  task_completion: {
    description: "Call it if the task is done.",
    fields: ["result"],
    run() {
      ending ??= "done";
      return "The run ends.";
    },
  },
  give_up: {
    description: "Call it if the task can't be done.",
    fields: ["reason"],
    run() {
      ending ??= "given up";
      return "The run ends.";
    },
  },
};

/** The tools that end a run. */
export const lastTools = ["task_completion", "give_up"];

/** An error of a tool is its result. */
export function answer(name, input) {
  try {
    return tools[name].run(input);
  } catch (thrown) {
    return `error: ${thrown.message}`;
  }
}

/**
 * Runs the agent to its end. `start` settles when the agent has ended; an agent that ends with words alone has ended in order, as each of
 * these frameworks sees it.
 */
export async function end(start) {
  try {
    await start();
  } catch (thrown) {
    console.error(thrown);
    if (ending === undefined) process.exit(1);
  }
  console.log(ending ?? "ended with words");
  process.exit(ending === "given up" ? 3 : 0);
}
