// The model of a task or a conversation: found, with its window, and with other models of the same server.

import { LastcallError, type Model } from "../../core/index.js";
import type { Settings } from "../args/args.js";
import type { Replay, Wire, WireEnd } from "../cassette/recorded-wire.js";
import { visible } from "../display/visible.js";
import { secretsIn } from "../person/surface.js";
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
  /** Ends a recording or a replay, and tells what came of it. The caller waits for it at the end. */
  close(): Promise<void>;
}

/**
 * Finds the model that the settings name, a usual model, or the model of a recording that is replayed.
 * @throws LastcallError `configuration` or `authentication` if the model, its package, its key or a recording can't be used.
 */
export async function findModels(settings: Settings, around: ModelSearch): Promise<Models> {
  if (settings.model !== undefined) expectName(settings.model, "--model: ");
  const models = await modelsIn(settings, around);
  return {
    ...models,
    modelNamed(name) {
      if (name !== undefined) expectName(name);
      return models.modelNamed(name);
    },
  };
}

/** @throws LastcallError `configuration` if the text can't be the name of a model: a server would say no more than that it has none. */
function expectName(name: string, of = ""): void {
  if (/[\p{L}\p{N}]/u.test(name) && !/^\s*:|:\s*$/.test(name)) return;
  const message = `${of}${JSON.stringify(visible(name))} is no name of a model. Give one as the server has it, such as "qwen3:8b", or leave it out.`;
  throw new LastcallError("configuration", message);
}

async function modelsIn(settings: Settings, around: ModelSearch): Promise<Models> {
  const replay = await replayIn(settings, around);
  if (replay !== undefined) return modelsOfReplay(replay, settings);
  const { provider } = settings;
  if (provider !== undefined && provider !== "openai") return modelsOf(provider, settings, around);
  const [{ findModel }, { findWindow }] = await Promise.all([import("./find-model.js"), import("./find-window.js")]);
  const found = await findModel(settings, around);
  if (found.provider !== undefined) return modelsOf(found.provider, { ...settings, model: found.model }, around);
  const window = settings.window ?? (await findWindow(found, settings.quiet ? () => undefined : around.say));
  const { model, baseURL = openaiAddress, apiKey } = found;
  const wire = await recordingOf(settings, { model, provider: "openai", baseURL, window }, { ...around, apiKey });
  return openaiModels({ model, baseURL: found.baseURL, apiKey, window }, settings, wire);
}

/** The address of OpenAI, which is the default. */
const openaiAddress = "https://api.openai.com/v1";

/** The facts of the models of a server that speaks OpenAI's API. */
interface OpenAIServer extends Pick<Models, "apiKey" | "window"> {
  readonly model: string;
  readonly baseURL: string | undefined;
}

async function openaiModels(
  { window, ...address }: OpenAIServer,
  { forcing }: Settings,
  wire: Wire | undefined,
): Promise<Models> {
  const { openai } = await import("../../model/index.js");
  const send = wire && { fetch: wire.fetch };
  const modelNamed = (name: string | undefined): Model =>
    openai({
      ...address,
      ...send,
      ...(name !== undefined && { model: name }),
      ...(forcing !== undefined && { forcing }),
    });
  return { modelNamed, apiKey: address.apiKey, window, close: closing(wire) };
}

/** The models of a provider that speaks another API than OpenAI's. */
async function modelsOf(provider: OtherProvider, settings: Settings, around: ModelSearch): Promise<Models> {
  const { env, say } = around;
  const { findProvider, providerModels } = await import("./providers.js");
  const { providers } = await import("./known-providers.js");
  const found = findProvider(provider, settings, env);
  const { model, apiKey, baseURL = providers[provider].baseURL } = found;
  const { window } = settings;
  if (settings.model === undefined) say(`No model named: using ${model} of ${provider}.`);
  const wire = await recordingOf(settings, { model, provider, baseURL, window }, { ...around, apiKey });
  const make = await providerModels(found, settings.forcing, wire?.fetch);
  return { modelNamed: (name) => make(name ?? model), apiKey, window, close: closing(wire) };
}

/** The models of a recording. They need no key, and the window is the window of the recorded run. */
async function modelsOfReplay({ wire, provider, ...end }: Replay, settings: Settings): Promise<Models> {
  const model = settings.model ?? end.model;
  const { baseURL } = end;
  const window = settings.window ?? end.window;
  const apiKey = "none";
  const { providers } = await import("./known-providers.js");
  if (!Object.hasOwn(providers, provider)) return openaiModels({ model, baseURL, apiKey, window }, settings, wire);
  const { providerModels } = await import("./providers.js");
  const found = { provider: provider as OtherProvider, model, baseURL, apiKey };
  const make = await providerModels(found, settings.forcing, wire.fetch);
  return { modelNamed: (name) => make(name ?? model), apiKey, window, close: closing(wire) };
}

async function replayIn(settings: Settings, { env, say }: ModelSearch): Promise<Replay | undefined> {
  if (settings.replay === undefined) return undefined;
  const { replayed } = await import("../cassette/recorded-wire.js");
  return replayed(settings, { secrets: secretsIn(env, undefined), say });
}

async function recordingOf(
  settings: Settings,
  end: WireEnd,
  { env, say, apiKey }: ModelSearch & Pick<Models, "apiKey">,
): Promise<Wire | undefined> {
  if (settings.record === undefined) return undefined;
  const { recorded } = await import("../cassette/recorded-wire.js");
  return recorded(settings, end, { secrets: secretsIn(env, apiKey), say });
}

function closing(wire: Wire | undefined): Models["close"] {
  return async () => wire?.close();
}
