import { expect, test } from "vitest";
import { memoryStore } from "../../../src/memory/index.js";
import { storeConformance, type StoreMaker } from "../../../src/testing/index.js";
import { isLock } from "../../../src/testing/conformance/store-place.js";
import { breaches } from "../breaches.js";
import { broken, brokenFiles, brokenLock, brokenRead, wait } from "../broken-stores.js";

test.concurrent.each<[string, StoreMaker, readonly string[]]>([
  [
    "says of unknown sessions that they are empty",
    broken((store) => ({ read: async (id, from) => (await store.read(id, from)) ?? [] })),
    ["never written"],
  ],
  [
    "names no unfinished sessions",
    broken(() => ({ unfinished: async () => [] })),
    ["those with messages", "whose last run is open"],
  ],
  [
    "overlooks runs that go on after an answer",
    broken((store) => ({
      unfinished: async () => (await store.list()).map(({ id }) => id).filter((id) => id !== "answer"),
    })),
    ["whose last run is open", "those with messages"],
  ],
  [
    "appends later",
    brokenLock((lock) => ({
      append: async (lines, flush) =>
        void wait()
          .then(() => lock.append(lines, flush))
          .catch(() => undefined),
    })),
    ["once append resolves"],
  ],
  [
    "keeps only what is flushed",
    brokenLock((lock) => ({
      append: async (lines, flush) => {
        if (flush) await lock.append(lines, flush);
      },
    })),
    ["once append resolves"],
  ],
  [
    "mixes up appends that are not waited for",
    brokenLock((lock) => ({
      append: async (lines, flush) => {
        if (!flush) await wait();
        await lock.append(lines, flush);
      },
    })),
    ["keep their order"],
  ],
  [
    "begins anew with each lock",
    brokenLock((lock) => {
      const cleared = lock.cut(0);
      return {
        append: async (lines, flush) => {
          await cleared;
          await lock.append(lines, flush);
        },
      };
    }),
    ["outlives the lock"],
  ],
  [
    "reads no more than a megabyte of a line",
    brokenRead((lines) => lines.map((line) => line.slice(0, 1_000_000))),
    ["five megabytes"],
  ],
  ["drops empty lines", brokenRead((lines) => lines.filter((line) => line !== "")), ["none at all"]],
  [
    "takes a carriage return for the end of a line",
    brokenRead((lines) => lines.flatMap((line) => line.split("\r"))),
    ["every character"],
  ],
  [
    "reads its lines as Latin-1",
    brokenRead((lines) => lines.map((line) => Buffer.from(line).toString("latin1"))),
    ["every character"],
  ],
  [
    "reads all lines, whatever is asked for",
    broken((store) => ({ read: (id) => store.read(id) })),
    ["from a number on"],
  ],
  [
    "says of a session without more lines that it does not exist",
    broken((store) => ({
      read: async (id, from) => {
        const lines = await store.read(id, from);
        return lines?.length === 0 ? undefined : lines;
      },
    })),
    ["from a number on"],
  ],
  [
    "keeps only the last line of an append",
    brokenLock((lock) => ({ append: (lines, flush) => lock.append(lines.slice(-1), flush) })),
    ["lines of one append"],
  ],
  [
    "keeps the lines of an append before a bad one",
    brokenLock((lock) => ({
      append: async (lines, flush) => {
        for (const line of lines) await lock.append([line], flush);
      },
    })),
    ["lines of one append"],
  ],
  [
    "breaks a line in two",
    brokenLock((lock) => ({
      append: async (lines, flush) => {
        for (const piece of lines.flatMap((line) => line.split(/[\n\0]/))) await lock.append([piece], flush);
      },
    })),
    ["every character"],
  ],
  [
    "cuts one line too many",
    brokenLock((lock) => ({ cut: (lines) => lock.cut(Math.max(0, lines - 1)) })),
    ["cut keeps"],
  ],
  ["cuts nothing", brokenLock(() => ({ cut: async () => undefined })), ["cut keeps"]],
  ["lists nothing", broken(() => ({ list: async () => [] })), ["told apart and listed"]],
  [
    "lists with the time in seconds",
    broken((store) => ({
      list: async () => (await store.list()).map(({ id, updated }) => ({ id, updated: updated / 1000 })),
    })),
    ["told apart and listed"],
  ],
  [
    "lists with the time of the first append",
    broken((store) => {
      const times = new Map<string, number>();
      return {
        list: async () =>
          (await store.list()).map(({ id, updated }) => {
            times.set(id, times.get(id) ?? updated);
            return { id, updated: times.get(id) ?? 0 };
          }),
      };
    }),
    ["not of the first"],
  ],
  [
    "reads any session as the same one",
    broken((store) => ({ read: async (id, from) => store.read(id.startsWith("session-") ? "session-0" : id, from) })),
    ["told apart"],
  ],
  [
    "takes any id to read",
    broken((store) => ({
      read: async (id) => {
        try {
          return await store.read(id);
        } catch {
          return undefined;
        }
      },
    })),
    ["refused by everything"],
  ],
  [
    "takes any id to send to",
    broken((store) => ({
      send: async (id, message) => {
        await store.send(id === "" ? "empty" : id, message);
      },
    })),
    ["refused by everything"],
  ],
  [
    "takes no long ids",
    broken((store) => ({
      read: async (id) => {
        if (id.length > 100) throw new Error("too long");
        return store.read(id);
      },
    })),
    ["every other id"],
  ],
  [
    "deletes what is being written",
    broken((store, now) => {
      let inner = memoryStore(now);
      return {
        list: () => inner.list(),
        read: (id) => inner.read(id),
        lock: (id, holder) => inner.lock(id, holder),
        send: (id, message) => inner.send(id, message),
        messages: (id) => inner.messages(id),
        drop: (id, ids) => inner.drop(id, ids),
        delete: async () => {
          inner = memoryStore(now);
          await store.list();
        },
      };
    }),
    ["deleted is gone"],
  ],
  [
    "deletes nothing",
    broken(() => ({ delete: async () => undefined })),
    ["deleted is gone", "silent or gone can be deleted"],
  ],
  [
    "refuses to delete what it does not know",
    broken((store) => ({
      delete: async (id) => {
        if (id === "unknown") throw new Error("unknown");
        await store.delete(id);
      },
    })),
    ["deleted is gone"],
  ],
  [
    "lists its messages by their ids",
    broken((store) => ({
      messages: async (id) => [...(await store.messages(id))].sort((a, b) => (a.id < b.id ? -1 : 1)),
    })),
    ["order in which they were sent"],
  ],
  [
    "takes a message twice",
    broken((store) => {
      let count = 0;
      return {
        send: async (id, message) => {
          await store.send(id, { ...message, id: `${message.id}#${String(count++)}` });
        },
        messages: async (id) =>
          (await store.messages(id)).map(({ id: own, text }) => ({ id: own.replace(/#\d+$/, ""), text })),
      };
    }),
    ["sent again does nothing"],
  ],
  [
    "takes the later of two messages",
    broken((store) => ({
      send: async (id, message) => {
        await store.drop(id, [message.id]);
        await store.send(id, message);
      },
    })),
    ["sent again does nothing"],
  ],
  ["drops nothing", broken(() => ({ drop: async () => undefined })), ["dropped are gone"]],
  [
    "drops everything",
    broken((store) => ({
      drop: async (id) => {
        await store.drop(
          id,
          (await store.messages(id)).map((message) => message.id),
        );
      },
    })),
    ["dropped are gone"],
  ],
  [
    "remembers what was dropped",
    broken((store) => {
      const seen = new Set<string>();
      return {
        send: async (id, message) => {
          if (seen.has(message.id)) return;
          seen.add(message.id);
          await store.send(id, message);
        },
      };
    }),
    ["dropped are gone"],
  ],
  [
    "trims what is sent",
    broken((store) => ({ send: (id, message) => store.send(id, { ...message, text: message.text.trim() }) })),
    ["any text and any id"],
  ],
  [
    "takes the ids of messages for names of files",
    broken((store) => ({
      send: (id, message) => store.send(id, { ...message, id: message.id.split("/").at(-1) ?? "" }),
    })),
    ["any text and any id"],
  ],
  [
    "lets nobody but the holder send",
    broken((store) => ({
      send: async (id, message) => {
        const lock = await store.lock(id, { id: "s", host: "elsewhere", pid: 1 });
        if (!isLock(lock)) throw new Error("busy");
        await store.send(id, message);
        await lock.release();
      },
    })),
    ["whoever has the lock"],
  ],
  [
    "lists the oldest where the last were asked for",
    broken((store) => ({
      list: async ({ most } = {}) =>
        [...(await store.list())].sort((one, other) => one.updated - other.updated).slice(0, most),
    })),
    ["used last has these"],
  ],
  [
    "writes what is sent into the log",
    broken((store) => {
      const logs = new Map<string, string[]>();
      return {
        send: async (id, message) => {
          logs.set(id, [...(logs.get(id) ?? []), message.text]);
          await store.send(id, message);
        },
        read: async (id) => logs.get(id) ?? store.read(id),
      };
    }),
    ["is no line"],
  ],
])("a store that %s is caught", async (_what, make, names) => {
  const found = await breaches(storeConformance(make));
  for (const name of names) expect(found).toContainEqual(expect.stringContaining(name));
});

const zeros = "0".repeat(64);

test.concurrent.each<[string, StoreMaker, readonly string[]]>([
  [
    "keeps the bytes later",
    brokenFiles((files) => ({
      write: async (digest, bytes) =>
        void wait()
          .then(() => files.write(digest, bytes.slice()))
          .catch(() => undefined),
    })),
    ["read as they were written", "all bytes or none"],
  ],
  [
    "keeps them as a text",
    brokenFiles((files) => ({
      write: (digest, bytes) => files.write(digest, Buffer.from(Buffer.from(bytes).toString())),
    })),
    ["read as they were written"],
  ],
  [
    "keeps the whole buffer behind a view",
    brokenFiles((files) => ({ write: (digest, bytes) => files.write(digest, new Uint8Array(bytes.buffer)) })),
    ["are a copy"],
  ],
  [
    "takes the later of two writes",
    brokenFiles((files) => ({
      write: async (digest, bytes) => {
        await files.remove(digest);
        await files.write(digest, bytes);
      },
    })),
    ["kept as they were"],
  ],
  [
    "writes in two steps",
    brokenFiles((files) => ({
      write: async (digest, bytes) => {
        await files.write(digest, bytes.slice(0, bytes.length / 2));
        await wait();
        await files.remove(digest);
        await files.write(digest, bytes);
      },
    })),
    ["all bytes or none"],
  ],
  ["removes nothing", brokenFiles(() => ({ remove: async () => undefined })), ["that are removed are gone"]],
  [
    "remembers what was removed",
    brokenFiles((files) => ({
      remove: async (digest) => {
        await files.remove(digest);
        await files.write(digest, new Uint8Array(1));
      },
    })),
    ["that are removed are gone"],
  ],
  [
    "shares bytes between sessions",
    broken((store) => ({ attachments: () => store.attachments!("all") })),
    ["belong to one session"],
  ],
  [
    "keeps the bytes of deleted sessions",
    broken((store, now) => {
      const files = memoryStore(now);
      return { attachments: (id) => files.attachments!(id), delete: (id) => store.delete(id) };
    }),
    ["belong to one session"],
  ],
  [
    "lists sessions that have only bytes",
    broken((store, now) => {
      const named = new Set<string>();
      return {
        attachments: (id) => {
          named.add(id);
          return store.attachments!(id);
        },
        list: async () => [...(await store.list()), ...Array.from(named, (id) => ({ id, updated: now() }))],
      };
    }),
    ["belong to one session"],
  ],
  [
    "takes anything for a digest",
    brokenFiles((files) => ({
      read: (digest) => files.read(/^[0-9a-f]{64}$/.test(digest) ? digest : zeros),
    })),
    ["a digest that is none"],
  ],
  [
    "lets nobody but the holder keep bytes",
    broken((store) => ({
      attachments: (id) => ({
        ...store.attachments!(id),
        write: async (digest, bytes) => {
          const lock = await store.lock(id, { id: "w", host: "elsewhere", pid: 1 });
          if (!isLock(lock)) throw new Error("busy");
          await store.attachments!(id).write(digest, bytes);
          await lock.release();
        },
      }),
    })),
    ["whoever has the lock"],
  ],
])("a store whose attachments are wrong, since it %s, is caught", async (_what, make, names) => {
  const found = await breaches(storeConformance(make));
  for (const name of names) expect(found).toContainEqual(expect.stringContaining(name));
});

test("a store that keeps no attachments conforms: a run with one says so", async () => {
  const none: StoreMaker = ({ now }) => {
    const { attachments: _none, ...store } = memoryStore(now);
    return { open: () => store };
  };
  expect(await breaches(storeConformance(none))).toEqual([]);
});

test("a store that takes its time and gives copies conforms", async () => {
  const slow = broken((store) => ({
    read: async (id, from) => {
      await wait();
      return structuredClone(await store.read(id, from));
    },
    list: async () => {
      await wait();
      return [...(await store.list())].reverse();
    },
  }));
  expect(await breaches(storeConformance(slow))).toEqual([]);
});
