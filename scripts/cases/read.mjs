// Case files: one case per line, as JSON.

import { readFileSync } from "node:fs";
import { basename } from "node:path";

/**
 * The cases of the files in order. With prefixes, only those whose ids begin with one of them. A line that can't be parsed
 * becomes a case with a `problem`, which no prefix filters out.
 */
export function readCases(files, prefixes = []) {
  const isWanted = ({ id, problem }) =>
    problem !== undefined || prefixes.length === 0 || prefixes.some((prefix) => String(id).startsWith(prefix));
  return files.flatMap(readFile).filter(isWanted);
}

function readFile(file) {
  return readFileSync(file, "utf8")
    .split("\n")
    .map((line, index) => ({ line: line.trim(), place: `${basename(file)}:${index + 1}` }))
    .filter(({ line }) => line !== "")
    .map(({ line, place }) => readLine(line, place));
}

function readLine(line, place) {
  const unreadable = { id: place, category: "unreadable" };
  try {
    const given = JSON.parse(line);
    const isCase = typeof given === "object" && given !== null && !Array.isArray(given);
    return isCase ? given : { ...unreadable, problem: "this line is no object" };
  } catch (thrown) {
    return { ...unreadable, problem: `this line is no JSON: ${thrown.message}` };
  }
}
