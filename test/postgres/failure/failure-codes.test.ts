// The table of failures against the codes of the Postgres manual (appendix A, version 17), of the system and of the package `pg`.

import { expect, test } from "vitest";
import { afterFailure, type AfterFailure } from "../../../src/postgres/failure/failure-codes.js";

/** Every code of the classes about connections, transactions, room, states of objects and operators. */
const manual: Readonly<Record<string, AfterFailure>> = {
  // 08: connection exception
  "08000": "unclear", // connection_exception
  "08003": "unclear", // connection_does_not_exist
  "08006": "unclear", // connection_failure
  "08001": "again", // sqlclient_unable_to_establish_sqlconnection
  "08004": "again", // sqlserver_rejected_establishment_of_sqlconnection
  "08007": "unclear", // transaction_resolution_unknown
  "08P01": "unclear", // protocol_violation
  // 25: invalid transaction state
  "25000": "told", // invalid_transaction_state
  "25001": "told", // active_sql_transaction
  "25002": "told", // branch_transaction_already_active
  "25008": "told", // held_cursor_requires_same_isolation_level
  "25003": "told", // inappropriate_access_mode_for_branch_transaction
  "25004": "told", // inappropriate_isolation_level_for_branch_transaction
  "25005": "told", // no_active_sql_transaction_for_branch_transaction
  "25006": "again", // read_only_sql_transaction
  "25007": "told", // schema_and_data_statement_mixing_not_supported
  "25P01": "told", // no_active_sql_transaction
  "25P02": "told", // in_failed_sql_transaction
  "25P03": "again", // idle_in_transaction_session_timeout
  "25P04": "again", // transaction_timeout
  // 40: transaction rollback
  "40000": "again", // transaction_rollback
  "40002": "told", // transaction_integrity_constraint_violation
  "40001": "again", // serialization_failure
  "40003": "unclear", // statement_completion_unknown
  "40P01": "again", // deadlock_detected
  // 53: insufficient resources
  "53000": "again", // insufficient_resources
  "53100": "again", // disk_full
  "53200": "again", // out_of_memory
  "53300": "again", // too_many_connections
  "53400": "again", // configuration_limit_exceeded
  // 55: object not in prerequisite state
  "55000": "told", // object_not_in_prerequisite_state
  "55006": "again", // object_in_use
  "55P02": "told", // cant_change_runtime_param
  "55P03": "again", // lock_not_available
  "55P04": "told", // unsafe_new_enum_value_usage
  // 57: operator intervention
  "57000": "unclear", // operator_intervention
  "57014": "again", // query_canceled
  "57P01": "unclear", // admin_shutdown
  "57P02": "unclear", // crash_shutdown
  "57P03": "again", // cannot_connect_now
  "57P04": "told", // database_dropped
  "57P05": "again", // idle_session_timeout
};

const ofSystem: Readonly<Record<string, AfterFailure>> = {
  ...{ ENOTFOUND: "again", EAI_AGAIN: "again", EAI_FAIL: "again", ECONNREFUSED: "again", EADDRNOTAVAIL: "again" },
  ...{ EMFILE: "again", ENFILE: "again", ENOBUFS: "again", ENOENT: "again" },
  ...{ ECONNRESET: "unclear", ECONNABORTED: "unclear", EPIPE: "unclear", ETIMEDOUT: "unclear" },
  ...{ ENETDOWN: "unclear", ENETRESET: "unclear", ENETUNREACH: "unclear", EHOSTDOWN: "unclear" },
  ...{ EHOSTUNREACH: "unclear", ERR_STREAM_DESTROYED: "unclear", ERR_STREAM_PREMATURE_CLOSE: "unclear" },
  ...{ ERR_STREAM_WRITE_AFTER_END: "unclear" },
};

test.each(Object.entries({ ...manual, ...ofSystem }))("after the code %s the way to go on is %s", (code, way) => {
  expect(afterFailure(Object.assign(new Error("words"), { code }))).toBe(way);
  expect(afterFailure({ code })).toBe(way);
});

test.each([
  ["53999", "again"],
  ["08P99", "unclear"],
  ["57P99", "unclear"],
  ["25P99", "told"],
  ["40999", "again"],
] as const)("a code of a later version, %s, is decided by its class", (code, way) => {
  expect(afterFailure({ code })).toBe(way);
});

test.each(["23505", "42P01", "42601", "28P01", "3D000", "0A000", "XX000", "EACCES", "ENOSPC", "toString", ""])(
  "the code %j speaks of the statement or of the setup, so time changes nothing",
  (code) => {
    expect(afterFailure({ code })).toBe("told");
  },
);

test.each([
  ["Connection terminated unexpectedly", "unclear"],
  ["Connection terminated", "unclear"],
  ["Connection terminated due to connection timeout", "again"],
  ["timeout exceeded when trying to connect", "again"],
  ["timeout expired", "again"],
  ["Query read timeout", "unclear"],
  ["Client has encountered a connection error and is not queryable", "again"],
  ["Client was closed and is not queryable", "again"],
  ["Cannot use a pool after calling end on the pool", "told"],
  ["a bug", "told"],
] as const)("the words %j of the driver mean %s", (message, way) => {
  expect(afterFailure(new Error(message))).toBe(way);
});

test("things that are no error are told", () => {
  for (const thrown of [undefined, null, "Connection terminated", 7, {}, { message: 7 }])
    expect(afterFailure(thrown)).toBe("told");
});
