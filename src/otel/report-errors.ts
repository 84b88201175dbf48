// Reports errors of OpenTelemetry, about which SDKs are silent.

import { isPlainObject, headOf } from "../core/internal.js";
import { errorLevel, loadApi } from "./data/api.js";

/**
 * Calls `report` with the message of the first error of OpenTelemetry in this process: spans that could not be sent, or an error in the
 * hook. SDKs are silent about errors otherwise. It replaces a logger that the program has set for OpenTelemetry (`diag`).
 * @throws LastcallError `configuration` if the package `@opentelemetry/api` is missing; the message has the line that installs it.
 */
export async function reportErrors(report: (message: string) => void): Promise<void> {
  const { diag } = await loadApi();
  let isFirst = true;
  const ignore = (): void => undefined;
  const error = (...details: readonly unknown[]): void => {
    // The SDK reports each batch that could not be sent.
    if (isFirst) report(messageOf(details));
    isFirst = false;
  };
  const logger = { error, warn: ignore, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: errorLevel, suppressOverrideMessage: true });
}

/** The message of an error among the details, or of an error that the SDK has written as JSON. */
function messageOf(details: readonly unknown[]): string {
  const thrown = details.find((detail) => detail instanceof Error) ?? details[0];
  if (thrown instanceof Error) return thrown.message;
  try {
    const read: unknown = JSON.parse(String(thrown));
    if (isPlainObject(read) && typeof read["message"] === "string" && read["message"] !== "") return read["message"];
  } catch {
    // It is a text and no JSON.
  }
  return headOf(String(thrown), 200);
}
