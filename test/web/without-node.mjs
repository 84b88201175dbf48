// Runs hello.mjs in a process without the global `process`: `node --conditions=browser without-node.mjs URL`. It prints the result as JSON.
// Node's own fetch needs the other globals of Node.

const { argv, stdout } = process;
delete globalThis.process;
const { hello } = await import("./hello.mjs");
stdout.write(JSON.stringify(await hello(argv[2])));
