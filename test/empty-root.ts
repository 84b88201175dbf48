// An empty folder for gates whose tests touch no file: a gate looks through its root, and nobody knows how much lies in /tmp.

/** The empty folder, which test/global-setup.ts makes before the tests and deletes behind them. */
export const emptyRoot: string = process.env["TEST_EMPTY_ROOT"] ?? "";
