// Tells, piece by piece, when the text of a JSON object is whole.

/** Makes a function that takes the next piece and returns true once the object is closed. Each character is looked at once. */
export function depthReader(): (text: string) => boolean {
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  return (text) => {
    for (const character of text) {
      if (isEscaped) isEscaped = false;
      else if (isText) {
        if (character === "\\") isEscaped = true;
        else if (character === '"') isText = false;
      } else if (character === '"') isText = true;
      else if (character === "{" || character === "[") depth += 1;
      else if (character === "}" || character === "]") {
        depth -= 1;
        if (depth === 0) return true;
      }
    }
    return false;
  };
}
