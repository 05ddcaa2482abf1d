import { describe, expect, test } from 'vitest';
import { createClient } from '#platform/contract/client.ts';
import { requestpairing } from '#tools/devices/contract.ts';
import { pages } from '../../apps/server/pages.ts';
import { startFirefoxWalk, startWebKitWalk, type BrowserWalk } from '../kits/browser/walk.ts';
import { answerWithPrompt, startAiServer } from '../kits/chat/aiServer.ts';
import { waitFor } from '../kits/desktop/desktop.ts';
import { startDevice, type TestDevice } from '../kits/desktop/device.ts';
import { getLevel, ROOM_STATE } from '../kits/desktop/mixer.ts';
import { startServer, TEST_PASSWORD, type TestServer } from '../kits/server/server.ts';
import { pairUsageComputer } from '../kits/usage/usedComputer.ts';
import { getSkipReason } from '../machine.ts';

/** About thirty pages in one window, so that the browser starts and loads the site once. */
const WALK_TIMEOUT_MS = 300_000;
/** Noon, so that what lasts half an hour is on one day. */
const YESTERDAY = Temporal.Now.zonedDateTimeISO().subtract({ days: 1 }).withPlainTime('12:00');
const toUtc = (time: Temporal.ZonedDateTime): string => String(time.toInstant());
/** WebKit reports this when it renders a size change in the next frame. */
const HARMLESS = /ResizeObserver loop completed/;
const ALL_TOOLS = /High Effort Projects/;

interface World {
  readonly server: TestServer;
  readonly device: TestDevice;
}

/** The first action of a user on each page, and its visible result. */
const steps: Readonly<Record<string, (walk: BrowserWalk, world: World) => Promise<void>>> = {
  '/login': async (walk) => {
    await walk.fill('Username', 'owner');
    await walk.fill('Password', TEST_PASSWORD);
    await walk.press('Go');
    await walk.waitForText(ALL_TOOLS);
  },
  '/': async (walk) => {
    await walk.press('Just take me to pages');
    await walk.waitForText(ALL_TOOLS);
  },
  '/pagerouter': async (walk) => {
    await walk.press('/api/docs');
    await walk.waitForText(/openapi\.json/);
  },
  '/backy': (walk) => walk.waitForText(/^\s*Blank\s*$/),
  '/test': (walk) => walk.waitForText(/Test/),
  '/api/docs': (walk) => walk.waitForText(/openapi\.json/),
  '/dashboard/about': (walk) => walk.waitForText(/about/),
  '/dashboard/settings': async (walk) => {
    await walk.press('Devices Settings');
    await walk.waitForText(/Laptop/);
  },
  '/dashboard/settings/pair': async (walk, { server }) => {
    const { code } = await createClient({ origin: server.origin })(requestpairing, { name: 'Phone', system: 'Fake' });
    await walk.fill('Code', code);
    await walk.press('Pair');
    await walk.waitForText(/Phone/);
  },
  '/selfcheck': (walk) => walk.waitForText(/agent\.tgz try/),
  '/dashboard': async (walk, { device }) => {
    await walk.fill('Text to send', 'Grüße');
    await walk.press('Send');
    await walk.waitForText(/Grüße[\s\S]*\bok\b/);
    expect(device.drivers.listTypedTexts()).toContain('Grüße');
  },
  '/dashboard/touchpad': async (walk, { device }) => {
    await walk.fill('Text to send', 'from the touchpad');
    await walk.press('Send');
    await waitFor('the text is typed', () => device.drivers.listTypedTexts().includes('from the touchpad'));
  },
  '/qai': async (walk) => {
    await walk.fill('prompt', 'Is anybody there');
    await walk.press('submit');
    await walk.waitForText(/Answer finished/);
  },
  '/birb': async (walk) => {
    await walk.press('Add a sighting');
    await walk.waitForText(/new feeder/);
  },
  '/calendar': async (walk) => {
    await walk.fill('Quick add', 'dentist tomorrow 15h');
    await walk.press('dentist.*');
    await walk.waitForText(/Event name/);
  },
  '/calendarv2': async (walk) => {
    await walk.press('Go to the calendar');
    await walk.waitForText(/Date specific events/);
  },
  '/sleepstatus': async (walk) => {
    await walk.fill('Code', 'nobody');
    await walk.press('Submit');
    await walk.waitForText(/There is no such code/);
  },
  '/cw': (walk) => walk.waitForText(/Video sessions/),
  '/spmessage': async (walk) => {
    await walk.fill('Name', 'Ann');
    await walk.fill('Main message', 'Good morning');
    await walk.press('Submit');
    await walk.waitForText(/\bok\b/);
  },
  '/messages': async (walk) => {
    await walk.press('Laptop.*');
    await walk.fill('Message to Laptop', 'Hello over there');
    await walk.press('Send');
    await walk.waitForText(/Hello over there[\s\S]*Delivered/);
  },
  '/mixer': async (walk, { device }) => {
    await walk.press('Mute firefox');
    await walk.waitForText(/Unmute firefox/);
    await waitFor('the computer is mute', () => getLevel(device, 'firefox').endsWith('muted'));
  },
  '/musicmusic': async (walk) => {
    await walk.press('Add songs');
    await walk.press('Create playlist');
    await walk.fill('Playlist name', 'Evening');
    await walk.press('Create');
    await walk.waitForText(/Options for Evening/);
  },
  '/pastebin': async (walk) => {
    await walk.fill('Text', 'A text for later');
    await walk.press('Submit.*');
    await walk.waitForText(/Stored paste/);
  },
  '/catsmmod': async (walk) => {
    await walk.press('Hotkeys');
    await walk.waitForText(/up key for unassigned/);
  },
  '/graphy': async (walk) => {
    await walk.press('Submit');
    await walk.waitForText(/All Applications/);
  },
  '/graphyv2': async (walk) => {
    await walk.waitForText(/firefox\s+30m/);
    await walk.press('Choose period.*');
    // The period is this week, to which yesterday belongs except on Mondays.
    const isMonday = YESTERDAY.dayOfWeek === 7;
    await walk.waitForText(isMonday ? /\b0m in total/ : /\b30m in total/);
  },
  '/shopplanner': async (walk) => {
    await walk.press('Create');
    await walk.press('Edit mode');
    await walk.press('Add item');
    await walk.waitForText(/Delete New item/);
  },
  '/stopwatch': async (walk) => {
    await walk.press('Start');
    await walk.waitForText(/\b09:[345]\d\b/);
  },
  '/stopwatch/minify': (walk) => walk.waitForText(/small window/i),
  '/timetable': async (walk) => {
    await walk.press('New slot');
    await walk.fill('Name', 'Run');
    await walk.press('Save');
    await walk.waitForText(/Run, \d\d:\d\d/);
  },
  '/trust': async (walk) => {
    await walk.press('Copy command');
    await walk.waitForText(/Copied/);
  },
  '/signup': async (walk) => {
    await walk.fill('Username', 'newcomer');
    await walk.fill('password', TEST_PASSWORD);
    await walk.fill('confirm password', TEST_PASSWORD);
    await walk.press('Sign up');
    await walk.waitForText(ALL_TOOLS);
  },
};

