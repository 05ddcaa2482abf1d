import { expect } from 'vitest';
import { DAY_MS } from '#platform/contract/duration.ts';
import type { StartedServerTool } from '#platform/server/tool.ts';
import { MILK_ITEM, createShoplist, readShoplist, sendChanges, shareWith } from '#testing/kits/planning/planner.ts';
import { runDuringTransaction } from '#testing/kits/server/besideTransaction.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { TEST_PASSWORD, startServer } from '#testing/kits/server/server.ts';
import { startServerWithContext } from '#testing/kits/server/serverWithContext.ts';
import { readJsonFromZip, readZip } from '#testing/kits/server/zip.ts';
import { exportaccount } from '#tools/accounts/contract.ts';
import { serverTools } from '../../../../apps/server/tools.ts';
import { deleteshoplist, getshoplists, restoreshoplist, shareshoplist } from '../../contract.ts';
import { createListStore } from './listStore.ts';

/** A server with a manual clock and manual nightly tasks. */
async function startAtNight(databaseUrl: string | undefined) {
  let ahead = 0;
  let parts: StartedServerTool | undefined;
  const tools = serverTools.map((tool) => ({
    ...tool,
    start: (...given: Parameters<typeof tool.start>): StartedServerTool => {
      const started = tool.start(...given);
      if (tool.name === 'shopping') parts = started;
      return started;
    },
  }));
  const now = (): Temporal.Instant => Temporal.Now.instant().add({ milliseconds: ahead });
  const server = await startServer({ databaseUrl, rateLimits: false, tools, now });
  return {
    server,
    /** Advances the clock by this many nights. */
    pass: async (nights: number): Promise<void> => {
      ahead += nights * DAY_MS;
      await parts?.nightly?.();
    },
    /** Advances the clock by a second, so that no two changes have the same time. */
    tick: (): void => {
      ahead += 1000;
    },
    /** Current time in seconds, as in `timesent`. */
    seconds: (): number => now().epochMilliseconds / 1000,
  };
}

testOnBothDatabases(
  'names of own and shared lists are offered, most recent first, until 90 days after they are removed',
  async ({ databaseUrl }) => {
    const { server, pass, seconds, tick } = await startAtNight(databaseUrl);
    await using _ = server;
    const [anna, bob] = [await server.createAccount('anna'), await server.createAccount('bob')];
    const [one, other, bobs] = [await createShoplist(anna), await createShoplist(anna), await createShoplist(bob)];
    await shareWith(bob, anna, bobs);
    async function add(list: number, name: string, account = anna): Promise<string> {
      tick();
      const mine = { client: `client-${name.replaceAll(' ', '-')}`, seq: 1, base: 0 };
      return (await sendChanges(account, list, { items: { newa: { ...MILK_ITEM, name } } }, mine)).ids['newa'] ?? '';
    }
    async function names(): Promise<readonly string[]> {
      const { globalitems } = (await anna.call(getshoplists, {})).data;
      return globalitems.filter(({ from }) => !from.includes(0)).map(({ name, from }) => `${name} ${from.join('+')}`);
    }
    const bread = await add(one, 'Rye-bread');
    await add(other, 'rye-BREAD');
    const tea = await add(bobs, 'Oolong', bob);
    await add(one, 'New item');
    expect(await names()).toEqual([`Oolong ${bobs}`, `rye-BREAD ${one}+${other}`]);
    expect((await readShoplist(anna, one)).globalitems).toEqual((await anna.call(getshoplists, {})).data.globalitems);
    // Ticking an item does not count as use of its name; renaming does.
    await sendChanges(anna, one, { items: { [bread]: { state: 1 } } }, { timesent: seconds() });
    expect((await names())[0]).toBe(`Oolong ${bobs}`);
    tick();
    await sendChanges(anna, one, { items: { [bread]: { name: 'Spelt-bread' } } }, { timesent: seconds() });
    expect(await names()).toEqual([`Spelt-bread ${one}`, `Oolong ${bobs}`, `rye-BREAD ${other}`]);
    // Names of removed items are offered for 90 days.
    await sendChanges(bob, bobs, { items: { [tea]: '_REMOVE' } }, { timesent: seconds() });
    await pass(89);
    expect(await names()).toContain(`Oolong ${bobs}`);
    await pass(2);
    expect(await names()).toEqual([`Spelt-bread ${one}`, `rye-BREAD ${other}`]);
  },
);

