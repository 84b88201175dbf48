// lastcall/testing: scripted models and providers for tests of agents. It needs no test runner.

export {
  call,
  type Script,
  type ScriptedCall,
  type ScriptedError,
  type ScriptedReply,
  type Seen,
  type Step,
} from "./script.js";
export { scriptedModel, type ScriptedModel, type ScriptedModelOptions, type SeenRequest } from "./scripted-model.js";
export { scriptedProvider, type ProviderRequest, type ScriptedProvider } from "./scripted-provider.js";
