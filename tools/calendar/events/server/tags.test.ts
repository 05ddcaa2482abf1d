import { expect } from 'vitest';
import type { RequestInputOf } from '#platform/contract/call.ts';
import { createClient } from '#platform/contract/client.ts';
import { log } from '#platform/contract/session.ts';
import { onBothDatabases } from '#testing/kits/server/database.ts';
import { startServer, type TestAccount, type TestServer } from '#testing/kits/server/server.ts';
import { openSocket } from '#testing/kits/server/socket.ts';
import {
  calendarChanged,
  changetag,
  deletedevents,
  getevent,
  getevents,
  newevent,
  restoretag,
  settags,
} from '../../contract/events.ts';

type Data = RequestInputOf<typeof newevent>['data'];

const saveEvent = async ({ call }: Pick<TestAccount, 'call'>, data: Partial<Data>) =>
  (await call(newevent, { data: { id: 0, name: 'Dentist', date: '03-12-2026', ...data } })).data;
const read = async ({ call }: Pick<TestAccount, 'call'>, id: number) => (await call(getevent, { id: String(id) })).data;
const getTags = async ({ call }: Pick<TestAccount, 'call'>) => (await call(getevents, {})).tags;
/** Lists the names of a user's own tags, in order. */
const listUserTags = async (account: Pick<TestAccount, 'call'>) =>
  Object.entries(await getTags(account)).flatMap(([name, { removable }]) => (removable === 1 ? [name] : []));

/** Logs the same account in from another browser. */
async function logInElsewhere({ origin, call }: TestServer, { name, password }: TestAccount) {
  const { token } = await call(log, { username: name, password });
  return { call: createClient({ origin, token: () => token }) };
}

onBothDatabases('tags are created by use, with a colour each, in order', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl });
  const anna = await server.createAccount('anna');
  expect(await getTags(anna)).toEqual({
    Repeat: { colour: '#666673', intcolours: 0, removable: 0 },
    Duration: { colour: '#666673', intcolours: 1, removable: 0 },
    Pinned: { colour: '#666673', intcolours: 2, removable: 0 },
    'CLICK TO CHANGE TAG': { colour: '#B7791F', intcolours: 3, removable: 4 },
  });
  await saveEvent(anna, { participants: ['work', ' home ', 'work'] });
  await saveEvent(anna, { participants: ['Work', 'home'] });
  const tags = await getTags(anna);
  expect(await listUserTags(anna)).toEqual(['work', 'home', 'Work']);
  expect([tags['work'], tags['home'], tags['Work']]).toMatchObject([
    { intcolours: 0 },
    { intcolours: 1 },
    { intcolours: 2 },
  ]);
  expect(new Set(['work', 'home', 'Work'].map((name) => tags[name]?.colour)).size).toBe(3);
  const bert = await server.createAccount('bert');
  expect(await listUserTags(bert)).toEqual([]);
});

onBothDatabases('settags deletes tags that this browser has seen and does not name', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl });
  const anna = await server.createAccount('anna');
  const { id } = await saveEvent(anna, { participants: ['work', 'home'], pinned: 'work' });
  const other = await logInElsewhere(server, anna);
  // It has not seen any tag, so it can't delete one.
  await other.call(settags, { tags: [] });
  expect(await listUserTags(anna)).toEqual(['work', 'home']);
  expect(await listUserTags(other)).toEqual(['work', 'home']);
  await saveEvent(anna, { participants: ['new'] });
  await other.call(settags, { tags: ['home', 'unknown', 'Repeat'] });
  expect(await listUserTags(anna)).toEqual(['home', 'new']);
  expect(await read(anna, id)).toMatchObject({ participants: ['home'], pinned: false });
});

onBothDatabases('seen tags survive a restart, and a browser sees its own new tags', async (storage) => {
  const options = { databaseUrl: storage.databaseUrl, dataDir: storage.dataDir };
  let token = '';
  {
    await using server = await startServer(options);
    const anna = await server.createAccount('anna');
    ({ token } = anna);
    await saveEvent(anna, { participants: ['one', 'two'] });
  }
  await using server = await startServer(options);
  const anna = { call: createClient({ origin: server.origin, token: () => token }) };
  await anna.call(settags, { tags: ['two'] });
  expect(await listUserTags(anna)).toEqual(['two']);
});

onBothDatabases('a tag created elsewhere is not deleted by a client that has not seen it', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl });
  const anna = await server.createAccount('anna');
  const other = await logInElsewhere(server, anna);
  await listUserTags(anna);
  await saveEvent(other, { participants: ['elsewhere'] });
  await saveEvent(anna, { participants: ['mine'] });
  await anna.call(settags, { tags: ['mine'] });
  expect(await listUserTags(other)).toEqual(['elsewhere', 'mine']);
});

