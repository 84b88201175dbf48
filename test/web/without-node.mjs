// Runs hello.mjs in a process without the global `process`: `node --conditions=browser without-node.mjs URL`. It prints the result as JSON.
// Node's own fetch needs the other globals of Node.

const { argv, stdout, exit } = process;
delete globalThis.process;
const { hello } = await import("./hello.mjs");
// A channel of messages, which stands in for setImmediate, would keep the process.
stdout.write(JSON.stringify(await hello(argv[2])), () => exit(0));
