/** True once `lastcall` and `create-lastcall` are published. */
export const isPublished: boolean;
