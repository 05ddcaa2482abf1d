import { Client } from 'pg';
import { expect } from 'vitest';
import type { EventDataOf } from '#platform/contract/event.ts';
import { MILK_ITEM, createShoplist, readShoplist, sendChanges, shareWith } from '#testing/kits/planning/planner.ts';
import { testOnBothDatabases, testOnPostgres } from '#testing/kits/server/database.ts';
import { startServer, type TestAccount } from '#testing/kits/server/server.ts';
import { openSocket } from '#testing/kits/server/socket.ts';
import { deleteaccount } from '#tools/accounts/contract.ts';
import { NEW_LIST, getshoplists, shoplistChanges } from '../../contract.ts';
import { toTree, applyWireChanges } from '../domain/listWire.ts';
import { parseLoadedList } from '../domain/replica.ts';

type Event = EventDataOf<typeof shoplistChanges>;
const CONCURRENT_CALLS = 20;

testOnBothDatabases(
  'of twenty concurrent batches none is lost, and each event arrives once, in the order of revisions',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, rateLimits: false });
    const accounts: TestAccount[] = [];
    for (const name of ['anna', 'bob', 'eve']) accounts.push(await server.createAccount(name));
    const [anna, ...others] = accounts;
    if (!anna) throw new Error('nobody');
    const id = await createShoplist(anna);
    for (const other of others) await shareWith(anna, other, id);
    const { ids } = await sendChanges(anna, id, { items: { new1: MILK_ITEM } });
    const milk = ids['new1'] ?? '';
    const start = await readShoplist(anna, id);
    const sockets = await Promise.all(accounts.map(({ token }) => openSocket(server, { token })));
    await using _ = { [Symbol.asyncDispose]: async () => sockets.forEach(({ raw }) => void raw.disconnect()) };

    const path = `items/${milk}/actualquantity`;
    const answers = await Promise.all(
      Array.from({ length: CONCURRENT_CALLS }, async (_unused, index) => {
        const account = accounts[index % accounts.length] ?? anna;
        const mine = { client: `client-number-${index}`, seq: 1, base: start.revision, inc: { [path]: 1 } };
        const changes = { items: { [milk]: { actualquantity: 1 }, newItem: { ...MILK_ITEM, name: `Item ${index}` } } };
        // Each batch is sent twice.
        const [one, other] = await Promise.all([1, 2].map(() => sendChanges(account, id, changes, mine)));
        expect(one).toEqual(other);
        return one;
      }),
    );
    const revisions = answers.map((answer) => answer?.revision ?? 0).toSorted((a, b) => a - b);
    expect(revisions).toEqual(Array.from({ length: CONCURRENT_CALLS }, (_unused, index) => start.revision + index + 1));
    const end = await readShoplist(anna, id);
    expect(end.items[milk]).toMatchObject({ actualquantity: CONCURRENT_CALLS });
    expect(Object.keys(end.items)).toHaveLength(CONCURRENT_CALLS + 1);
    for (const socket of sockets) {
      const events: Event[] = [];
      while (events.length < CONCURRENT_CALLS) events.push(await socket.nextEvent(shoplistChanges));
      expect(events.map(({ revision }) => revision)).toEqual(revisions);
      const seen = events.reduce((list, { changes }) => applyWireChanges(list, changes), parseLoadedList(start).list);
      expect(toTree(seen)).toEqual({ name: end.name, items: end.items, types: end.types, links: end.links });
    }
  },
);

testOnBothDatabases(
  'in one transaction, refused, unauthorized and repeated batches are answered individually',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, rateLimits: false });
    const [anna, eve] = [await server.createAccount('anna'), await server.createAccount('eve')];
    const id = await createShoplist(anna);
    const { revision } = await readShoplist(anna, id);
    const of = (client: string, seq = 1) => ({ client, seq, base: revision });
    const results = await Promise.allSettled([
      sendChanges(anna, id, { items: { new1: MILK_ITEM } }, of('client-number-1')),
      sendChanges(anna, id, { items: { new1: { ...MILK_ITEM, price: 1 } } }, of('client-number-2')),
      sendChanges(eve, id, { name: 'Mine' }, of('client-number-3')),
      sendChanges(anna, id, { items: { new1: MILK_ITEM } }, of('client-number-1')),
      sendChanges(anna, id, { types: { '1': '_REMOVE' } }),
      sendChanges(anna, id, { items: { new2: MILK_ITEM } }, of('client-number-4')),
    ]);
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(await readShoplist(anna, id, 'client-number-2')).toMatchObject({
      name: 'Groceries',
      revision: revision + 2,
      seq: 1,
      refused: "An item has no field 'price'",
    });
    expect(Object.keys((await readShoplist(anna, id)).items)).toHaveLength(2);
  },
);

