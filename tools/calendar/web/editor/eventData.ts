import type { AnswerOf, RequestInputOf } from '#platform/contract/call.ts';
import type { getevent, newevent } from '../../contract/events.ts';

/**
 * Name of an event that doesn't exist, with two spaces (docs/specification/calendar.md section 1.2). The
 * specification's clients recognize it by them.
 */
export const NOT_ENTERED = 'event  not entered';
/** Text for id -1: nothing is selected. */
export const SELECT_ONE = 'select an event';

/** An event as the server returns it. */
export type WireEvent = AnswerOf<typeof getevent>['data'];
/** An event as the server accepts it. */
export type EventData = RequestInputOf<typeof newevent>['data'];

/** Converts an event to the data that saves it unchanged. A foreign rule stays as it is. */
export function toEventData(event: WireEvent): EventData {
  const { createdon: _c, editedon: _e, edithistory: _h, until: _u, zone: _z, subscription: _s, ...data } = event;
  if (event.otherrule === undefined) return data;
  const { id, name, description, date, participants, pinned, style, time, endtime, exceptions, revision } = data;
  const when = {
    time,
    endtime,
    ...(data.enddate === undefined ? {} : { enddate: data.enddate }),
    ...(data.occurrence === undefined ? {} : { occurrence: data.occurrence }),
  };
  return { id, name, description, date, participants, pinned, style, ...when, exceptions, revision };
}
