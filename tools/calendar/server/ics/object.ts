import { Refusal } from '#platform/contract/refusal.ts';
import { FIRST_DAY, LAST_DAY, toIso, type Day } from '../../domain/day.ts';
import { checkedDraft } from '../../domain/draft.ts';
import type { EventDraft } from '../../domain/event.ts';
import { partOfRepeating } from '../../domain/part.ts';
import { startFrom } from '../../domain/placement.ts';
import { lineOf, linesOf, rawOf, type Component } from './component.ts';
import { dayOfWall, inZone, momentsIn, type Moment } from './moments.ts';
import { NotTaken, patternOf, type PatternReader } from './pattern.ts';
import { eventDescription, eventName, eventTags } from './texts.ts';
import { whenOf, type When } from './when.ts';

/** One event of a file. */
export interface ReadEvent {
  readonly uid: string;
  readonly draft: EventDraft;
  /** Its own components as a whole calendar object, word for word. */
  readonly source: string;
  /** Its `VEVENT` as it is written. */
  readonly text: string;
  /** Days of its repeat that are otherwise. */
  readonly overrides: readonly { readonly replaces: Day; readonly draft: EventDraft; readonly text: string }[];
}

/** What is told of an event of a file: that it cannot be taken, or that it is not taken as it was written. */
export interface Problem {
  readonly name: string;
  readonly why: string;
}

export interface ObjectReader extends Omit<PatternReader, 'tell' | 'onUnknownZone'> {
  readonly onProblem: (problem: Problem & { readonly isRefused: boolean }) => void;
}

const withName = (reader: ObjectReader, name: string): PatternReader => {
  const tell = (why: string): void => reader.onProblem({ name, why, isRefused: false });
  return {
    ...reader,
    tell,
    onUnknownZone: (zone) =>
      tell(`Its time zone '${zone.slice(0, 60)}' is unknown, so its times are taken as they stand`),
  };
};

const silently = (reader: PatternReader): PatternReader => ({
  ...reader,
  tell: () => undefined,
  onUnknownZone: () => undefined,
});

const isInCalendar = ({ day, endDays }: When): boolean => day >= FIRST_DAY && day + endDays <= LAST_DAY + 1;

interface Draft {
  readonly when: When;
  readonly draft: EventDraft;
}

/** @throws NotTaken, Refusal: it cannot be taken, and why. */
const draftOf = (component: Component, reader: PatternReader, replaced: readonly Day[] | undefined): Draft => {
  const onUnnamed = (): void => {
    if (replaced !== undefined && linesOf(component, 'RRULE').length > 0)
      reader.tell('Its time zone is one of the file alone, so its times are taken over by the clock of your home zone');
  };
  const when = whenOf(component, { home: reader.home, onUnnamed }, reader);
  if (!when) throw new NotTaken('It has no valid date');
  if (!isInCalendar(when)) throw new NotTaken('It lies outside of the years 1 to 9999');
  const placed =
    replaced === undefined
      ? patternOf({ ...component, lines: withoutRules(component) }, when, reader, [])
      : patternOf(component, when, reader, replaced);
  if (placed.pattern.kind === 'foreign' && placed.pattern.days.length === 0)
    throw new NotTaken('Its rule is on no day at all');
  const draft = checkedDraft({
    name: eventName(component, reader.tell),
    description: eventDescription(component, reader.tell),
    time: when.time,
    zone: when.zone,
    ...placed,
    ...eventTags(component, reader.tell),
  });
  return { when, draft };
};

/** One changed day of a repeat repeats itself no more. */
const withoutRules = ({ lines }: Component): Component['lines'] =>
  new Map([...lines].filter(([name]) => !['RRULE', 'RDATE', 'EXDATE'].includes(name)));

const isCancelled = (component: Component): boolean => rawOf(component, 'STATUS').toUpperCase() === 'CANCELLED';

/** The day of a repeat that a changed day stands for, by the repeat's own clock. */
const replacedDay = (component: Component, master: When | undefined, reader: PatternReader): Day | undefined => {
  const moment: Moment | undefined = momentsIn(lineOf(component, 'RECURRENCE-ID') ?? '', reader)?.[0];
  if (!moment) return undefined;
  if (!master) return dayOfWall(inZone(moment, reader.home));
  return dayOfWall(master.start.isDay || moment.isDay ? moment.wall : inZone(moment, master.start.zone));
};

/** A refusal of one event is told, and the others are read on. */
const attempt = <T>(reader: ObjectReader, name: string, work: () => T): T | undefined => {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof NotTaken) && !(error instanceof Refusal)) throw error;
    reader.onProblem({ name, why: error.message, isRefused: true });
    return undefined;
  }
};

export interface Family {
  readonly uid: string;
  readonly master: Component | undefined;
  readonly others: readonly Component[];
}

