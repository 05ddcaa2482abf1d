import type { ServerContext } from '#platform/server/tool.ts';
import type { Day } from '../domain/day.ts';
import { binned, binsIn } from '../domain/editHistory.ts';
import type { CalendarEvent } from '../domain/event.ts';
import { namedZone } from '../domain/timeZone.ts';
import { type WireEvent, wireEvent } from './eventWire.ts';
import type { Stores } from './store/saveEvents.ts';

interface EventQuery {
  readonly width?: string | undefined;
  /** The day on which a time of it begins, by its own clock. */
  readonly occurrence?: Day | undefined;
  /** By whose clock; else by that of the home zone. */
  readonly tz?: string | undefined;
}

/** Events as the wire has them whole: with their history, and the subscription that they are of. */
export const wholeEvents = ({ identity, now }: Pick<ServerContext, 'identity' | 'now'>, { tags, edits }: Stores) => {
  const subscriptionOf = async (account: number, subscription: number | undefined) => {
    if (subscription === undefined) return undefined;
    const own = (await tags.ownTags(account)).filter(({ deleted }) => deleted === undefined);
    const found = (
      await tags.subscribed(
        account,
        own.map(({ name }) => name),
      )
    ).find(({ id }) => id === subscription);
    return found && { tag: found.name, name: found.title };
  };
  return {
    whole: async (
      account: number,
      event: CalendarEvent,
      { width, occurrence, tz }: EventQuery = {},
    ): Promise<WireEvent> => {
      const history = await edits.of(account, event.id);
      const bins = binned(history, { created: event.created, now: now().epochMilliseconds, bins: binsIn(width) });
      const viewer = event.zone === undefined ? undefined : namedZone(await identity.resolveZone(account, tz));
      return wireEvent(event, {
        bins,
        occurrence,
        viewer,
        subscription: await subscriptionOf(account, event.subscription),
      });
    },
  };
};
