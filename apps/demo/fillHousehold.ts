import { createClient, type Client } from '#platform/contract/client.ts';
import { HOUR_SECONDS } from '#platform/contract/duration.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { changetag, newevent } from '#tools/calendar/contract/events.ts';
import { generateCode, formatCode } from '#tools/chatstatus/domain/visibilityCode.ts';
import { hashCode } from '#tools/chatstatus/server/botCommands.ts';
import { createStatusStore } from '#tools/chatstatus/server/statusStore.ts';
import { pairdevice, requestpairing, takepairing } from '#tools/devices/contract.ts';
import { devicemessage, sendmessage, spmessage } from '#tools/messages/contract.ts';
import { paste } from '#tools/paste/contract.ts';
import { fileupload, keyboardinput } from '#tools/remote/contract.ts';
import {
  modifyapplicationcatinfo,
  reportusage,
  returnapplications,
  settimetrackergoal,
} from '#tools/screentime/contract.ts';
import { answershoplist, archiveshoplist, modifyshoplist, NEW_LIST, shareshoplist } from '#tools/shopping/contract.ts';
import { savelongtermtbbl, savespecific } from '#tools/timetable/contract.ts';
import { createCalendarEvents, TAG_COLOURS } from './household/calendarEvents.ts';
import { createRandom } from './household/random.ts';
import { CATEGORIES, COMPUTERS, createScreenTime, GOALS } from './household/screenTime.ts';
import { createShoppingLists } from './household/shoppingLists.ts';
import { createTimetableWeek } from './household/timetableSlots.ts';

const PASTES: readonly string[] = [
  'Wi-Fi for guests\n\nNetwork: pear tree\nPassword: it is on the fridge',
  'Pancakes for four\n\n250 g flour\n500 ml milk\n3 eggs\na pinch of salt\n\nRest for half an hour, then bake thin.',
  'const primes = [2, 3, 5, 7, 11, 13];\nconsole.log(primes.reduce((sum, prime) => sum + prime, 0));',
  'Train home\n\nSaturday 10:37, platform 4, car 12, seats 61 to 64',
];

const VISITORS: readonly { readonly name: string; readonly text: string }[] = [
  { name: 'Clara', text: 'Your recipe page is lovely. Is the soup from last Sunday on it too?' },
  { name: 'Neighbour from the third floor', text: 'I have a parcel for you. Ring any evening after six.' },
];

/** A conversation with a computer, oldest first. */
const MESSAGES: readonly { readonly from: 'person' | 'computer'; readonly text: string }[] = [
  { from: 'person', text: 'Backup of the photos finished?' },
  { from: 'computer', text: 'backup.sh ended: 1,284 files, 6.2 GB, no errors' },
  { from: 'person', text: 'Great. The printer needs paper before Monday' },
  { from: 'computer', text: 'Scan saved: tax-letter.pdf' },
  { from: 'person', text: 'https://example.org/tickets for Saturday, print two' },
];

/** Texts and keys that were sent to the computer before the visitor came. */
const SENT_INPUT: readonly { readonly inputtype: 1 | 2; readonly inputValue: string }[] = [
  { inputtype: 1, inputValue: 'Dear Clara,' },
  { inputtype: 2, inputValue: '[[keys]]Enter' },
  { inputtype: 1, inputValue: 'thank you for the lovely evening! The children still talk about the soup.' },
  { inputtype: 2, inputValue: '[[keys]]Enter' },
  { inputtype: 1, inputValue: 'Your recipe is on the fridge now. Ben wants to try it with pears.' },
  { inputtype: 2, inputValue: '[[keys]]Enter' },
];

const SCRIPTS: readonly { readonly name: string; readonly text: string }[] = [
  { name: 'backup.sh', text: '#!/bin/sh\nrsync --archive --delete ~/Pictures /mnt/backup\n' },
  { name: 'lights-off.sh', text: '#!/bin/sh\ncurl --silent http://lamp.home/off\n' },
];

export const AI_ANSWER =
  'This is a made-up answer: the demo has no AI, only a small program that sends these words.\n\n' +
  'With an **OpenAI-compatible server** of your own, answers arrive here word by word, like these:\n\n' +
  '1. Set `AI_BASE_URL` to its address\n2. Set `AI_MODEL` to the name of a model\n3. Restart Pegboard\n';

