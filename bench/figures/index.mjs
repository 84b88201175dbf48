// The parts of the bench that measure nothing: options, statistics, the check, tables, the plot, the grouping of a profile.

export { check, keptRatios, missedLimits } from "./check.mjs";
export { help, readOptions } from "./options.mjs";
export { plot } from "./plot.mjs";
export { groupOf, waterfall, waterfallTable } from "./profile.mjs";
export { short, tables, withRange } from "./report.mjs";
export { median, ratios, spread } from "./statistics.mjs";
