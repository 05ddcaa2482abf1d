import type { EndpointResponse } from '#platform/server/http/endpoint.ts';
import type { Zone } from '../../events/domain/timeZone.ts';
import { type DataRequest, type ExpansionBudget, formatData } from './calendarData.ts';
import { type DavObject, iterateObjects, findObject, loadTexts } from './davObjects.ts';
import type { DavPath } from './davPath.ts';
import { DavError, type DavTarget, parseBody, parseDepth, wantsMinimal } from './davRequest.ts';
import { parseCalendarObject } from './instances.ts';
import { createMultistatus, formatResponse } from './multistatus.ts';
import { needsText, getProperties, type RequestedProperties } from './properties.ts';
import { findChild, type Element, type Xml } from './xml.ts';

/** Parses the requested properties of a PROPFIND or a report. @throws DavError */
export function parseRequestedProperties(root: Element | undefined): RequestedProperties {
  const prop = findChild(root, 'd:prop');
  if (prop !== undefined) return { kind: 'some', names: prop.children };
  if (findChild(root, 'd:propname') !== undefined) return { kind: 'names', names: [] };
  return { kind: 'all', names: findChild(root, 'd:include')?.children ?? [] };
}

/** What a response contains about each object. */
export interface ObjectResponseOptions {
  readonly requested: RequestedProperties;
  readonly isReport: boolean;
  readonly isMinimal: boolean;
  /** The requested form of the data, unless it is the unchanged text. */
  readonly data?:
    | { readonly request: DataRequest; readonly floating: Zone; readonly budget: ExpansionBudget }
    | undefined;
}

const getData = (text: string | undefined, { data }: ObjectResponseOptions): string | undefined =>
  text === undefined || data === undefined
    ? text
    : formatData(parseCalendarObject(text, data.floating), data.request, data.budget);

export async function formatObjectResponses(
  davRequest: DavTarget,
  objects: readonly DavObject[],
  options: ObjectResponseOptions,
): Promise<Xml> {
  const { requested, isReport, isMinimal } = options;
  const texts = needsText(requested) ? await loadTexts(davRequest, objects) : [];
  const responses: Xml[] = [];
  for (const [at, object] of objects.entries()) {
    const text = texts[at];
    const subject = { davRequest, kind: 'object', object, text, data: getData(text, options) } as const;
    const properties = await getProperties(subject, requested, { isReport });
    responses.push(formatResponse(davRequest.hrefs.object(object.event.resource), properties, isMinimal));
  }
  return responses.join('');
}

const CHILD_KINDS: Readonly<Record<DavPath['kind'], readonly Exclude<DavPath['kind'], 'object'>[]>> = {
  root: ['principals', 'calendars'],
  principals: ['principal'],
  calendars: ['home'],
  principal: [],
  home: ['collection'],
  collection: [],
  object: [],
};

/** Returns the address of the requested resource. */
export function getHref({ hrefs, path, request }: DavTarget): string {
  if (path.kind === 'object') return hrefs.object(path.resource);
  return request.url === '/' ? hrefs.site : hrefs[path.kind];
}

const REQUEST_ELEMENTS = new Set(['d:prop', 'd:allprop', 'd:propname']);
/** RFC 4918 section 14.20: exactly one of the three kinds of request. */
const isPropfind = ({ name, children }: Element): boolean =>
  name === 'd:propfind' && children.filter((child) => REQUEST_ELEMENTS.has(child.name)).length === 1;

export async function handlePropfind(davRequest: DavTarget): Promise<EndpointResponse> {
  const { path, calendar, user } = davRequest;
  const depth = parseDepth(davRequest);
  const root = parseBody(davRequest);
  if (root !== undefined && !isPropfind(root)) throw new DavError(400);
  const requested = parseRequestedProperties(root);
  const isMinimal = wantsMinimal(davRequest);
  const options = { requested, isReport: false, isMinimal };
  if (path.kind === 'object') {
    const object = await findObject(calendar, user.account, path.resource);
    if (object === undefined) throw new DavError(404);
    return createMultistatus([await formatObjectResponses(davRequest, [object], options)], isMinimal);
  }
  const formatResponses = async function* () {
    yield formatResponse(
      getHref(davRequest),
      await getProperties({ davRequest, kind: path.kind }, requested),
      isMinimal,
    );
    for (const kind of depth === 0 ? [] : CHILD_KINDS[path.kind])
      yield formatResponse(davRequest.hrefs[kind], await getProperties({ davRequest, kind }, requested), isMinimal);
    if (depth === 0 || path.kind !== 'collection') return;
    for await (const objects of iterateObjects(calendar, user.account))
      yield await formatObjectResponses(davRequest, objects, options);
  };
  return createMultistatus(formatResponses(), isMinimal);
}