/** Changed days without their repeat: events of their own. */
const orphans = ({ uid, others }: Family, reader: ObjectReader, sourceOf: SourceOf): readonly ReadEvent[] =>
  others.flatMap((component) => {
    const name = eventName(component, () => undefined);
    const own = withName(reader, name);
    const read = attempt(reader, name, () => draftOf(component, own, undefined));
    if (!read || isCancelled(component)) return [];
    const day = replacedDay(component, undefined, silently(own)) ?? read.when.day;
    const { text } = component;
    return [{ uid: `${uid}-${toIso(day)}`, draft: read.draft, source: sourceOf([text]), text, overrides: [] }];
  });

export type SourceOf = (texts: readonly string[]) => string;

/** Whether a change of one day is one of all later days too (RFC 5545 section 3.2.13). */
const isOfLaterDays = (component: Component): boolean =>
  /^[^:]*;RANGE="?THISANDFUTURE/i.test(lineOf(component, 'RECURRENCE-ID') ?? '');

interface Changed {
  readonly replaces: Day;
  readonly component: Component;
}

const changedDays = (
  { others }: Family,
  { when, reader, name }: { readonly when: When; readonly reader: PatternReader; readonly name: string },
  onProblem: ObjectReader['onProblem'],
): readonly Changed[] => {
  const byDay = new Map<Day, Changed>();
  for (const component of others) {
    const replaces = replacedDay(component, when, reader);
    if (replaces === undefined || replaces < FIRST_DAY || replaces > LAST_DAY)
      onProblem({ name, why: 'One of its changed days is of no day that there is', isRefused: true });
    else byDay.set(replaces, { replaces, component });
  }
  return [...byDay.values()];
};

/** An event with its changed days, read. None, or several where the repeat of changed days is missing. */
export const readFamily = (family: Family, reader: ObjectReader, sourceOf: SourceOf): readonly ReadEvent[] => {
  const { uid, master } = family;
  if (!master) return orphans(family, reader, sourceOf);
  const name = eventName(master, () => undefined);
  if (isCancelled(master)) {
    reader.onProblem({ name, why: 'It is cancelled', isRefused: true });
    return [];
  }
  const own = withName(reader, name);
  const when = whenOf(master, { home: reader.home, onUnnamed: () => undefined }, silently(own));
  const changed = when ? changedDays(family, { when, reader: own, name }, reader.onProblem) : [];
  const read = attempt(reader, name, () =>
    draftOf(
      master,
      own,
      changed.map(({ replaces }) => replaces),
    ),
  );
  if (!read) return [];
  const drafts = changed.flatMap(({ replaces, component }) => {
    const isCalledOff = isCancelled(component);
    const other = isCalledOff ? undefined : attempt(reader, name, () => draftOf(component, silently(own), undefined));
    if (!other && !isCalledOff) return [];
    return [{ replaces, draft: other?.draft, text: component.text, isLater: isOfLaterDays(component) }];
  });
  const source = sourceOf([master.text, ...family.others.map(({ text }) => text)]);
  return [{ uid, source, text: master.text, ...inParts(read.draft, drafts) }];
};

interface Override {
  readonly replaces: Day;
  /** None of what is called off. */
  readonly draft: EventDraft | undefined;
  readonly text: string;
  readonly isLater: boolean;
}

/** The event up to the first change of all later days, and such changes as repeats of their own. */
const inParts = (draft: EventDraft, overrides: readonly Override[]): Pick<ReadEvent, 'draft' | 'overrides'> => {
  const kept = (list: readonly Override[]): ReadEvent['overrides'] =>
    list.flatMap(({ replaces, draft: own, text }) => (own ? [{ replaces, draft: own, text }] : []));
  const later = overrides.filter(({ isLater }) => isLater).toSorted((one, other) => one.replaces - other.replaces);
  const [first] = later;
  if (!first || (draft.pattern.kind !== 'repeat' && draft.pattern.kind !== 'foreign'))
    return { draft, overrides: kept(overrides) };
  const single = overrides.filter(({ isLater }) => !isLater);
  // The day itself was left out because it has an event of its own, which now is the repeat.
  const days = new Set(single.map(({ replaces }) => replaces));
  const isOwn = (day: Day): boolean => days.has(day) || !later.some(({ replaces }) => replaces === day);
  const whole = { ...draft, exceptions: draft.exceptions.filter(isOwn) };
  const parts = later.map((one, at): Override => {
    if (!one.draft) return one;
    const range = { from: one.replaces, before: later[at + 1]?.replaces, by: one.draft.day - one.replaces };
    return { ...one, draft: checkedDraft({ ...one.draft, ...partOfRepeating(whole, range) }) };
  });
  const start = startFrom(whole, FIRST_DAY);
  const [opening, ...others] = parts;
  // Changed from its first day on, the event is what it was changed to.
  if (opening?.draft && start !== undefined && start >= first.replaces)
    return { draft: opening.draft, overrides: kept([...single, ...others]) };
  const before = checkedDraft({ ...whole, ...partOfRepeating(whole, { before: first.replaces }) });
  return { draft: before, overrides: kept([...single, ...parts]) };
};
