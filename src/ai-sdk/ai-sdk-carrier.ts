// Carries requests to a model of the AI SDK: the request as its package takes it, and the parts of its stream.

import { LastcallError, type ModelEvent, type ModelRequest, type ToolDescription } from "../core/index.js";
import { isPlainObject, unlessAborted } from "../core/internal.js";
import {
  idsOf,
  refusedAttachments,
  wireTool,
  withoutKey,
  type Answer,
  type Carrier,
  type Ignored,
} from "../model/carriers.js";
import type { AiSdkModel, AiSdkRequest, AiSdkStream, AiSdkStreamReader, ProviderOptions } from "./ai-sdk-model.js";
import { aiSdkFault, aiSdkMistake } from "./ai-sdk-faults.js";
import { nativePrompt, xmlPrompts } from "./ai-sdk-prompt.js";
import { assembly, type Assembly } from "./assemble-parts.js";
import { hasEcho } from "./echo.js";
import { watch, type Watch } from "./watch-silence.js";

/** The settings of a carrier. */
export interface AiSdkCarriage {
  /** Settings of the model, sent with each request. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly breakpoint: ProviderOptions | undefined;
  /** The tools that the provider runs itself, as the specification has them. */
  readonly providerTools: readonly SentTool[];
  /** The media types of the attachments that the model takes; undefined if that is not known. */
  readonly attachments: readonly string[] | undefined;
  /** Milliseconds. */
  readonly idleTimeout: number;
}

/** The model, with the request that it really takes. */
interface CallableModel {
  doStream(options: AiSdkRequest): PromiseLike<{ readonly stream: AiSdkStream }>;
}

/** Makes a carrier of requests to the model. */
export function aiSdkCarrier(model: AiSdkModel, settings: AiSdkCarriage): Carrier {
  const { provider, modelId: name } = model;
  const { params, headers, breakpoint, idleTimeout, providerTools } = settings;
  const from = `${name} ${provider}`;
  const clean = withoutKey("", headers);
  const takesId = idsOf(from, 64);
  const { attachments } = settings;
  const takes = attachments ?? everyType;
  const files = refusedAttachments(isOfPackage);
  const writeXml = xmlPrompts(takes);
  const tools = toolWriter(providerTools);
  /** The warnings that were passed on. Each comes with every request. */
  const told = new Set<string>();
  /** True until the server refuses what it put on earlier replies. */
  let echoes = true;

  function write(request: ModelRequest, forcing: "required" | "auto" | "xml", abortSignal: AbortSignal): AiSdkRequest {
    const given = { ...params, headers, abortSignal };
    const version = model.specificationVersion;
    const manner = { from: echoes ? from : undefined, takesId, breakpoint, takes, version };
    if (forcing === "xml") return { ...given, prompt: writeXml(request, manner) };
    const prompt = nativePrompt(request, forcing, manner);
    if (request.tools.length === 0) return { ...given, prompt };
    const type = request.needsCall ? forcing : "auto";
    return { ...given, prompt, tools: tools(request.tools), toolChoice: { type } };
  }

  return {
    name,
    provider,
    attachments,
    async send(request, forcing, signal) {
      const silence = watch(idleTimeout, provider, signal);
      try {
        const asked = (model as CallableModel).doStream(write(files.without(request), forcing, silence.signal));
        const { stream } = await unlessAborted(Promise.resolve(asked), silence.signal);
        const opened = await open(stream, silence);
        files.taken(request);
        const warned = readWarnings(opened.first, { provider, told, isForced: forcing !== "xml" && request.needsCall });
        return answerOf({ ...opened, silence, from, parts: assembly(provider, namesOf(request.tools)), warned });
      } catch (error) {
        silence.end();
        const thrown = aiSdkFault(clean(silence.signal.aborted ? silence.signal.reason : error), provider);
        const changes = files.refused(thrown, request);
        if (changes !== undefined) return changes;
        if (!echoes || !refusesEcho(thrown) || !request.messages.some(isEchoed)) throw thrown;
        echoes = false;
        const reason = "the provider does not take back the reasoning of earlier replies: sent again without";
        return [
          { type: "request-adjusted", reason },
          { type: "prompt-rewrite", reason: "extras" },
        ];
      }
    },
    faultOf: (thrown) => aiSdkFault(clean(thrown), provider),
    mistakeIn: (thrown) => aiSdkMistake(thrown),
  };
}

function namesOf(tools: readonly ToolDescription[]): ReadonlySet<string> {
  return new Set(tools.map(({ name }) => name));
}

/** A tool as a request has it. */
export type SentTool = NonNullable<AiSdkRequest["tools"]>[number];

/**
 * Writes tools once for each list, the provider's behind the agent's.
 * @throws LastcallError `configuration` for two tools with one name.
 */
