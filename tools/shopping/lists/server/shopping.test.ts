import { expect } from 'vitest';
import type { RequestInputOf } from '#platform/contract/call.ts';
import {
  MILK_ITEM,
  createShoplist as make,
  readShoplist as read,
  sendChanges as send,
  shareWith as share,
} from '#testing/kits/planning/planner.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { openSocket } from '#testing/kits/server/socket.ts';
import {
  NEW_LIST,
  answershoplist,
  archiveshoplist,
  copyshoplist,
  deleteshoplist,
  getshoplists,
  leaveshoplist,
  type modifyshoplist,
  restoreshoplist,
  shareshoplist,
  shoplistChanges,
  shoplistmembers,
} from '../../contract.ts';
import { REMOVED } from '../../sync/domain/listWire.ts';

type ModifyRequest = RequestInputOf<typeof modifyshoplist>;

testOnBothDatabases(
  'a plain client creates and fills a list, and gets the ids of what it created',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl });
    const anna = await server.createAccount('anna');
    const id = await make(anna);
    const answer = await send(anna, id, {
      items: { new1: MILK_ITEM },
      types: {
        new2: { name: 'Dairy', colour: ['rgba(40,40,40,1)', 'rgba(0,0,0,1)'], visualised: true, userset: true },
      },
      links: { new1: ['new2'] },
    });
    const [item = '', type = ''] = [answer.ids['new1'], answer.ids['new2']];
    expect(answer.changes).toEqual(
      expect.arrayContaining([
        [['items', 'new1'], REMOVED],
        [['items', item], MILK_ITEM],
        [['links', item], [type]],
      ]),
    );
    expect(await read(anna, id)).toMatchObject({
      name: 'Groceries',
      items: { [item]: MILK_ITEM },
      types: { '1': { name: 'Unsorted', userset: false }, [type]: { name: 'Dairy', userset: true } },
      links: { [item]: [type] },
    });
    const again = await send(anna, id, { items: { new1: { actualquantity: 2 } } });
    expect(again.ids).toEqual({ new1: item });
    await send(anna, id, { items: { [item]: REMOVED } });
    expect(await read(anna, id)).toMatchObject({ items: {}, links: {} });
    const { data } = await anna.call(getshoplists, {});
    expect(data.lists).toEqual([{ id, name: 'Groceries', archived: false, members: 1 }]);
    expect(data.globalitems[0]).toEqual({ name: 'Milk', emoji: '🥛', from: [id] });
  },
);

testOnBothDatabases('suggested names follow each change, whatever characters they contain', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl });
  const anna = await server.createAccount('anna');
  const id = await make(anna);
  const names = async () =>
    (await anna.call(getshoplists, {})).data.globalitems.filter(({ from }) => from[0] !== 0).map(({ name }) => name);
  const { ids } = await send(anna, id, { items: { new1: MILK_ITEM } });
  expect(await names()).toEqual(['Milk']);
  const odd = '"Milk"}\\, ½ l \u2028<b>';
  await send(anna, id, { items: { [ids['new1'] ?? '']: { name: odd } } });
  expect(await names()).toEqual([odd]);
});

testOnBothDatabases('a repeated batch gets the same answer and counts once', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl });
  const anna = await server.createAccount('anna');
  const mine = { client: 'client-of-anna', base: 0 };
  const first = { name: 'Saturday', items: { new1: MILK_ITEM } };
  const made = await send(anna, NEW_LIST, first, { ...mine, seq: 1 });
  expect(await send(anna, NEW_LIST, first, { ...mine, seq: 1 })).toEqual(made);
  const { id = 0, ids } = made;
  const plus = { items: { [ids['new1'] ?? '']: { actualquantity: 1 } } };
  const inc = { [`items/${ids['new1']}/actualquantity`]: 1 };
  const counted = await send(anna, id, plus, { ...mine, seq: 2, inc });
  expect(await send(anna, id, plus, { ...mine, seq: 2, inc })).toEqual(counted);
  expect(Object.values((await read(anna, id)).items)).toMatchObject([{ actualquantity: 1 }]);
  expect((await anna.call(getshoplists, {})).data.lists).toHaveLength(1);
  expect(await read(anna, id, mine.client)).toMatchObject({ seq: 2, ids });
  const refusal = { ...mine, seq: 3 };
  await expect(send(anna, id, { items: { '9x': {} } }, refusal)).rejects.toThrow("'9x' is not the id of a list item");
  await expect(send(anna, id, { name: 'Sunday' }, refusal)).rejects.toThrow("'9x' is not the id of a list item");
  expect(await read(anna, id, mine.client)).toMatchObject({ name: 'Saturday', seq: 3 });
});

testOnBothDatabases('all members of a list see each change live and in order', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl });
  const [anna, bob, eve] = [
    await server.createAccount('anna'),
    await server.createAccount('bob'),
    await server.createAccount('eve'),
  ];
  const id = await make(anna);
  await share(anna, bob, id);
  await using page = await openSocket(server, { token: bob.token });
  await using other = await openSocket(server, { token: eve.token, takes: { shoplistchanges: () => expect.fail() } });
  const { revision } = await read(bob, id);
  await send(anna, id, { items: { new1: MILK_ITEM } }, { client: 'client-of-anna', seq: 1, base: revision });
  const event = await page.nextEvent(shoplistChanges);
  expect(event).toMatchObject({ id, revision: revision + 1, client: 'client-of-anna', seq: 1 });
  expect(event.changes).toEqual([[['items', event.ids['new1']], MILK_ITEM]]);
  await send(bob, id, { name: 'Market' });
  expect(await page.nextEvent(shoplistChanges)).toMatchObject({
    revision: revision + 2,
    changes: [[['name'], 'Market']],
  });
  expect(other.raw.connected).toBe(true);
});