testOnBothDatabases(
  'removed things are deleted after 90 days, and a later change of them is corrected',
  async ({ databaseUrl }) => {
    const { server, pass, seconds } = await startAtNight(databaseUrl);
    await using _ = server;
    const anna = await server.createAccount('anna');
    const id = await createShoplist(anna);
    const { ids } = await sendChanges(anna, id, {
      items: { newa: MILK_ITEM, newb: { ...MILK_ITEM, name: 'Tea' } },
      types: { newt: { name: 'Dairy', visualised: false }, newu: { name: 'Hot' } },
      links: { newa: ['newt'], newb: ['newt', 'newu'] },
    });
    const [milk, tea, dairy, hot] = ['newa', 'newb', 'newt', 'newu'].map((sent) => ids[sent] ?? '');
    if (!milk || !tea || !dairy || !hot) throw new Error('not made');
    await sendChanges(anna, id, { items: { [milk]: '_REMOVE' }, types: { [hot]: '_REMOVE' } });
    const before = await readShoplist(anna, id);
    // Within 90 days, a client that had not seen the removal restores the thing completely.
    await pass(80);
    const stale = { client: 'client-of-anna', seq: 1, base: 2 };
    await sendChanges(anna, id, { items: { [milk]: { state: 1 } } }, stale);
    expect((await readShoplist(anna, id)).items[milk]).toEqual({ ...MILK_ITEM, state: 1 });
    await sendChanges(anna, id, { items: { [milk]: '_REMOVE' } }, { timesent: seconds() });
    await pass(95);
    const late = await sendChanges(anna, id, { items: { [milk]: { state: 2 } } }, { timesent: seconds() });
    expect(late.changes).toEqual([[['items', milk], '_REMOVE']]);
    const corrected = { ...stale, seq: 2 };
    expect(await sendChanges(anna, id, { items: { [milk]: { state: 2 } } }, corrected)).toMatchObject({
      changed: false,
    });
    const { revision, globalitems, ...after } = await readShoplist(anna, id);
    expect(revision).toBeGreaterThan(before.revision);
    expect(globalitems[0]?.name).toBe('Tea');
    expect(after).toMatchObject({ items: before.items, types: before.types, links: { [tea]: [dairy] } });
  },
);

testOnBothDatabases(
  'a deleted list can be restored with its content for 30 days, and is exported until then',
  async ({ databaseUrl }) => {
    const { server, pass } = await startAtNight(databaseUrl);
    await using _ = server;
    const [anna, bob] = [await server.createAccount('anna'), await server.createAccount('bob')];
    const [active, gone, bobs] = [
      await createShoplist(anna, 'Kept'),
      await createShoplist(anna),
      await createShoplist(bob),
    ];
    await sendChanges(anna, gone, { items: { newa: MILK_ITEM } });
    await sendChanges(bob, bobs, { items: { newa: { ...MILK_ITEM, name: 'Secret cheese' } } });
    await bob.call(shareshoplist, { id: bobs, username: 'anna' });
    await anna.call(deleteshoplist, { id: gone });
    const { content } = await anna.call(exportaccount, { password: TEST_PASSWORD });
    const files = readZip(new Uint8Array(await content.arrayBuffer()));
    const [path = ''] = [...files.keys()].filter((name) => name.endsWith('shopping.json'));
    const data = readJsonFromZip(files, path);
    expect(data).toMatchObject({
      lists: [
        { id: active, name: 'Kept', isOwn: true, isArchived: false },
        { id: gone, name: 'Groceries', isDeleted: true, items: expect.anything() },
      ],
    });
    expect(JSON.stringify(data)).toContain('Milk');
    // Lists with an open invitation are not exported.
    expect(JSON.stringify(data)).not.toContain('Secret cheese');
    await pass(29);
    await anna.call(restoreshoplist, { id: gone });
    expect(Object.values((await readShoplist(anna, gone)).items)).toEqual([MILK_ITEM]);
    await anna.call(deleteshoplist, { id: gone });
    await pass(31);
    expect((await anna.call(getshoplists, {})).data).toMatchObject({ lists: [{ id: active }], deleted: [] });
    await expect(anna.call(restoreshoplist, { id: gone })).rejects.toThrow('can no longer be restored');
  },
);

testOnBothDatabases(
  'a list that is restored while old deleted lists are removed is not deleted',
  async ({ dataDir, databaseUrl }) => {
    const { server, context } = await startServerWithContext({ dataDir, databaseUrl });
    await using _ = server;
    const anna = await server.createAccount('anna');
    const lists = [await createShoplist(anna), await createShoplist(anna)];
    for (const id of lists) await anna.call(deleteshoplist, { id });
    const { database } = context;
    const [{ account } = { account: 0 }] = await database.db
      .$extendTables<{ shopping_list: { account: number } }>()
      .selectFrom('shopping_list')
      .select('account')
      .execute();
    const store = createListStore(database);
    await runDuringTransaction(database, {
      change: async (tx) => void (await store.setDeleted(tx, lists[0] ?? 0, account, undefined)),
      other: () => database.transaction(({ tx }) => store.removeOldDeleted(tx, account, 1)),
    });
    expect(await readShoplist(anna, lists[0] ?? 0)).toMatchObject({ items: {} });
  },
);
