// Checks of the options that the functions of every hub take.

import { checkOptions } from "../../core/internal.js";
import type { CloseOptions, FrameOptions } from "./hub.js";

const frameOptions = { after: true, signal: true } satisfies Record<keyof FrameOptions, true>;
const closeOptions = { grace: true } satisfies Record<keyof CloseOptions, true>;

/** @throws LastcallError `configuration` for an option that `frames` does not have. */
export function checkFrameOptions(options: FrameOptions): void {
  checkOptions("frames", options, frameOptions);
}

/** @throws LastcallError `configuration` for an option that `close` does not have. */
export function checkCloseOptions(options: CloseOptions): void {
  checkOptions("close", options, closeOptions);
}
