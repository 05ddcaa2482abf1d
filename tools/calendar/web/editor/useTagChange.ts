import { useQueryClient } from '@tanstack/react-query';
import { CallError } from '#platform/contract/client.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { notices } from '#platform/web/app/notices.ts';
import { getTimeZone } from '#platform/web/browser/formats.ts';
import { changetag, getevents, REMOVABLE, restoretag, settags } from '../../contract/events.ts';
import { keys } from '../selection.ts';

/** The account's own tags as they are now: a list that this page held for a while would delete what was made elsewhere meanwhile. */
const ownTags = async (): Promise<readonly string[]> => {
  const { tags } = await call(getevents, { tz: getTimeZone() });
  return Object.entries(tags).flatMap(([name, { removable }]) => (removable === REMOVABLE.own ? [name] : []));
};

/** Changes of the account's tags. They tell their own failures. */
export function useTagChange() {
  const queries = useQueryClient();
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: keys.all });
  const done = async (change: Promise<unknown>): Promise<boolean> => {
    try {
      await change;
      return true;
    } catch (error) {
      showError(error);
      return false;
    } finally {
      await refresh();
    }
  };
  return {
    /** Fired when a tag was taken off an event: names every tag. That the network failed is ignored (specification 1, section 7). */
    keepAll: async (): Promise<void> => {
      try {
        await call(settags, { tags: [...(await ownTags())] });
      } catch (error) {
        if (!(error instanceof CallError)) showError(error);
      }
    },
    /** Deletes a tag from all events, with Undo. */
    remove: async (name: string): Promise<void> => {
      const rest = async () => call(settags, { tags: (await ownTags()).filter((tag) => tag !== name) });
      if (!(await done(rest()))) return;
      notices.addWithAction(`Tag ${name} deleted`, 'Undo', () => void done(call(restoretag, { name })));
    },
    recolour: async (name: string, colour: string): Promise<void> =>
      void (await done(call(changetag, { name, colour }))),
  };
}
