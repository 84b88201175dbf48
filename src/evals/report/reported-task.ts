// The tasks as a report states them.

/** A task as the report states it. */
export interface ReportedTask {
  readonly id: string;
  readonly cluster: string;
  readonly must: boolean;
  readonly family?: string | undefined;
  /** True if no completion can be right. */
  readonly isUnsolvable: boolean;
}
