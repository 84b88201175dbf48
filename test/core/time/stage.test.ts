import { readdir, readFile } from "node:fs/promises";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { advance, eachOf, sourceOf, stageOf, toEnd, wait, type StageOf } from "../../../src/core/time/stage.js";

const soon = <Value>(value: Value): Promise<Value> =>
  new Promise((resolve) => {
    setTimeout(resolve, 1, value);
  });

/** Yields 1 and 2 with waits between, and returns the sum of what it waited for. It logs its end. */
function* counting(log: string[] = []): StageOf<number, number> {
  try {
    const one = yield* wait(soon(10));
    yield 1;
    const two = yield* wait(soon(20));
    yield 2;
    return one + two;
  } finally {
    yield* wait(soon(undefined).then(() => log.push("ended")));
  }
}

async function drained<Yielded, Returned>(
  source: Pick<AsyncGenerator<Yielded, Returned, void>, "next">,
): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  for (;;) {
    const step = await source.next();
    seen.push(step.value);
    if (step.done === true) return seen;
  }
}

describe("a stage", () => {
  test("waits for promises, and its driver hands on what it yields besides", async () => {
    const stage = counting();
    expect(await advance(stage)).toEqual({ done: false, value: 1 });
    expect(await advance(stage)).toEqual({ done: false, value: 2 });
    expect(await advance(stage)).toEqual({ done: true, value: 30 });
  });

  test("is driven to its end, with and without somebody who sees what it yields", async () => {
    const seen: number[] = [];
    expect(await toEnd(counting(), (value) => void seen.push(value))).toBe(30);
    expect(seen).toEqual([1, 2]);
    expect(await toEnd(counting())).toBe(30);
  });

  test("yields nothing for a value that is there, and waits for any object that has a `then`", async () => {
    expect(wait(3).next()).toEqual({ done: true, value: 3 });
    expect(wait(undefined).next()).toEqual({ done: true, value: undefined });
    const thenable: PromiseLike<string> = {
      then: (onValue) => Promise.resolve("then").then(onValue),
    };
    expect(await toEnd(wait(thenable) as StageOf<never, string>)).toBe("then");
  });

  test("catches the rejection of a promise that it waits for, as `await` does", async () => {
    function* careful(): StageOf<never, string> {
      try {
        return yield* wait(Promise.reject<string>(new Error("broken")));
      } catch (thrown) {
        return (thrown as Error).message;
      }
    }
    expect(await toEnd(careful())).toBe("broken");
    await expect(toEnd(wait(Promise.reject(new Error("broken"))) as StageOf<never, never>)).rejects.toThrow("broken");
  });
});

describe("the source that a stage is", () => {
  test("yields and returns what the stage does", async () => {
    expect(await drained(sourceOf(counting()))).toEqual([1, 2, 30]);
  });

  test("gives a reader that asks for several steps at once all of them in order", async () => {
    const source = sourceOf(counting());
    const steps = await Promise.all([source.next(), source.next(), source.next(), source.next()]);
    expect(steps.map(({ value }) => value)).toEqual([1, 2, 30, undefined]);
  });

  test("that is returned runs the `finally` of the stage, with its waits, also during a step", async () => {
    for (const isPending of [false, true]) {
      const log: string[] = [];
      const source = sourceOf(counting(log));
      const pending = source.next();
      if (!isPending) await pending;
      expect(await source.return(7)).toEqual({ done: true, value: 7 });
      expect(await pending).toEqual({ done: false, value: 1 });
      expect(log).toEqual(["ended"]);
      expect(await source.next()).toEqual({ done: true, value: undefined });
    }
  });

  test("that is returned in a part of a stage goes on with nothing behind that part, and runs each `finally` around it", async () => {
    const log: string[] = [];
    function* outer(): StageOf<number, number> {
      try {
        const sum = yield* counting(log);
        log.push("went on");
        return sum;
      } catch (thrown) {
        log.push("caught");
        throw thrown;
      } finally {
        yield* wait(soon(undefined).then(() => log.push("outer ended")));
      }
    }
    const source = sourceOf(outer());
    await source.next();
    expect(await source.return(7)).toEqual({ done: true, value: 7 });
    expect(log).toEqual(["ended", "outer ended"]);
  });

  test("that is returned throws what a wait in a `finally` throws", async () => {
    const log: string[] = [];
    function* failing(): StageOf<number, void> {
      try {
        try {
          yield 1;
        } finally {
          yield* wait(Promise.reject(new Error("broken")));
        }
      } finally {
        yield* wait(soon(undefined).then(() => log.push("ended")));
      }
    }
    const source = sourceOf(failing());
    await source.next();
    await expect(source.return()).rejects.toThrow("broken");
    expect(log).toEqual(["ended"]);
  });

  test("passes a thrown value to the stage", async () => {
    const log: string[] = [];
    const source = sourceOf(counting(log));
    await source.next();
    await expect(source.throw(new Error("enough"))).rejects.toThrow("enough");
    expect(log).toEqual(["ended"]);
  });

  test("runs nothing of a stage until somebody asks", async () => {
    const log: string[] = [];
    const source = sourceOf(counting(log));
    await source.return(0);
    expect(log).toEqual([]);
  });
});

