import type { EndpointRequest } from '#platform/server/http/endpoint.ts';
import { DavError } from './davError.ts';

/** Entity tags of a header. A proxy that packs answers makes strong ones weak: they come back so, and mean the same text. */
const tagsIn = (header: string): readonly string[] =>
  Array.from(header.matchAll(/(?:W\/)?("[^"]*")|\*/g), ([whole, quoted]) => quoted ?? whole);

const holds = (header: string, etag: string | undefined): boolean => {
  const tags = tagsIn(header);
  return etag !== undefined && (tags.includes('*') || tags.includes(etag));
};

/** Checks `If-Match` and `If-None-Match` against what is there now. @throws DavError 412 */
export const checkConditions = (request: EndpointRequest, etag: string | undefined): void => {
  const match = request.getHeader('if-match');
  if (match !== undefined && !holds(match, etag)) throw new DavError(412);
  const none = request.getHeader('if-none-match');
  if (none !== undefined && holds(none, etag)) throw new DavError(412);
};

/** Whether the client has this already. */
export const hasAlready = (request: EndpointRequest, etag: string): boolean => {
  const none = request.getHeader('if-none-match');
  return none !== undefined && holds(none, etag);
};