onBothDatabases('a deleted tag is in the bin, and is restored to its events', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl });
  const anna = await server.createAccount('anna');
  const { id } = await saveEvent(anna, { participants: ['work', 'home'], pinned: 'work' });
  await anna.call(settags, { tags: ['home'] });
  const { tags: binned } = await anna.call(deletedevents, {});
  expect(binned).toMatchObject([{ name: 'work' }]);
  // Saved while the tag is deleted, the event keeps the link.
  await saveEvent(anna, { ...(await read(anna, id)), name: 'Renamed' });
  const { tags } = await anna.call(restoretag, { name: 'work' });
  expect(tags['work']).toMatchObject({ removable: 1, colour: binned[0]?.colour });
  expect((await read(anna, id)).participants).toEqual(expect.arrayContaining(['work', 'home']));
  expect((await anna.call(deletedevents, {})).tags).toEqual([]);
  await expect(anna.call(restoretag, { name: 'work' })).rejects.toThrow('There is no such deleted tag');
});

onBothDatabases('reusing the name of a deleted tag restores it', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl });
  const anna = await server.createAccount('anna');
  const first = await saveEvent(anna, { participants: ['work'] });
  const { colour } = (await getTags(anna))['work'] ?? {};
  await anna.call(settags, { tags: [] });
  expect((await read(anna, first.id)).participants).toEqual([]);
  await saveEvent(anna, { participants: ['work'] });
  expect((await getTags(anna))['work']).toMatchObject({ colour });
  expect((await read(anna, first.id)).participants).toEqual(['work']);
});

onBothDatabases('renaming and recolouring a tag changes its events', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl });
  const anna = await server.createAccount('anna');
  const created = await saveEvent(anna, { participants: ['work', 'home'], pinned: 'work' });
  await using page = await openSocket(server, { token: anna.token });
  const { tags } = await anna.call(changetag, { name: 'work', colour: '#a1b2c3', newname: ' job ' });
  expect(Object.keys(tags)).toEqual(['job', 'home', 'Repeat', 'Duration', 'Pinned', 'CLICK TO CHANGE TAG']);
  expect(tags['job']).toMatchObject({ colour: '#A1B2C3' });
  const event = await read(anna, created.id);
  expect(event).toMatchObject({ participants: ['job', 'home', 'Pinned'], pinned: 'job' });
  // The change is visible on the event, so synchronizing clients must fetch it.
  expect(event.revision).toBeGreaterThan(created.revision);
  expect(await page.nextEvent(calendarChanged)).toEqual({ revision: event.revision });
  // It is no edit of the event: a page with the event open can still save it.
  expect(event.editedon).toBe(created.editedon);
  expect(await saveEvent(anna, { ...created, participants: ['job'], pinned: false })).toMatchObject({
    participants: ['job'],
  });
  await anna.call(changetag, { name: 'job', colour: '#000000' });
});

onBothDatabases('invalid tags are refused', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl });
  const anna = await server.createAccount('anna');
  const bert = await server.createAccount('bert');
  await saveEvent(anna, { participants: ['work', 'home', 'old'] });
  await anna.call(settags, { tags: ['work', 'home'] });
  const refused: readonly (readonly [RequestInputOf<typeof changetag>, string])[] = [
    [{ name: 'nothing', colour: '#000000' }, 'There is no such tag'],
    [{ name: 'old', colour: '#000000' }, 'There is no such tag'],
    [{ name: 'Repeat', colour: '#000000' }, "Built-in tags can't be changed"],
    [{ name: 'work', colour: 'red' }, 'colour: must be written like #3B82C4'],
    [{ name: 'work', newname: 'home' }, 'There is already a tag called home. Choose another name'],
    [{ name: 'work', newname: 'old' }, 'There is already a deleted tag called old'],
    [{ name: 'work', newname: 'Pinned' }, 'Pinned is a built-in tag'],
    [{ name: 'work', newname: 'CLICK TO CHANGE TAG' }, 'is a built-in tag'],
    [{ name: 'work', newname: 'a,b' }, "can't contain a comma"],
    [{ name: 'work', newname: '' }, 'Enter a name for the tag'],
    [{ name: 'work', newname: 'w'.repeat(61) }, 'at most 60 characters'],
  ];
  for (const [request, sentence] of refused)
    await expect(anna.call(changetag, request), sentence).rejects.toThrow(sentence);
  await expect(bert.call(changetag, { name: 'work', newname: 'x' })).rejects.toThrow('There is no such tag');
  await expect(bert.call(restoretag, { name: 'old' })).rejects.toThrow('There is no such deleted tag');
  expect(await listUserTags(anna)).toEqual(['work', 'home']);
});

onBothDatabases('concurrent saves with the same new tag create one tag', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl });
  const anna = await server.createAccount('anna');
  await Promise.all(
    Array.from({ length: 8 }, async (_, at) => saveEvent(anna, { name: `${at}`, participants: ['same'] })),
  );
  expect(await listUserTags(anna)).toEqual(['same']);
});
