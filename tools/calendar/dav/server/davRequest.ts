import type { EndpointRequest, EndpointResponse } from '#platform/server/http/endpoint.ts';
import type { AppPasswordUser } from '#platform/server/identity/identity.ts';
import type { Calendar } from '../../events/server/calendar.ts';
import type { Hrefs, DavPath } from './davPath.ts';
import { XmlError, type Element, parseXmlDocument, tag, createRoot, type Xml } from './xml.ts';

export const XML_TYPE = 'application/xml; charset=utf-8';

/** A refusal in WebDAV: a status, and the element of the broken precondition if the protocol names one. */
export class DavError extends Error {
  override readonly name = 'DavError';
  readonly status: number;
  readonly condition: Xml | undefined;
  constructor(status: number, condition?: Xml) {
    super(`dav ${status}`);
    this.status = status;
    this.condition = condition;
  }
}

export function toErrorResponse({ status, condition }: DavError): EndpointResponse {
  if (condition === undefined) return { status };
  const [open, close] = createRoot('d:error');
  return { status, headers: { 'content-type': XML_TYPE }, body: open + condition + close };
}

/** A request of an authenticated user. */
export interface DavRequest {
  readonly request: EndpointRequest;
  readonly user: AppPasswordUser;
  readonly hrefs: Hrefs;
  readonly calendar: Calendar;
  /** Returns the IANA name of the account's home zone. */
  readonly getZone: () => Promise<string>;
  readonly now: () => Temporal.Instant;
}

/** A request for an address of the user. */
export interface DavTarget extends DavRequest {
  readonly path: DavPath;
}

/** Parses the body as XML. Undefined if it is empty. @throws DavError */
export function parseBody({ request }: DavRequest): Element | undefined {
  if (request.body.length === 0) return undefined;
  const type = request.getHeader('content-type') ?? '';
  if (type !== '' && !/^\s*(?:application|text)\/(?:[\w.+-]+\+)?xml\b/i.test(type)) throw new DavError(415);
  try {
    return parseXmlDocument(request.body, type);
  } catch (error) {
    if (error instanceof XmlError) throw new DavError(400);
    throw error;
  }
}

/** Returns the requested depth; defaults to 0. @throws DavError for an infinite depth */
export function parseDepth({ request }: DavRequest): 0 | 1 {
  const depth = request.getHeader('depth')?.trim().toLowerCase() ?? '0';
  if (depth === 'infinity') throw new DavError(403, tag('d:propfind-finite-depth'));
  if (depth !== '0' && depth !== '1') throw new DavError(400);
  return depth === '0' ? 0 : 1;
}

/** Whether the client only wants properties that exist. */
export function wantsMinimal({ request }: DavRequest): boolean {
  return (
    /(?:^|[,;\s])return\s*=\s*"?minimal\b/i.test(request.getHeader('prefer') ?? '') ||
    /^\s*t/i.test(request.getHeader('brief') ?? '')
  );
}
