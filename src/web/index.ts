// Stand-ins for Node's modules and globals, for the bundle of dist/web. Stand-ins of other layers import this file.

export { onlyOnNode } from "./only-on-node.js";
