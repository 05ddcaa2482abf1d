import type { Database, UnitOfWork } from '#platform/server/database/database.ts';
import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { importevents, previewimport } from '../../contract/exchange.ts';
import { toWire } from '../../events/domain/day.ts';
import type { EventDraft, CalendarEvent } from '../../events/domain/event.ts';
import { findNamedZone, type Zone } from '../../events/domain/timeZone.ts';
import type { Calendar, Author, Change } from '../../events/server/calendar.ts';
import { getToday, getViewerTimes } from '../../events/server/viewerDays.ts';
import { PRODUCT } from '../domain/icsWriter.ts';
import { describeTime } from '../domain/ruleDescription.ts';
import { serializeEvent } from './ics/patchSource.ts';
import { readIcs, type ParsedEvent, type ParsedIcs, type IcsReadOptions } from './ics/readIcs.ts';

/** An event of a file, and the stored one with the same UID. */
export interface MatchedEvent {
  readonly event: ParsedEvent;
  readonly stored: CalendarEvent | undefined;
  readonly children: readonly CalendarEvent[];
  readonly kind: 'added' | 'changed' | 'same';
}

export interface ImportPlan extends Pick<ParsedIcs, 'name' | 'problems' | 'refused'> {
  readonly matched: readonly MatchedEvent[];
}

const serializeChildren = (children: readonly (readonly [number | undefined, EventDraft])[]): string =>
  JSON.stringify(children.map(([day, draft]) => `${day} ${serializeEvent(draft)}`).toSorted());

/** Keeps our main tag if the event keeps that tag, because files of other programs have no main tag. */
function preservePinnedTag(event: ParsedEvent, stored: CalendarEvent | undefined): ParsedEvent {
  const pinned = stored?.pinned;
  if (pinned === undefined || event.draft.pinned !== undefined || !event.draft.tags.includes(pinned)) return event;
  const tags = [pinned, ...event.draft.tags.filter((tag) => tag !== pinned)];
  return { ...event, draft: { ...event.draft, tags, pinned } };
}

function matchEvent(
  event: ParsedEvent,
  stored: CalendarEvent | undefined,
  children: readonly CalendarEvent[],
): MatchedEvent {
  if (!stored) return { event, stored, children, kind: 'added' };
  const isSame =
    serializeEvent(event.draft) === serializeEvent(stored) &&
    serializeChildren(event.overrides.map(({ replaces, draft }) => [replaces, draft])) ===
      serializeChildren(children.map((child) => [child.replaces, child]));
  return { event, stored, children, kind: isSame ? 'same' : 'changed' };
}

/** Reads a file and compares it to the stored events. @throws Refusal as `readIcs` */
export async function planImport(
  calendar: Calendar,
  {
    account,
    text,
    ...options
  }: Pick<Required<IcsReadOptions>, 'zone' | 'today'> & { readonly account: number; readonly text: string },
): Promise<ImportPlan> {
  const { name, problems, refused, events } = await readIcs(text, { ...options, usesCalendarZone: true });
  const storedEvents = await calendar.listByUid(
    account,
    events.map(({ uid }) => uid),
  );
  const byUid = new Map(storedEvents.filter(({ parent }) => parent === undefined).map((event) => [event.uid, event]));
  const children = await calendar.listChildren(
    account,
    storedEvents.map(({ id }) => id),
  );
  const byParent = Map.groupBy(children, ({ parent }) => parent);
  const matched = events.map((event) => {
    const stored = byUid.get(event.uid);
    return matchEvent(preservePinnedTag(event, stored), stored, byParent.get(stored?.id) ?? []);
  });
  return { name, problems, refused, matched };
}

/** Skips the source of files that this program wrote: the event stores everything in them. */
const getSource = ({ source }: ParsedEvent) => (source.includes(`PRODID:${PRODUCT}`) ? {} : { source });

const toChange = ({ event, stored }: MatchedEvent): Change => ({
  id: stored?.id ?? 0,
  draft: event.draft,
  ...(stored ? {} : { uid: event.uid }),
  ...getSource(event),
});

const createChildChanges = ({ event, children }: MatchedEvent, parent: CalendarEvent): readonly Change[] =>
  event.overrides.map(({ replaces, draft }) => ({
    id: children.find((child) => child.replaces === replaces)?.id ?? 0,
    draft,
    parent: parent.id,
    replaces,
  }));