function toolWriter(ofProvider: readonly SentTool[]): (tools: readonly ToolDescription[]) => readonly SentTool[] {
  const written = new WeakMap<readonly ToolDescription[], NonNullable<AiSdkRequest["tools"]>>();
  return (tools) => {
    const known = written.get(tools);
    if (known !== undefined) return known;
    const names = namesOf(tools);
    const twice = ofProvider.find(({ name }) => names.has(String(name)));
    if (twice !== undefined) throw twoTools(String(twice["name"]));
    const own = tools.map(wireTool).map(({ name, description, parameters: inputSchema }) => {
      return { type: "function", name, description, inputSchema };
    });
    written.set(tools, [...own, ...ofProvider]);
    return [...own, ...ofProvider];
  };
}

function twoTools(name: string): LastcallError {
  const message = `The agent and \`providerTools\` both have a tool "${name}": rename one of them.`;
  return new LastcallError("configuration", message);
}

/** True for a refusal of what the provider put on an earlier reply. */
function refusesEcho({ status, message }: LastcallError): boolean {
  return (status === 400 || status === 422) && /\breasoning(?:_content|_details)?\b|signature/i.test(message);
}

/** True if the provider's package refuses a request, because it can't write what is in it. */
function isOfPackage(thrown: unknown): boolean {
  return (
    thrown instanceof LastcallError &&
    (thrown.cause as Partial<Error> | undefined)?.name === "AI_UnsupportedFunctionalityError"
  );
}

const everyType: readonly string[] = ["*"];

function isEchoed(message: ModelRequest["messages"][number]): boolean {
  return message.role === "assistant" && hasEcho(message.reply);
}

interface Opened {
  readonly reader: AiSdkStreamReader;
  /** The first part. Undefined for a stream without parts. */
  readonly first: unknown;
}

/** Opens the stream up to its first part, which has the warnings and comes before the provider's answer. */
async function open(stream: AiSdkStream, silence: Watch): Promise<Opened> {
  const reader = stream.getReader();
  silence.onAbort((reason) => {
    // A pending read ends. The error of a stream that can't be cancelled is of no use to anybody.
    reader.cancel(reason).catch(() => undefined);
  });
  const { value } = await reader.read();
  silence.signal.throwIfAborted();
  silence.heard();
  return { reader, first: value };
}

/** The warnings of a request: what was left out of forcing, and what watchers are told. */
interface Warned {
  readonly ignored: Ignored | undefined;
  readonly events: readonly ModelEvent[];
}

interface Warning {
  readonly provider: string;
  readonly told: Set<string>;
  /** True if the request has tools, and tells the model that it must call one. */
  readonly isForced: boolean;
}

function readWarnings(first: unknown, { provider, told, isForced }: Warning): Warned {
  const given = isPlainObject(first) && first["type"] === "stream-start" ? first["warnings"] : undefined;
  const warnings = Array.isArray(given) ? (given as readonly unknown[]).filter(isPlainObject) : [];
  const aboutForcing = (feature: string): boolean =>
    warnings.some((warning) => warning["type"] === "unsupported" && warning["feature"] === feature);
  const part = !isForced
    ? undefined
    : aboutForcing("tools")
      ? "tools"
      : aboutForcing("toolChoice")
        ? "choice"
        : undefined;
  const what = part === "tools" ? "the tools" : "that a tool must be called";
  const events = warnings.map(wordsOf).filter((words) => !told.has(words));
  for (const words of events) told.add(words);
  return {
    ignored: part && { part, reason: `${provider} does not tell the model ${what}, by its own account` },
    events: events.map((words) => ({ type: "request-adjusted", reason: `${provider}: ${words}` })),
  };
}

/** A warning in one sentence. */
function wordsOf({ type, feature, setting, details, message }: Readonly<Record<string, unknown>>): string {
  const isText = (value: unknown): value is string => typeof value === "string";
  const subject = [feature, setting].find(isText);
  const state = type === "unsupported" ? " is not supported" : type === "deprecated" ? " is deprecated" : "";
  return [subject && subject + state, ...[details, message].filter(isText)].filter(isText).join(": ");
}

interface Incoming extends Opened {
  readonly silence: Watch;
  readonly parts: Assembly;
  readonly from: string;
  readonly warned: Warned;
}

function answerOf({ reader, first, silence, parts, from, warned }: Incoming): Answer {
  let isFirst = true;
  let hasEnded = false;
  return {
    ignored: warned.ignored,
    get hasEnded() {
      return hasEnded;
    },
    async read() {
      if (isFirst) return { done: false, value: first };
      silence.waits();
      const read = await reader.read().catch((thrown: unknown) => {
        silence.signal.throwIfAborted();
        throw thrown;
      });
      silence.signal.throwIfAborted();
      return read;
    },
    take(piece) {
      const { done, value } = piece as Awaited<ReturnType<typeof reader.read>>;
      const told = isFirst ? warned.events : [];
      isFirst = false;
      silence.heard();
      hasEnded = done;
      if (done) return [];
      return [...told, ...parts.add(value)];
    },
    leave() {
      if (hasEnded) silence.end();
      else silence.leave();
    },
    end: () => parts.end(from),
  };
}
