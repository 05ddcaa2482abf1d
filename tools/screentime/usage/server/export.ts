import { createStory } from '../../reading/server/story.ts';
import { DAY_SECONDS } from '../domain/days.ts';
import { wireName } from '../domain/wireName.ts';
import type { UsageStore } from './store/usageStores.ts';

/** Days that are read at once. */
const DAYS_PER_BATCH = 8;

const instant = (seconds: number): string => Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toString();

export const exportHolds =
  'What was used on your computers, stretch by stretch (on: in focus, off: open, s: to be heard, r: recording), with applications, categories, rules and goals.';

/** The account's usage; stretches are read as they are written. A stretch over midnight of UTC at the end of a week is two. */
export const usageExportOf = (store: UsageStore) => {
  const tell = createStory(store);
  const stretchesOf = async function* (account: number): AsyncGenerator {
    const days = await store.segments.keptDaysOf(account);
    for (let at = 0; at < days.length;) {
      const from = days[at] ?? 0;
      const until = from + DAYS_PER_BATCH;
      const told = await tell(account, { from: from * DAY_SECONDS, until: until * DAY_SECONDS, device: undefined });
      for (const one of told) yield { ...one, from: instant(one.from), until: instant(one.until) };
      while (at < days.length && (days[at] ?? 0) < until) at += 1;
    }
  };
  return async (account: number) => ({
    computers: (await store.devices.list(account)).map(({ id, name }) => ({ id, name })),
    applications: (await store.applications.list(account)).map(({ name, firstSeen }) => ({
      name: wireName(name),
      firstSeen: instant(Math.floor(firstSeen / 1000)),
    })),
    stretches: stretchesOf(account),
  });
};
