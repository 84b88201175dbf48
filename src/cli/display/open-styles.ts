// The open styles at a position in a line: the sequences that close them before a break and open them after it.

/** An open style, with the codes that open and close it. */
export interface OpenStyle {
  readonly on: string;
  readonly off: string;
}

/** The open styles after a sequence `ESC [ ... m`. Other sequences change nothing. */
export function openAfter(open: readonly OpenStyle[], sequence: string): readonly OpenStyle[] {
  const inner = /^\u001b\[([\d;:]*)m$/.exec(sequence)?.[1];
  if (inner === undefined) return open;
  const codes = inner.split(";");
  let now = open;
  for (let at = 0; at < codes.length;) {
    const length = lengthOf(codes, at);
    now = afterCode(now, codes.slice(at, at + length).join(";"));
    at += length;
  }
  return now;
}

/** The sequences that close the styles, the last style first. */
export function closing(open: readonly OpenStyle[]): string {
  return [...new Set(open.map(({ off }) => off))].reverse().map(sequenceOf).join("");
}

/** The sequences that open the styles again. */
export function opening(open: readonly OpenStyle[]): string {
  return open.map(({ on }) => sequenceOf(on)).join("");
}

/** The number of codes that belong together: three for a palette colour, five for an RGB colour, else one. */
function lengthOf(codes: readonly string[], at: number): number {
  if (!/^[345]8$/.test(codes[at] ?? "")) return 1;
  return codes[at + 1] === "2" ? 5 : codes[at + 1] === "5" ? 3 : 1;
}

function afterCode(open: readonly OpenStyle[], on: string): readonly OpenStyle[] {
  const code = Number.parseInt(on, 10) || 0;
  if (code === 0) return [];
  const off = offOf(code);
  if (off === undefined) return open.filter((style) => style.off !== String(code));
  const isColour = off === "39" || off === "49" || off === "59";
  return [...open.filter((style) => (isColour ? style.off !== off : style.on !== on)), { on, off }];
}

/** The code that closes the style of this code; undefined if the code opens none. */
function offOf(code: number): string | undefined {
  if ((code >= 30 && code <= 38) || (code >= 90 && code <= 97)) return "39";
  if ((code >= 40 && code <= 48) || (code >= 100 && code <= 107)) return "49";
  return offs[code];
}

const offs: Readonly<Record<number, string>> = {
  1: "22",
  2: "22",
  3: "23",
  4: "24",
  5: "25",
  6: "25",
  7: "27",
  8: "28",
  9: "29",
  21: "24",
  53: "55",
  58: "59",
};

function sequenceOf(codes: string): string {
  return `\u001b[${codes}m`;
}