describe("the stage that a source is", () => {
  test("yields and returns what the source does, and a stage comes back from it whole", async () => {
    expect(await drained(sourceOf(stageOf(sourceOf(counting()))))).toEqual([1, 2, 30]);
  });

  test("that is left returns the source, and one whose source has ended or thrown does not", async () => {
    const log: string[] = [];
    async function* logging(throws: boolean): AsyncGenerator<number, string, void> {
      try {
        yield 1;
        await soon(undefined);
        if (throws) throw new Error("broken");
        return "whole";
      } finally {
        log.push("ended");
      }
    }
    const left = sourceOf(stageOf(logging(false)));
    await left.next();
    await left.return("left");
    expect(log).toEqual(["ended"]);
    expect(await toEnd(stageOf(logging(false)))).toBe("whole");
    await expect(toEnd(stageOf(logging(true)))).rejects.toThrow("broken");
    expect(log).toEqual(["ended", "ended", "ended"]);
  });
});

test("each thing that a stage yields becomes none, one or several, and its waits stay", async () => {
  const doubled = eachOf(counting(), (value) => (value === 1 ? [] : [value, value * 10]));
  expect(await drained(sourceOf(doubled))).toEqual([2, 20, 30]);
  function* careful(): StageOf<number, string> {
    try {
      yield* wait(Promise.reject(new Error("broken")));
      return "";
    } catch (thrown) {
      return (thrown as Error).message;
    }
  }
  expect(await toEnd(eachOf(careful(), (value) => [value]))).toBe("broken");
});

/** The places in a source at which something follows a wait in a `finally` of a stage. */
function waitsTooEarly(path: string, text: string): readonly string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const hasYield = (node: ts.Node): boolean =>
    ts.isYieldExpression(node) || (!ts.isFunctionLike(node) && (ts.forEachChild(node, hasYield) ?? false));
  const visit = (node: ts.Node, isStage: boolean): void => {
    const isInStage = ts.isFunctionLike(node)
      ? "asteriskToken" in node && node.asteriskToken !== undefined && !isAsync(node)
      : isStage;
    if (isInStage && ts.isTryStatement(node) && node.finallyBlock !== undefined) {
      const { statements } = node.finallyBlock;
      const early = statements.slice(0, -1).filter(hasYield);
      for (const one of early) found.push(`${path}: ${one.getText()}`);
    }
    ts.forEachChild(node, (child) => {
      visit(child, isInStage);
    });
  };
  visit(file, false);
  return found;
}

function isAsync(node: ts.Node): boolean {
  return (
    ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword) === true
  );
}

test("nothing follows a wait in a `finally` of a stage: it would not run if the stage is left there", async () => {
  const bad = "function* a() { try { yield 1; } finally { yield* wait(b()); c(); } }";
  expect(waitsTooEarly("bad.ts", bad)).toHaveLength(1);
  expect(waitsTooEarly("good.ts", bad.replace("yield* wait(b()); c();", "c(); yield* wait(b());"))).toEqual([]);
  const root = new URL("../../../src/core/", import.meta.url);
  const files = (await readdir(root, { recursive: true })).filter((name) => name.endsWith(".ts"));
  const found = await Promise.all(
    files.map(async (name) => waitsTooEarly(name, await readFile(new URL(name, root), "utf8"))),
  );
  expect(found.flat()).toEqual([]);
});

test("a stage of a hundred parts makes the promises of its waits, and none for each part", async () => {
  const nested = (depth: number): StageOf<number, number> => {
    const inner = depth === 0 ? counting() : nested(depth - 1);
    return (function* () {
      return yield* inner;
    })();
  };
  let steps = 0;
  const stage = nested(100);
  for (let step = stage.next(); step.done !== true; steps += 1) {
    step = stage.next(step.value instanceof Promise ? await step.value : undefined);
  }
  // Three waits and two things.
  expect(steps).toBe(5);
});
