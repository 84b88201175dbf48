// lastcall/schema: any schema a tool may have, made ready to be sent and to validate with.

export { compile } from "./compile.js";
export { strictify, type Strictness } from "./strict.js";
