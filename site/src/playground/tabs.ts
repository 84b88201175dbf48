// Tabs by the pattern of ARIA: arrows move among them, and one panel is shown.

/** Makes the buttons in `list` tabs of the panels that they name. Returns the function that shows one. */
export function makeTabs(list: HTMLElement): (name: string) => void {
  const tabs = [...list.querySelectorAll<HTMLButtonElement>("[role=tab]")];
  const show = (chosen: HTMLButtonElement): void => {
    for (const tab of tabs) {
      tab.setAttribute("aria-selected", String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      panelOf(tab).hidden = tab !== chosen;
    }
  };
  for (const tab of tabs) {
    tab.addEventListener("click", () => {
      show(tab);
    });
    tab.addEventListener("keydown", ({ key }) => {
      const step = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
      const seen = tabs.filter(({ hidden }) => !hidden);
      const next = step === 0 ? undefined : seen.at((seen.indexOf(tab) + step) % seen.length);
      if (next === undefined) return;
      show(next);
      next.focus();
    });
  }
  return (name) => {
    const tab = tabs.find(({ dataset }) => dataset["tab"] === name);
    if (tab !== undefined) show(tab);
  };
}

function panelOf(tab: HTMLButtonElement): HTMLElement {
  const panel = document.getElementById(tab.getAttribute("aria-controls") ?? "");
  if (panel === null) throw new Error(`The tab ${tab.textContent} has no panel.`);
  return panel;
}
