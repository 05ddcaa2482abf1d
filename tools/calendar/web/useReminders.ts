import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '#platform/web/app/call.ts';
import { useNavigateTo } from '#platform/web/app/navigation.ts';
import { notices } from '#platform/web/app/notices.ts';
import { push } from '#platform/web/app/push.ts';
import { useSession } from '#platform/web/app/session.ts';
import { showRepeatingError } from '#platform/web/app/showError.ts';
import { browserStorage } from '#platform/web/browser/browserStorage.ts';
import { getTimeZone } from '#platform/web/browser/formats.ts';
import { eventsbetween } from '../contract/events.ts';
import { calendarreminder } from '../contract/exchange.ts';
import { parseDay, toWire, toMinutes } from '../events/domain/day.ts';
import { isDue, createReminderText, type ReminderText } from '../events/domain/reminder.ts';
import { queryKeys } from './selection.ts';

/** Returns whether the server has sent the notification, or still will. */
function isSentByServer({ at, sent }: { readonly at: string; readonly sent: boolean }): boolean {
  const now = new Date();
  const minutes = now.getHours() * 60 + now.getMinutes();
  return sent || minutes < toMinutes(at) || isDue(minutes, toMinutes(at));
}

/** Returns the reminder of the day's pinned events, or undefined if there are none. */
async function loadReminder(queryClient: QueryClient, today: string): Promise<ReminderText | undefined> {
  const { dates, durations } = await queryClient.query({
    queryKey: queryKeys.between(today, today),
    queryFn: () => call(eventsbetween, { from: today, until: today, tz: getTimeZone() }),
  });
  const wireToday = toWire(parseDay(today) ?? 0);
  const entries = [
    ...(dates[today]?.entries ?? []).filter(({ type }) => type !== 'duration'),
    ...durations.filter(({ date }) => date === wireToday),
    // Events that started earlier were announced on that day.
  ].filter(({ pinned, eventid, ...entry }) => pinned && eventid > 0 && !('began' in entry));
  return createReminderText(
    entries.map(({ eventid: id, name, time, type }) => ({ id, name, time, style: type })),
    today,
  );
}

async function showReminder({ title, body, path }: ReminderText): Promise<void> {
  const isOne = path.includes('?');
  const names = isOne ? title : body.replaceAll('\n', '; ');
  notices.add('info', `Pinned today: ${names}`, isOne ? { label: 'Open', href: path } : undefined);
  await push.show({ title, body, path, tag: 'calendar-reminder' });
}

async function showReminderOnce(
  queryClient: QueryClient,
  { today, username }: { today: string; username: string },
): Promise<void> {
  const key = `calendar.reminded.${username}`;
  const isPushed = await push.renew();
  if (browserStorage.get(key) === today) return;
  const reminder = await call(calendarreminder, {});
  if (!reminder.on || (isPushed && isSentByServer(reminder))) return;
  const text = await loadReminder(queryClient, today);
  // Another tab of this browser may have shown it already.
  if (browserStorage.get(key) === today) return;
  browserStorage.set(key, today);
  if (text) await showReminder(text);
}

/**
 * Shows what is pinned today on the first visit of a day, unless the server has notified this browser. Used once, by
 * the page.
 */
export function useReminders(today: string): void {
  const queryClient = useQueryClient();
  const username = useSession()?.username ?? '';
  const go = useNavigateTo();
  useEffect(() => push.onClick((path) => go(path)), [go]);
  useEffect(() => {
    if (username === '') return;
    showReminderOnce(queryClient, { today, username }).catch((error: unknown) => {
      showRepeatingError(error);
    });
  }, [queryClient, today, username]);
}
