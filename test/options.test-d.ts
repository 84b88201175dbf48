// Options: each that can be left out can be undefined as well, so that a value which may be missing is handed on as it is.
import { expectTypeOf, it } from "vitest";
import type {
  AgentOptions,
  AskTerms,
  BreakingOptions,
  CircuitOptions,
  LimitOptions,
  RunOptions,
  SecretOptions,
  Tool,
  ToolOptions,
  ToolSchema,
  WorkingOptions,
} from "../src/core/index.js";
import type { CommandCheckOptions, JudgeOptions, PostEditOptions, PredicateOptions } from "../src/checks/index.js";
import type {
  FollowOptions,
  ListOptions,
  ForkOptions,
  PromptOptions,
  PruneOptions,
  SessionOptions,
  WindowOptions,
} from "../src/memory/index.js";
import type { FallbackOptions, OpenAIOptions, SteadyOptions } from "../src/model/index.js";
import type {
  AdmissionOptions,
  AguiMapperOptions,
  ChatOptions,
  HandlerOptions,
  ServeOptions,
  SignedCookieOptions,
  WatchOptions,
} from "../src/server/index.js";
import type { StoreMetricsOptions } from "../src/otel/index.js";
import type { Pool } from "pg";
import type { DbosConcurrencyOptions, DbosHostOptions, DbosRateOptions } from "../src/dbos/index.js";
import type { RestateHostOptions, RestateListenOptions } from "../src/restate/index.js";
import type { JwtOptions } from "../src/jwt/index.js";
import type { Delivery, DriveOptions, HostCloseOptions, HostPlan, InProcessOptions } from "../src/host/index.js";
import type { GateOptions } from "../src/permission/index.js";
import type {
  MigrateOptions,
  PgPool,
  PgStoreOptions,
  SessionsInOptions,
  StoredLimitOptions,
} from "../src/postgres/index.js";
import type {
  Awaiting,
  DelegateOptions,
  HandBackOptions,
  HandOverOptions,
  ProposePlanOptions,
  SandboxOptions,
  WorkspaceOptions,
} from "../src/tools/index.js";

/** The options that can be left out, but can't be undefined. */
type Strict<T> = {
  [Key in keyof T]-?: Partial<Pick<T, Key>> extends Pick<T, Key>
    ? undefined extends Required<T>[Key]
      ? never
      : Key
    : never;
}[keyof T];

it("can all be undefined", () => {
  expectTypeOf<Strict<{ a?: number; b?: string | undefined; c: boolean }>>().toEqualTypeOf<"a">();
  expectTypeOf<Strict<RunOptions>>().toBeNever();
  expectTypeOf<Strict<AgentOptions<readonly Tool[]>>>().toBeNever();
  expectTypeOf<Strict<CircuitOptions>>().toBeNever();
  expectTypeOf<Strict<LimitOptions>>().toBeNever();
  expectTypeOf<Strict<SecretOptions>>().toBeNever();
  expectTypeOf<Strict<ToolOptions<"t", ToolSchema, unknown>>>().toBeNever();
  expectTypeOf<Strict<BreakingOptions<ToolSchema, boolean, boolean>>>().toBeNever();
  expectTypeOf<Strict<WorkingOptions>>().toBeNever();
  expectTypeOf<Strict<OpenAIOptions>>().toBeNever();
  expectTypeOf<Strict<SteadyOptions>>().toBeNever();
  expectTypeOf<Strict<FallbackOptions>>().toBeNever();
  expectTypeOf<Strict<AskTerms>>().toBeNever();
  expectTypeOf<Strict<DelegateOptions<"t", unknown>>>().toBeNever();
  expectTypeOf<Strict<HandOverOptions<"t">>>().toBeNever();
  expectTypeOf<Strict<HandBackOptions>>().toBeNever();
  expectTypeOf<Strict<ProposePlanOptions>>().toBeNever();
  expectTypeOf<Strict<GateOptions>>().toBeNever();
  expectTypeOf<Strict<CommandCheckOptions>>().toBeNever();
  expectTypeOf<Strict<JudgeOptions>>().toBeNever();
  expectTypeOf<Strict<PostEditOptions>>().toBeNever();
  expectTypeOf<Strict<PredicateOptions>>().toBeNever();
  expectTypeOf<Strict<SessionOptions>>().toBeNever();
  expectTypeOf<Strict<ForkOptions>>().toBeNever();
  expectTypeOf<Strict<AdmissionOptions>>().toBeNever();
  expectTypeOf<Strict<AguiMapperOptions>>().toBeNever();
  expectTypeOf<Strict<ChatOptions>>().toBeNever();
  expectTypeOf<Strict<HandlerOptions>>().toBeNever();
  expectTypeOf<Strict<ServeOptions>>().toBeNever();
  expectTypeOf<Strict<SignedCookieOptions>>().toBeNever();
  expectTypeOf<Strict<JwtOptions>>().toBeNever();
  expectTypeOf<Strict<WatchOptions>>().toBeNever();
  expectTypeOf<Strict<DbosConcurrencyOptions>>().toBeNever();
  expectTypeOf<Strict<DbosRateOptions>>().toBeNever();
  expectTypeOf<Strict<DbosHostOptions>>().toBeNever();
  expectTypeOf<Strict<RestateHostOptions>>().toBeNever();
  expectTypeOf<Strict<RestateListenOptions>>().toBeNever();
  expectTypeOf<Strict<DriveOptions>>().toBeNever();
  expectTypeOf<Strict<Delivery>>().toBeNever();
  expectTypeOf<Strict<HostCloseOptions>>().toBeNever();
  expectTypeOf<Strict<HostPlan>>().toBeNever();
  expectTypeOf<Strict<InProcessOptions>>().toBeNever();
  expectTypeOf<Strict<FollowOptions>>().toBeNever();
  expectTypeOf<Strict<PromptOptions>>().toBeNever();
  expectTypeOf<Strict<PruneOptions>>().toBeNever();
  expectTypeOf<Strict<MigrateOptions>>().toBeNever();
  expectTypeOf<Strict<PgStoreOptions>>().toBeNever();
  expectTypeOf<Strict<SessionsInOptions>>().toBeNever();
  expectTypeOf<Strict<ListOptions>>().toBeNever();
  expectTypeOf<Strict<StoreMetricsOptions>>().toBeNever();
  expectTypeOf<Strict<StoredLimitOptions>>().toBeNever();
  expectTypeOf<Strict<WindowOptions>>().toBeNever();
  expectTypeOf<Strict<WorkspaceOptions>>().toBeNever();
  expectTypeOf<Strict<Awaiting>>().toBeNever();
  expectTypeOf<Strict<SandboxOptions>>().toBeNever();
});

it("a pool of the package pg is one of the store in Postgres", () => {
  expectTypeOf<Pool>().toExtend<PgPool>();
});
