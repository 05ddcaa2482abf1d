const PROTOCOLS = /^(?:https?|ircs?|mailto|xmpp):/i;
/** A path of this site; `//host` and `/\host` lead to other sites. */
const SITE_PATH = /^\/(?![/\\])/;
/** Characters that browsers ignore in an address. */
const IGNORED = /[\p{Cc}\p{Cf}\p{Z}]/gu;

/** Returns an address if an answer may link to it; '' otherwise. */
export function safeUrl(url: string): string {
  const read = url.replaceAll(IGNORED, '');
  return PROTOCOLS.test(read) || SITE_PATH.test(read) ? read : '';
}
