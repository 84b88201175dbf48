/** The plugins for Vite and Rolldown: a plugin that changes the transport, or none without `TEST_TRANSPORT=fetch`. */
export function transportPlugins(): {
  readonly name: string;
  readonly enforce: "pre";
  transform(code: string, id: string): { readonly code: string; readonly map: null } | null;
}[];
