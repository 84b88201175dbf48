// Paths, as on Linux.

export { basename, delimiter, dirname, isAbsolute, join, relative, resolve, sep } from "pathe";