type Status = 'online' | 'idle' | 'dnd' | 'offline';

/** Presence of a person from `at` on, in seconds since the epoch. */
export interface PresenceChange {
  readonly at: number;
  readonly presence: { readonly both: Status; readonly pc: Status; readonly mobile: Status };
}

/** Creates the presence of a friend who is online in the day and sleeps at night, ordered by time. */
export function createPresence(now: Temporal.ZonedDateTime, days: number): readonly PresenceChange[] {
  const random = createRandom(31);
  const limit = Math.floor(now.epochMilliseconds / 1000);
  const changes: PresenceChange[] = [];
  function add(at: number, pc: Status, mobile: Status): void {
    const both = [pc, mobile].find((status) => status !== 'offline') ?? 'offline';
    changes.push({ at: Math.round(at), presence: { both, pc, mobile } });
  }
  for (let index = days; index >= 0; index -= 1) {
    const date = now.toPlainDate().subtract({ days: index });
    const midnight = date.toZonedDateTime(now.timeZoneId).epochMilliseconds / 1000;
    const isWeekend = date.dayOfWeek > 5;
    const addAbout = (hour: number, pc: Status, mobile: Status): void =>
      add(midnight + (hour + random.fraction() * 0.9) * HOUR_SECONDS, pc, mobile);
    addAbout(isWeekend ? 8.5 : 6.6, 'offline', 'online');
    addAbout(isWeekend ? 10 : 7.8, 'offline', 'idle');
    addAbout(isWeekend ? 11 : 9, 'online', 'offline');
    addAbout(12.2, 'idle', 'online');
    addAbout(13.4, isWeekend ? 'online' : 'dnd', 'offline');
    addAbout(16.2, 'offline', 'online');
    addAbout(18.4, 'offline', 'idle');
    addAbout(19.6, 'online', 'online');
    addAbout(22.2, 'offline', 'offline');
  }
  return changes.filter((change) => change.at < limit);
}

/** An account, and calls as this account. */
export interface Person {
  readonly name: string;
  readonly call: Client;
}

export interface Computer {
  readonly target: string;
  readonly token: string;
}

/** Screen time goes back less far than the calendar, as people pair a computer later. */
const MAX_SCREEN_TIME_DAYS = 180;
const SEGMENTS_PER_REPORT = 1000;
const TIMETABLE_WEEKS = { before: 4, after: 2 };

/** Pairs a computer with the account, as its agent and the page do. */
export async function pairComputer(origin: string, owner: Person, name: string): Promise<Computer> {
  const call = createClient({ origin });
  const { code, secret } = await call(requestpairing, { name, system: 'Debian 13, X11' });
  const { id } = await owner.call(pairdevice, { code });
  const { token } = await call(takepairing, { secret });
  if (token === undefined) throw new Error('the server returned no token for a code that was entered');
  return { target: String(id), token };
}

export async function fillCalendar({ call }: Person, now: Temporal.ZonedDateTime, days: number): Promise<void> {
  for (const data of createCalendarEvents(now.toPlainDate(), days))
    await call(newevent, { data: { ...data, tz: now.timeZoneId } });
  for (const [name, colour] of Object.entries(TAG_COLOURS)) await call(changetag, { name, colour });
}

export async function fillShopping(owner: Person, other: Person, now: Temporal.ZonedDateTime): Promise<void> {
  const timesent = now.epochMilliseconds / 1000;
  for (const { changes, isShared, isArchived } of createShoppingLists()) {
    const { id } = await owner.call(modifyshoplist, { id: NEW_LIST, changes, timesent });
    if (id === undefined) throw new Error('the server created no list');
    if (isShared) {
      await owner.call(shareshoplist, { id, username: other.name });
      await other.call(answershoplist, { id, join: true });
    }
    if (isArchived) await owner.call(archiveshoplist, { id, archived: true });
  }
}

