// The note tools: the model's own notes, so that facts survive when the conversation is summarized. The journal stores them.

import { z } from "zod";
import { notesIn, tool, type Note, type Notes, type Tool } from "../../core/index.js";
import { noteLine } from "../../core/internal.js";
import { searchNotes } from "./search-notes.js";

/** The arguments of `add_note`. */
export interface AddNote {
  /** At most 800 characters. */
  text: string;
  /** At most five tags of at most 40 characters each. Default: none. */
  tags?: string[] | undefined;
}

/** The arguments of `search_notes`: a query, tags or both. */
export interface SearchNotes {
  /** Words that must all occur in the note; case is ignored. */
  query?: string | undefined;
  /** The note must have all these tags. */
  tags?: string[] | undefined;
  /** True to also find scratched notes. Default false. */
  include_scratched?: boolean | undefined;
}

/** The arguments of `list_notes`. */
export interface ListNotes {
  /** The number of notes. Default 10. */
  limit?: number | undefined;
  /** True to also list scratched notes. Default false. */
  include_scratched?: boolean | undefined;
}

/** The arguments of `update_note`: a text, tags or both. */
export interface UpdateNote {
  id: string;
  text?: string | undefined;
  /** Replaces the tags of the note. */
  tags?: string[] | undefined;
}

/** The arguments of `scratch_note`. */
export interface ScratchNote {
  id: string;
}

/** The note tools, in a fixed order. */
export type NoteTools = readonly [
  Tool<"add_note", AddNote, string, "never">,
  Tool<"search_notes", SearchNotes, string, "never">,
  Tool<"list_notes", ListNotes, string, "never">,
  Tool<"update_note", UpdateNote, string, "never">,
  Tool<"scratch_note", ScratchNote, string, "never">,
];

/**
 * Limits: characters of a text and of a tag, tags of a note, notes that are not scratched, notes shown by one search or
 * list.
 */
const limits = { text: 800, tag: 40, tags: 5, current: 100, shown: 10 };

/**
 * Makes `add_note`, `search_notes`, `list_notes`, `update_note` and `scratch_note`. The notes are part of the session's
 * journal, so they survive a crash, a resume and a fork. A memory that summarizes old messages shows the notes that are
 * not scratched. A new session can begin with them: `run(input, { notesFrom: earlier })`.
 */
export function notes(): NoteTools {
  return [addNote(), findNotes(), listNotes(), updateNote(), scratchNote()];
}

/** The limits are checked here, because some servers refuse bounds in a schema. */
const words = (): z.ZodString =>
  z
    .string()
    .refine((text) => text.trim() !== "", "must not be empty")
    .refine((text) => text.length <= limits.text, {
      error: ({ input }) =>
        `has ${String((input as string).length)} characters, and a note has at most ${String(limits.text)}: say it in fewer words, or in two notes`,
    })
    .describe(`At most ${String(limits.text)} characters`);

const labels = (): z.ZodArray<z.ZodString> =>
  z
    .array(
      z
        .string()
        .refine(
          (tag) => tag.trim() !== "" && tag.length <= limits.tag && !/[\r\n]/.test(tag),
          `a tag is a word or two, of at most ${String(limits.tag)} characters`,
        ),
    )
    .refine((tags) => tags.length <= limits.tags, `a note has at most ${String(limits.tags)} tags: leave some out`);

const named = (): z.ZodString => z.string().describe("The note's id, for example n1");

function addNote(): NoteTools[0] {
  return tool({
    name: "add_note",
    description:
      "Notes something for yourself: a fact that was hard to find, a decision and its reason, a dead end with its error. Older messages of a long task are summed up or left out; your notes stay word for word. Note what you would otherwise have to find out again, when you find it out; not what a look at a file tells.",
    input: z.object({ text: words(), tags: labels().optional().describe("To find it by") }),
    effect: "none",
    run({ text: written, tags }, { records, note }) {
      const { all, ids, current, next } = notesIn(records);
      const text = written.trim();
      const id = ids.get(text) ?? next;
      if (current.size >= limits.current && !current.has(id)) {
        throw new Error(
          `There are ${String(current.size)} notes, and no more can be kept. Scratch what no longer holds (scratch_note), or put two into one (update_note).`,
        );
      }
      note({ id, text, tags: tags === undefined ? (all.get(id)?.tags ?? []) : tidy(tags), scratched: false });
      return `Noted as ${id}.`;
    },
  });
}

