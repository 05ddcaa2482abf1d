import { describe, expect, test } from 'vitest';
import { makeClient } from '#platform/contract/client.ts';
import { requestpairing } from '#tools/devices/contract.ts';
import { pages } from '../../apps/server/pages.ts';
import { echoes, startAiServer } from '../aiServer.ts';
import { eventually } from '../desktop.ts';
import { startDevice, type TestDevice } from '../device.ts';
import { lacks } from '../machine.ts';
import { levelOf, room } from '../mixer.ts';
import { startServer, TEST_PASSWORD, type TestServer } from '../server.ts';
import { pairUsed } from '../usedComputer.ts';
import { startFirefoxWalk, startWebKitWalk, type Walk } from '../walk.ts';

/** Some thirty pages in one window, so that the browser starts and reads the site once. */
const WALK_TIMEOUT_MS = 120_000;
const YESTERDAY = Temporal.Now.instant().subtract({ hours: 24 });
/** WebKit says so where it draws a change of size in the next frame. */
const HARMLESS = /ResizeObserver loop completed/;
const ALL_TOOLS = /High Effort Projects/;

interface World {
  readonly server: TestServer;
  readonly device: TestDevice;
}

/** What a person does first on each page, and what then is to be seen. */
const steps: Readonly<Record<string, (walk: Walk, world: World) => Promise<void>>> = {
  '/login': async (walk) => {
    await walk.fill('Username', 'owner');
    await walk.fill('Password', TEST_PASSWORD);
    await walk.press('Go');
    await walk.sees(ALL_TOOLS);
  },
  '/': async (walk) => {
    await walk.press('Just take me to pages');
    await walk.sees(ALL_TOOLS);
  },
  '/pagerouter': async (walk) => {
    await walk.press('/api/docs');
    await walk.sees(/openapi\.json/);
  },
  '/backy': (walk) => walk.sees(/^\s*Blank\s*$/),
  '/test': (walk) => walk.sees(/Test/),
  '/api/docs': (walk) => walk.sees(/openapi\.json/),
  '/dashboard/about': (walk) => walk.sees(/about/),
  '/dashboard/settings': async (walk) => {
    await walk.press('Devices Settings');
    await walk.sees(/Laptop/);
  },
  '/dashboard/settings/pair': async (walk, { server }) => {
    const { code } = await makeClient({ origin: server.origin })(requestpairing, { name: 'Phone', system: 'Fake' });
    await walk.fill('Code', code);
    await walk.press('Pair');
    await walk.sees(/Phone/);
  },
  '/dashboard': async (walk, { device }) => {
    await walk.fill('Text to send', 'Grüße');
    await walk.press('Send');
    await walk.sees(/Grüße[\s\S]*\bok\b/);
    expect(device.drivers.typed()).toContain('Grüße');
  },
  '/dashboard/touchpad': async (walk, { device }) => {
    await walk.fill('Text to send', 'from the touchpad');
    await walk.press('Send');
    await eventually('the text is typed', () => device.drivers.typed().includes('from the touchpad'));
  },
  '/qai': async (walk) => {
    await walk.fill('prompt', 'Is anybody there');
    await walk.press('submit');
    await walk.sees(/Answer finished/);
  },
  '/birb': async (walk) => {
    await walk.press('Add a sighting');
    await walk.sees(/new feeder/);
  },
  '/calendar': async (walk) => {
    await walk.fill('Quick add', 'dentist tomorrow 15h');
    await walk.press('dentist.*');
    await walk.sees(/Event name/);
  },
  '/calendarv2': async (walk) => {
    await walk.press('Go to the calendar');
    await walk.sees(/Date specific events/);
  },
  '/sleepstatus': async (walk) => {
    await walk.fill('Code', 'nobody');
    await walk.press('Submit');
    await walk.sees(/No such code/);
  },
  '/cw': (walk) => walk.sees(/Video sessions/),
  '/spmessage': async (walk) => {
    await walk.fill('Name', 'Ann');
    await walk.fill('Main message', 'Good morning');
    await walk.press('Submit');
    await walk.sees(/\bok\b/);
  },
  '/messages': async (walk) => {
    await walk.press('Laptop.*');
    await walk.fill('Message to Laptop', 'Hello over there');
    await walk.press('Send');
    await walk.sees(/Hello over there[\s\S]*Delivered/);
  },
  '/mixer': async (walk, { device }) => {
    await walk.press('Mute firefox');
    await walk.sees(/Unmute firefox/);
    await eventually('the computer is mute', () => levelOf(device, 'firefox').endsWith('muted'));
  },
  '/musicmusic': async (walk) => {
    await walk.press('Add songs');
    await walk.press('Make a playlist');
    await walk.fill('Playlist name', 'Evening');
    await walk.press('Create');
    await walk.sees(/Options of Evening/);
  },
  '/pastebin': async (walk) => {
    await walk.fill('Text', 'A text for later');
    await walk.press('Submit.*');
    await walk.sees(/Stored piece/);
  },
  '/catsmmod': async (walk) => {
    await walk.press('Hotkeys');
    await walk.sees(/up key of unassigned/);
  },
  '/graphy': async (walk) => {
    await walk.press('Submit');
    await walk.sees(/All Applications/);
  },
  '/graphyv2': async (walk) => {
    await walk.press('Any period.*');
    await walk.sees(/30m in all/);
  },
  '/shopplanner': async (walk) => {
    await walk.press('Create');
    await walk.press('Edit mode');
    await walk.press('Add item');
    await walk.sees(/Delete New item/);
  },
  '/stopwatch': async (walk) => {
    await walk.press('Start');
    await walk.sees(/\b09:[345]\d\b/);
  },
  '/stopwatch/minify': (walk) => walk.sees(/small window/i),
  '/timetable': async (walk) => {
    await walk.press('New slot');
    await walk.fill('Name', 'Run');
    await walk.press('Save');
    await walk.sees(/Run, \d\d:\d\d/);
  },
  '/trust': async (walk) => {
    await walk.press('Copy the line');
    await walk.sees(/Copied/);
  },
  '/signup': async (walk) => {
    await walk.fill('Username', 'newcomer');
    await walk.fill('password', TEST_PASSWORD);
    await walk.fill('confirm password', TEST_PASSWORD);
    await walk.press('Sign up');
    await walk.sees(ALL_TOOLS);
  },
};

