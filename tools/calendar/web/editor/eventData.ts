import type { AnswerOf, RequestInputOf } from '#platform/contract/call.ts';
import type { getevent, newevent } from '../../contract/events.ts';

/** Of an id that no event has (specification 1, section 4): two blanks. The specification's own screens tell it from a name by an invisible one. */
export const NOT_ENTERED = 'event  not entered';
/** Of the id -1: nothing is selected. */
export const SELECT_ONE = 'select an event';

/** An event as the server gives it. */
export type WireEvent = AnswerOf<typeof getevent>['data'];
/** An event as the server takes it. */
export type EventData = RequestInputOf<typeof newevent>['data'];

/** What saves an event as it was given; the repeat of another calendar stays what it is. */
export function dataOf(event: WireEvent): EventData {
  const { createdon: _c, editedon: _e, edithistory: _h, until: _u, zone: _z, subscription: _s, ...kept } = event;
  if (event.otherrule === undefined) return kept;
  const { id, name, description, date, participants, pinned, style, time, endtime, exceptions, revision } = kept;
  const when = {
    time,
    endtime,
    ...(kept.enddate === undefined ? {} : { enddate: kept.enddate }),
    ...(kept.occurrence === undefined ? {} : { occurrence: kept.occurrence }),
  };
  return { id, name, description, date, participants, pinned, style, ...when, exceptions, revision };
}
