import { getAddressKey } from '#platform/server/http/address.ts';
import { scaleRate } from '#platform/server/http/callRoutes.ts';
import type { Endpoint, EndpointResponse, EndpointRequest } from '#platform/server/http/endpoint.ts';
import type { AppPasswordUser, Identity } from '#platform/server/identity/identity.ts';
import type { ServerContext, ServerSite } from '#platform/server/tool.ts';
import type { Calendar } from '../../events/server/calendar.ts';
import { createHrefs, parseDavPath } from './davPath.ts';
import { toErrorResponse, DavError, type DavTarget, parseBody } from './davRequest.ts';
import { handleFreeBusyQuery } from './freeBusy.ts';
import { createMultistatus, propstat, hrefTag } from './multistatus.ts';
import { handleGet, handlePut, handleDelete } from './objectHandlers.ts';
import { handlePropfind, getHref } from './propfind.ts';
import { handleCalendarMultiget, handleCalendarQuery } from './query.ts';
import { handleSyncCollection } from './syncCollection.ts';
import { tag, type Element, findChild, emptyTag } from './xml.ts';

const REPORTS: Readonly<Record<string, (davRequest: DavTarget, report: Element) => Promise<EndpointResponse>>> = {
  'c:calendar-query': handleCalendarQuery,
  'c:calendar-multiget': handleCalendarMultiget,
  'c:free-busy-query': handleFreeBusyQuery,
  'd:sync-collection': handleSyncCollection,
};

export async function handleReport(davRequest: DavTarget): Promise<EndpointResponse> {
  const root = parseBody(davRequest);
  if (root === undefined) throw new DavError(400);
  const run = Object.hasOwn(REPORTS, root.name) ? REPORTS[root.name] : undefined;
  if (run === undefined) throw new DavError(403, tag('d:supported-report'));
  return run(davRequest, root);
}

/** Parses HTTP Basic credentials. Splits at the last colon: usernames may contain one, app passwords don't. */
function parseCredentials(header: string): readonly [username: string, password: string] | undefined {
  const encoded = /^basic\s+([A-Za-z0-9+/_=-]+)\s*$/i.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  const utf8 = bytes.toString('utf8');
  // Older clients encode non-ASCII letters in ISO 8859-1.
  const text = utf8.includes('\uFFFD') ? bytes.toString('latin1') : utf8;
  const colon = text.lastIndexOf(':');
  return colon < 0 ? undefined : [text.slice(0, colon), text.slice(colon + 1)];
}

/** Authenticates by app password only; tokens and cookies are ignored. @throws RateLimitError */
export async function authenticate(
  request: EndpointRequest,
  { appPasswords }: Pick<Identity, 'appPasswords'>,
): Promise<AppPasswordUser | undefined> {
  const header = request.getHeader('authorization');
  const credentials = header === undefined || header.length > 2000 ? undefined : parseCredentials(header);
  if (credentials === undefined) return undefined;
  const [username, password] = credentials;
  return appPasswords.verify({ username, password }, { kind: 'calendar', address: request.address });
}

/** Answers PROPPATCH. Names and colours can't be changed, so every property is refused by name. */
export async function handleProppatch(davRequest: DavTarget): Promise<EndpointResponse> {
  const root = parseBody(davRequest);
  if (root?.name !== 'd:propertyupdate') throw new DavError(400);
  const names = root.children
    .filter(({ name }) => name === 'd:set' || name === 'd:remove')
    .flatMap((change) => findChild(change, 'd:prop')?.children ?? []);
  if (names.length === 0) throw new DavError(400);
  const condition = tag('d:error', tag('d:cannot-modify-protected-property'));
  return createMultistatus([
    tag('d:response', hrefTag(getHref(davRequest)), propstat(403, names.map(emptyTag), condition)),
  ]);
}

/** Multiget requests grow with the number of addresses. Objects have a smaller limit. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;
/** Rate limit of an app password. Allows a first sync of thousands of events one by one. */
const USER_RATE = { times: 6000, seconds: 60 };
/** Rate limit of an IP address without a valid app password. */
const UNAUTHENTICATED_RATE = { times: 300, seconds: 60 };

