import { handle, type Ground, type Handler } from '#platform/server/tool.ts';
import { importevents, previewimport } from '../../contract/exchange.ts';
import { toWire } from '../../domain/day.ts';
import { whenInWords } from '../../domain/icsWords.ts';
import type { Calendar } from '../calendar.ts';
import { carryOut, planImport, type Matched, type Plan } from '../import.ts';
import { todayOf } from '../today.ts';

const SHOWN_EVENTS = 200;
const SHOWN_PROBLEMS = 100;

const countsOf = ({ matched }: Plan) => {
  const count = (kind: Matched['kind']): number => matched.filter((one) => one.kind === kind).length;
  return { added: count('added'), changed: count('changed'), same: count('same') };
};

const shownOf = ({ matched }: Plan) =>
  matched
    .filter(({ kind }) => kind !== 'same')
    .toSorted((one, other) => one.event.draft.day - other.event.draft.day)
    .slice(0, SHOWN_EVENTS)
    .map(({ event: { draft }, kind }) => ({
      name: draft.name,
      date: toWire(draft.day),
      when: whenInWords(draft),
      changed: kind === 'changed',
    }));

export const importCalls = (ground: Ground, calendar: Calendar): readonly Handler[] => {
  const { database, identity } = ground;
  const plannedOf = async (account: number, text: string): Promise<Plan> => {
    const [zone, today] = [await identity.zone(account), await todayOf(ground, account, undefined)];
    return planImport(calendar, { account, text, zone, today });
  };
  return [
    handle(previewimport, async ({ text }, { account }) => {
      const plan = await plannedOf(account, text);
      return {
        ...(plan.name === undefined ? {} : { name: plan.name }),
        ...countsOf(plan),
        events: shownOf(plan),
        problems: plan.problems.slice(0, SHOWN_PROBLEMS),
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
