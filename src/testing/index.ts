// lastcall/testing: scripted models and providers, recorded providers and sessions, oracles, faults, conformance suites.

export { checkCassette, type CheckedCassette, type CheckedExchange } from "./cassette/read-cassette.js";
export { type Ignoring } from "./cassette/ignorings.js";
export { recordingProvider, type RecordingOptions, type RecordingProvider } from "./cassette/recording-provider.js";
export { replayingProvider, type ReplayingOptions, type ReplayingProvider } from "./cassette/replaying-provider.js";
export { checkConformance, type CheckMaker } from "./conformance/check-conformance.js";
export type { ConformanceCase, Disposable } from "./conformance/conformance.js";
export {
  faultPlan,
  type FaultPlan,
  type FaultPlanOptions,
  type FaultPoint,
  type PlannedFault,
} from "./scripted/fault-plan.js";
export { memoryConformance } from "./conformance/memory-conformance.js";
export { modelConformance, type ModelMaker } from "./conformance/model-conformance.js";
export { permissionConformance, type PermissionMaker } from "./conformance/permission-conformance.js";
export { assertPrefixStable, type PrefixCounts } from "./oracle/prompt-prefix.js";
export { bisectSession, type Bisected, type BisectOptions } from "./replay/bisect.js";
export type { Departure, ReplayDifference } from "./replay/difference-words.js";
export { checkGoldens } from "./replay/goldens.js";
export { replaySession, type Replayed, type ReplayOptions } from "./replay/replay.js";
export { replayLines } from "./replay/replay-lines.js";
export {
  call,
  type Script,
  type ScriptedCall,
  type ScriptedError,
  type ScriptedReply,
  type Seen,
  type Step,
} from "./scripted/script.js";
export {
  scriptedModel,
  type ScriptedModel,
  type ScriptedModelOptions,
  type SeenRequest,
} from "./scripted/scripted-model.js";
export { scriptedProvider, type ProviderRequest, type ScriptedProvider } from "./scripted/scripted-provider.js";
export { storeConformance } from "./conformance/store-conformance.js";
export type { StoreMaker, StorePlace, StorePlaceOptions } from "./conformance/store-place.js";
export { virtualClock, type VirtualClock, type VirtualClockOptions } from "./scripted/virtual-clock.js";
export { assertWellFormed, type WellFormedOptions } from "./oracle/well-formed-records.js";
export { assertWellFormedRequest, type RequestBody } from "./oracle/well-formed-request.js";