testOnBothDatabases(
  'a client that sends to two lists concurrently is accepted at one and refused at the other',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, rateLimits: false });
    const anna = await server.createAccount('anna');
    const ids = [await createShoplist(anna), await createShoplist(anna)];
    for (let round = 0; round < 10; round += 1) {
      const mine = (seq: number) => ({ client: `client-number-${round}`, seq, base: 0 });
      const results = await Promise.allSettled(
        ids.map((id, index) => sendChanges(anna, id, { items: { new1: MILK_ITEM } }, mine(index + 1))),
      );
      const refused = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
      expect(refused).toEqual(['Refusal: These changes belong to another list. Reload the page']);
    }
    const lists = await Promise.all(ids.map((id) => readShoplist(anna, id)));
    expect(lists.flatMap(({ items }) => Object.keys(items))).toHaveLength(10);
  },
);

testOnBothDatabases(
  'a batch of an account that is being deleted is accepted or refused, and the list still works',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, rateLimits: false });
    const anna = await server.createAccount('anna');
    const id = await createShoplist(anna);
    for (let round = 0; round < 5; round += 1) {
      const guest = await server.createAccount(`guest${round}`);
      await shareWith(anna, guest, id);
      const [gone, ...sent] = await Promise.allSettled([
        guest.call(deleteaccount, { password: guest.password, username: guest.name }),
        ...[1, 2, 3].map((seq) =>
          sendChanges(guest, id, { items: { new1: MILK_ITEM } }, { client: `client-of-guest-${round}`, seq, base: 0 }),
        ),
        sendChanges(anna, id, { items: { new1: MILK_ITEM } }),
      ]);
      expect(gone?.status).toBe('fulfilled');
      expect(sent.at(-1)?.status).toBe('fulfilled');
    }
    expect(server.log.filter((line) => line.includes('http.request.failed'))).toEqual([]);
    expect(Object.keys((await readShoplist(anna, id)).items).length).toBeGreaterThanOrEqual(5);
  },
);

testOnPostgres('a batch whose account is missing while it is stored is tried again', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, rateLimits: false });
  const anna = await server.createAccount('anna');
  const id = await createShoplist(anna);
  const client = new Client(databaseUrl);
  await client.connect();
  // A sequence advances even if its transaction is rolled back.
  await client.query(`
    create sequence tries;
    create function lose_account() returns trigger language plpgsql as $$
      begin
        if nextval('tries') = 1 then new.account := 0; end if;
        return new;
      end $$;
    create trigger lose_account before insert on shopping_batch for each row execute function lose_account()`);
  await client.end();
  await sendChanges(anna, id, { items: { new1: MILK_ITEM } }, { client: 'client-of-anna', seq: 1, base: 0 });
  expect(Object.keys((await readShoplist(anna, id)).items)).toHaveLength(1);
});

testOnBothDatabases('a refused batch is answered even while later ones are being stored', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, rateLimits: false });
  const anna = await server.createAccount('anna');
  const id = await createShoplist(anna);
  const results: Promise<PromiseSettledResult<unknown>>[] = [];
  for (let at = 0; at < 60; at += 1) {
    const changes = at % 2 === 0 ? { items: { new1: MILK_ITEM } } : { types: { '1': '_REMOVE' } };
    results.push(Promise.allSettled([sendChanges(anna, id, changes)]).then(([only]) => only));
    if (at % 3 === 0) await readShoplist(anna, id);
  }
  const settled = await Promise.all(results);
  expect(settled.map(({ status }) => status)).toEqual(
    settled.map((_, index) => (index % 2 === 0 ? 'fulfilled' : 'rejected')),
  );
});

testOnBothDatabases(
  'a batch that creates a list creates one, however often it is sent concurrently',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, rateLimits: false });
    const anna = await server.createAccount('anna');
    const mine = { client: 'client-of-anna', seq: 1, base: 0 };
    const tree = { name: 'Saturday', items: { new1: MILK_ITEM } };
    const answers = await Promise.all([1, 2, 3, 4].map(() => sendChanges(anna, NEW_LIST, tree, mine)));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect((await anna.call(getshoplists, {})).data.lists).toMatchObject([{ name: 'Saturday' }]);
  },
);

testOnBothDatabases('reading during writes returns a consistent list', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, rateLimits: false });
  const anna = await server.createAccount('anna');
  const id = await createShoplist(anna);
  const mine = { client: 'client-of-anna', base: 2 };
  const start = (await readShoplist(anna, id)).revision;
  const writing = (async () => {
    for (let seq = 1; seq <= 25; seq += 1)
      await sendChanges(anna, id, { items: { [`new${seq}`]: MILK_ITEM } }, { ...mine, seq });
  })();
  let seen = 0;
  while (seen < 25) {
    const { seq, revision, ids, items } = await readShoplist(anna, id, mine.client);
    expect([revision - start, Object.keys(ids).length, Object.keys(items).length]).toEqual([seq, seq, seq]);
    expect(seq).toBeGreaterThanOrEqual(seen);
    seen = seq;
  }
  await writing;
});
