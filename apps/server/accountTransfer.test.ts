import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { createZip, type ZipEntry } from '#platform/server/storage/accountExport.ts';
import type { ServerContext } from '#platform/server/tool.ts';
import { createNoise, createSongRow } from '#testing/kits/media/songs.ts';
import { createShoplist, MILK_ITEM, sendChanges } from '#testing/kits/planning/planner.ts';
import { exportZip, importZip } from '#testing/kits/server/accountTransfer.ts';
import { testOnPostgres } from '#testing/kits/server/database.ts';
import { TEST_PASSWORD, type TestAccount, type TestServer } from '#testing/kits/server/server.ts';
import { startServerWithContext } from '#testing/kits/server/serverWithContext.ts';
import { readJsonFromZip, readZip } from '#testing/kits/server/zip.ts';
import { startReporter } from '#testing/kits/usage/reports.ts';
import { deleteaccount } from '#tools/accounts/contract.ts';
import { deleteevent, newevent } from '#tools/calendar/contract/events.ts';
import { importevents } from '#tools/calendar/contract/exchange.ts';
import { getPicturePath, getVideoPath } from '#tools/gallery/domain/recording.ts';
import { createGalleryStore } from '#tools/gallery/server/galleryStore.ts';
import { createMessageStore } from '#tools/messages/server/messageStore.ts';
import { getPicturePath as getCoverPath, getSongPath } from '#tools/music/library/server/files/songFiles.ts';
import { createLibrary } from '#tools/music/library/server/library.ts';
import { createMusicStore } from '#tools/music/library/server/store/musicStore.ts';
import { paste } from '#tools/paste/contract.ts';
import { fileupload } from '#tools/remote/contract.ts';
import { modifyapplicationcatinfo, saveusagerules, settimetrackergoal } from '#tools/screentime/contract.ts';
import { deleteshoplist } from '#tools/shopping/contract.ts';
import { savelongtermtbbl, savespecific } from '#tools/timetable/contract.ts';

const NOW = Temporal.Instant.from('2026-11-21T12:00:00Z');

const CALENDAR = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//Another program//EN',
  'BEGIN:VEVENT',
  'UID:choir@example.org',
  'DTSTAMP:20260101T000000Z',
  'SUMMARY:Choir',
  'DESCRIPTION:Bring water\\nand tea',
  'DTSTART;TZID=America/New_York:20260105T190000',
  'DTEND;TZID=America/New_York:20260105T210000',
  'RRULE:FREQ=WEEKLY;COUNT=20',
  'EXDATE;TZID=America/New_York:20260119T190000',
  'CATEGORIES:Music',
  'BEGIN:VALARM',
  'ACTION:DISPLAY',
  'TRIGGER:-PT30M',
  'DESCRIPTION:Choir',
  'END:VALARM',
  'END:VEVENT',
  'BEGIN:VEVENT',
  'UID:choir@example.org',
  'DTSTAMP:20260101T000000Z',
  'RECURRENCE-ID;TZID=America/New_York:20260112T190000',
  'SUMMARY:Choir in another room',
  'DTSTART;TZID=America/New_York:20260112T200000',
  'DTEND;TZID=America/New_York:20260112T213000',
  'END:VEVENT',
  'BEGIN:VEVENT',
  'UID:payday@example.org',
  'DTSTAMP:20260101T000000Z',
  'SUMMARY:Payday 💶',
  'DTSTART;VALUE=DATE:20260130',
  'RRULE:FREQ=MONTHLY;BYDAY=-1FR;COUNT=10',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n');

const createSlot = (name: string) => ({
  name,
  start: '22:00',
  end: '24:00',
  description: `About ${name}`,
  colour: [1, 2, 3],
  state: 'Done',
});

async function fillPlans(account: TestAccount): Promise<void> {
  await account.call(importevents, { text: CALENDAR });
  const event = { id: 0, date: '24-11-2026', participants: ['Family', 'Music'], pinned: 'Family' };
  await account.call(newevent, {
    data: { ...event, name: 'Trip', style: 'duration', duration: 3, durationtype: 'days' },
  });
  const { data } = await account.call(newevent, { data: { ...event, name: 'Deleted' } });
  await account.call(deleteevent, { id: data.id });

  const list = await createShoplist(account);
  await sendChanges(account, list, {
    types: { newT: { name: 'Dairy', colour: ['#aabbcc', '#112233'], visualised: true, order: -5 } },
    items: { newA: MILK_ITEM, newB: { ...MILK_ITEM, name: 'Tea', emoji: '🍵', state: 1 } },
    links: { newA: ['newT'] },
  });
  await account.call(deleteshoplist, { id: await createShoplist(account, 'Old list') });

  const slots = { a: createSlot('Run'), b: { ...createSlot('Read'), start: '09:00', end: '09:30' } };
  await account.call(savespecific, { date: '2026-11-23', data: slots });
  const week = { name: 'Training', data: [{ date: '2026-11-23', tbbldata: { a: createSlot('Run') } }] };
  await account.call(savelongtermtbbl, week);
  await account.call(savelongtermtbbl, { ...week, name: 'Newer' });
}

