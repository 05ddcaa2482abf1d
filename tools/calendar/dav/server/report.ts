import type { EndpointResponse } from '#platform/server/http/endpoint.ts';
import { DavError } from './davError.ts';
import { type AskedAt, bodyOf } from './davRequest.ts';
import { freeBusyQuery } from './freeBusy.ts';
import { calendarMultiget, calendarQuery } from './query.ts';
import { syncCollection } from './sync.ts';
import { type Element, tag } from './xml.ts';

const REPORTS: Readonly<Record<string, (asked: AskedAt, report: Element) => Promise<EndpointResponse>>> = {
  'c:calendar-query': calendarQuery,
  'c:calendar-multiget': calendarMultiget,
  'c:free-busy-query': freeBusyQuery,
  'd:sync-collection': syncCollection,
};

export const report = async (asked: AskedAt): Promise<EndpointResponse> => {
  const root = bodyOf(asked);
  if (root === undefined) throw new DavError(400);
  const run = Object.hasOwn(REPORTS, root.name) ? REPORTS[root.name] : undefined;
  if (run === undefined) throw new DavError(403, tag('d:supported-report'));
  return run(asked, root);
};
