import type { Store } from "../../src/memory/index.js";

export type StoreKind = "files" | "sqlite" | "postgres";
export function storeOf(kind: StoreKind, path: string, now: () => number): Promise<Store & Partial<AsyncDisposable>>;