const at = (clock: string) => Date.parse(`2026-11-20T${clock}Z`);

async function fillUsage(server: TestServer, account: TestAccount): Promise<void> {
  const { report } = await startReporter(server, account);
  await report(1, [
    { app: 'Firefox', status: 'on', from: at('10:00:00'), until: at('10:05:00'), title: 'News' },
    { app: 'Firefox', status: 'on', from: at('10:05:00'), until: at('10:10:00'), title: 'Mail' },
    { app: 'total', status: 'on', from: at('10:10:00'), until: at('10:20:00') },
    { app: 'Player', status: 's', from: at('10:00:00'), until: at('11:00:00') },
  ]);
  const keys = { Web: { up: 'Ctrl-Alt-M', down: '', mute: '' } };
  await account.call(modifyapplicationcatinfo, { keys, cats: { Web: ['Firefox'], Music: [] } });
  await account.call(saveusagerules, { rules: [{ pattern: 'fire', category: 'Web' }], sortUnassigned: false });
  const goal = { goalid: '0', target: 'Web', type: 'cat', goalseconds: '3600', deviceid: '-1', daysaffected: '7' };
  await account.call(settimetrackergoal, { ...goal, daysaffectedtype: '1', goaltype: '0', tz: 'Europe/Berlin' });
}

async function writeFiles({ files }: ServerContext, contents: Readonly<Record<string, Buffer>>): Promise<void> {
  for (const [name, content] of Object.entries(contents)) {
    const path = files.getPath(name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
}

async function fillMedia(context: ServerContext, account: number): Promise<void> {
  const { database } = context;
  const store = createMusicStore(database);
  const library = createLibrary(context, store);
  const songs = [1, 2, 3].map((number) => ({ ...createSongRow(number), size: 100 * number, hasPicture: number === 1 }));
  await database.transaction(async (work) => {
    for (const song of songs) await library.addSong(work, account, song);
    const ids = [songs[2]?.id ?? 0, songs[0]?.id ?? 0];
    await library.createPlaylist(work, account, { title: 'Evening', songs: ids });
    await store.songs.countPlay(work.tx, account, songs[0]?.id ?? 0, NOW.epochMilliseconds - 5000);
    await store.songs.rate(work.tx, account, songs[1]?.id ?? 0, 4);
    await store.songs.setMissing(work.tx, account, [songs[2]?.id ?? 0], true);
  });
  const webp = Buffer.concat([Buffer.from('RIFF____WEBP'), createNoise(9, 50)]);
  await writeFiles(context, { [getCoverPath(songs[0]?.id ?? 0)]: webp });
  for (const song of songs.slice(0, 2))
    await writeFiles(context, { [getSongPath(song)]: createNoise(song.size, song.size) });

  const gallery = createGalleryStore(database);
  const file = 'abcdefghijklmnopqrstuv';
  const webm = Buffer.concat([Buffer.from([0x1a, 0x45, 0xdf, 0xa3]), createNoise(7, 500)]);
  const png = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), createNoise(8, 50)]);
  await writeFiles(context, { [getVideoPath(file)]: webm, [getPicturePath(file)]: png });
  await database.transaction(async ({ tx }) => {
    const video = { account, file, title: 'Goal!', start: 1_795_000_000.5, duration: 12.25, width: 640, height: 360 };
    await gallery.insert(tx, { ...video, bytes: webm.length, isPublic: true, isCut: true });
  });
}

/** Fills an account with something of every kind that an import carries over. */
async function fillAccount(server: TestServer, context: ServerContext, account: TestAccount): Promise<void> {
  const id = (await context.identity.findAccountByName(account.name))?.id ?? 0;
  await context.identity.resolveZone(id, 'Europe/Berlin');
  await fillPlans(account);
  await fillUsage(server, account);
  await fillMedia(context, id);
  await account.call(paste, { inputValue: 'a text\0 with 👋' });
  await account.call(paste, { inputValue: 'abc_-', encrypted: true, burn: true, keyproof: 'proof' });
  await account.call(fileupload, { content: { name: 'hello.sh', text: 'echo hello' } });
  const [device] = await context.devices.list(id);
  const message = { account: id, device: device?.id ?? 0, sender: 'device', type: 1, timesent: 1.5 } as const;
  await createMessageStore(context.database).insert({ ...message, from: undefined, text: 'done' }, 'key', 1500);
}

/** Fields with ids and file names, which are new in the other account. */
const ID_FIELDS = new Set(['id', 'device', 'from', 'goal', 'changedDayOf', 'file', 'songs', 'queue']);
/** What the account of the other server has on its own. */
const OWN_TOOLS = new Set(['manifest', 'accounts', 'devices']);

/**
 * Returns an export in a form that is equal for equal data: ids become numbers in the order of their appearance, and
 * files are listed by their content.
 */
