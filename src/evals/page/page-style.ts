// The style of the page: quiet, in the colours of the system, for wide and narrow windows.

/** The style, as the page has it. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --back: light-dark(#fbfbfa, #141517);
  --panel: light-dark(#ffffff, #1a1c1f);
  --raised: light-dark(#f1f1ef, #24272b);
  --edge: light-dark(#e3e3df, #2e3237);
  --text: light-dark(#1d1f21, #e4e6e8);
  --dim: light-dark(#63676c, #9aa0a7);
  --accent: light-dark(#3455c9, #93a9ff);
  --good: light-dark(#1a6b37, #7fd39b);
  --good-back: light-dark(#e2f3e7, #173424);
  --bad: light-dark(#a92525, #ff9d96);
  --bad-back: light-dark(#fbe6e4, #43201f);
  --wait: light-dark(#7d5300, #f0c269);
  --wait-back: light-dark(#fbf0d9, #3c2f14);
  --yes: light-dark(#3f9a63, #4fae78);
  --no: light-dark(#d2685f, #c8645c);
  --void: light-dark(#b9bcc0, #5d636a);
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace;
  font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
.arm-1 { --arm: light-dark(#3455c9, #93a9ff); }
.arm-2 { --arm: light-dark(#17794d, #6fd0a0); }
.arm-3 { --arm: light-dark(#a54a14, #f0a070); }
.arm-4 { --arm: light-dark(#87389b, #d79be6); }
.arm-5 { --arm: light-dark(#0f7285, #6cc9dc); }
.arm-6 { --arm: light-dark(#71620d, #d3c25c); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1180px; padding: 28px 24px 64px; background: var(--back); color: var(--text); }
h1, h2, h3, p, ul, ol, dl, dd, pre { margin: 0; padding: 0; }
h1 { font-size: 22px; font-weight: 650; overflow-wrap: anywhere; }
h2 { font-size: 16px; font-weight: 650; }
h3 { font-size: 14px; font-weight: 600; }
ul, ol { list-style: none; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
.dim { color: var(--dim); font-weight: 400; }
section { margin-top: 44px; scroll-margin-top: 16px; }
section > .dim { margin: 2px 0 14px; max-width: 96ch; }
.unseen { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
.figure { font-variant-numeric: tabular-nums; }
.badge { display: inline-block; font-size: 12px; line-height: 18px; padding: 0 8px; border-radius: 999px; background: var(--raised); white-space: nowrap; }
.badge.good { background: var(--good-back); color: var(--good); }
.badge.bad { background: var(--bad-back); color: var(--bad); }
.badge.wait { background: var(--wait-back); color: var(--wait); }
.arm { font-weight: 550; overflow-wrap: anywhere; }
.number { display: inline-block; min-width: 18px; padding: 0 4px; border-radius: 9px; font-size: 11px; line-height: 18px; text-align: center; color: var(--back); background: var(--arm); }

.first { margin-top: 20px; padding: 14px 18px; border: 1px solid var(--edge); border-radius: 10px; background: var(--panel); }
.first ul { display: grid; gap: 7px; }
.first .plain { color: var(--text); }
.first li { display: grid; grid-template-columns: 76px minmax(0, 1fr); gap: 10px; align-items: start; overflow-wrap: anywhere; }
.first .badge { margin-top: 1px; text-align: center; }
nav { display: flex; flex-wrap: wrap; gap: 4px 18px; margin-top: 14px; }

table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-weight: 500; }
thead th { color: var(--dim); font-size: 12px; font-weight: 500; padding: 0 10px 6px 0; vertical-align: bottom; }
tbody th, td { padding: 7px 10px 7px 0; border-top: 1px solid var(--edge); vertical-align: middle; }
th > .dim, td > .dim { display: block; font-size: 12px; }
.arms td.figure { white-space: nowrap; }
.drawn { width: 34%; min-width: 200px; }
.arms .drawn { padding: 0 34px 0 14px; }
.arms thead .drawn { padding-bottom: 6px; }
svg { display: block; width: 100%; overflow: visible; }
.rate { height: 34px; }
.grid { stroke: var(--edge); }
.zero { stroke: var(--dim); }
.interval { stroke: var(--arm, var(--accent)); stroke-width: 6; stroke-linecap: round; opacity: 0.35; }
.point { fill: var(--arm, var(--accent)); stroke: var(--back); stroke-width: 1.5; }
.axis { display: flex; justify-content: space-between; font-size: 11px; color: var(--dim); font-variant-numeric: tabular-nums; }
.narrow { display: none; }
.axis > span { width: 0; display: flex; justify-content: center; white-space: nowrap; }

.pair-axis, .pairs .drawn { width: auto; max-width: 640px; margin: 0 24px; }
.pairs { display: grid; gap: 18px; margin-top: 4px; }
.pairs > li { border-top: 1px solid var(--edge); padding-top: 12px; }
.pairs .badge { min-width: 66px; text-align: center; margin-right: 6px; }
.tone-good { --arm: var(--good); }
.tone-bad { --arm: var(--bad); }
.tone-plain { --arm: var(--dim); }
.flips { display: flex; flex-wrap: wrap; gap: 2px 20px; padding: 4px 0 2px 18px; }
summary { cursor: pointer; }

.bar { height: 6px; margin-top: 3px; border-radius: 3px; overflow: hidden; }
.rest { fill: var(--raised); }
.yes { fill: var(--yes); }
.no { fill: var(--no); }
.void { fill: var(--void); }
.matrix { width: auto; }
.matrix th[scope="row"] { min-width: 130px; max-width: 320px; padding-right: 24px; overflow-wrap: anywhere; }
.matrix td { min-width: 150px; max-width: 240px; padding-right: 28px; }
.matrix thead th { max-width: 240px; padding-right: 28px; color: var(--text); font-size: 13px; }
.scroll { overflow-x: auto; }
.tall { max-height: 520px; overflow-y: auto; }
.tall thead th { position: sticky; top: 0; background: var(--back); padding-top: 2px; z-index: 1; }

.expense { display: grid; grid-template-columns: minmax(0, 640px) minmax(0, 1fr); gap: 18px 40px; align-items: center; }
.plot-place { position: relative; padding: 8px 8px 0 44px; }
.plot { height: 260px; margin-bottom: 6px; }
.plot .interval { stroke-width: 5; }
.plot text { fill: var(--text); font-size: 12px; font-weight: 600; paint-order: stroke; stroke: var(--back); stroke-width: 3px; }
.up { position: absolute; left: 0; top: 8px; height: 260px; width: 36px; display: flex; flex-direction: column; justify-content: space-between; font-size: 11px; color: var(--dim); text-align: right; }
.up > span { height: 0; line-height: 0; }
.keys { display: grid; gap: 6px; }
.blocks { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(240px, 100%), 1fr)); gap: 26px 40px; }
.blocks ul { display: grid; gap: 9px; margin-top: 8px; }
.blocks .dim { font-size: 12px; }

.filters { display: flex; flex-wrap: wrap; gap: 10px; align-items: end; margin: 10px 0 16px; }
.filters label { display: grid; gap: 2px; font-size: 12px; color: var(--dim); min-width: 0; }
.filters .order { display: none; }
.filters output { padding: 4px 0; }
input, select, button { font: inherit; color: var(--text); background: var(--panel); border: 1px solid var(--edge); border-radius: 6px; padding: 3px 9px; min-height: 30px; max-width: 100%; }
select { max-width: 220px; }
button { cursor: pointer; }
button:hover:enabled { background: var(--raised); }
button:disabled { color: var(--dim); cursor: default; }
.trials { font-size: 13px; }
.trials thead th { padding-bottom: 2px; }
.trials thead button { border: 0; background: none; padding: 0; min-height: 24px; color: inherit; font-size: 12px; }
.trials thead button:hover { color: var(--text); background: none; text-decoration: underline; }
th[aria-sort] button { color: var(--text); font-weight: 650; }
th[aria-sort="ascending"] button::after { content: " ↑"; }
th[aria-sort="descending"] button::after { content: " ↓"; }
.trials tbody th, .trials td { padding: 5px 12px 5px 0; unicode-bidi: isolate; }
.trials tbody tr { cursor: pointer; }
.trials tbody tr:hover > * { background: var(--raised); }
.trials th > a > .dim { margin-left: 2px; }
.trials td.figure { white-space: nowrap; }
.reason { color: var(--dim); max-width: 300px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
[hidden] { display: none !important; }

dialog { width: min(920px, 100%); max-width: 100%; height: 100%; max-height: 100%; margin: 0 0 0 auto; padding: 0 24px 40px; border: 0; border-left: 1px solid var(--edge); background: var(--back); color: var(--text); overflow: auto; overscroll-behavior: contain; }
dialog::backdrop { background: rgb(0 0 0 / 0.32); }
dialog header { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: 8px 14px; align-items: center; justify-content: space-between; padding: 14px 0 10px; background: var(--back); border-bottom: 1px solid var(--edge); }
dialog h2 { overflow-wrap: anywhere; }
dialog h3 { margin: 22px 0 6px; }
.turns { display: flex; gap: 6px; }
.facts { display: flex; flex-wrap: wrap; gap: 8px 26px; margin-top: 14px; }
.facts dt { font-size: 12px; color: var(--dim); }
.facts dd { overflow-wrap: anywhere; }
pre { font: 12px/1.5 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; padding: 7px 10px; border: 1px solid var(--edge); border-radius: 6px; background: var(--panel); }
.journal { display: grid; gap: 10px; }
.journal > * { min-width: 0; }
.line-head { display: flex; gap: 8px; align-items: baseline; margin-bottom: 3px; }
.line-label { font-weight: 550; overflow-wrap: anywhere; }
.line-time { margin-left: auto; font-size: 12px; white-space: nowrap; }
.tone-step > .line-head > .line-label { white-space: nowrap; }
.line.tone-step { margin-top: 10px; padding-top: 8px; border-top: 1px solid var(--edge); }
.tone-user > .line-head > .line-label { color: var(--accent); }
.tone-good > .line-head > .line-label { color: var(--good); }
.tone-bad > .line-head > .line-label { color: var(--bad); }
.tone-quiet > .line-head > .line-label { color: var(--dim); font-weight: 400; }
.line.tone-good, .line.tone-bad, .line.tone-plain { --arm: inherit; }
footer { margin-top: 52px; color: var(--dim); font-size: 12px; overflow-wrap: anywhere; }

@media (max-width: 860px) {
  body { padding: 18px 14px 48px; }
  section { margin-top: 36px; }
  .expense { grid-template-columns: minmax(0, 1fr); }
  .arms thead, .trials thead { display: none; }
  .arms tbody, .trials tbody { display: block; }
  .arms tr, .trials tr { display: grid; grid-template-columns: repeat(auto-fill, minmax(100px, 1fr)); gap: 4px 12px; padding: 10px 0; border-top: 1px solid var(--edge); }
  .arms tr > *, .trials tr > * { border: 0; padding: 0; min-width: 0; overflow-wrap: anywhere; }
  .arms th, .arms .drawn, .trials th, .trials .reason { grid-column: 1 / -1; }
  .arms .drawn { width: auto; min-width: 0; padding: 0 14px; }
  .axis.narrow { display: flex; }
  td[data-label]::before { content: attr(data-label); display: block; font-size: 11px; color: var(--dim); }
  .trials tbody th, .trials td { padding: 0; }
  .trials .reason:empty { display: none; }
  .reason { max-width: none; }
  .filters .order { display: grid; }
  .filters label { flex: 1 1 140px; }
  .filters label > * { width: 100%; max-width: none; }
  dialog { padding: 0 14px 32px; border-left: 0; }
  .pair-axis, .pairs .drawn { margin: 0 12px; }
}
@media (scripting: none) { .filters, #more { display: none; } .trials tr[hidden] { display: table-row !important; } }
@media print {
  body { max-width: none; }
  .filters, nav { display: none; }
  .tall { max-height: none; }
}
`;
