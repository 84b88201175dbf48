// lastcall/testing: scripted models and providers, oracles, faults and conformance suites. It needs no test runner.

export { checkConformance, type CheckMaker } from "./check-conformance.js";
export type { ConformanceCase, Disposable } from "./conformance.js";
export { faultPlan, type FaultPlan, type FaultPlanOptions, type FaultPoint, type PlannedFault } from "./fault-plan.js";
export { memoryConformance } from "./memory-conformance.js";
export { modelConformance, type ModelMaker } from "./model-conformance.js";
export { permissionConformance, type PermissionMaker } from "./permission-conformance.js";
export { assertPrefixStable, type PrefixCounts } from "./prompt-prefix.js";
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
export { storeConformance } from "./store-conformance.js";
export type { StoreMaker, StorePlace, StorePlaceOptions } from "./store-place.js";
export { virtualClock, type VirtualClock, type VirtualClockOptions } from "./virtual-clock.js";
export { assertWellFormed, type WellFormedOptions } from "./well-formed-records.js";
export { assertWellFormedRequest, type RequestBody } from "./well-formed-request.js";
