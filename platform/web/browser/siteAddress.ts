/** Path below which this site is served, such as `/pegboard`; '' for none. The server writes it into each page. */
export const basePath: string =
  // Optional for modules that run without a page.
  globalThis.document?.querySelector?.<HTMLMetaElement>('meta[name="base-path"]')?.content ?? '';

/** Returns the address of a path of this site, for everything but links of the router. */
export function toSitePath(path: string): string {
  return basePath + path;
}

/** Returns what the addresses of this site begin with, such as `https://example.org/pegboard`. */
export function getSiteAddress(): string {
  return location.origin + basePath;
}

/** Returns the path of the current page within this site. */
export function getPagePath(): string {
  const { pathname } = location;
  return pathname.startsWith(basePath) ? pathname.slice(basePath.length) || '/' : pathname;
}
