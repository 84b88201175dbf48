// The rungs of the forcing ladder.

/**
 * How the model is made to call a tool. `required`: the server sees to it. `auto`: tools are offered, and the prompt says
 * that one must be called. `xml`: the tools stand in the prompt and calls are read from the text.
 */
export type Forcing = "required" | "auto" | "xml";
