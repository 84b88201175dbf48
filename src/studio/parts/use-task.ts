// Work that takes time: what it came to, or its problem.

import { useEffect, useState } from "preact/hooks";

/** Work that a person starts. */
export interface Task {
  /** The problem with it, in words; empty without one. */
  readonly problem: string;
  readonly isBusy: boolean;
  start(work: () => Promise<void>): void;
}

function words(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Runs the work of a button, once at a time. */
export function useTask(): Task {
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
  return {
    problem,
    isBusy,
    start(work) {
      setBusy(true);
      setProblem("");
      work()
        .catch((thrown: unknown) => {
          setProblem(words(thrown));
        })
        .finally(() => {
          setBusy(false);
        });
    },
  };
}

/** Something that is loaded. */
export interface Loaded<T> {
  readonly problem: string;
  /** Undefined until it is there. */
  readonly value: T | undefined;
}

/** Loads something when it is first shown, and again when its key is another. */
export function useLoaded<T>(load: () => Promise<T>, key: string): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ problem: "", value: undefined });
  useEffect(() => {
    let isCurrent = true;
    const set = (next: Loaded<T>): void => {
      if (isCurrent) setLoaded(next);
    };
    load().then(
      (value) => {
        set({ problem: "", value });
      },
      (thrown: unknown) => {
        set({ problem: words(thrown), value: undefined });
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [key]);
  return loaded;
}
