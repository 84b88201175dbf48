// The model of a task or a conversation: found, with its window, and with other models of the same server.

import type { Model } from "../../core/index.js";
import type { Settings } from "../args/args.js";
import type { ModelSearch } from "./find-model.js";
import type { OtherProvider } from "./known-providers.js";

/** The models of one server. */
export interface Models {
  /** Makes the model of this name, or the model that was found. @throws LastcallError `configuration` if the name can't be used. */
  readonly modelNamed: (name: string | undefined) => Model;
  /** The key of the server; undefined if none was named or needed. */
  readonly apiKey: string | undefined;
  /** The window in tokens: the settings give it, or a server on this machine states it. Undefined if it is unknown. */
  readonly window: number | undefined;
}

/**
 * Finds the model that the settings name, or a usual model.
 * @throws LastcallError `configuration` or `authentication` if the model, its package or its key can't be used.
 */
export async function findModels(settings: Settings, around: ModelSearch): Promise<Models> {
  const { provider, forcing } = settings;
  if (provider !== undefined && provider !== "openai") return modelsOf(provider, settings, around);
  const [{ findModel }, { findWindow }] = await Promise.all([import("./find-model.js"), import("./find-window.js")]);
  const found = await findModel(settings, around);
  if (found.provider !== undefined) return modelsOf(found.provider, { ...settings, model: found.model }, around);
  const window = settings.window ?? (await findWindow(found, settings.quiet ? () => undefined : around.say));
  const { openai } = await import("../../model/index.js");
  const modelNamed = (name: string | undefined): Model =>
    openai({ ...found, ...(name !== undefined && { model: name }), ...(forcing !== undefined && { forcing }) });
  return { modelNamed, apiKey: found.apiKey, window };
}

/** The models of a provider that speaks another API than OpenAI's. */
async function modelsOf(provider: OtherProvider, settings: Settings, { env, say }: ModelSearch): Promise<Models> {
  const { findProvider, providerModels } = await import("./providers.js");
  const found = findProvider(provider, settings, env);
  if (settings.model === undefined) say(`No model named: using ${found.model} of ${provider}.`);
  const make = await providerModels(found, settings.forcing);
  return { modelNamed: (name) => make(name ?? found.model), apiKey: found.apiKey, window: settings.window };
}
