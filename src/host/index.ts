// lastcall/host: runs of agents on stored sessions that survive their process, and the port for whoever queues and retries them.

export type {
  Host,
  HostAnswer,
  HostApproval,
  HostCloseOptions,
  HostedRun,
  HostInput,
  HostPlan,
  HostTerms,
  HostWords,
  QueueTerms,
} from "./host.js";
export type { HostAgent, HostRunOptions, HostStream } from "./delivery/host-agent.js";
export { hostInProcess, type InProcessOptions } from "./host-in-process.js";
export { driveSession, type Driven, type DriveOptions } from "./delivery/drive-session.js";
export { endOf, type AwaitedCall, type RunEnd } from "./delivery/run-end.js";
