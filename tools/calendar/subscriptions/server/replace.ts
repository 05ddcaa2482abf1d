import { isDeepStrictEqual } from 'node:util';
import type { UnitOfWork } from '#platform/server/database/database.ts';
import type { CalendarEvent, EventDraft } from '../../events/domain/event.ts';
import type { Author, Calendar, Change } from '../../events/server/calendar.ts';
import type { ReadEvent } from '../../exchange/server/ics/readIcs.ts';

const AUTHOR: Author = { address: '', by: 'subscription' };

/** What is kept of a subscribed event: it has no tags of the account. */
const contentOf = ({ name, description, day, time, endTime, endDays, zone, pattern, exceptions }: EventDraft) => ({
  name,
  description,
  day,
  time,
  endTime,
  endDays: endDays ?? 0,
  zone,
  pattern,
  exceptions,
});

const isSame = (event: CalendarEvent, draft: EventDraft): boolean =>
  isDeepStrictEqual(contentOf(event), contentOf(draft));

/** The event as it shall be, where it is not there or not so. */
const changeOf = (event: CalendarEvent | undefined, draft: EventDraft): Pick<Change, 'id' | 'draft'> | undefined =>
  event && isSame(event, draft) ? undefined : { id: event?.id ?? 0, draft: { ...draft, tags: [], pinned: undefined } };

/** A subscription's events as they stand: by their uid, and their changed days by event and day. */
interface CurrentEvents {
  readonly byUid: ReadonlyMap<string, CalendarEvent>;
  readonly children: ReadonlyMap<string, CalendarEvent>;
}

/** Of a subscription that is new. */
export const NONE: CurrentEvents = { byUid: new Map(), children: new Map() };

const childKey = (parent: number, replaces: number): string => `${parent} ${replaces}`;

export const standingOf = async (calendar: Calendar, account: number, subscription: number): Promise<CurrentEvents> => {
  const byUid = new Map<string, CalendarEvent>();
  const children = new Map<string, CalendarEvent>();
  for await (const event of calendar.all(account, subscription)) {
    if (event.parent === undefined || event.replaces === undefined) byUid.set(event.uid, event);
    else children.set(childKey(event.parent, event.replaces), event);
  }
  return { byUid, children };
};

interface ReplaceRequest {
  readonly account: number;
  readonly subscription: number;
  readonly read: readonly ReadEvent[];
  readonly standing: CurrentEvents;
}

/** Makes a subscription's events what was read: only those that are new, other than before or gone are touched. */
export const replaceEvents = async (
  calendar: Calendar,
  { account, subscription, read, standing }: ReplaceRequest,
  work: UnitOfWork,
): Promise<void> => {
  const { byUid, children } = standing;
  const latest = [...new Map(read.map((event) => [event.uid, event])).values()];

  const wanted = latest.flatMap(({ uid, draft }) => {
    const change = changeOf(byUid.get(uid), draft);
    return change ? [{ ...change, uid, subscription }] : [];
  });
  const saved = await calendar.save(account, wanted, AUTHOR, work);
  const made = new Map(saved.map((event) => [event.uid, event.id]));
  const idOf = (uid: string): number => byUid.get(uid)?.id ?? made.get(uid) ?? 0;

  const days = latest.flatMap(({ uid, overrides }) =>
    overrides.map(({ replaces, draft }) => ({ parent: idOf(uid), replaces, draft })),
  );
  const wantedDays = days.flatMap(({ parent, replaces, draft }) => {
    const change = changeOf(children.get(childKey(parent, replaces)), draft);
    return change ? [{ ...change, parent, replaces, subscription }] : [];
  });
  await calendar.save(account, wantedDays, AUTHOR, work);

  const staying = new Set([
    ...latest.map(({ uid }) => idOf(uid)),
    ...days.flatMap(({ parent, replaces }) => children.get(childKey(parent, replaces))?.id ?? []),
  ]);
  const gone = [...byUid.values(), ...children.values()].filter(({ id }) => !staying.has(id));
  await calendar.drop(
    account,
    gone.map(({ id }) => id),
    work,
  );
};
