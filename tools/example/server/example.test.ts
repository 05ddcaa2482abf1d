import { expect } from 'vitest';
import { withExample } from '#testing/kits/example/withExample.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { openSocket } from '#testing/kits/server/socket.ts';
import { addnote, deletenote, listnotes, MAX_NOTES, noteAdded, noteDeleted } from '../contract.ts';

const NOW = Temporal.Instant.from('2026-11-21T12:00:00Z');
const now = () => NOW;

testOnBothDatabases(
  'notes are listed newest first, with the time at which they were added',
  async ({ databaseUrl }) => {
    await using server = await startServer({ ...withExample, databaseUrl, now });
    const anna = await server.createAccount('anna');
    await anna.call(addnote, { text: 'feed the birds' });
    await anna.call(addnote, { text: '  <b>water</b>\nthe plants ' });
    expect(await anna.call(listnotes, {})).toMatchObject({
      notes: [
        { text: '<b>water</b> the plants', created: '2026-11-21T12:00:00Z' },
        { text: 'feed the birds', created: '2026-11-21T12:00:00Z' },
      ],
    });
  },
);

testOnBothDatabases('accounts can neither see nor delete notes of others', async ({ databaseUrl }) => {
  await using server = await startServer({ ...withExample, databaseUrl });
  const anna = await server.createAccount('anna');
  const ben = await server.createAccount('ben');
  const { note } = await anna.call(addnote, { text: 'mine' });
  expect(await ben.call(listnotes, {})).toEqual({ notes: [] });
  await expect(ben.call(deletenote, { id: note.id })).rejects.toThrow('There is no such note');
  await anna.call(deletenote, { id: note.id });
  await expect(anna.call(deletenote, { id: note.id })).rejects.toMatchObject({ code: 'example.not_found' });
});

testOnBothDatabases('all pages of the account get an event for each change', async ({ databaseUrl }) => {
  await using server = await startServer({ ...withExample, databaseUrl });
  const anna = await server.createAccount('anna');
  await using socket = await openSocket(server, { token: anna.token });
  const { note } = await anna.call(addnote, { text: 'call the dentist' });
  expect(await socket.nextEvent(noteAdded)).toEqual({ note });
  await anna.call(deletenote, { id: note.id });
  expect(await socket.nextEvent(noteDeleted)).toEqual({ id: note.id });
});

testOnBothDatabases('an account can have a limited number of notes', async ({ databaseUrl }) => {
  await using server = await startServer({ ...withExample, databaseUrl, rateLimits: false });
  const anna = await server.createAccount('anna');
  for (let index = 0; index < MAX_NOTES; index += 1) await anna.call(addnote, { text: `note ${index}` });
  await expect(anna.call(addnote, { text: 'one more' })).rejects.toMatchObject({ code: 'example.too_many' });
});
