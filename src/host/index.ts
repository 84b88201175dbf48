// lastcall/host: runs of agents on stored sessions that survive their process, and the port for the party that queues and
// retries them.

export type { Delivery, QueueTerms } from "./delivery/delivery.js";
export type { Host, HostCloseOptions, HostedRun, HostPlan } from "./host.js";
export type { HostAgent, HostStream } from "./delivery/host-agent.js";
export type { AgentOf, ForeignSession } from "./agents.js";
export type { RunWatcher, WatchedRun } from "./delivery/run-watcher.js";
export { hostInProcess, type InProcessOptions } from "./host-in-process.js";
export { driveSession, type Driven, type DriveOptions } from "./delivery/drive-session.js";
export { endOf, type AwaitedCall, type RunEnd } from "./delivery/run-end.js";
