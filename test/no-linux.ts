/** Why a test is left out on a system that is no Linux, for the end of its name; empty on Linux. */
export const noLinux = process.platform === "linux" ? "" : " (left out: this system is no Linux)";