const ALLOWED_METHODS = ['OPTIONS', 'GET', 'HEAD', 'PUT', 'DELETE', 'PROPFIND', 'PROPPATCH', 'REPORT'] as const;
/** WebDAV methods that this server doesn't support. */
const UNSUPPORTED_METHODS = 'MKCALENDAR MKCOL COPY MOVE LOCK UNLOCK ACL SEARCH POST PATCH'.split(' ');

const DAV_HEADERS = { dav: '1, 3, calendar-access', allow: ALLOWED_METHODS.join(', ') } as const;
const CHALLENGE = { 'www-authenticate': 'Basic realm="Pegboard", charset="UTF-8"' } as const;

type DavMethod = (davRequest: DavTarget) => Promise<EndpointResponse>;

/** Creates the endpoints below `/dav/`: CalDAV (RFC 4791, 6578) for the account of the app password. */
export function createDavEndpoints(
  context: ServerContext,
  calendar: Calendar,
  { basePath }: Pick<ServerSite, 'basePath'>,
): readonly Endpoint[] {
  const { database, identity, rateLimiter, now } = context;
  const { runInOrder } = calendar;
  const methods: Readonly<Record<string, DavMethod>> = {
    GET: handleGet,
    HEAD: handleGet,
    PROPFIND: handlePropfind,
    PROPPATCH: handleProppatch,
    REPORT: handleReport,
    PUT: (davRequest) => runInOrder(davRequest.user.account, () => handlePut(davRequest, database)),
    DELETE: (davRequest) => runInOrder(davRequest.user.account, () => handleDelete(davRequest)),
  };

  async function authenticateWithRateLimit(request: EndpointRequest): Promise<AppPasswordUser | undefined> {
    const user = await authenticate(request, identity);
    const [name, key, rate] =
      user === undefined
        ? (['dav stranger', getAddressKey(request.address), UNAUTHENTICATED_RATE] as const)
        : (['dav', String(user.id), USER_RATE] as const);
    await rateLimiter.consume(name, key, scaleRate(rate, request.isLocal));
    return user;
  }

  async function handleRequest(request: EndpointRequest, user: AppPasswordUser): Promise<EndpointResponse> {
    if (request.method === 'MKCALENDAR' || request.method === 'MKCOL')
      throw new DavError(403, tag('c:calendar-collection-location-ok'));
    const handler = methods[request.method];
    if (handler === undefined) throw new DavError(405);
    const path = parseDavPath(request.url, user);
    if (path === undefined) throw new DavError(404);
    let zone: Promise<string> | undefined;
    return handler({
      request,
      user,
      hrefs: createHrefs(user, basePath),
      calendar,
      now,
      getZone: () => (zone ??= identity.resolveZone(user.account)),
      path,
    });
  }

  async function run(request: EndpointRequest): Promise<EndpointResponse> {
    if (request.method === 'OPTIONS') return { status: 200, headers: DAV_HEADERS };
    const user = await authenticateWithRateLimit(request);
    if (user === undefined) return { status: 401, headers: { ...DAV_HEADERS, ...CHALLENGE } };
    const response = await handleRequest(request, user).catch((error: unknown) => {
      if (error instanceof DavError) return toErrorResponse(error);
      throw error;
    });
    return { ...response, headers: { ...DAV_HEADERS, ...response.headers } };
  }

  const allMethods = [...ALLOWED_METHODS, ...UNSUPPORTED_METHODS];
  return [
    {
      methods: ['GET', 'HEAD', 'PROPFIND', 'OPTIONS', 'REPORT'],
      path: '/.well-known/caldav',
      run: async () => ({ status: 301, headers: { location: `${basePath}/dav/` } }),
    },
    // Some clients only know the host name, and start there.
    { methods: ['PROPFIND', 'OPTIONS'], path: '/', run, bodyLimit: MAX_BODY_BYTES },
    { methods: allMethods, path: '/dav', run, bodyLimit: MAX_BODY_BYTES },
    { methods: allMethods, path: '/dav/*', run, bodyLimit: MAX_BODY_BYTES },
  ];
}
