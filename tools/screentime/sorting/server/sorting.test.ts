import { expect } from 'vitest';
import { deviceHello } from '#platform/contract/device.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer, type TestAccount } from '#testing/kits/server/server.ts';
import { openSocket } from '#testing/kits/server/socket.ts';
import { pairUsageComputer, type UsageComputer } from '#testing/kits/usage/usedComputer.ts';
import { revokedevice } from '#tools/devices/contract.ts';
import {
  applicationcatinfo,
  hotkeysRequest,
  categoriesChanged,
  hotkeyRefusals,
  hotkeysChanged,
  modifyapplicationcatinfo,
  returnapplications,
  runningReport,
  saveusagerules,
  sortapplication,
  usagerules,
} from '../../contract.ts';

const now = () => Temporal.Instant.from('2026-11-21T14:00:00Z');
const NO_KEYS = { up: '', down: '', mute: '' };

const info = async (account: TestAccount) => (await account.call(applicationcatinfo, {})).data;
/** Uses each of them for a minute, one after another. */
async function use({ reportUse }: UsageComputer, from: string, names: readonly string[]): Promise<void> {
  const start = Temporal.Instant.from(from);
  const at = (minutes: number): string => start.add({ minutes }).toString();
  await reportUse(...names.map((name, place) => [name, 'on', at(place), at(place + 1)] as const));
}
const running = async (account: TestAccount, deviceid = '-1') =>
  (await account.call(returnapplications, { tz: 'Europe/Berlin', deviceid })).runningapps;
async function connect(server: { readonly origin: string }, { token }: UsageComputer) {
  const socket = await openSocket(server, { token });
  await socket.request(deviceHello, { version: '1', system: 'x', abilities: {} });
  return socket;
}

testOnBothDatabases(
  'categories and hotkeys are saved atomically, and read as they were saved',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, now });
    const anna = await server.createAccount('anna');
    expect(await info(anna)).toEqual({
      keys: { unassigned: NO_KEYS },
      cats: { unassigned: [] },
      apps: {},
      refused: [],
    });
    const laptop = await pairUsageComputer(server, anna, 'Laptop');
    const long = `"${'👋'.repeat(498)}'`;
    await use(laptop, '2026-11-21T08:00Z', ['firefox', 'total', 'constructor', long]);
    expect((await info(anna)).cats).toEqual({ unassigned: ['firefox', 'total (app)', 'constructor', long] });
    const before = await info(anna);
    expect(Object.values(before.apps).every((rgb) => rgb.every((part) => part >= 0 && part <= 255))).toBe(true);
    expect(Object.keys(before.apps)).toHaveLength(4);

    await using page = await openSocket(server, { token: anna.token });
    const sentSortings = {
      keys: { toString: { ...NO_KEYS, up: 'F9' }, '“web”': NO_KEYS, unassigned: { ...NO_KEYS, down: 'F8' } },
      cats: { toString: ['constructor', long], '“web”': ['firefox'], unassigned: ['total (app)'] },
    };
    await anna.call(modifyapplicationcatinfo, sentSortings);
    await page.nextEvent(categoriesChanged);
    const saved = await info(anna);
    expect(saved).toEqual({ ...before, ...sentSortings });
    expect(Object.keys(saved.cats)).toEqual(['toString', '“web”', 'unassigned']);

    // If any part is invalid, nothing is saved.
    for (const [invalidRequest, sentence] of [
      [{ keys: {}, cats: { web: ['firefox'], play: ['firefox'] } }, '“firefox” is in both “web” and “play”'],
      [{ keys: {}, cats: { web: ['nano'] } }, 'There is no application “nano”'],
      [{ keys: { unassigned: { ...NO_KEYS, up: 'Any' } }, cats: {} }, "There is no key called 'Any'"],
      [{ keys: { web: { ...NO_KEYS, up: 'Ctrl-Alt-F1' } }, cats: { web: [] } }, 'is reserved by the system'],
      [{ keys: {}, cats: { ' ': [] } }, 'Enter a name for the category'],
    ] as const)
      await expect(anna.call(modifyapplicationcatinfo, JSON.parse(JSON.stringify(invalidRequest)))).rejects.toThrow(
        sentence,
      );
    expect(await info(anna)).toEqual(saved);

    // A category is deleted with its keys, and unlisted applications become unassigned. Names of other accounts are
    // unknown.
    await anna.call(modifyapplicationcatinfo, { keys: {}, cats: { '“web”': ['firefox'] } });
    expect(await info(anna)).toMatchObject({
      keys: { '“web”': NO_KEYS },
      cats: { '“web”': ['firefox'], unassigned: ['total (app)', 'constructor', long] },
    });
    const ben = await server.createAccount('ben');
    await expect(ben.call(modifyapplicationcatinfo, { keys: {}, cats: { web: ['firefox'] } })).rejects.toThrow(
      'There is no application “firefox”',
    );
  },
);

