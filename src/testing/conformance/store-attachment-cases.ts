// The cases of a store's attachments: bytes are kept once under their digest, for one session, until they are removed.

import type { AttachmentStore } from "../../core/index.js";
import { digestOf } from "../../core/internal.js";
import type { ConformanceCase } from "./conformance.js";
import { demand, demandEqual } from "../oracle/demand.js";
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

/** The attachments of a session, in this store and in one that is opened anew. */
interface Attached extends StoreWorld {
  readonly attachments: (id: string) => AttachmentStore;
  readonly of: (id: string) => Promise<AttachmentStore>;
}

/** Every byte once. */
function every(): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_none, index) => index);
}