function normalizeExport(zip: Buffer): Readonly<Record<string, unknown>> {
  const files = readZip(zip);
  const normalized: Record<string, unknown> = {};
  const contents: string[] = [];
  for (const [path, bytes] of files) {
    const tool = /^([a-z]+)\.json$/.exec(path)?.[1];
    if (tool === undefined) {
      if (path !== 'README.txt')
        contents.push(`${path.replaceAll(/[\w-]+\./g, '.')} ${createHash('sha256').update(bytes).digest('hex')}`);
      continue;
    }
    if (OWN_TOOLS.has(tool)) continue;
    const numbers = new Map<unknown, number>();
    const toNumber = (id: unknown): number => {
      if (!numbers.has(id)) numbers.set(id, numbers.size);
      return numbers.get(id) ?? 0;
    };
    const normalize = (value: unknown, key: string): unknown => {
      if (Array.isArray(value)) return value.map((item) => normalize(item, key));
      if (typeof value === 'object' && value !== null)
        return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, normalize(field, name)]));
      const isId = ID_FIELDS.has(key) && (typeof value === 'number' || key === 'file');
      return isId ? toNumber(value) : value;
    };
    normalized[tool] = normalize(readJsonFromZip(files, path), '');
  }
  return { ...normalized, files: contents.toSorted() };
}

/** Fields that exports of the first format did not have. */
const NEW_FIELDS: Readonly<Record<string, readonly string[]>> = {
  accounts: ['timeZone'],
  remote: ['retention', 'changed'],
  messages: ['devices', 'retention', 'received'],
  paste: ['keyProof'],
  calendar: ['source', 'reminders'],
  music: ['siteId', 'written'],
  gallery: ['seconds', 'width', 'height', 'cutOff', 'publishesNew'],
  screentime: ['hostname'],
};

/** Converts an export to the first format. */
async function toFirstFormat(zip: Buffer): Promise<Buffer> {
  const files = readZip(zip);
  async function* listEntries(): AsyncGenerator<ZipEntry> {
    for (const [path, bytes] of files) {
      if (path === 'manifest.json' || /\.(?:png|webp)$/.test(path)) continue;
      const newFields = NEW_FIELDS[path.replace('.json', '')] ?? [];
      const content = path.endsWith('.json')
        ? JSON.stringify(readJsonFromZip(files, path), (key, value: unknown) =>
            newFields.includes(key) ? undefined : value,
          )
        : bytes;
      yield { path, content: toChunks(content) };
    }
  }
  return collectBytes(createZip(listEntries(), NOW));
}
async function* toChunks(content: string | Buffer): AsyncGenerator<string | Uint8Array> {
  yield content;
}
async function collectBytes(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

test('an export of the first format is imported too', async () => {
  const { server, context } = await startServerWithContext({ now: () => NOW });
  await using disposable = server;
  const anna = await disposable.createAccount('anna');
  await fillAccount(server, context, anna);
  const bob = await server.createAccount('bob');
  const report = await importZip(bob, await toFirstFormat(await exportZip(anna)));
  const statuses = report.parts?.map(({ tool, status, problems }) => [
    tool,
    status,
    ...problems.slice(0, status === 'failed' ? 1 : 0),
  ]);
  expect(statuses).toEqual(
    [
      'accounts',
      'remote',
      'messages',
      'paste',
      'calendar',
      'shopping',
      'timetable',
      'screentime',
      'music',
      'gallery',
      'devices',
    ].map((tool) => [tool, tool === 'devices' ? 'unsupported' : 'imported']),
  );
});

testOnPostgres(
  'an export that is imported on another server, and from there on the first one, is the same',
  async ({ databaseUrl, dataDir }) => {
    const first = await startServerWithContext({ now: () => NOW });
    await using firstServer = first.server;
    const second = await startServerWithContext({ now: () => NOW, databaseUrl, dataDir });
    await using secondServer = second.server;
    await firstServer.createAccount('owner');
    const anna = await firstServer.createAccount('anna');
    await fillAccount(firstServer, first.context, anna);
    await secondServer.createAccount('somebody else');
    const moved = await secondServer.createAccount('anna on postgres');
    const returned = await firstServer.createAccount('anna again');

    const zip = await exportZip(anna);
    const expected = normalizeExport(zip);
    const report = await importZip(moved, zip);
    expect(report.parts?.filter(({ status }) => status === 'failed')).toEqual([]);
    const movedZip = await exportZip(moved);
    expect(normalizeExport(movedZip)).toEqual(expected);
    // Its pastes have their codes on this server.
    await anna.call(deleteaccount, { password: TEST_PASSWORD, username: 'anna' });
    await importZip(returned, movedZip);
    expect(normalizeExport(await exportZip(returned))).toEqual(expected);

    // Nothing changes if the zip is imported again, also for the account that it came from.
    const again = await importZip(moved, zip);
    expect(new Set(again.parts?.map(({ status }) => status))).toEqual(new Set(['imported', 'skipped', 'unsupported']));
    expect(normalizeExport(await exportZip(moved))).toEqual(expected);
    expect(await second.context.devices.list(1)).toEqual([]);
  },
);
