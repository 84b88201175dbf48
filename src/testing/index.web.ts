// The exports of lastcall/testing where there are no files and no servers.

import { onlyOnNode } from "../web/index.js";

export { checkConformance } from "./conformance/check-conformance.js";
export { faultPlan } from "./scripted/fault-plan.js";
export { memoryConformance } from "./conformance/memory-conformance.js";
export { modelConformance } from "./conformance/model-conformance.js";
export { permissionConformance } from "./conformance/permission-conformance.js";
export { assertPrefixStable } from "./oracle/prompt-prefix.js";
export { bisectSession } from "./replay/bisect.js";
export { replaySession } from "./replay/replay.js";
export { replayLines } from "./replay/replay-lines.js";
export { call } from "./scripted/script.js";
export { scriptedModel } from "./scripted/scripted-model.js";
export { virtualClock } from "./scripted/virtual-clock.js";
export { assertWellFormed } from "./oracle/well-formed-records.js";
export { assertWellFormedRequest } from "./oracle/well-formed-request.js";

export const checkCassette = onlyOnNode("checkCassette");
export const recordingProvider = onlyOnNode("recordingProvider");
export const replayingProvider = onlyOnNode("replayingProvider");
export const checkGoldens = onlyOnNode("checkGoldens");
export const scriptedProvider = onlyOnNode("scriptedProvider");
export const storeConformance = onlyOnNode("storeConformance");
