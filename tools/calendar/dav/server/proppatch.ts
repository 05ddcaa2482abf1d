import type { EndpointResponse } from '#platform/server/http/endpoint.ts';
import { DavError } from './davError.ts';
import { type AskedAt, bodyOf } from './davRequest.ts';
import { multistatus, propstat } from './multistatus.ts';
import { hrefTag } from './multistatus.ts';
import { hrefOf } from './propfind.ts';
import { childOf, emptyTag, tag } from './xml.ts';

/** Names and colours are the calendar's own: every property is refused by its name. */
export const proppatch = async (asked: AskedAt): Promise<EndpointResponse> => {
  const root = bodyOf(asked);
  if (root?.name !== 'd:propertyupdate') throw new DavError(400);
  const names = root.children
    .filter(({ name }) => name === 'd:set' || name === 'd:remove')
    .flatMap((change) => childOf(change, 'd:prop')?.children ?? []);
  if (names.length === 0) throw new DavError(400);
  const why = tag('d:error', tag('d:cannot-modify-protected-property'));
  return multistatus([tag('d:response', hrefTag(hrefOf(asked)), propstat(403, names.map(emptyTag), why))]);
};
