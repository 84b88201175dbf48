// Principals: who asks, answers, approves and aborts.

import { LastcallError } from "./fault.js";
import { isPlainObject } from "./json.js";

/** A person or a program, as its own system knows it. The journal keeps it with whatever it gave to a session. */
export interface Principal {
  /** The id within its tenant, 1 to 200 characters. */
  readonly id: string;
  /** The name for people. Default: the id. */
  readonly name?: string | undefined;
  /** The organisation that the id belongs to. Two principals with one id and two tenants are two. Default: none. */
  readonly tenant?: string | undefined;
  /** The roles by which your own rules decide. Default: none. */
  readonly roles?: readonly string[] | undefined;
}

/** The most characters of each text of a principal, and the most roles. */
const longest = 200;
const mostRoles = 100;

/**
 * Reads a principal that a caller gave. Other fields are left out, so that nothing private goes into a journal unasked.
 * @throws LastcallError `configuration` that says what is wrong; `where` begins the sentence.
 */
export function readPrincipal(value: unknown, where: string): Principal {
  const refuse = (problem: string): LastcallError =>
    new LastcallError(
      "configuration",
      `${where} ${problem}: give { id, name, tenant, roles }, where id is a text of 1 to ${String(longest)} characters.`,
    );
  if (!isPlainObject(value)) throw refuse("is no principal");
  const { id, name, tenant, roles } = value;
  if (!isText(id)) throw refuse("has no usable id");
  if (name !== undefined && !isText(name)) throw refuse("has a name that is no usable text");
  if (tenant !== undefined && !isText(tenant)) throw refuse("has a tenant that is no usable text");
  if (roles !== undefined && !(Array.isArray(roles) && roles.length <= mostRoles && roles.every(isText)))
    throw refuse(`has roles that are no list of at most ${String(mostRoles)} texts`);
  return {
    id,
    ...(name !== undefined && { name }),
    ...(tenant !== undefined && { tenant }),
    ...(roles !== undefined && { roles: [...(roles as readonly string[])] }),
  };
}

/** The principal for people: the name and the id, or the id alone. */
export function principalWords({ id, name = id, tenant }: Principal): string {
  const whole = tenant === undefined ? id : `${id} of ${tenant}`;
  return name === id ? whole : `${name} (${whole})`;
}

/** True if both are the same person or program: one id in one tenant. */
export function isSamePrincipal(one: Principal, other: Principal): boolean {
  return one.id === other.id && one.tenant === other.tenant;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && value.length <= longest && value.isWellFormed();
}