export async function fillTimetable({ call }: Person, now: Temporal.ZonedDateTime): Promise<void> {
  const { before, after } = TIMETABLE_WEEKS;
  for (let offset = -before; offset <= after; offset += 1)
    for (const { date, slots } of createTimetableWeek(now.toPlainDateTime(), offset))
      await call(savespecific, { date, data: slots });
  const week = createTimetableWeek(now.toPlainDateTime(), 1);
  const toSavedDay = ({ date, slots }: (typeof week)[number]) => ({ date, tbbldata: slots });
  await call(savelongtermtbbl, { name: 'School week', data: week.map(toSavedDay) });
  const weekend = week.map((day, index) => (index < 5 ? { ...day, slots: {} } : day));
  await call(savelongtermtbbl, { name: 'School holidays', data: weekend.map(toSavedDay) });
}

/** Reports the usage of a computer, as its agent does. */
export async function fillScreenTime(
  call: Client,
  which: keyof typeof COMPUTERS,
  now: Temporal.ZonedDateTime,
  days: number,
): Promise<void> {
  const segments = createScreenTime(COMPUTERS[which], now, Math.min(days, MAX_SCREEN_TIME_DAYS));
  for (let start = 0; start < segments.length; start += SEGMENTS_PER_REPORT) {
    const part = segments.slice(start, start + SEGMENTS_PER_REPORT);
    await call(reportusage, { boot: 'demo-history', seq: start + 1, segments: part });
  }
}

/** Sorts the applications that were used, and sets goals. */
export async function fillCategoriesAndGoals({ call }: Person, now: Temporal.ZonedDateTime): Promise<void> {
  const { data } = await call(returnapplications, { tz: now.timeZoneId });
  const usedNames = new Set(Object.values(data).flatMap((applications) => applications.map(({ name }) => name)));
  const cats = Object.fromEntries(
    Object.entries(CATEGORIES).map(([category, names]) => [category, names.filter((name) => usedNames.has(name))]),
  );
  const keys = { Media: { up: 'Ctrl+Alt+Up', down: 'Ctrl+Alt+Down', mute: 'Ctrl+Alt+M' } };
  await call(modifyapplicationcatinfo, { keys, cats });
  for (const goal of GOALS.filter(({ target, type }) => type === 'cat' || usedNames.has(target)))
    await call(settimetrackergoal, { ...goal, goalid: '0', deviceid: '-1', daysaffectedtype: '1', tz: now.timeZoneId });
}

export async function fillTexts(origin: string, { call }: Person): Promise<void> {
  for (const inputValue of PASTES) await call(paste, { inputValue });
  for (const content of SCRIPTS) await call(fileupload, { content });
  const callAsVisitor = createClient({ origin });
  for (const { name, text } of VISITORS)
    await callAsVisitor(spmessage, { type: 'toserver', message: name, message2: text });
}

export async function fillMessages({ call }: Person, callAsComputer: Client, target: string): Promise<void> {
  for (const [index, { from, text }] of MESSAGES.entries())
    if (from === 'person')
      await call(sendmessage, { inputtype: 1, inputValue: text, target, timesent: Date.now() / 1000 });
    else await callAsComputer(devicemessage, { inputtype: 1, text, key: `demo-${index}` });
}

/** Types on the connected computer, so that its screen is not empty. */
export async function sendFirstInput({ call }: Person, target: string): Promise<void> {
  for (const [index, input] of SENT_INPUT.entries())
    // The same input with the same time counts once.
    await call(keyboardinput, { content: { ...input, target, timesent: Date.now() / 1000 + index / 1000 } });
}

/** Records a year of presence, as the bot of a chat platform does. Returns the code that shows it. */
export async function fillChatStatus(
  { database }: Pick<ServerContext, 'database'>,
  now: Temporal.ZonedDateTime,
  days: number,
): Promise<string> {
  const random = createRandom(now.epochMilliseconds);
  const code = generateCode((below) => random.between(0, below - 1));
  await database.transaction(async ({ tx }) => {
    const store = createStatusStore(tx);
    const member = await store.insert('demo', 'clara', hashCode(code));
    await store.saveChanges(createPresence(now, days).map((change) => ({ ...change, member })));
  });
  return formatCode(code);
}
