import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { importevents, previewimport } from '../../contract/exchange.ts';
import { toWire } from '../../events/domain/day.ts';
import type { EventDraft } from '../../events/domain/event.ts';
import { namedZone, type Zone } from '../../events/domain/timeZone.ts';
import type { Calendar } from '../../events/server/calendar.ts';
import { todayOf } from '../../events/server/today.ts';
import { viewedTimes } from '../../events/server/viewerDays.ts';
import { whenInWords } from '../domain/ruleDescription.ts';
import { carryOut, planImport, type MatchedEvent, type ImportPlan } from './import.ts';

const MAX_PREVIEW_EVENTS = 200;
const MAX_PREVIEW_PROBLEMS = 100;

const countsOf = ({ matched }: ImportPlan) => {
  const count = (kind: MatchedEvent['kind']): number => matched.filter((one) => one.kind === kind).length;
  return { added: count('added'), changed: count('changed'), same: count('same') };
};

/** When an event is by the clock of whoever imports it. */
const viewed = (draft: EventDraft, viewer: Zone | undefined): EventDraft => {
  if (draft.zone === undefined || draft.pattern.kind === 'duration') return draft;
  const { day, time, endDay, endTime } = viewedTimes(draft, draft.day, viewer);
  return { ...draft, day, time, endDays: endDay - day, endTime, zone: undefined };
};

const shownOf = ({ matched }: ImportPlan, viewer: Zone | undefined) =>
  matched
    .filter(({ kind }) => kind !== 'same')
    .toSorted((one, other) => one.event.draft.day - other.event.draft.day)
    .slice(0, MAX_PREVIEW_EVENTS)
    .map(({ event, kind }) => ({ draft: viewed(event.draft, viewer), kind }))
    .map(({ draft, kind }) => ({
      name: draft.name,
      date: toWire(draft.day),
      when: whenInWords(draft),
      changed: kind === 'changed',
    }));

export const importCalls = (ground: ServerContext, calendar: Calendar): readonly Handler[] => {
  const { database, identity } = ground;
  const plannedOf = async (account: number, text: string): Promise<ImportPlan> => {
    const [zone, today] = [await identity.resolveZone(account), await todayOf(ground, account, undefined)];
    return planImport(calendar, { account, text, zone, today });
  };
  return [
    handle(previewimport, async ({ text }, { account }) => {
      const plan = await plannedOf(account, text);
      return {
        ...(plan.name === undefined ? {} : { name: plan.name }),
        ...countsOf(plan),
        events: shownOf(plan, namedZone(await identity.resolveZone(account))),
        problems: plan.problems.slice(0, MAX_PREVIEW_PROBLEMS),
      };
    }),
    handle(importevents, async ({ text }, { account, address }) =>
      calendar.inTurn(account, async () => {
        const plan = await plannedOf(account, text);
        await carryOut(database, calendar, plan, { account, author: { address, by: 'import' } });
        return { ...countsOf(plan), refused: plan.refused };
      }),
    ),
  ];
};
