// The model of a run: the model that the options name, else the model of the agent's module, else the model that the
// command finds.

import { resolve } from "node:path";
import { LastcallError, type Model } from "../../core/index.js";
import type { Settings } from "../args/args.js";
import type { AgentDefinition } from "../modules/agent-module.js";
import { confirm, type Person } from "../person/person.js";
import type { Surface, Surroundings } from "../person/surface.js";
import { visible } from "../display/visible.js";
import { findModels } from "./models.js";

/** The process, the person to ask, and the surface to print to. */
interface Place {
  readonly around: Surroundings;
  readonly person: Person | undefined;
  readonly surface: Pick<Surface, "say">;
  /** The model, if the caller has one: then none is looked for, and no key is needed. */
  readonly model?: Model | undefined;
}

/** The model of a run, with what is known about it. */
export interface ModelOfRun {
  readonly model: Model;
  /** Makes another model of the same server. @throws LastcallError `configuration` if the name can't be used. */
  readonly modelNamed: (name: string) => Model;
  /** The key of its server; undefined if the command has none. */
  readonly apiKey: string | undefined;
  /** The context window in tokens; undefined if it is unknown. */
  readonly window: number | undefined;
  /** Ends the recording or the replay, and tells what came of it. The caller waits for it at the end. */
  close(): Promise<void>;
}

/**
 * Makes the model. A module's model is used unless the options name another model or another server.
 * @throws LastcallError `configuration` for options that contradict the module, or `authentication` if there is no model.
 */
export async function modelFor(
  settings: Settings,
  definition: AgentDefinition | undefined,
  { around, person, surface, model: given }: Place,
): Promise<ModelOfRun> {
  if (definition !== undefined) expectNoContradiction(settings, definition);
  const own = definition?.model;
  if (own !== undefined && !isNamed(settings)) {
    const modelNamed = (name: string): Model => {
      throw new LastcallError(
        "configuration",
        `The model ${own.name} comes from ${moduleOf(settings)}, and no server is known that has ${visible(name)}. Begin with --model ${visible(name)}.`,
      );
    };
    return { model: own, modelNamed, apiKey: undefined, window: settings.window, close: () => Promise.resolve() };
  }
  if (given !== undefined)
    return {
      model: given,
      modelNamed: () => given,
      apiKey: undefined,
      window: settings.window,
      close: () => Promise.resolve(),
    };
  const found = await findModels(settings, {
    env: around.env,
    say: surface.say,
    confirm: person && ((question) => confirm(person, question, around.signal)),
  });
  return { ...found, model: found.modelNamed(undefined) };
}

/** @throws LastcallError `configuration` if an option is about a thing that the module has made already. */
function expectNoContradiction(settings: Settings, { model, memory }: AgentDefinition): void {
  const { apiKeyEnv, forcing, window, record, replay } = settings;
  const ofModel = { forcing, "api-key-env": apiKeyEnv, record, replay };
  const given = Object.entries(ofModel).find(([, value]) => value !== undefined);
  const about = given && `--${given[0]}`;
  if (model !== undefined && !isNamed(settings) && about !== undefined)
    throw new LastcallError(
      "configuration",
      `${about} is about a model that the command makes, and ${moduleOf(settings)} brings its own. Give --model as well, or leave ${about} out.`,
    );
  if (memory !== undefined && window !== undefined)
    throw new LastcallError(
      "configuration",
      `--window says how much of the prompt the command keeps, and ${moduleOf(settings)} has a \`memory\` that decides that. Leave one of them out.`,
    );
}

/** True if the options name a model, a server or a provider. */
function isNamed({ model, baseUrl, provider }: Settings): boolean {
  return model !== undefined || baseUrl !== undefined || provider !== undefined;
}

function moduleOf({ agent = "" }: Settings): string {
  return visible(resolve(agent));
}
