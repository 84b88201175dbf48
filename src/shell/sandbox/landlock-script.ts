// The script for perl that puts Landlock's rules around itself and becomes the command: Node has no system calls.

/** The places of a command. Real paths. */
export interface OpenPlaces {
  readonly readable: readonly string[];
  readonly writable: readonly string[];
}

/** Devices that programs write to, and that keep nothing. */
const devices: readonly string[] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/**
 * The script. Its arguments: 1 on arm64, the variables that perl itself would obey (`NAME=value`), `--`, rules (`r:` to read, `w:` to
 * change, `d:` a device), `--`, and the command. It says on the error stream why nothing was run. A rule is about the file that was opened,
 * so a path that leads through a link by now gives no right.
 *
 * The numbers: 444 to 446 are Landlock's calls. Of its rights, 0x1 is executing, 0x2 writing, 0x4 reading, 0x8 listing, 0x4000 emptying,
 * 0x8000 control of a device; 0xc007 are the rights that a file can have. The last field of the ruleset keeps abstract sockets and signals
 * inside. The list of instructions is a filter of system calls: no socket of the file system, no io_uring (it passes by the filter), no
 * other architecture. Sockets lead to programs that run commands for other programs, as docker and systemd do. All capabilities are
 * dropped, for root.
 */
const script = String.raw`
sub fail { print STDERR "sandbox: @_\n"; exit 125 }
my $arm = shift @ARGV;
my ($prctl, $capset, $socket, $pair, $machine) = $arm ? (167, 91, 198, 199, 0xc00000b7) : (157, 126, 41, 53, 0xc000003e);
while (defined(my $word = shift @ARGV)) {
  last if $word eq "--";
  my ($name, $value) = $word =~ /^([^=]*)=(.*)$/s;
  $ENV{$name} = $value;
}
my $version = syscall(444, 0, 0, 1);
fail("the kernel has no Landlock ($!)") if $version < 1;
fail("the kernel's Landlock has version $version, and version 3 (Linux 6.2) is the first that keeps files from being emptied") if $version < 3;
my $all = $version < 5 ? 0x7fff : 0xffff;
my $attributes = $version < 6 ? pack("Q", $all) : pack("QQQ", $all, 0, 3);
my $rules = syscall(444, $attributes, length $attributes, 0);
fail("there is no ruleset ($!)") if $rules < 0;
while (defined(my $word = shift @ARGV)) {
  last if $word eq "--";
  my ($kind, $path) = $word =~ /^(.):(.*)$/s;
  sysopen(my $file, $path, 0x200000) or next;
  my $at = readlink("/proc/self/fd/" . fileno $file);
  if (defined $at && $at ne $path) {
    fail("$path was moved or replaced meanwhile") if $kind eq "w";
    next;
  }
  my $rights = $kind eq "w" ? $all : $kind eq "d" ? 0x8006 : 0xd;
  $rights &= 0xc007 unless -d $file;
  my $rule = pack("Ql", $rights & $all, fileno $file);
  syscall(445, $rules, 1, $rule, 0) == 0 or fail("there is no rule for $path ($!)");
}
syscall($prctl, 24, $_, 0, 0, 0) for 0 .. 63;
my ($header, $none) = (pack("LL", 0x20080522, 0), pack("L6", (0) x 6));
syscall($capset, $header, $none) == 0 or fail("capabilities stay ($!)");
syscall($prctl, 38, 1, 0, 0, 0) == 0 or fail("rights can be gained ($!)");
syscall(446, $rules, 0) == 0 or fail("the rules do not hold ($!)");
my @filter = (
  [0x20, 0, 0, 4], [0x15, 1, 0, $machine], [0x06, 0, 0, 0x80000000],
  [0x20, 0, 0, 0], [0x35, 12, 0, 0x40000000], [0x15, 11, 0, 425], [0x15, 2, 0, $socket], [0x15, 4, 0, $pair], [0x06, 0, 0, 0x7fff0000],
  [0x20, 0, 0, 16], [0x15, 5, 0, 1], [0x06, 0, 0, 0x7fff0000],
  [0x20, 0, 0, 24], [0x54, 0, 0, 15], [0x15, 3, 0, 1], [0x15, 2, 0, 5],
  [0x06, 0, 0, 0x5000d], [0x06, 0, 0, 0x50026], [0x06, 0, 0, 0x7fff0000],
);
my $instructions = join "", map { pack "SCCL", @$_ } @filter;
my $program = pack("Sx6P", scalar @filter, $instructions);
syscall($prctl, 22, 2, $program, 0, 0) == 0 or fail("there is no filter of system calls ($!)");
exec { $ARGV[0] } @ARGV or fail("$ARGV[0] is not run ($!)");
`;

/** The arguments of perl up to the command, and the variables to start it with. */
export function launchArguments(
  { readable, writable }: OpenPlaces,
  environment: Readonly<Record<string, string>>,
): { readonly args: readonly string[]; readonly variables: Readonly<Record<string, string>> } {
  const ofPerl = Object.entries(environment).filter(([name]) => name.startsWith("PERL"));
  const variables = Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith("PERL")));
  const rules = [
    ...readable.map((path) => `r:${path}`),
    ...writable.map((path) => `w:${path}`),
    ...devices.map((path) => `d:${path}`),
  ];
  const machine = process.arch === "arm64" ? "1" : "0";
  const restored = ofPerl.map(([name, value]) => `${name}=${value}`);
  return { args: ["-e", script, machine, ...restored, "--", ...rules, "--"], variables };
}
