// Vault: the port for vaults, which keep tokens, and the vaults in memory and in files; shared by mcp and postgres. No entry.

export { fileVault, type FileVaultOptions } from "./file-vault.js";
export { opened, readKey, sealed, storedIn, type Seal } from "./sealing.js";
export { longestWait, memoryVault, type Kept, type Vault } from "./vault.js";