function findNotes(): NoteTools[1] {
  return tool({
    name: "search_notes",
    description: "Finds your notes by words, by tags or both: the best first, of equal ones the latest.",
    input: z.object({
      query: z.string().optional().describe("Words that all occur in the note"),
      tags: z.array(z.string()).optional().describe("Tags that the note has, all of them"),
      include_scratched: z.boolean().optional().describe("Also notes that you scratched"),
    }),
    effect: "none",
    run({ query = "", tags = [], include_scratched: all = false }, { records }) {
      const found = searchNotes(chosen(notesIn(records), all), { query, tags: tidy(tags) });
      if (found.length === 0)
        return `No note ${all ? "" : "that is not scratched "}fits. list_notes shows what there is.`;
      return shown(found, limits.shown, "the best first");
    },
  });
}

function listNotes(): NoteTools[2] {
  return tool({
    name: "list_notes",
    description: `Lists your notes, the latest first; ${String(limits.shown)} of them unless you say how many.`,
    input: z.object({
      limit: z
        .int()
        .refine((number) => number >= 1, "must be at least 1")
        .optional()
        .describe("How many"),
      include_scratched: z.boolean().optional().describe("Also notes that you scratched"),
    }),
    effect: "none",
    run({ limit = limits.shown, include_scratched: all = false }, { records }) {
      const listed = chosen(notesIn(records), all);
      return listed.length === 0 ? "There are no notes." : shown(listed, limit, "the latest first");
    },
  });
}

function updateNote(): NoteTools[3] {
  return tool({
    name: "update_note",
    description: "Changes the text or the tags of a note, or both: what is not given stays as it is.",
    input: z
      .object({ id: named(), text: words().optional(), tags: labels().optional().describe("Instead of its tags") })
      .refine(({ text, tags }) => text !== undefined || tags !== undefined, "give a text, tags or both"),
    effect: "none",
    run({ id, text, tags }, { records, note }) {
      const before = noteWith(notesIn(records), id);
      note({ ...before, text: text?.trim() ?? before.text, tags: tags === undefined ? before.tags : tidy(tags) });
      return `Updated ${before.id}.`;
    },
  });
}

function scratchNote(): NoteTools[4] {
  return tool({
    name: "scratch_note",
    description:
      "Scratches a note that no longer holds or is no longer of use. It is not shown by itself any more; include_scratched still finds it.",
    input: z.object({ id: named() }),
    effect: "none",
    run({ id }, { records, note }) {
      const before = noteWith(notesIn(records), id);
      note({ ...before, scratched: true });
      return `Scratched ${before.id}.`;
    },
  });
}

function noteWith({ all, current }: Notes, id: string): Note {
  const found = all.get(id.trim());
  if (found !== undefined) return found;
  const ids = [...(current.size > 0 ? current : all).keys()].reverse().slice(0, limits.current);
  const which = ids.length === 0 ? "There are no notes yet: add_note adds one." : `There are ${ids.join(", ")}.`;
  throw new Error(`There is no note ${JSON.stringify(id)}. ${which}`);
}

/** The notes, newest first. */
function chosen({ all, current }: Notes, includesScratched: boolean): readonly Note[] {
  return [...(includesScratched ? all : current).values()].reverse();
}

function shown(found: readonly Note[], limit: number, order: string): string {
  const lines = found.slice(0, limit).map(noteLine);
  const many = `${String(found.length)} ${found.length === 1 ? "note" : "notes"}`;
  const count = lines.length < found.length ? `${String(lines.length)} of ${many}` : many;
  return [`${count}, ${order}:`, ...lines].join("\n");
}

/** Trims the tags and removes duplicates. */
function tidy(tags: readonly string[]): readonly string[] {
  return [...new Set(tags.map((tag) => tag.trim()))];
}
