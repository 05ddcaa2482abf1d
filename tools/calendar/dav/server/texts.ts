import { icsOf } from '../../exchange/domain/icsWriter.ts';
import { patchedSource } from '../../exchange/server/ics/patchSource.ts';
import type { DavObject } from './davObjects.ts';
import type { DavRequest } from './davRequest.ts';

/**
 * The iCalendar text of objects, in order: word for word what a client sent, as long as nothing of it was changed here; then what was sent with
 * the changes in it; of events that no client ever sent, our own.
 */
export const textsOf = async (
  { calendar, user, zone }: Pick<DavRequest, 'calendar' | 'user' | 'zone'>,
  objects: readonly DavObject[],
): Promise<readonly string[]> => {
  const ids = objects.map(({ event }) => event.id);
  const sources = await calendar.sourceOf(user.account, ids);
  const home = sources.size > 0 ? await zone() : '';
  return objects.map(({ event, children }) => {
    const source = sources.get(event.id);
    if (source === undefined) return icsOf([event, ...children]);
    return source.revision === event.revision ? source.text : patchedSource(source.text, event, children, home);
  });
};
