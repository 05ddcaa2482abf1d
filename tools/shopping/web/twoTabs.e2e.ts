import { describe, expect, test } from 'vitest';
import { atPlanner, itemsOf, makeList, moreOf, startLine, untilAmount, untilSaid } from '#testing/offlinePlanner.ts';
import { serveSite } from '#testing/site.ts';

const site = serveSite({ rateLimits: false });

describe.skipIf(site.lack)(`two tabs of one browser (${site.lack ?? 'in Chromium'})`, () => {
  test('show each other’s changes with no line, and what both kept arrives once, also where one was closed', async () => {
    const person = await site.server.account('owner');
    const list = await makeList(person, 'Shared by tabs');
    const line = await startLine(site);
    const path = `/shopplanner?list=${list}`;
    const one = await atPlanner(site, person, line.origin, { path, keepsSite: false });
    const other = await one.context().newPage();
    await other.goto(path);
    for (const tab of [one, other]) {
      await untilAmount(tab, 'Milk', '0/50');
      await untilSaid(tab, 'Saved');
    }
    line.setDown(true);
    await moreOf(one, 'Milk').click();
    await untilAmount(other, 'Milk', '1/50');
    await moreOf(other, 'Milk').click();
    await untilAmount(one, 'Milk', '2/50');
    await moreOf(one, 'Milk').click();
    await moreOf(other, 'Milk').click();
    for (const tab of [one, other]) await untilAmount(tab, 'Milk', '4/50');
    await other.close();
    line.setDown(false);
    await untilSaid(one, 'Saved');
    await expect.poll(async () => (await itemsOf(person, list))['Milk']?.actualquantity).toBe(4);
    await untilAmount(one, 'Milk', '4/50');
  });

  test('press at once, and every press counts', async () => {
    const person = await site.server.account('second');
    const list = await makeList(person, 'At once');
    const path = `/shopplanner?list=${list}`;
    const one = await atPlanner(site, person, site.server.origin, { path, keepsSite: false });
    const other = await one.context().newPage();
    await other.goto(path);
    for (const tab of [one, other]) await untilSaid(tab, 'Saved');
    for (let press = 0; press < 10; press += 1)
      await Promise.all([one, other].map((tab) => moreOf(tab, 'Milk').dispatchEvent('click')));
    await expect.poll(async () => (await itemsOf(person, list))['Milk']?.actualquantity).toBe(20);
    for (const tab of [one, other]) await untilAmount(tab, 'Milk', '20/50');
  });
});