test('every page has its step', () => {
  expect(Object.keys(steps).toSorted()).toEqual(pages.toSorted());
});

const browsers = [
  { name: 'Firefox', lack: lacks('firefox-esr'), start: startFirefoxWalk },
  { name: 'WebKit', lack: lacks('WebKitWebDriver', 'Xvfb'), start: startWebKitWalk },
];

describe.each(browsers)('every page in $name', ({ lack, start }) => {
  test.skipIf(lack)(
    `opens, and its main button does what it says${lack === undefined ? '' : `, ${lack}`}`,
    { timeout: WALK_TIMEOUT_MS },
    async () => {
      await using ai = await startAiServer();
      ai.answer(echoes);
      await using server = await startServer({ rateLimits: false, environment: ai.environment });
      const owner = await server.account('owner');
      await using device = await startDevice(server, owner);
      device.drivers.play(room);
      const computer = await pairUsed(server, owner, 'Desk');
      await computer.used(['firefox', 'on', YESTERDAY.toString(), YESTERDAY.add({ minutes: 30 }).toString()]);
      await using walk = await start(`${server.origin}/login`);
      const failures: string[] = [];
      for (const [path, step] of Object.entries(steps))
        try {
          await walk.go(path);
          await step(walk, { server, device });
        } catch (error) {
          failures.push(`${path}: ${String(error)}`);
        }
      const complaints = (await walk.complaints()).filter((text) => !HARMLESS.test(text));
      expect([...failures, ...complaints]).toEqual([]);
    },
  );
});
