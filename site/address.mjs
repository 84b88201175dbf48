// The address of the site: SITE_URL, with a path if the site has a folder of a host. Default: the address of `npm run site:dev`.

const address = new URL(process.env["SITE_URL"] ?? "http://localhost:4321/");

export const site = address.origin;

/** The path of the site, with a slash at both ends. */
export const base = address.pathname.endsWith("/") ? address.pathname : `${address.pathname}/`;
