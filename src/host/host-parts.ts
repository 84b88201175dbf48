// The second door of this layer: the parts that the server and the hosts on engines are built on. No entry exports it.

export { aboutOf, nameKept, pickAgent, type Agents } from "./agents.js";
export { leftIn, readMessage } from "./left-sessions.js";
export { refused, untaken } from "./delivery/no-run.js";
export { placeOfInput, toldIn } from "./delivery/told.js";
export { isLive } from "./delivery/live-event.js";
export { readPiece, type LivePiece } from "./delivery/live-run.js";
export { hostHere } from "./host-in-process.js";
export { RunsHere } from "./runs-here.js";
export { Worker, type Hold, type NextAttempt, type StepSignals } from "./worker.js";
export type { Work } from "./delivery/delivery.js";
export type { HostAgent } from "./delivery/host-agent.js";
export { hostOver } from "./host-over.js";
export { pause, type Engine, type Given, type GivenWith } from "./engine.js";
export {
  endInJournal,
  endOver,
  givenUp,
  stopOf,
  stopping,
  waitOver,
  withdrawn,
  type Attempted,
  type Cancel,
  type WorkResult,
} from "./work.js";
