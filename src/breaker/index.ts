// Breaker: the circuit around a remote side, shared by the layers that talk to one. No entry.

export { breakerFor, makeBreaker, type Breaker, type BreakerOptions, type Passage } from "./breaker.js";
