// Serializes lists that only grow at the end, and reuses the JSON text of the earlier items.

interface Written {
  readonly items: object[];
  text: string;
}

/**
 * Makes a writer of lists. If a list begins with the same objects as an earlier one, only its new items are serialized.
 * The items must never change.
 */
export function listWriter(): (list: readonly object[]) => string {
  /** The lists written so far, by their first item. */
  const lists = new WeakMap<object, Written>();

  return (list) => {
    const [first] = list;
    if (first === undefined) return "[]";
    let written = lists.get(first);
    if (written?.items.every((item, index) => item === list[index]) !== true) {
      written = { items: [], text: "" };
      lists.set(first, written);
    }
    for (const item of list.slice(written.items.length)) {
      written.text += (written.text === "" ? "" : ",") + JSON.stringify(item);
      written.items.push(item);
    }
    return `[${written.text}]`;
  };
}
