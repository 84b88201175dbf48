// The second door of this layer: the parts that the server and the hosts on engines are built on. No entry exports it.

export { abortOver } from "./abort-over.js";
export type { Agents } from "./agents.js";
export { readMessage } from "./left-sessions.js";
export { readPiece, type LivePiece } from "./delivery/live-run.js";
export { hostHere } from "./host-in-process.js";
export { Worker, type Attempted, type Hold, type NextAttempt, type StepParts } from "./worker.js";
export type { Work } from "./delivery/delivery.js";
export { hasRuleFor, hostOver } from "./host-over.js";
export { nextAfter } from "./plans.js";
export { expectLastingStore, type Engine, type Given, type GivenWith } from "./engine.js";
export {
  attemptName,
  endInJournal,
  awaitEnd,
  givenUp,
  stopPrefix,
  waitOver,
  withdrawn,
  type WorkResult,
} from "./work.js";
