import type { EndpointResponse } from '#platform/server/http/endpoint.ts';
import { rootOf, type Xml } from './xml.ts';

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

export function answerOfError({ status, condition }: DavError): EndpointResponse {
  if (condition === undefined) return { status };
  const [open, close] = rootOf('d:error');
  return { status, headers: { 'content-type': XML_TYPE }, body: open + condition + close };
}