test('every page has its step', () => {
  expect(Object.keys(steps).toSorted()).toEqual(pages.toSorted());
});

const browsers = [
  { name: 'Firefox', skipReason: getSkipReason('firefox-esr'), start: startFirefoxWalk },
  { name: 'WebKit', skipReason: getSkipReason('WebKitWebDriver', 'Xvfb'), start: startWebKitWalk },
];

describe.each(browsers)('every page in $name', ({ skipReason, start }) => {
  test.skipIf(skipReason)(
    `opens, and its main button does what it says${skipReason === undefined ? '' : `, ${skipReason}`}`,
    { timeout: WALK_TIMEOUT_MS },
    async () => {
      await using ai = await startAiServer();
      ai.setScript(answerWithPrompt);
      await using server = await startServer({ rateLimits: false, environment: ai.environment });
      const owner = await server.createAccount('owner');
      await using device = await startDevice(server, owner);
      device.drivers.play(ROOM_STATE);
      const computer = await pairUsageComputer(server, owner, 'Desk');
      await computer.reportUse(['firefox', 'on', toUtc(YESTERDAY), toUtc(YESTERDAY.add({ minutes: 30 }))]);
      await using walk = await start(`${server.origin}/login`);
      const failures: string[] = [];
      for (const [path, step] of Object.entries(steps))
        try {
          await walk.go(path);
          await step(walk, { server, device });
        } catch (error) {
          failures.push(`${path}: ${String(error)}`);
        }
      const complaints = (await walk.listErrors()).filter((text) => !HARMLESS.test(text));
      expect([...failures, ...complaints]).toEqual([]);
    },
  );
});
