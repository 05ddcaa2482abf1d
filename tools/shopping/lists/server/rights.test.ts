import { expect } from 'vitest';
import { MILK_ITEM, createShoplist, readShoplist, sendChanges, shareWith } from '#testing/kits/planning/planner.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { TEST_PASSWORD, startServer, type TestAccount, type TestServer } from '#testing/kits/server/server.ts';
import { openSocket } from '#testing/kits/server/socket.ts';
import { deleteaccount } from '#tools/accounts/contract.ts';
import {
  MAX_INVITATIONS,
  MAX_LISTS,
  NEW_LIST,
  answershoplist,
  archiveshoplist,
  copyshoplist,
  deleteshoplist,
  getshoplists,
  leaveshoplist,
  restoreshoplist,
  shareshoplist,
  shoplistChanges,
  shoplistmembers,
  shoplistsChanged,
} from '../../contract.ts';

const LIST_GONE = 'This list was deleted or is no longer shared with you';
const INVITATION_NOT_FOUND = 'This invitation no longer exists';

const createAccounts = async (server: TestServer) =>
  [await server.createAccount('anna'), await server.createAccount('bob'), await server.createAccount('eve')] as const;

/** Refusal message of each call that takes a list. */
async function listRefusals(account: TestAccount, id: number): Promise<readonly string[]> {
  const calls = [
    readShoplist(account, id, 'client-of-somebody'),
    sendChanges(account, id, { name: 'Mine' }),
    sendChanges(account, id, { items: { new1: MILK_ITEM } }, { client: 'client-of-somebody', seq: 1, base: 0 }),
    sendChanges(account, id, { prices: {} }, { client: 'client-of-somebody', seq: 2, base: 0 }),
    account.call(deleteshoplist, { id }),
    account.call(restoreshoplist, { id }),
    account.call(archiveshoplist, { id, archived: true }),
    account.call(copyshoplist, { id, name: 'Copy' }),
    account.call(shoplistmembers, { id }),
    account.call(shareshoplist, { id, username: 'bob' }),
    account.call(shareshoplist, { id, username: 'nobody' }),
    account.call(leaveshoplist, { id }),
    account.call(leaveshoplist, { id, username: 'anna' }),
    account.call(leaveshoplist, { id, username: 'nobody' }),
  ];
  const results = await Promise.allSettled(calls);
  return results.map((result) => (result.status === 'rejected' ? String(result.reason) : 'taken'));
}

testOnBothDatabases(
  'an account without access gets the same answers for a foreign list and for none',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, rateLimits: false });
    const [anna, , eve] = await createAccounts(server);
    const id = await createShoplist(anna);
    const messages = await listRefusals(eve, id);
    expect(messages).toEqual(await listRefusals(eve, 987_654));
    expect(messages).not.toContain('taken');
    expect(new Set(messages)).toEqual(
      new Set([`Refusal: ${LIST_GONE}`, 'Refusal: This list can no longer be restored']),
    );
    for (const join of [true, false]) {
      await expect(eve.call(answershoplist, { id, join })).rejects.toThrow(INVITATION_NOT_FOUND);
      await expect(eve.call(answershoplist, { id: 987_654, join })).rejects.toThrow(INVITATION_NOT_FOUND);
    }
    expect((await eve.call(getshoplists, {})).data).toMatchObject({ lists: [], invitations: [], deleted: [] });
    await anna.call(deleteshoplist, { id });
    expect(await listRefusals(eve, id)).toEqual(messages);
    expect((await anna.call(getshoplists, {})).data).toMatchObject({ lists: [], deleted: [{ id, name: 'Groceries' }] });
  },
);

testOnBothDatabases(
  'an invited account sees only the name and the inviting account until it joins',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, rateLimits: false });
    const [anna, bob] = await createAccounts(server);
    const id = await createShoplist(anna);
    await sendChanges(anna, id, { items: { new1: { ...MILK_ITEM, name: 'Secret cheese' } } });
    await using page = await openSocket(server, {
      token: bob.token,
      takes: { [shoplistChanges.name]: () => expect.fail() },
    });
    await anna.call(shareshoplist, { id, username: 'bob' });
    await page.nextEvent(shoplistsChanged);
    expect(new Set(await listRefusals(bob, id))).toEqual(
      new Set([`Refusal: ${LIST_GONE}`, 'Refusal: This list can no longer be restored']),
    );
    await sendChanges(anna, id, { items: { new2: MILK_ITEM } });
    const { data } = await bob.call(getshoplists, {});
    expect(data).toMatchObject({ lists: [], invitations: [{ id, name: 'Groceries', from: 'anna' }], deleted: [] });
    expect(JSON.stringify(data)).not.toContain('Secret cheese');
    // The invitation is cancelled and accepted concurrently: the first one wins, the other is refused.
    const [back, joined] = await Promise.allSettled([
      anna.call(leaveshoplist, { id, username: 'bob' }),
      bob.call(answershoplist, { id, join: true }),
    ]);
    expect(back.status).toBe('fulfilled');
    if (joined.status === 'rejected') expect(String(joined.reason)).toContain(INVITATION_NOT_FOUND);
    expect((await anna.call(shoplistmembers, { id })).members).toHaveLength(1);
    await expect(readShoplist(bob, id)).rejects.toThrow(LIST_GONE);
  },
);

