// The cases of a store's attachments: bytes are kept once under their digest, for one session, until they are removed.

import type { AttachmentStore } from "../../core/index.js";
import { digestOf } from "../../core/internal.js";
import type { ConformanceCase } from "./conformance.js";
import { demand, demandEqual, show } from "../oracle/demand.js";
import { storeCase, taken, thrownBy, type StoreMaker, type StoreWorld } from "./store-place.js";

/** Cases for `attachments`. A store without the method passes them all: a run with an attachment then says that it keeps none. */
export function attachmentCases(make: StoreMaker): readonly ConformanceCase[] {
  const one = (name: string, work: (world: Attached) => Promise<void>): ConformanceCase =>
    storeCase(make, name, async (world) => {
      const { store, open } = world;
      const attachments = store.attachments?.bind(store);
      if (attachments === undefined) return;
      const of = async (id: string): Promise<AttachmentStore> => {
        const opened = (await open()).attachments?.(id);
        if (opened === undefined) throw new Error("A store that was opened anew has no attachments.");
        return opened;
      };
      await work({ ...world, attachments, of });
    });
  return [
    one("bytes are read as they were written, also in a store that was opened anew", async ({ attachments, of }) => {
      for (const bytes of [Uint8Array.of(0), every(), new Uint8Array(3_000_000).fill(7)]) {
        const digest = await digestOf(bytes);
        demandEqual(await attachments("a").read(digest), undefined, "the bytes before they were written");
        await attachments("a").write(digest, bytes);
        for (const opened of [attachments("a"), await of("a")]) {
          const read = await opened.read(digest);
          demand(read !== undefined && (await digestOf(read)) === digest, "the bytes have another digest");
        }
      }
    }),
    one("bytes written again, also by many at once, are kept as they were", async ({ attachments, of }) => {
      const digest = await digestOf(every());
      const all = await Promise.all(Array.from({ length: 8 }, async () => of("a")));
      await Promise.all(all.map(async (opened) => opened.write(digest, every())));
      await attachments("a").write(digest, Uint8Array.of(1));
      demandEqual([...((await attachments("a").read(digest)) ?? [])], [...every()], "the bytes");
    }),
    one("bytes are a copy: what writer or reader do with theirs changes nothing", async ({ attachments }) => {
      const [given, digest] = [every(), await digestOf(every().subarray(3, 200))];
      await attachments("a").write(digest, given.subarray(3, 200));
      given.fill(0);
      const read = await attachments("a").read(digest);
      demandEqual([...(read ?? [])], [...every().subarray(3, 200)], "the bytes, after the writer changed its own");
      read?.fill(0);
      const again = (await attachments("a").read(digest)) ?? [];
      demandEqual([...again], [...every().subarray(3, 200)], "the bytes, after a reader changed its own");
    }),
    one("a reader sees all bytes or none while they are written", async ({ attachments, of }) => {
      const bytes = new Uint8Array(2_000_000).fill(9);
      const digest = await digestOf(bytes);
      const reader = await of("a");
      const written = new AbortController();
      const writing = attachments("a")
        .write(digest, bytes)
        .finally(() => {
          written.abort();
        });
      do {
        const read = await reader.read(digest);
        demand(
          read === undefined || read.length === bytes.length,
          `a reader saw ${show(read?.length)} bytes of a part`,
        );
      } while (!written.signal.aborted);
      await writing;
      demandEqual((await reader.read(digest))?.length, bytes.length, "the number of bytes, once write has resolved");
    }),
    one("bytes are kept, read and removed whoever has the lock", async ({ store, attachments, of }) => {
      const digest = await digestOf(every());
      const lock = await taken(store, "a");
      await (await of("a")).write(digest, every());
      demandEqual((await (await of("a")).read(digest))?.length, 256, "the bytes of a session that somebody holds");
      await (await of("a")).remove(digest);
      demandEqual(await attachments("a").read(digest), undefined, "the bytes that were removed meanwhile");
      await lock.append(["still mine"], true);
      await lock.release();
    }),
    one("bytes belong to one session, and are gone with it", async ({ store, attachments }) => {
      const digest = await digestOf(every());
      await attachments("a").write(digest, every());
      demandEqual(await attachments("b").read(digest), undefined, "the bytes in another session");
      demandEqual(await store.list(), [], "the list of sessions that have only bytes");
      const lock = await taken(store, "a");
      await lock.append(["one"], true);
      await lock.release();
      await store.delete("a");
      demandEqual(await attachments("a").read(digest), undefined, "the bytes of a session that was deleted");
      await attachments("only-bytes").write(digest, every());
      await store.delete("only-bytes");
      demandEqual(await attachments("only-bytes").read(digest), undefined, "the bytes of a session without lines");
    }),
    one("bytes that are removed are gone, and may be written again", async ({ attachments, of }) => {
      const digest = await digestOf(every());
      await attachments("a").remove(digest);
      await attachments("a").write(digest, every());
      await (await of("a")).remove(digest);
      demandEqual(await attachments("a").read(digest), undefined, "the bytes that were removed");
      await attachments("a").write(digest, every());
      demandEqual((await attachments("a").read(digest))?.length, 256, "the bytes that were written again");
    }),
    one("a digest that is none, and an id that is none, are refused", async ({ attachments }) => {
      for (const digest of ["", "../../etc/passwd", "A".repeat(64), `${"a".repeat(64)}/..`]) {
        await thrownBy(() => attachments("a").write(digest, every()), `a write under ${JSON.stringify(digest)}`);
        await thrownBy(() => attachments("a").read(digest), `a read of ${JSON.stringify(digest)}`);
        await thrownBy(() => attachments("a").remove(digest), `a removal of ${JSON.stringify(digest)}`);
      }
      const digest = await digestOf(every());
      await thrownBy(async () => attachments("").write(digest, every()), "a write to a session without an id");
    }),
  ];
}

/** The attachments of a session, in this store and in a store that is opened anew. */
interface Attached extends StoreWorld {
  readonly attachments: (id: string) => AttachmentStore;
  readonly of: (id: string) => Promise<AttachmentStore>;
}

/** Every byte once. */
function every(): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_none, index) => index);
}