const listRemovedChildren = ({ event, children }: MatchedEvent): readonly { readonly id: number }[] =>
  children.filter(({ replaces }) => !event.overrides.some((other) => other.replaces === replaces));

/** Number of changes in one save. */
const BATCH_SIZE = 400;

async function saveAll(
  calendar: Calendar,
  options: { readonly account: number; readonly author: Author; readonly unitOfWork: UnitOfWork },
  changes: readonly Change[],
): Promise<readonly CalendarEvent[]> {
  const { account, author, unitOfWork } = options;
  const saved: CalendarEvent[] = [];
  for (let from = 0; from < changes.length; from += BATCH_SIZE)
    saved.push(...(await calendar.save(account, changes.slice(from, from + BATCH_SIZE), author, unitOfWork)));
  return saved;
}

/** Applies a plan, all or nothing. */
export async function applyPlan(
  { transaction }: Pick<Database, 'transaction'>,
  calendar: Calendar,
  { matched }: ImportPlan,
  { account, author }: { readonly account: number; readonly author: Author },
): Promise<void> {
  const changedEvents = matched.filter(({ kind }) => kind !== 'same');
  if (changedEvents.length === 0) return;
  await transaction(async (unitOfWork) => {
    const options = { account, author, unitOfWork };
    const saved = await saveAll(calendar, options, changedEvents.map(toChange));
    const children = changedEvents.flatMap((matchedEvent, index) => {
      const parent = saved[index];
      return parent ? createChildChanges(matchedEvent, parent) : [];
    });
    await saveAll(calendar, options, children);
    await calendar.remove(account, changedEvents.flatMap(listRemovedChildren), author, unitOfWork);
  });
}

const MAX_PREVIEW_EVENTS = 200;
const MAX_PREVIEW_PROBLEMS = 100;

function countKinds({ matched }: ImportPlan) {
  const count = (kind: MatchedEvent['kind']): number => matched.filter((match) => match.kind === kind).length;
  return { added: count('added'), changed: count('changed'), same: count('same') };
}

/** Converts an event to the viewer's zone. */
function toViewerZone(draft: EventDraft, viewer: Zone | undefined): EventDraft {
  if (draft.zone === undefined || draft.pattern.kind === 'duration') return draft;
  const { day, time, endDay, endTime } = getViewerTimes(draft, draft.day, viewer);
  return { ...draft, day, time, endDays: endDay - day, endTime, zone: undefined };
}

const listEvents = ({ matched }: ImportPlan, viewer: Zone | undefined) =>
  matched
    .filter(({ kind }) => kind !== 'same')
    .toSorted((one, other) => one.event.draft.day - other.event.draft.day)
    .slice(0, MAX_PREVIEW_EVENTS)
    .map(({ event, kind }) => ({ draft: toViewerZone(event.draft, viewer), kind }))
    .map(({ draft, kind }) => ({
      name: draft.name,
      date: toWire(draft.day),
      when: describeTime(draft),
      changed: kind === 'changed',
    }));

export function createImportHandlers(context: ServerContext, calendar: Calendar): readonly Handler[] {
  const { database, identity } = context;
  async function createPlan(account: number, text: string): Promise<ImportPlan> {
    const [zone, today] = [await identity.resolveZone(account), await getToday(context, account, undefined)];
    return planImport(calendar, { account, text, zone, today });
  }
  return [
    handle(previewimport, async ({ text }, { account }) => {
      const plan = await createPlan(account, text);
      return {
        ...(plan.name === undefined ? {} : { name: plan.name }),
        ...countKinds(plan),
        events: listEvents(plan, findNamedZone(await identity.resolveZone(account))),
        problems: plan.problems.slice(0, MAX_PREVIEW_PROBLEMS),
      };
    }),
    handle(importevents, async ({ text }, { account, address }) =>
      calendar.runInOrder(account, async () => {
        const plan = await createPlan(account, text);
        await applyPlan(database, calendar, plan, { account, author: { address, by: 'import' } });
        return { ...countKinds(plan), refused: plan.refused };
      }),
    ),
  ];
}
