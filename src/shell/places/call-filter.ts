// A filter of system calls for bubblewrap: commands have no keyring of the kernel.

/** What the kernel calls a machine, and its numbers of `add_key`, `request_key` and `keyctl`, which follow one another. */
interface Machine {
  readonly name: number;
  readonly firstKeyCall: number;
}

/** Each machine with the machine whose programs it runs too. */
const machines: Readonly<Record<string, readonly Machine[]>> = {
  x64: [
    { name: 0xc000003e, firstKeyCall: 248 },
    { name: 0x40000003, firstKeyCall: 286 },
  ],
  arm64: [
    { name: 0xc00000b7, firstKeyCall: 217 },
    { name: 0x40000028, firstKeyCall: 309 },
  ],
};

/** Instructions of BPF: load a field, jump if equal, jump if greater or equal, mask, return. */
const [load, equal, atLeast, mask, give] = [0x20, 0x15, 0x35, 0x54, 0x06] as const;
const [allowed, noSuchCall] = [0x7fff0000, 0x00050026] as const;
/** A program of x86_64 may call by other numbers, which have this bit. */
const otherNumbers = 0x40000000;

/**
 * The program for `--seccomp`: the calls of the keyring do not exist (`ENOSYS`), and all other calls are as usual. The keyring of a
 * session belongs to every process that is started in it, and a new keyring can't be asked for without these calls. Undefined for a
 * machine that it does not know.
 */
export function callFilter(architecture: string = process.arch): Buffer | undefined {
  const known = machines[architecture];
  if (known === undefined) return undefined;
  const blocks = known.flatMap(({ name, firstKeyCall }) => [
    // Another machine: on to the next block.
    [load, 0, 0, 4],
    [equal, 0, 6, name],
    [load, 0, 0, 0],
    [mask, 0, 0, ~otherNumbers >>> 0],
    [atLeast, 0, 2, firstKeyCall],
    [atLeast, 1, 0, firstKeyCall + 3],
    [give, 0, 0, noSuchCall],
    [give, 0, 0, allowed],
  ]);
  const program = [...blocks, [give, 0, 0, allowed]];
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code = 0, whenTrue = 0, whenFalse = 0, value = 0]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(whenTrue, index * 8 + 2);
    bytes.writeUInt8(whenFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}
