// lastcall/ai-sdk: models of every provider that the AI SDK has a package for.

export type { AiSdkModel, AiSdkStream, AiSdkStreamReader, ProviderOptions, ProviderTool } from "./ai-sdk-model.js";
export { fromAiSdk, type AiSdkParams, type AiSdkOptions } from "./from-ai-sdk.js";
