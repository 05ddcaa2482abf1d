import { Refusal } from '#platform/contract/refusal.ts';
import { handle, type ServerContext, type Handler } from '#platform/server/tool.ts';
import { changeusage, usagestory } from '../../contract.ts';
import { DAY_SECONDS } from '../../usage/domain/days.ts';
import type { SecondRange } from '../../usage/domain/track.ts';
import type { createUsageCorrector } from '../../usage/server/corrections.ts';
import type { UsageStore } from '../../usage/server/store/usageStores.ts';
import { askedDevice } from './askedDevice.ts';
import { createStory } from './story.ts';

const MAX_DAYS = 8;
/** No day of any calendar here is further: the year 9999. */
const FURTHEST_MS = 253_402_300_800_000;

const instantOf = (name: string, text: string): number => {
  const value = Number(text);
  if (!/^\d+$/.test(text.trim()) || value > FURTHEST_MS)
    throw new Refusal(`${name} is a moment, in milliseconds since 1970`);
  return value;
};

/** @throws Refusal */
const askedSpan = (from: string, until: string): SecondRange => {
  const span = {
    from: Math.floor(instantOf('from', from) / 1000),
    until: Math.ceil(instantOf('until', until) / 1000),
  };
  if (span.until <= span.from) throw new Refusal('until comes after from');
  if (span.until - span.from > MAX_DAYS * DAY_SECONDS) throw new Refusal(`At most ${MAX_DAYS} days are told at once`);
  return span;
};

export const storyCalls = (
  ground: Pick<ServerContext, 'devices' | 'now'>,
  store: UsageStore,
  correct: ReturnType<typeof createUsageCorrector>,
): readonly Handler[] => {
  const tell = createStory(store);
  return [
    handle(usagestory, async ({ from, until, deviceid }, { account }) => {
      const span = askedSpan(from, until);
      const device = await askedDevice(ground, store, account, deviceid);
      // Clocks of computers may be a little ahead: nothing is told of behind now.
      const end = Math.min(span.until, Math.max(span.from, Math.floor(ground.now().epochMilliseconds / 1000)));
      const stretches = await tell(account, { from: span.from, until: end, device });
      return { stretches: stretches.map((one) => ({ ...one, from: one.from * 1000, until: one.until * 1000 })) };
    }),
    handle(changeusage, async ({ device, remove, add }, { account }) => {
      await correct({ account, device, remove, add });
      return {};
    }),
  ];
};
