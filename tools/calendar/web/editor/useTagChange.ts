import { useQueryClient } from '@tanstack/react-query';
import { CallError } from '#platform/contract/client.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { notices } from '#platform/web/app/notices.ts';
import { getTimeZone } from '#platform/web/browser/formats.ts';
import { changetag, getevents, REMOVABLE, restoretag, settags } from '../../contract/events.ts';
import { keys } from '../selection.ts';

/**
 * Loads the account's current tags. A list from an earlier time would delete tags that were created elsewhere since.
 */
const loadOwnTags = async (): Promise<readonly string[]> => {
  const { tags } = await call(getevents, { tz: getTimeZone() });
  return Object.entries(tags).flatMap(([name, { removable }]) => (removable === REMOVABLE.own ? [name] : []));
};

/** Changes the account's tags. Failures are shown as notices. */
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
    /**
     * Sends all tag names after a tag was removed from an event. Network failures are ignored
     * (docs/specification/calendar.md section 4.4).
     */
    keepAll: async (): Promise<void> => {
      try {
        await call(settags, { tags: [...(await loadOwnTags())] });
      } catch (error) {
        if (!(error instanceof CallError)) showError(error);
      }
    },
    /** Deletes a tag from all events, and offers Undo. */
    remove: async (name: string): Promise<void> => {
      const rest = async () => call(settags, { tags: (await loadOwnTags()).filter((tag) => tag !== name) });
      if (!(await done(rest()))) return;
      notices.addWithAction(`Tag ${name} deleted`, 'Undo', () => void done(call(restoretag, { name })));
    },
    recolour: async (name: string, colour: string): Promise<void> =>
      void (await done(call(changetag, { name, colour }))),
  };
}
