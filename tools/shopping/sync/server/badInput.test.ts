import { expect } from 'vitest';
import { MILK_ITEM, createShoplist, readShoplist, sendChanges } from '#testing/kits/planning/planner.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer, type TestAccount, type TestServer } from '#testing/kits/server/server.ts';
import { getshoplists } from '../../contract.ts';

/** Sends a raw body and returns the response. */
async function post(server: TestServer, account: TestAccount, body: string) {
  const response = await fetch(`${server.origin}/api/modifyshoplist`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${account.token}` },
    body,
  });
  return { status: response.status, answer: (await response.json()) as { readonly message: string } };
}

const createNestedBody = (depth: number): string => `${'{"items":'.repeat(depth)}1${'}'.repeat(depth)}`;
const createItemBody = (fields: string): string => `{"items":{"new1":${fields}}}`;
const createLargeBody = (count: number): string =>
  JSON.stringify({
    items: Object.fromEntries(Array.from({ length: count }, (_, index) => [`new${index}`, { state: 1 }])),
  });

/** Bodies of `changes` that our page never sends. */
const INVALID_BODIES: readonly string[] = [
  '[]',
  'null',
  '"items"',
  '{"prices":{}}',
  '{"items":{"2":{"price":3}}}',
  '{"items":[]}',
  '{"items":{"2":null}}',
  '{"items":{"2":"remove"}}',
  '{"items":{"-1":{"name":"x"}}}',
  '{"items":{"01":{"name":"x"}}}',
  '{"items":{"2e3":{"name":"x"}}}',
  '{"items":{"99999999999999999999":{"name":"x"}}}',
  '{"items":{"":{"name":"x"}}}',
  '{"items":{"2/name":"x"}}',
  '{"__proto__":{"name":"x"}}',
  '{"items":{"__proto__":{"name":"x"}}}',
  '{"items":{"constructor":{"name":"x"}}}',
  '{"items":{"new1":{"constructor":{"prototype":{"name":"x"}}}}}',
  '{"items":{"new1":{"toString":1}}}',
  '{"types":{"hasOwnProperty":{"name":"x"}}}',
  '{"constructor":1}',
  '{"toString":1}',
  createNestedBody(40),
  createNestedBody(1000),
  createItemBody('{"defaultquantity":"many"}'),
  createItemBody('{"defaultquantity":"1e3"}'),
  createItemBody('{"defaultquantity":-1}'),
  createItemBody('{"defaultquantity":1.5}'),
  createItemBody('{"defaultquantity":1e308}'),
  createItemBody('{"defaultquantity":1000001}'),
  createItemBody('{"actualquantity":null}'),
  createItemBody('{"actualquantity":true}'),
  createItemBody('{"state":4}'),
  createItemBody('{"state":-1}'),
  createItemBody('{"name":null}'),
  createItemBody('{"name":["x"]}'),
  createItemBody('{"name":"nothing\\u0000here"}'),
  createItemBody(`{"name":"${'x'.repeat(201)}"}`),
  createItemBody(`{"emoji":"${'x'.repeat(17)}"}`),
  '{"name":7e999}',
  '{"name":{}}',
  '{"types":{"1":"_REMOVE"}}',
  '{"types":{"new1":{"colour":"red"}}}',
  '{"types":{"new1":{"colour":["red"]}}}',
  '{"types":{"new1":{"colour":["red","url(javascript:alert(1))"]}}}'.replace('javascript:', 'a:b'),
  '{"types":{"new1":{"visualised":1}}}',
  '{"types":{"new1":{"order":null}}}',
  '{"types":{"new1":{"order":1e300}}}',
  '{"links":{"new1":"new2"}}',
  '{"links":{"new1":[1.5]}}',
  '{"links":{"new1":{"__proto__":[]}}}',
  '{"links":{"new1":["__proto__"]}}',
  createLargeBody(4001),
];

const FIELDS: readonly string[] = [
  '"timesent":null',
  '"timesent":"1"',
  '"timesent":1e999',
  '"timesent":1,"seq":0,"client":"client-of-anna"',
  '"timesent":1,"seq":1.5,"client":"client-of-anna"',
  '"timesent":1,"seq":9007199254740992,"client":"client-of-anna"',
  '"timesent":1,"seq":1,"client":"short"',
  '"timesent":1,"seq":1,"client":"with a space here"',
  '"timesent":1,"seq":1,"client":"nothing\\u0000here"',
  '"timesent":1,"seq":1,"client":"client-of-anna","base":-1',
  '"timesent":1,"seq":1,"client":"client-of-anna","inc":{"name":"1"}',
  '"timesent":1,"seq":1,"client":"client-of-anna","inc":{"name":1e300}',
  '"timesent":1,"seq":1,"client":"client-of-anna","age":{"name":null}',
  '"timesent":1,"seq":1,"client":"client-of-anna","age":{"__proto__":1}',
  '"timesent":1,"seq":1,"client":"client-of-anna","linked":{"2/1":"yes"}',
];

testOnBothDatabases('an invalid batch is refused with a message and changes nothing', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, rateLimits: false });
  const anna = await server.createAccount('anna');
  const id = await createShoplist(anna);
  const before = await readShoplist(anna, id);
  const bodies = [
    ...INVALID_BODIES.map((changes) => `{"id":${id},"timesent":1,"changes":${changes}}`),
    ...INVALID_BODIES.map(
      (changes, index) => `{"id":${id},"timesent":1,"client":"client-number-${index}","seq":1,"changes":${changes}}`,
    ),
    ...FIELDS.map((fields) => `{"id":${id},"changes":{"name":"Other"},${fields}}`),
    ...['0', '-2', '1.5', '"1"', 'null', '1e300'].map((odd) => `{"id":${odd},"timesent":1,"changes":{"name":"Other"}}`),
  ];
  for (const body of bodies) {
    const { status, answer } = await post(server, anna, body);
    expect([200, 400], body.slice(0, 200)).toContain(status);
    expect(answer.message, body.slice(0, 200)).not.toBe('ok');
    expect(answer.message.length).toBeLessThan(400);
  }
  for (const changes of INVALID_BODIES) await post(server, anna, `{"id":-1,"timesent":1,"changes":${changes}}`);
  expect(await readShoplist(anna, id)).toEqual(before);
  expect((await anna.call(getshoplists, {})).data.lists).toHaveLength(1);
  expect(server.log.filter((line) => line.includes('failed'))).toEqual([]);
});

testOnBothDatabases('unusual but valid batches are applied, and nothing beyond them', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, rateLimits: false });
  const anna = await server.createAccount('anna');
  const [id, other] = [await createShoplist(anna), await createShoplist(anna, 'Other')];
  // Quantities as text, a name of digits as a number; a lone surrogate is returned unchanged.
  const odd = { ...MILK_ITEM, name: 7, emoji: '\ud83e', defaultquantity: '12', actualquantity: '3' };
  const { ids } = await sendChanges(anna, id, { items: { new1: odd } });
  const own = ids['new1'] ?? '';
  const stored = await readShoplist(anna, id);
  expect(stored.items[own]).toEqual({ name: '7', emoji: '\ud83e', defaultquantity: 12, actualquantity: 3, state: 0 });
  // Ids of another list, or unknown ones, are corrected to removals.
  const elsewhere = await sendChanges(anna, other, {
    items: { [own]: { name: 'Foreign' }, '999999': { state: 1 } },
    links: { [own]: ['1'] },
  });
  expect(elsewhere.changes).toEqual(
    expect.arrayContaining([
      [['items', own], '_REMOVE'],
      [['items', '999999'], '_REMOVE'],
    ]),
  );
  expect(await readShoplist(anna, other)).toMatchObject({ items: {}, links: {} });
  // Differences, ages and links of things that the batch does not change are ignored.
  const foreign = {
    client: 'client-of-anna',
    seq: 2 ** 53 - 1,
    base: 2 ** 53 - 1,
    inc: { [`items/${own}/name`]: 5, 'items/999/actualquantity': 5, constructor: 5, 'no/such': 5 },
    linked: { '999/1': true, x: false, [`${own}/1`]: true },
    age: { 'items/999/name': 1e308, name: -1e308, constructor: 1, hasOwnProperty: 2 },
  };
  await sendChanges(anna, id, { name: 'Mine' }, foreign);
  expect(await readShoplist(anna, id)).toMatchObject({ name: 'Mine', items: stored.items, links: stored.links });
  // The same number with other changes is the same batch.
  await sendChanges(anna, id, { name: 'Never' }, foreign);
  expect(await readShoplist(anna, id, 'client-of-anna')).toMatchObject({ name: 'Mine', seq: 2 ** 53 - 1 });
  // A client's numbers belong to one list.
  await expect(sendChanges(anna, other, { name: 'Mixed up' }, foreign)).rejects.toThrow('another list');
  expect(server.log.filter((line) => line.includes('failed'))).toEqual([]);
});

testOnBothDatabases('a wrong clock, by any amount, neither wins nor loses indefinitely', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, rateLimits: false });
  const anna = await server.createAccount('anna');
  const id = await createShoplist(anna);
  const now = Date.now() / 1000;
  const year = 31_536_000;
  for (const timesent of [now + year, now - year, 1e300, -1e300, 0, Number.MAX_VALUE]) {
    await sendChanges(anna, id, { name: 'A wrong clock' }, { timesent });
    await sendChanges(anna, id, { name: 'A right one' });
    expect(await readShoplist(anna, id)).toMatchObject({ name: 'A right one' });
  }
  for (const [at, age] of [year * 1000, -year * 1000, 1e308, -1e308].entries()) {
    const { revision } = await readShoplist(anna, id);
    const mine = { client: 'client-of-anna', seq: at + 1, base: revision, age: { name: age } };
    await sendChanges(anna, id, { name: `Wrong by ${age}` }, mine);
    // It had seen the list, so the clock does not matter.
    expect(await readShoplist(anna, id)).toMatchObject({ name: `Wrong by ${age}` });
    await sendChanges(anna, id, { name: 'A right one' });
    expect(await readShoplist(anna, id)).toMatchObject({ name: 'A right one' });
  }
  expect(server.log.filter((line) => line.includes('failed'))).toEqual([]);
});
