// The JSON text of lists that are only appended to: what was written once is not written again.

interface Written {
  readonly items: object[];
  text: string;
}

/**
 * Makes a writer of lists. A list that goes on from an earlier one, item by item the same objects, costs what is new in
 * it. The items must never change.
 */
export function listWriter(): (list: readonly object[]) => string {
  /** By the first item. */
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
