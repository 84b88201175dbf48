// Whether the names `lastcall` and `create-lastcall` are published. Until then anybody could take them, so no page tells people to run what
// a registry has under these names.

export const isPublished = false;
