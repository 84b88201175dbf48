// The rungs of the forcing ladder.

/**
 * The way in which the model is made to call a tool. `required`: the server enforces it. `auto`: the tools are offered, and the
 * prompt says that one must be called. `xml`: the prompt describes the tools, and calls are read from the text.
 */
export type Forcing = "required" | "auto" | "xml";
