// Finds a provider that speaks another API than OpenAI's, and makes its models with its package of the AI SDK.

import { LastcallError, type Model } from "../../core/index.js";
import { loadOptional } from "../../packages/index.js";
import type { AiSdkModel, AiSdkOptions } from "../../ai-sdk/index.js";
import type { Settings } from "../args/args.js";
import { providers, type OtherProvider } from "./known-providers.js";
import { isLocal, type ModelSearch } from "./find-model.js";

/** A provider that was found, with one of its models. */
export interface FoundProvider {
  readonly provider: OtherProvider;
  readonly model: string;
  readonly baseURL: string | undefined;
  readonly apiKey: string;
}

/**
 * Finds the model and the key of a provider. A key of the environment goes to the provider's own address and to this machine; another
 * address gets the key that `--api-key-env` names.
 * @throws LastcallError `authentication` without a key.
 */
export function findProvider(
  provider: OtherProvider,
  { model: named, baseUrl: baseURL, apiKeyEnv }: Pick<Settings, "model" | "baseUrl" | "apiKeyEnv">,
  env: ModelSearch["env"],
): FoundProvider {
  const { key: usual, model: ofProvider } = providers[provider];
  const model = named ?? ofProvider;
  const isElsewhere = baseURL !== undefined && !isLocal(baseURL);
  const name = apiKeyEnv ?? (isElsewhere ? undefined : usual);
  const apiKey = name === undefined ? undefined : env[name];
  if (apiKey !== undefined && apiKey !== "") return { provider, model, baseURL, apiKey };
  if (apiKeyEnv === undefined && baseURL !== undefined && isLocal(baseURL))
    return { provider, model, baseURL, apiKey: "none" };
  const advice =
    isElsewhere && apiKeyEnv === undefined
      ? `name the variable with the key for ${baseURL}: --api-key-env NAME`
      : `set ${name ?? usual}`;
  throw new LastcallError("authentication", `There is no key for --provider ${provider}; ${advice}.`);
}

/**
 * Loads the provider's package, and makes a function that makes its models.
 * @param send sends the requests. Default: the global `fetch`.
 * @throws LastcallError `configuration` with the line that installs the package if it is missing.
 */
export async function providerModels(
  { provider, baseURL, apiKey }: FoundProvider,
  forcing: AiSdkOptions["forcing"],
  send: typeof fetch = fetch,
): Promise<(name: string) => Model> {
  const { create, package: packageName, settings } = providers[provider];
  const [loaded, { fromAiSdk }] = await Promise.all([load(provider), import("../../ai-sdk/index.js")]);
  const make = loaded[create];
  if (typeof make !== "function")
    throw new LastcallError(
      "configuration",
      `${packageName} has no ${create}; install the version of AI SDK 6 or 7: ${installLine(packageName)}.`,
    );
  const makeModel = (make as (options: object) => (name: string) => AiSdkModel)({
    baseURL,
    apiKey,
    fetch: staying(send),
  });
  return (name) => fromAiSdk(makeModel(name), { ...settings, forcing });
}

/** A fetch function that goes nowhere but to the provider: a redirect would take the key and the prompt to another server. */
const staying =
  (send: typeof fetch): typeof fetch =>
  (url, init) =>
    send(url, { ...init, redirect: "manual" });

async function load(provider: OtherProvider): Promise<Readonly<Record<string, unknown>>> {
  const { package: name } = providers[provider];
  const needed = { name, neededBy: `--provider ${provider}`, install: installLine(name) };
  return loadOptional(needed, async () => (await import(name)) as Readonly<Record<string, unknown>>);
}

function installLine(packageName: string): string {
  return `npm install ${packageName} (with -g if lastcall was installed with it; npx -p lastcall -p ${packageName} lastcall for one time)`;
}