testOnBothDatabases('a removed member immediately receives and changes nothing', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, rateLimits: false });
  const [anna, bob, eve] = await createAccounts(server);
  const id = await createShoplist(anna);
  for (const other of [bob, eve]) await shareWith(anna, other, id);
  const events: unknown[] = [];
  await using page = await openSocket(server, {
    token: bob.token,
    takes: { [shoplistChanges.name]: (event: unknown) => void events.push(event) },
  });
  await using witness = await openSocket(server, { token: eve.token });
  await sendChanges(anna, id, { name: 'One' });
  await anna.call(leaveshoplist, { id, username: 'bob' });
  await page.nextEvent(shoplistsChanged); // For the name.
  await page.nextEvent(shoplistsChanged); // For the removal.
  const before = events.length;
  await sendChanges(anna, id, { name: 'Two' });
  await witness.nextEvent(shoplistChanges);
  await witness.nextEvent(shoplistChanges);
  const mine = { client: 'client-of-bob', seq: 1, base: 0 };
  await expect(sendChanges(bob, id, { name: 'Three' }, mine)).rejects.toThrow(LIST_GONE);
  // Events that had been sent to Bob earlier have arrived by now.
  await bob.call(archiveshoplist, { id: await createShoplist(bob), archived: true });
  await page.nextEvent(shoplistsChanged);
  await page.nextEvent(shoplistsChanged);
  expect([before, events.filter((event) => JSON.stringify(event).includes('Two'))]).toEqual([1, []]);
  expect(await readShoplist(anna, id)).toMatchObject({ name: 'Two' });
  // A refusal for missing membership is not stored: invited again, he may send the same batch.
  await shareWith(anna, bob, id);
  expect(await sendChanges(bob, id, { name: 'Three' }, mine)).toMatchObject({ changed: true });
  await bob.call(leaveshoplist, { id, username: 'bob' });
  await expect(bob.call(leaveshoplist, { id })).rejects.toThrow(LIST_GONE);
});

testOnBothDatabases(
  'deleting an account removes its lists for everyone, and its membership in other lists',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, rateLimits: false });
    const [anna, bob, eve] = await createAccounts(server);
    const [annas, bobs] = [await createShoplist(anna, 'Of Anna'), await createShoplist(bob, 'Of Bob')];
    await shareWith(anna, bob, annas);
    await shareWith(bob, eve, bobs);
    await using page = await openSocket(server, { token: eve.token });
    await bob.call(deleteaccount, { username: 'bob', password: TEST_PASSWORD });
    await page.nextEvent(shoplistsChanged);
    expect((await eve.call(getshoplists, {})).data.lists).toEqual([]);
    await expect(sendChanges(eve, bobs, { name: 'Orphan' })).rejects.toThrow(LIST_GONE);
    expect((await anna.call(shoplistmembers, { id: annas })).members).toEqual([
      { username: 'anna', owner: true, invited: false },
    ]);
    await sendChanges(anna, annas, { name: 'Still here' });
    expect(await readShoplist(anna, annas)).toMatchObject({ name: 'Still here' });
    expect(server.log.filter((line) => line.includes('failed'))).toEqual([]);
  },
);

testOnBothDatabases(
  'while a list is deleted, each concurrent change is accepted or refused as a whole',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, rateLimits: false });
    const [anna, bob] = await createAccounts(server);
    const id = await createShoplist(anna);
    await shareWith(anna, bob, id);
    const edits = Array.from({ length: 12 }, (_, index) => async () => {
      if (index === 4) return anna.call(deleteshoplist, { id });
      if (index === 8) return anna.call(restoreshoplist, { id });
      return sendChanges(bob, id, { items: { [`new${index}`]: { ...MILK_ITEM, name: `Item ${index}` } } });
    });
    const results = await Promise.allSettled(edits.map((edit) => edit()));
    // In either order, the list is restored at the end.
    if ((await anna.call(getshoplists, {})).data.deleted.length > 0) await anna.call(restoreshoplist, { id });
    for (const result of results)
      if (result.status === 'rejected')
        expect([`Refusal: ${LIST_GONE}`, 'Refusal: This list can no longer be restored']).toContain(
          String(result.reason),
        );
    const taken = results.flatMap(({ status }, index) =>
      status === 'fulfilled' && index !== 4 && index !== 8 ? [index] : [],
    );
    const { items } = await readShoplist(anna, id);
    expect(
      Object.values(items)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(taken.map((at) => `Item ${at}`).toSorted());
  },
);

testOnBothDatabases('limits also hold for concurrent requests', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, rateLimits: false });
  const [anna, bob] = await createAccounts(server);
  // Concurrent invitations and concurrent answers each count once.
  const id = await createShoplist(anna);
  await Promise.all([1, 2, 3].map(() => anna.call(shareshoplist, { id, username: 'bob' })));
  const answers = await Promise.allSettled([1, 2, 3].map(() => bob.call(answershoplist, { id, join: true })));
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect((await anna.call(shoplistmembers, { id })).members).toHaveLength(2);

  const creations = await Promise.allSettled(
    Array.from({ length: MAX_LISTS + 2 }, (_, index) => sendChanges(anna, NEW_LIST, { name: `List ${index}` })),
  );
  expect(creations.filter(({ status }) => status === 'fulfilled')).toHaveLength(MAX_LISTS - 1);
  const ids = creations.flatMap((result) => (result.status === 'fulfilled' ? [result.value.id ?? 0] : []));
  await expect(anna.call(copyshoplist, { id, name: 'One more' })).rejects.toThrow('You have the maximum of 200 lists');

  const invitations = await Promise.allSettled(
    ids.slice(0, MAX_INVITATIONS + 1).map((listId) => anna.call(shareshoplist, { id: listId, username: 'eve' })),
  );
  expect(invitations.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  // Deleted lists don't count, and their slots are not used twice.
  await anna.call(deleteshoplist, { id: ids[0] ?? 0 });
  await createShoplist(anna);
  await expect(anna.call(restoreshoplist, { id: ids[0] ?? 0 })).rejects.toThrow('You have the maximum of 200 lists');
});
