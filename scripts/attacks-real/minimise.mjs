// Makes a failing command shorter as long as it fails.

import { homeMark } from "./fixture.mjs";

/** More rounds are not tried: each makes the command shorter. */
const rounds = 40;
/** Commands that are tried at once. */
const atOnce = 16;

/**
 * Returns the shortest command found. `failing` takes commands and returns those that fail, in order; it can check many at
 * once.
 */
export async function minimise(command, failing) {
  let best = command;
  for (let round = 0; round < rounds; round += 1) {
    const shorter = await firstFailing(candidates(best), failing);
    if (shorter === undefined) return best;
    best = shorter;
  }
  return best;
}

async function firstFailing(commands, failing) {
  for (let begin = 0; begin < commands.length; begin += atOnce) {
    const [first] = await failing(commands.slice(begin, begin + atOnce));
    if (first !== undefined) return first;
  }
  return undefined;
}

/** Shorter versions of a command, the shortest first. */
export function candidates({ text, folder }) {
  const texts = new Set([...withoutCommands(text), ...withoutWords(text), ...withShorterWords(text)]);
  texts.delete(text);
  const shorter = [...texts].filter((one) => one.trim() !== "" && one.length < text.length);
  const inRoot = folder === "." ? [] : [{ text, folder: "." }];
  return [...inRoot, ...shorter.sort((a, b) => a.length - b.length).map((one) => ({ text: one, folder }))];
}

function withoutCommands(text) {
  const parts = text.split(/(\s*(?:&&|\|\||[;|\n&])\s*)/);
  return parts.flatMap((_part, index) => [
    parts.filter((_one, at) => at !== index && at !== index + 1).join(""),
    parts.filter((_one, at) => at !== index && at !== index - 1).join(""),
    parts[index],
  ]);
}

function wordsOf(text) {
  return text.match(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+|\s+/gs) ?? [text];
}

function withoutWords(text) {
  const words = wordsOf(text);
  return words.flatMap((word, index) =>
    /^\s/.test(word)
      ? [words.with(index, " ").join("")]
      : [
          words
            .filter((_one, at) => at !== index && at !== index - 1)
            .join("")
            .trim(),
        ],
  );
}

function withShorterWords(text) {
  const words = wordsOf(text);
  return words.flatMap((word, index) => {
    if (/^\s/.test(word) || word.length < 2) return [];
    const put = (other) => words.with(index, other).join("");
    const cuts = Array.from(
      { length: Math.min(word.length, 24) },
      (_one, at) => word.slice(0, at) + word.slice(at + 1),
    );
    const bare = word.replace(/^(['"])(.*)\1$/s, "$2");
    return [
      word.replace(/=.*$/s, ""),
      bare,
      word.replace(`${homeMark}/dev/project/`, ""),
      word.replace(/^\.\//, ""),
      ...cuts,
    ].map(put);
  });
}