testOnBothDatabases('if two tabs save at the same time, one of them wins completely', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  const laptop = await pairUsageComputer(server, anna, 'Laptop');
  const names = Array.from({ length: 20 }, (_, index) => `app ${index}`);
  await use(laptop, '2026-11-21T08:00Z', names);
  const requests = [0, 1, 2, 3].map((shift) => ({
    keys: {},
    cats: {
      [`even ${shift % 2}`]: names.filter((_, index) => index % 2 === shift % 2),
      odd: names.filter((_, index) => index % 2 !== shift % 2),
      unassigned: [],
    },
  }));
  await Promise.all(requests.map((request) => anna.call(modifyapplicationcatinfo, request)));
  const { cats } = await info(anna);
  expect(requests.map((request) => request.cats)).toContainEqual(cats);

  // Applications that are newer than the page stay where they are.
  await anna.call(sortapplication, { application: 'app 0', category: 'made since' });
  await use(laptop, '2026-11-21T10:00Z', ['newcomer']);
  await anna.call(sortapplication, { application: 'newcomer', category: 'made since' });
  const [request = { keys: {}, cats: {} }] = requests;
  const knownRules = { known: names, knownCategories: Object.keys(cats) };
  await anna.call(modifyapplicationcatinfo, { ...request, ...knownRules });
  expect((await info(anna)).cats).toEqual({ ...request.cats, 'made since': ['newcomer'] });
});

testOnBothDatabases('rules sort new applications, and others on request', async ({ databaseUrl }) => {
  await using server = await startServer({ databaseUrl, now });
  const anna = await server.createAccount('anna');
  const laptop = await pairUsageComputer(server, anna, 'Laptop');
  await laptop.reportUse(
    ['Firefox', 'on', '2026-11-21T08:00Z', '2026-11-21T08:10Z'],
    ['xterm', 'on', '2026-11-21T08:10Z', '2026-11-21T09:00Z'],
    ['my own thing', 'on', '2026-11-21T09:00Z', '2026-11-21T12:00Z'],
  );
  await anna.call(modifyapplicationcatinfo, { keys: {}, cats: { browser: [] } });
  // The most used come first, with the account's own name of the category.
  expect((await anna.call(usagerules, {})).suggestions).toEqual([
    { application: 'xterm', category: 'Terminals' },
    { application: 'Firefox', category: 'browser' },
  ]);
  await anna.call(sortapplication, { application: 'xterm', category: 'Terminals' });
  const rules = [
    { pattern: 'FIRE*x', category: 'browser' },
    { pattern: 'own', category: 'unassigned' },
    { pattern: '*', category: 'rest' },
  ];
  expect(await anna.call(saveusagerules, { rules, sortUnassigned: true })).toEqual({ sorted: 1 });
  expect((await anna.call(usagerules, {})).rules).toEqual(rules);
  // A page that has not seen the newest rules can't save.
  const late = { rules: [{ pattern: 'late', category: 'rest' }], sortUnassigned: false };
  await expect(anna.call(saveusagerules, { ...late, known: [] })).rejects.toThrow(
    'changed elsewhere after you opened them',
  );
  expect((await anna.call(usagerules, {})).rules).toEqual(rules);
  expect(await anna.call(saveusagerules, { rules, sortUnassigned: false, known: rules })).toEqual({ sorted: 0 });
  expect((await info(anna)).cats).toEqual({
    browser: ['Firefox'],
    Terminals: ['xterm'],
    rest: [],
    unassigned: ['my own thing'],
  });
  await using page = await openSocket(server, { token: anna.token });
  await use(laptop, '2026-11-21T12:00Z', ['firefox-esr', 'chess', 'owner']);
  await page.nextEvent(categoriesChanged);
  expect((await info(anna)).cats).toMatchObject({
    browser: ['Firefox', 'firefox-esr'],
    rest: ['chess'],
    unassigned: ['my own thing', 'owner'],
  });
  // A rule has no effect while its category is deleted.
  await anna.call(modifyapplicationcatinfo, { keys: {}, cats: { browser: ['Firefox'] } });
  await use(laptop, '2026-11-21T13:00Z', ['go']);
  expect((await info(anna)).cats['unassigned']).toContain('go');
  expect((await anna.call(usagerules, {})).rules).toEqual(rules);

  for (const [invalidRequest, sentence] of [
    [[{ pattern: ' ', category: 'x' }], 'Enter part of a name for the rule'],
    [[{ pattern: 'x', category: ' ' }], 'Enter a name for the category'],
  ] as const)
    await expect(anna.call(saveusagerules, { rules: [...invalidRequest], sortUnassigned: true })).rejects.toThrow(
      sentence,
    );
  await expect(anna.call(sortapplication, { application: 'nano', category: 'x' })).rejects.toThrow('no application');
});