testOnBothDatabases(
  'a list is shared, joined, left and unshared; accounts without access learn nothing about it',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl });
    const [anna, bob, eve] = [
      await server.createAccount('anna'),
      await server.createAccount('bob'),
      await server.createAccount('eve'),
    ];
    const id = await make(anna);
    const gone = 'This list was deleted or is no longer shared with you';
    await expect(read(eve, id)).rejects.toThrow(gone);
    await expect(send(eve, id, { name: 'Mine' })).rejects.toThrow(gone);
    await expect(eve.call(shareshoplist, { id, username: 'bob' })).rejects.toThrow(gone);
    await expect(anna.call(shareshoplist, { id, username: 'nobody' })).rejects.toThrow("no account 'nobody'");
    await expect(anna.call(shareshoplist, { id, username: 'Anna' })).rejects.toThrow('You already own this list');
    await anna.call(shareshoplist, { id, username: 'BOB' });
    await expect(read(bob, id)).rejects.toThrow(gone);
    expect((await bob.call(getshoplists, {})).data.invitations).toEqual([{ id, name: 'Groceries', from: 'anna' }]);
    await bob.call(answershoplist, { id, join: true });
    expect(await anna.call(shoplistmembers, { id })).toMatchObject({
      members: [
        { username: 'anna', owner: true, invited: false },
        { username: 'bob', owner: false, invited: false },
      ],
    });
    expect((await bob.call(getshoplists, {})).data.lists).toMatchObject([{ id, owner: 'anna', members: 2 }]);
    await expect(bob.call(shareshoplist, { id, username: 'eve' })).rejects.toThrow(
      'Only the owner of a list can do that',
    );
    await expect(anna.call(leaveshoplist, { id })).rejects.toThrow('Delete it instead');
    await anna.call(leaveshoplist, { id, username: 'bob' });
    await expect(send(bob, id, { name: 'Still mine' })).rejects.toThrow(gone);
    await anna.call(shareshoplist, { id, username: 'bob' });
    await bob.call(answershoplist, { id, join: false });
    await expect(bob.call(answershoplist, { id, join: true })).rejects.toThrow('This invitation no longer exists');
  },
);

testOnBothDatabases(
  'a list can be archived, copied without what was bought, deleted and restored',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl });
    const [anna, bob] = [await server.createAccount('anna'), await server.createAccount('bob')];
    const id = await make(anna);
    await share(anna, bob, id);
    await send(anna, id, {
      items: { new1: { ...MILK_ITEM, actualquantity: 2 }, new2: { ...MILK_ITEM, name: 'Pie', state: 1 } },
    });
    await bob.call(archiveshoplist, { id, archived: true });
    expect((await bob.call(getshoplists, {})).data.lists).toMatchObject([{ id, archived: true }]);
    expect((await anna.call(getshoplists, {})).data.lists).toMatchObject([{ id, archived: false }]);
    const copy = await bob.call(copyshoplist, { id, name: 'Next week' });
    const { name, items } = await read(bob, copy.id);
    expect([name, Object.values(items).map((item) => [item.name, item.actualquantity, item.state])]).toEqual([
      'Next week',
      [
        ['Milk', 0, 0],
        ['Pie', 0, 3],
      ],
    ]);
    await expect(bob.call(deleteshoplist, { id })).rejects.toThrow('Only the owner');
    await anna.call(deleteshoplist, { id });
    await expect(send(bob, id, { name: 'Late' })).rejects.toThrow('This list was deleted or is no longer shared');
    await anna.call(restoreshoplist, { id });
    expect(await read(bob, id)).toMatchObject({ name: 'Groceries' });
  },
);

testOnBothDatabases('an invalid change is refused with its whole batch', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl });
  const anna = await server.createAccount('anna');
  const id = await make(anna);
  const bad: readonly ModifyRequest['changes'][] = [
    { prices: {} },
    { items: { new1: { ...MILK_ITEM, price: 3 } } },
    { items: { new1: MILK_ITEM, new2: { defaultquantity: -1 } } },
    { items: { new1: MILK_ITEM, new2: { actualquantity: 'many' } } },
    { items: { new1: { defaultquantity: 1e308 } } },
    { items: { new1: { state: 4 } } },
    { types: { '1': REMOVED } },
    { links: { new1: 'new2' } },
    { name: 'x'.repeat(201) },
  ];
  for (const changes of bad) await expect(send(anna, id, changes)).rejects.toThrow();
  expect(await read(anna, id)).toMatchObject({ name: 'Groceries', items: {}, revision: 2 });
  // A clock that is a year ahead does not win indefinitely.
  await send(anna, id, { name: 'Next year' }, { timesent: Date.now() / 1000 + 31_536_000 });
  await send(anna, id, { name: 'Today' });
  expect(await read(anna, id)).toMatchObject({ name: 'Today' });
});
