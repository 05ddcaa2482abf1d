import type { Database, UnitOfWork } from '#platform/server/database/database.ts';
import type { CalendarEvent, EventDraft } from '../../events/domain/event.ts';
import type { Author, Calendar, Change } from '../../events/server/calendar.ts';
import { PRODUCT } from '../domain/icsWriter.ts';
import { contentOf } from './ics/content.ts';
import { readIcs, type ReadEvent, type ReadIcs, type ReadOptions } from './ics/readIcs.ts';

/** An event of a file beside the one of the same uid that is here. */
export interface MatchedEvent {
  readonly event: ReadEvent;
  readonly here: CalendarEvent | undefined;
  readonly children: readonly CalendarEvent[];
  readonly kind: 'added' | 'changed' | 'same';
}

export interface ImportPlan extends Pick<ReadIcs, 'name' | 'problems' | 'refused'> {
  readonly matched: readonly MatchedEvent[];
}

const childrenContent = (children: readonly (readonly [number | undefined, EventDraft])[]): string =>
  JSON.stringify(children.map(([day, draft]) => `${day} ${contentOf(draft)}`).toSorted());

/** A file of another program knows of no main tag: ours stays where the event keeps the tag. */
const withPin = (event: ReadEvent, here: CalendarEvent | undefined): ReadEvent => {
  const pinned = here?.pinned;
  if (pinned === undefined || event.draft.pinned !== undefined || !event.draft.tags.includes(pinned)) return event;
  const tags = [pinned, ...event.draft.tags.filter((tag) => tag !== pinned)];
  return { ...event, draft: { ...event.draft, tags, pinned } };
};

const match = (event: ReadEvent, here: CalendarEvent | undefined, children: readonly CalendarEvent[]): MatchedEvent => {
  if (!here) return { event, here, children, kind: 'added' };
  const isSame =
    contentOf(event.draft) === contentOf(here) &&
    childrenContent(event.overrides.map(({ replaces, draft }) => [replaces, draft])) ===
      childrenContent(children.map((child) => [child.replaces, child]));
  return { event, here, children, kind: isSame ? 'same' : 'changed' };
};

/** Reads a file and sets it beside what is here. @throws Refusal as `readIcs`. */
export const planImport = async (
  calendar: Calendar,
  {
    account,
    text,
    ...options
  }: Pick<Required<ReadOptions>, 'zone' | 'today'> & { readonly account: number; readonly text: string },
): Promise<ImportPlan> => {
  const { name, problems, refused, events } = await readIcs(text, options);
  const known = await calendar.byUid(
    account,
    events.map(({ uid }) => uid),
  );
  const byUid = new Map(known.filter(({ parent }) => parent === undefined).map((event) => [event.uid, event]));
  const children = await calendar.childrenOf(
    account,
    known.map(({ id }) => id),
  );
  const byParent = Map.groupBy(children, ({ parent }) => parent);
  const matched = events.map((event) => {
    const here = byUid.get(event.uid);
    return match(withPin(event, here), here, byParent.get(here?.id) ?? []);
  });
  return { name, problems, refused, matched };
};

/** What this program wrote says nothing that an event does not keep. */
const sourceOf = ({ source }: ReadEvent) => (source.includes(`PRODID:${PRODUCT}`) ? {} : { source });

const changeOf = ({ event, here }: MatchedEvent): Change => ({
  id: here?.id ?? 0,
  draft: event.draft,
  ...(here ? {} : { uid: event.uid }),
  ...sourceOf(event),
});

const childChanges = ({ event, children }: MatchedEvent, parent: CalendarEvent): readonly Change[] =>
  event.overrides.map(({ replaces, draft }) => ({
    id: children.find((child) => child.replaces === replaces)?.id ?? 0,
    draft,
    parent: parent.id,
    replaces,
  }));

const goneChildren = ({ event, children }: MatchedEvent): readonly { readonly id: number }[] =>
  children.filter(({ replaces }) => !event.overrides.some((other) => other.replaces === replaces));

/** Changes that are handed over at once. */
const BATCH_SIZE = 400;

const saveAll = async (
  calendar: Calendar,
  { account, author, work }: { readonly account: number; readonly author: Author; readonly work: UnitOfWork },
  changes: readonly Change[],
): Promise<readonly CalendarEvent[]> => {
  const saved: CalendarEvent[] = [];
  for (let from = 0; from < changes.length; from += BATCH_SIZE)
    saved.push(...(await calendar.save(account, changes.slice(from, from + BATCH_SIZE), author, work)));
  return saved;
};

/** Makes and changes what a plan says, all or nothing. */
export const carryOut = async (
  { transaction }: Pick<Database, 'transaction'>,
  calendar: Calendar,
  { matched }: ImportPlan,
  { account, author }: { readonly account: number; readonly author: Author },
): Promise<void> => {
  const todo = matched.filter(({ kind }) => kind !== 'same');
  if (todo.length === 0) return;
  await transaction(async (work) => {
    const by = { account, author, work };
    const saved = await saveAll(calendar, by, todo.map(changeOf));
    const children = todo.flatMap((one, index) => {
      const parent = saved[index];
      return parent ? childChanges(one, parent) : [];
    });
    await saveAll(calendar, by, children);
    await calendar.remove(account, todo.flatMap(goneChildren), author, work);
  });
};