testOnBothDatabases(
  'computers receive hotkeys immediately, and pages receive refused ones',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, now });
    const [anna, ben] = [await server.createAccount('anna'), await server.createAccount('ben')];
    const laptop = await pairUsageComputer(server, anna, 'Laptop');
    const others = await pairUsageComputer(server, ben, 'Box');
    await using agent = await connect(server, laptop);
    await using foreign = await connect(server, others);
    await use(laptop, '2026-11-21T08:00Z', ['total', 'firefox', 'chess']);
    // For the new applications; no category has keys yet.
    expect(await agent.nextEvent(hotkeysChanged)).toEqual({ categories: [] });
    expect(await agent.request(hotkeysRequest, {})).toEqual({ categories: [] });
    const unassigned = { up: '', down: '', mute: 'F8' };
    const keys = { web: { up: 'F9', down: '', mute: 'Ctrl-Alt-M' }, play: NO_KEYS, unassigned };
    await anna.call(modifyapplicationcatinfo, {
      keys,
      cats: { web: ['firefox', 'total (app)'], play: [], unassigned: ['chess'] },
    });
    // With the computer's own names, and without categories that have no keys.
    const expected = {
      categories: [
        { name: 'web', ...keys.web, applications: ['total', 'firefox'] },
        { name: 'unassigned', ...unassigned, applications: ['chess'] },
      ],
    };
    expect(await agent.nextEvent(hotkeysChanged)).toEqual(expected);
    expect(await agent.request(hotkeysRequest, {})).toEqual(expected);
    expect(await foreign.request(hotkeysRequest, {})).toEqual({ categories: [] });

    await using page = await openSocket(server, { token: anna.token });
    const refused = [{ category: 'web', action: 'up' as const, reason: 'F9 is taken by another program' }];
    await agent.request(hotkeyRefusals, { refused });
    await page.nextEvent(categoriesChanged);
    expect((await info(anna)).refused).toEqual([{ device: 'Laptop', ...refused[0] }]);
    expect((await info(ben)).refused).toEqual([]);
    await agent.request(hotkeyRefusals, { refused: [] });
    await page.nextEvent(categoriesChanged);
    expect((await info(anna)).refused).toEqual([]);

    // A new application of the category is sent to the computer too.
    await anna.call(saveusagerules, { rules: [{ pattern: 'chrom', category: 'web' }], sortUnassigned: false });
    await agent.nextEvent(hotkeysChanged);
    await use(laptop, '2026-11-21T09:00Z', ['chromium']);
    expect((await agent.nextEvent(hotkeysChanged)).categories[0]?.applications).toEqual([
      'total',
      'firefox',
      'chromium',
    ]);
  },
);

testOnBothDatabases(
  'open applications are listed while the computer is connected, for its own account',
  async ({ databaseUrl }) => {
    await using server = await startServer({ databaseUrl, now });
    const [anna, ben] = [await server.createAccount('anna'), await server.createAccount('ben')];
    const laptop = await pairUsageComputer(server, anna, 'Laptop');
    const desktop = await pairUsageComputer(server, anna, 'Desktop');
    const others = await pairUsageComputer(server, ben, 'Box');
    await using first = await connect(server, laptop);
    await using second = await connect(server, desktop);
    await using foreign = await connect(server, others);
    await first.request(runningReport, { applications: ['total', 'chess', 'chess'] });
    await second.request(runningReport, { applications: ['xterm', 'chess'] });
    await foreign.request(runningReport, { applications: ['secret'] });
    expect(await running(anna)).toEqual(['chess', 'total (app)', 'xterm']);
    expect(await running(anna, String(desktop.id))).toEqual(['chess', 'xterm']);
    expect(await running(ben)).toEqual(['secret']);
    await first.request(runningReport, { applications: [] });
    expect(await running(anna)).toEqual(['chess', 'xterm']);
    await anna.call(revokedevice, { id: desktop.id });
    expect(await running(anna)).toEqual([]);
  },
);
