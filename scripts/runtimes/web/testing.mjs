// In place of lastcall/testing for tests: servers listen on the side of Node, so providers and the conformance of stores are there, too.

export * from "../../../src/testing/index.web.ts";
export { checkCassette } from "../../../src/testing/cassette/read-cassette.ts";
export { recordingProvider } from "../../../src/testing/cassette/recording-provider.ts";
export { replayingProvider } from "../../../src/testing/cassette/replaying-provider.ts";
export { scriptedProvider } from "../../../src/testing/scripted/scripted-provider.ts";
export { storeConformance } from "../../../src/testing/conformance/store-conformance.ts";
