import type { EndpointResponse } from '#platform/server/http/endpoint.ts';
import type { Zone } from '../../events/domain/timeZone.ts';
import { type DataRequest, type ExpansionBudget, formatData } from './calendarData.ts';
import { type DavObject, everyObject, objectNamed, textsOf } from './davObjects.ts';
import type { Hrefs, DavPath } from './davPath.ts';
import { DavError, type AskedAt, bodyOf, depthOf, wantsMinimal } from './davRequest.ts';
import { createCalendarObject } from './instances.ts';
import { multistatus, responseOf } from './multistatus.ts';
import { needsText, propertiesOf, type RequestedProperties } from './properties.ts';
import { childOf, type Element, type Xml } from './xml.ts';

/** Parses the requested properties of a PROPFIND or a report. @throws DavError */
export function wantedOf(root: Element | undefined): RequestedProperties {
  const prop = childOf(root, 'd:prop');
  if (prop !== undefined) return { kind: 'some', names: prop.children };
  if (childOf(root, 'd:propname') !== undefined) return { kind: 'names', names: [] };
  return { kind: 'all', names: childOf(root, 'd:include')?.children ?? [] };
}

/** What a response contains about each object. */
export interface ObjectResponse {
  readonly requested: RequestedProperties;
  readonly isReport: boolean;
  readonly isMinimal: boolean;
  /** The requested form of the data, unless it is the unchanged text. */
  readonly data?:
    | { readonly request: DataRequest; readonly floating: Zone; readonly budget: ExpansionBudget }
    | undefined;
}

const getData = (text: string | undefined, { data }: ObjectResponse): string | undefined =>
  text === undefined || data === undefined
    ? text
    : formatData(createCalendarObject(text, data.floating), data.request, data.budget);

/** Formats the responses of objects. */
export async function objectResponses(
  davRequest: AskedAt,
  objects: readonly DavObject[],
  options: ObjectResponse,
): Promise<Xml> {
  const { requested, isReport, isMinimal } = options;
  const texts = needsText(requested) ? await textsOf(davRequest, objects) : [];
  const responses: Xml[] = [];
  for (const [at, object] of objects.entries()) {
    const text = texts[at];
    const subject = { davRequest, kind: 'object', object, text, data: getData(text, options) } as const;
    const properties = await propertiesOf(subject, requested, { isReport });
    responses.push(responseOf(davRequest.hrefs.object(object.event.resource), properties, isMinimal));
  }
  return responses.join('');
}

const ROOT = '/dav/';
/** Returns the address of a place, as this server writes it. */
const hrefOfKind = (hrefs: Hrefs, kind: Exclude<DavPath['kind'], 'object'>): string => {
  if (kind === 'root') return ROOT;
  return kind === 'principals' || kind === 'calendars' ? `${ROOT}${kind}/` : hrefs[kind];
};

const BELOW: Readonly<Record<DavPath['kind'], readonly Exclude<DavPath['kind'], 'object'>[]>> = {
  root: ['principals', 'calendars'],
  principals: ['principal'],
  calendars: ['home'],
  principal: [],
  home: ['collection'],
  collection: [],
  object: [],
};

/** Returns the address of the requested place. */
export function hrefOf({ hrefs, place, request }: AskedAt): string {
  if (place.kind === 'object') return hrefs.object(place.resource);
  return request.url === '/' ? '/' : hrefOfKind(hrefs, place.kind);
}

const WAYS = new Set(['d:prop', 'd:allprop', 'd:propname']);
/** RFC 4918 section 14.20: exactly one of the three kinds of request. */
const isPropfind = ({ name, children }: Element): boolean =>
  name === 'd:propfind' && children.filter((child) => WAYS.has(child.name)).length === 1;

export async function propfind(davRequest: AskedAt): Promise<EndpointResponse> {
  const { place, calendar, user } = davRequest;
  const depth = depthOf(davRequest);
  const root = bodyOf(davRequest);
  if (root !== undefined && !isPropfind(root)) throw new DavError(400);
  const requested = wantedOf(root);
  const isMinimal = wantsMinimal(davRequest);
  const ofObjects = { requested, isReport: false, isMinimal };
  if (place.kind === 'object') {
    const object = await objectNamed(calendar, user.account, place.resource);
    if (object === undefined) throw new DavError(404);
    return multistatus([await objectResponses(davRequest, [object], ofObjects)], isMinimal);
  }
  const pieces = async function* () {
    yield responseOf(hrefOf(davRequest), await propertiesOf({ davRequest, kind: place.kind }, requested), isMinimal);
    for (const kind of depth === 0 ? [] : BELOW[place.kind])
      yield responseOf(
        hrefOfKind(davRequest.hrefs, kind),
        await propertiesOf({ davRequest, kind }, requested),
        isMinimal,
      );
    if (depth === 0 || place.kind !== 'collection') return;
    for await (const objects of everyObject(calendar, user.account))
      yield await objectResponses(davRequest, objects, ofObjects);
  };
  return multistatus(pieces(), isMinimal);
}
