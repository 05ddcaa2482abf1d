import type { AnswerOf } from '#platform/contract/call.ts';
import { call } from '#platform/web/app/call.ts';
import type { ActivitySource } from '#platform/web/tool.ts';
import { returnapplications, usagestory } from '../contract.ts';
import { condenseStory } from '../reading/domain/dayStory.ts';
import { getZoneFields } from './usageClock.ts';

const NEUTRAL = 'var(--text-3)';

const toColourMap = ({ flat }: Pick<AnswerOf<typeof returnapplications>, 'flat'>): ReadonlyMap<string, string> =>
  new Map(flat.map(({ name, colouron: [red, green, blue] }) => [name, `rgb(${red} ${green} ${blue})`]));

/** Focused intervals of all computers, for pages that show them beside a plan. */
export const screenTimeActivities: ActivitySource = {
  name: 'Screen time',
  listBetween: async (from, until) => {
    const [{ stretches: intervals }, applications] = await Promise.all([
      call(usagestory, { from: String(Math.floor(from)), until: String(Math.ceil(until)) }),
      call(returnapplications, getZoneFields()),
    ]);
    const colours = toColourMap(applications);
    return condenseStory(intervals).map((interval) => ({
      name: interval.application,
      from: interval.from,
      until: interval.until,
      colour: colours.get(interval.application) ?? NEUTRAL,
    }));
  },
};
