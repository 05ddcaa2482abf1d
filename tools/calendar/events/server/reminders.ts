import { toIso, type Day } from '#platform/contract/day.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { ScheduledTask } from '#platform/server/schedule/scheduler.ts';
import { type ServerContext, handle, type Handler } from '#platform/server/tool.ts';
import { calendarreminder, setcalendarreminder } from '../../contract/exchange.ts';
import { toEventFields, iterateOccurrences } from '../../repeat/domain/occurrence.ts';
import { parseDay, toMinutes, isTime } from '../domain/day.ts';
import { getStyle, type CalendarEvent } from '../domain/event.ts';
import { isDue, type PinnedEvent, createReminderText } from '../domain/reminder.ts';
import { findNamedZone, type Zone } from '../domain/timeZone.ts';
import type { Calendar } from './calendar.ts';
import { createReminderStore } from './reminderStore.ts';

/** Minutes until the next attempt after no push service accepted the reminder. */
const RETRY_MINUTES = 10;

/** An account's day and its local time. */
interface ReminderDay {
  readonly day: Day;
  readonly minutes: number;
}

/** Returns an event if it is pinned and starts on the day, in a zone. Later days of an event have no reminder. */
function listPinned(event: CalendarEvent, day: Day, viewer: Zone | undefined): readonly PinnedEvent[] {
  if (event.pinned === undefined) return [];
  const { id, name, pattern } = event;
  for (const occurrence of iterateOccurrences(event, { from: day, until: day, viewer })) {
    const { day: first, time } = toEventFields(occurrence);
    if (first === day)
      return [{ id, name, time: event.time === undefined ? undefined : time, style: getStyle(pattern) }];
  }
  return [];
}

export async function getLocalTime({ identity, now }: ServerContext, account: number): Promise<ReminderDay> {
  const local = now().toZonedDateTimeISO(await identity.resolveZone(account));
  return { day: parseDay(local.toPlainDate().toString()) ?? 0, minutes: local.hour * 60 + local.minute };
}

/** Checks every minute which accounts are due, and sends their pinned events to their browsers once a day. */
export function createReminderTask(context: ServerContext, calendar: Calendar): ScheduledTask {
  const { database, identity, push, now, log } = context;
  const store = createReminderStore(database);
  /** Accounts whose browsers could not be reached, and the time of the next attempt. */
  const retryTimes = new Map<number, Temporal.Instant>();

  async function send(account: number, day: Day): Promise<void> {
    const viewer = findNamedZone(await identity.resolveZone(account));
    const pinned = (await calendar.listBetween(account, day, day)).flatMap((event) => listPinned(event, day, viewer));
    const text = createReminderText(pinned, toIso(day));
    if (!text) return;
    const { sent, failed } = await push.send(account, { ...text, tag: 'calendar-reminder' });
    if (sent > 0 || failed === 0) return;
    retryTimes.set(account, now().add({ minutes: RETRY_MINUTES }));
    await store.release(account, day);
  }

  async function remind(account: number): Promise<void> {
    const { isOn, at, sentDay } = await store.get(account);
    if (!isOn) return;
    const { day, minutes } = await getLocalTime(context, account);
    if (sentDay === day || !isDue(minutes, toMinutes(at))) return;
    const retryTime = retryTimes.get(account);
    if (retryTime !== undefined && Temporal.Instant.compare(now(), retryTime) < 0) return;
    retryTimes.delete(account);
    // Claimed before it is sent: after a crash in between, no user is notified twice.
    if (await store.claim(account, day)) await send(account, day);
  }

  return {
    name: 'calendar reminders',
    intervalSeconds: 60,
    run: async () => {
      for (const account of await push.listAccounts())
        await remind(account).catch((error: unknown) => log.error({ err: error, account }, 'calendar.reminder.failed'));
    },
  };
}

export function createReminderHandlers(context: ServerContext): readonly Handler[] {
  const store = createReminderStore(context.database);
  async function toAnswer(account: number) {
    const { isOn, at, sentDay } = await store.get(account);
    const { day } = await getLocalTime(context, account);
    return { on: isOn, at, sent: sentDay === day };
  }
  return [
    handle(calendarreminder, async (_request, { account }) => toAnswer(account)),
    handle(setcalendarreminder, async ({ on, at }, { account }) => {
      if (!isTime(at)) throw new Refusal('calendar.invalid_time', 'This is not a valid time. Write it like 08:00');
      await store.set(account, { isOn: on, at });
      return toAnswer(account);
    }),
  ];
}
