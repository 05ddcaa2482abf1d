import type { EndpointResponse } from '#platform/server/http/endpoint.ts';
import { hasAlready } from './conditions.ts';
import { DavError } from './davError.ts';
import { type DavObject, etagOf, objectNamed } from './davObjects.ts';
import type { AskedAt } from './davRequest.ts';
import { CALENDAR_TYPE } from './properties.ts';
import { textsOf } from './texts.ts';

/** The name that an address gives. @throws DavError where it is no address of an object. */
export const resourceOf = ({ place }: AskedAt): string => {
  if (place.kind !== 'object') throw new DavError(405);
  return place.resource;
};

export const currentOf = (asked: AskedAt): Promise<DavObject | undefined> =>
  objectNamed(asked.calendar, asked.user.account, resourceOf(asked));

/** GET and HEAD. */
export const get = async (asked: AskedAt): Promise<EndpointResponse> => {
  const object = await currentOf(asked);
  if (object === undefined) throw new DavError(404);
  const etag = etagOf(object);
  if (hasAlready(asked.request, etag)) return { status: 304, headers: { etag } };
  const [body = ''] = await textsOf(asked, [object]);
  const modified = new Date(object.event.edited).toUTCString();
  return { status: 200, headers: { etag, 'content-type': CALENDAR_TYPE, 'last-modified': modified }, body };
};
