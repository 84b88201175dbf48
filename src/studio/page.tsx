// The page of one session: the views of the studio over records that stand in the page.

import { render } from "preact";
import { opened, PageApi } from "./page/page-api.js";
import { visible } from "./data/shown-words.js";
import { PageFrame } from "./page/page-frame.js";

/** Shows the session that the element has. */
async function show(root: HTMLElement): Promise<void> {
  const element = document.getElementById("lastcall-session");
  const text = element?.textContent ?? "";
  // The packed text is not needed any more.
  element?.remove();
  const page = await opened(text);
  root.replaceChildren();
  render(<PageFrame api={new PageApi(page)} packed={page.packed} />, root);
}

const root = document.getElementById("root");
if (root !== null)
  show(root).catch((thrown: unknown) => {
    const line = document.createElement("p");
    line.className = "problem";
    line.setAttribute("role", "alert");
    line.textContent = visible(thrown instanceof Error ? thrown.message : String(thrown));
    root.replaceChildren(line);
  });
