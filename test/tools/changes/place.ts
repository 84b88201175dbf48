// Places in which a scripted model works: a workspace, and the recorder of its changes.

import { expect } from "vitest";
import { createAgent, type Model, type Tool } from "../../../src/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { allowAll } from "../../../src/permission/index.js";
import { call, scriptedModel, type Step } from "../../../src/testing/index.js";
import {
  taskCompletion,
  workspaceChanges,
  workspaceTools,
  type TreeLimits,
  type WorkspaceChanges,
} from "../../../src/tools/index.js";
import { randomFrom } from "../../chaos/scale.js";
import { fill, newFolder, picture } from "./world.js";

/** The step that ends a run. */
export const done = call("task_completion", { result: "It is done." });

/** A workspace, and a recorder of its changes. */
export interface Place {
  readonly root: string;
  readonly changes: WorkspaceChanges;
  /** Runs these calls, one after the other. `between` is called before each reply. */
  run(session: string, steps: readonly Step[], between?: (step: number) => void | Promise<void>): Promise<void>;
}

/** A workspace with this many files of all kinds. */
export function place(files = 30, random = randomFrom(1)): Place {
  const root = newFolder();
  fill(root, files, random);
  return placeAt(root, newFolder());
}

/** The changes, with each undo and redo foretold by a dry run: it has to be right, and to change nothing. */
function foretold(root: string, changes: WorkspaceChanges): WorkspaceChanges {
  const after =
    (turn: WorkspaceChanges["undo"]): WorkspaceChanges["undo"] =>
    async (session, terms) => {
      const before = picture(root);
      const planned = await turn(session, { ...terms, dryRun: true });
      expect(picture(root)).toEqual(before);
      const made = await turn(session, { ...terms, plan: planned.plan });
      expect(made).toEqual(planned);
      return made;
    };
  return { ...changes, undo: after(changes.undo), redo: after(changes.redo) };
}

/** The workspace at the root, whose changes stand in the folder. */
export function placeAt(root: string, folder: string, limits?: TreeLimits): Place {
  const changes = foretold(root, workspaceChanges({ root, folder, limits }));
  const store = memoryStore();
  return {
    root,
    changes,
    async run(id, steps, between) {
      const agent = createAgent({
        model: withBetween(scriptedModel([...steps, [done]]), between),
        tools: [...changes.recorded(workspaceTools({ root })), taskCompletion()] as readonly Tool[],
        hooks: [changes.hook],
        permission: allowAll(),
        limits: { maxIterations: 100 },
      });
      const outcome = await agent.run("Do it.", { session: openSession({ store, id }) });
      expect(outcome.status).toBe("completed");
    },
  };
}

/** The model, with something that happens before each of its replies. */
export function withBetween(model: Model, between?: (reply: number) => void | Promise<void>): Model {
  let replies = 0;
  return {
    ...model,
    async *respond(request, signal) {
      await between?.((replies += 1));
      return yield* model.respond(request, signal);
    },
  };
}

/** A step that runs a command. */
export const command = (line: string): Step => [call("run_command", { command: line })];
