import type { AnswerOf } from '#platform/contract/call.ts';
import type { getevents } from '#tools/calendar/contract/events.ts';

type Dates = AnswerOf<typeof getevents>['dates'];

const escapeHtml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Creates the simplest page that shows days with their events: one bare HTML list. */
export function createDayList(dates: Dates): string {
  const days = Object.values(dates).map(({ label, weekday, entries }) => {
    const lines = entries.map(({ name }) => `<li><button>${escapeHtml(name)}</button></li>`);
    return `<h3>${label} ${weekday}</h3><ul>${lines.join('')}</ul>`;
  });
  return `<!doctype html><meta name="viewport" content="width=device-width"><title>days</title>${days.join('')}`;
}
