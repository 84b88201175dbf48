import { expect, test } from "vitest";
import { statusOf } from "../../../src/model/data/error-status.js";

test.each<[object, number | undefined]>([
  [{ code: 400 }, 400],
  [{ code: "503" }, 503],
  [{ http_code: "529", type: "overloaded_error" }, 529],
  [{ statusCode: 429, code: "x" }, 429],
  [{ code: 7, status: "INVALID_ARGUMENT" }, 400],
  [{ status: "RESOURCE_EXHAUSTED" }, 429],
  [{ type: "invalid_request_error", code: "invalid_function_parameters" }, 400],
  [{ type: "invalid_request_error", code: null }, 400],
  [{ type: "BadRequestError" }, 400],
  [{ code: "unsupported_value" }, 400],
  [{ type: "invalid_request_error", code: "model_not_found" }, 404],
  [{ type: "invalid_request_error", code: "rate_limit_exceeded" }, 429],
  [{ type: "invalid_request_error", code: "invalid_api_key" }, 401],
  [{ type: "permission_error" }, 403],
  [{ type: "UnprocessableEntityError" }, 422],
])("the error %j has the status %s", (error, status) => {
  expect(statusOf(error as Readonly<Record<string, unknown>>)).toBe(status);
});

test.each([
  {},
  { code: null, type: "error" },
  { code: "server_error", type: "invalid_request_error" },
  { type: "overloaded_error" },
  { code: "InternalServerError" },
  { code: "invalid_response" },
  { code: 200 },
  { code: "20" },
  { code: 1305 },
])("the error %j states none", (error) => {
  expect(statusOf(error)).toBeUndefined();
});
