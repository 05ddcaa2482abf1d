const PROTOCOLS = /^(?:https?|ircs?|mailto|xmpp):/i;
/** A path of this site; `//host` and `/\host` would be another's. */
const SITE_PATH = /^\/(?![/\\])/;
/** What browsers leave out of an address before they read it. */
const IGNORED = /[\p{Cc}\p{Cf}\p{Z}]/gu;

/** An address that may be a link of an answer; '' for every other. */
export function safeUrl(url: string): string {
  const read = url.replaceAll(IGNORED, '');
  return PROTOCOLS.test(read) || SITE_PATH.test(read) ? read : '';
}
