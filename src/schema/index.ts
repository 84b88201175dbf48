// lastcall/schema: compiles the schema of a tool for sending and for validation.

export { compile } from "./compile.js";
export { strictify, type Strictness } from "./strict.js";
