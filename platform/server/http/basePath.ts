/** Paths that are also served outside of the base path: health checks, and what clients find by the host name alone. */
const ROOT_PATH_PATTERN = /^\/(?:healthz|readyz|metrics|\.well-known\/[^?]*)(?:\?|$)/;

/** Segments that no proxy or browser changes. */
const BASE_PATH_PATTERN = /^(?:\/[\w~-][\w.~-]*)+$/;

/** Parses the path below which everything is served; '' for none. Returns undefined if it is not one. */
export function parseBasePath(text: string): string | undefined {
  const path = text.trim().replace(/\/+$/, '');
  return path === '' || BASE_PATH_PATTERN.test(path) ? path : undefined;
}

/** Returns a URL (path and query) without the base path; undefined if it is not below the base path. */
export function stripBasePath(url: string, basePath: string): string | undefined {
  if (!url.startsWith(basePath)) return undefined;
  const rest = url.slice(basePath.length);
  if (rest.startsWith('/')) return rest;
  return rest === '' || rest.startsWith('?') ? `/${rest}` : undefined;
}

/** Returns whether a URL is served at the root, whatever the base path is. */
export function isRootUrl(url: string): boolean {
  return ROOT_PATH_PATTERN.test(url);
}

/** Returns whether a URL is the base path without the slash that makes it a folder, which the pages need. */
export function isWithoutSlash(url: string, basePath: string): boolean {
  return basePath !== '' && url.split('?', 1)[0] === basePath;
}
