// A list that has only the visible rows in the page, however long it is.

import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from "@tanstack/virtual-core";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useReducer, useRef } from "preact/hooks";

interface ListProps {
  readonly label: string;
  readonly count: number;
  /** Pixels of a row. */
  readonly height: number;
  readonly selected: number;
  /** True to keep the end in view while rows are added. */
  readonly sticky: boolean;
  readonly onSelect: (at: number) => void;
  readonly row: (at: number) => ComponentChildren;
}

/** The list. The arrow keys, Home, End, Page Up and Page Down move the selection. */
export function VirtualList({ label, count, height, selected, sticky, onSelect, row }: ListProps): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  const [, render] = useReducer((times: number) => times + 1, 0);
  const options: VirtualizerOptions<HTMLDivElement, Element> = {
    count,
    getScrollElement: () => list.current,
    estimateSize: () => height,
    overscan: 6,
    scrollToFn: elementScroll,
    observeElementOffset,
    observeElementRect,
    onChange: () => {
      render(undefined);
    },
  };
  const kept = useRef<Virtualizer<HTMLDivElement, Element>>(null);
  kept.current ??= new Virtualizer(options);
  const virtualizer = kept.current;
  virtualizer.setOptions(options);
  useEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => {
    virtualizer._willUpdate();
  });
  useEffect(() => {
    if (selected >= 0) virtualizer.scrollToIndex(selected, { align: "auto" });
  }, [virtualizer, selected]);
  useEffect(() => {
    if (sticky && count > 0) virtualizer.scrollToIndex(count - 1, { align: "end" });
  }, [virtualizer, sticky, count]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor((list.current?.clientHeight ?? height) / height) - 1);
    const next = placeAfter(event.key, { selected, count, page });
    if (next === undefined) return;
    event.preventDefault();
    onSelect(next);
  };
  return (
    <div
      class="list"
      ref={list}
      role="listbox"
      aria-label={label}
      aria-activedescendant={selected >= 0 ? `row-${String(selected)}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div class="list-body" style={{ height: `${String(virtualizer.getTotalSize())}px` }} role="presentation">
        {virtualizer.getVirtualItems().map(({ index, start }) => (
          <div
            key={index}
            id={`row-${String(index)}`}
            class="list-row"
            role="option"
            aria-selected={index === selected}
            aria-setsize={count}
            aria-posinset={index + 1}
            style={{ height: `${String(height)}px`, transform: `translateY(${String(start)}px)` }}
            onClick={() => {
              onSelect(index);
            }}
          >
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  );
}

interface Place {
  readonly selected: number;
  readonly count: number;
  readonly page: number;
}

/** The row that a key leads to; undefined for any other key. */
function placeAfter(key: string, { selected, count, page }: Place): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ...{ ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page },
    ...{ Home: -count, g: -count, End: count, G: count },
  };
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
  return step === undefined || count === 0 ? undefined : Math.min(count - 1, Math.max(0, selected + step));
}
