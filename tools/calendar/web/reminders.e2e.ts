import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pushkey, pushtest } from '#platform/contract/push.ts';
import { padTwo } from '#platform/contract/text.ts';
import { findBarriers } from '#testing/kits/browser/axe.ts';
import { waitForIdle, type OpenPageOptions } from '#testing/kits/browser/browser.ts';
import { avoidMidnight } from '#testing/kits/browser/midnight.ts';
import { reusePage } from '#testing/kits/browser/reusePage.ts';
import { startTestSite } from '#testing/kits/browser/site.ts';
import { type PushBrowser, startPushService, type TestPushService } from '#testing/kits/server/pushService.ts';
import type { TestAccount } from '#testing/kits/server/server.ts';
import { newevent } from '../contract/events.ts';
import { calendarreminder } from '../contract/exchange.ts';

// In the morning, the server's own task would run before the page.
const site = startTestSite({ egressAllow: ['127.0.0.1'], pushOverHttp: true, runsBackgroundWork: false });
avoidMidnight();

let service: TestPushService;
beforeAll(async () => {
  service = await startPushService();
});
afterAll(() => service[Symbol.asyncDispose]());

function formatToday(): string {
  const now = new Date();
  return `${padTwo(now.getDate())}-${padTwo(now.getMonth() + 1)}-${now.getFullYear()}`;
}
async function createPinnedEvent(account: TestAccount, name: string, time?: string): Promise<void> {
  const data = { id: 0, name, date: formatToday(), participants: ['health'], pinned: 'health' };
  await account.call(newevent, { data: { ...data, ...(time === undefined ? {} : { time }) } });
}

/** Opens the section of the dialog through the menu. */
async function openReminderSection(page: Page) {
  const isSmall = (page.viewportSize()?.width ?? 0) < 650;
  await page.getByRole('button', { name: isSmall ? 'Show dates' : 'More', exact: true }).click();
  const item = { name: 'Phones and other calendars' };
  await (isSmall ? page.getByRole('button', item) : page.getByRole('menuitem', item)).click();
  const part = page.getByRole('region', { name: 'Morning reminder' });
  await part.getByLabel('Reminder time').waitFor();
  await part.scrollIntoViewIfNeeded();
  return part;
}

/**
 * Opens a page with notifications allowed. Chromium can't reach its push service in tests, so its subscription is at a
 * test service.
 */
async function openAllowed(account: TestAccount, options: OpenPageOptions = {}) {
  const { key } = await account.call(pushkey, {});
  const browser = service.subscribeBrowser(key);
  const page = await reusePage(site, account, '/dashboard/about', {
    hasServiceWorker: true,
    isFullBrowser: true,
    ...options,
  });
  await page.context().grantPermissions(['notifications']);
  await page.context().addInitScript(
    ({ subscription, serverKey }) => {
      const made = {
        endpoint: subscription.endpoint,
        options: {
          applicationServerKey: Uint8Array.from(
            atob(serverKey.replaceAll('-', '+').replaceAll('_', '/')),
            (sign) => sign.codePointAt(0) ?? 0,
          ).buffer,
        },
        toJSON: () => subscription,
        unsubscribe: async () => {
          localStorage.removeItem('subscribed');
          return true;
        },
      } as unknown as PushSubscription;
      PushManager.prototype.subscribe = async () => {
        localStorage.setItem('subscribed', 'yes');
        return made;
      };
      PushManager.prototype.getSubscription = async () => (localStorage.getItem('subscribed') === null ? null : made);
    },
    { subscription: browser.subscription, serverKey: key },
  );
  await page.goto('/calendar');
  return { page, browser };
}

const listNotifications = (page: Page) =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration('/');
    const shown = (await registration?.getNotifications()) ?? [];
    return shown.map(({ title, body, tag }) => ({ title, body, tag }));
  });

/** Passes the newest message to the browser, as the push service would. It is lost before the worker is active. */
async function deliver(page: Page, { delivered }: PushBrowser): Promise<void> {
  await expect
    .poll(() => page.evaluate(async () => (await navigator.serviceWorker.ready).active?.state))
    .toBe('activated');
  const cdp = await page.context().newCDPSession(page);
  const found = Promise.withResolvers<string>();
  cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    const own = registrations.find(({ isDeleted }) => !isDeleted);
    if (own) found.resolve(own.registrationId);
  });
  await cdp.send('ServiceWorker.enable');
  await cdp.send('ServiceWorker.deliverPushMessage', {
    origin: site.server.origin,
    registrationId: await found.promise,
    data: delivered.at(-1)?.text ?? '',
  });
}

describe.skipIf(site.skipReason)(
  `the morning reminder${site.skipReason === undefined ? '' : `, ${site.skipReason}`}`,
  () => {
    test('notifications can be switched on, and the browser shows what the server sends', async () => {
      const ann = await site.createPerson();
      const { page, browser } = await openAllowed(ann);
      const part = await openReminderSection(page);
      await part.getByRole('button', { name: 'Turn on notifications' }).click();
      await part.getByText('Notifications are on in this browser').waitFor();
      await part.getByRole('button', { name: 'Send test notification' }).click();
      await part.getByText('Sent.').waitFor();
      await waitForIdle(page);
      expect(await findBarriers(page)).toEqual([]);
      expect(browser.delivered).toHaveLength(1);
      await deliver(page, browser);
      await expect
        .poll(() => listNotifications(page))
        .toEqual([{ title: 'Pegboard', body: 'Notifications work in this browser', tag: 'test' }]);

      browser.setStatus(503);
      await part.getByRole('button', { name: 'Send test notification' }).click();
      await part.getByText('refused the notification').waitFor();
      browser.setStatus(201);
      await page.reload();
      const again = await openReminderSection(page);
      await again.getByRole('button', { name: 'Stop' }).click();
      await again.getByRole('button', { name: 'Turn on notifications' }).waitFor();
      await expect(ann.call(pushtest, { endpoint: browser.subscription.endpoint })).rejects.toThrow(
        'no longer subscribed',
      );
    });

    test('a browser that is switched off while the page is still registering it stays off', async () => {
      const ann = await site.createPerson();
      const { page, browser } = await openAllowed(ann);
      await (await openReminderSection(page)).getByRole('button', { name: 'Turn on notifications' }).click();
      await page.getByText('Notifications are on in this browser').waitFor();
      // Patches the page itself, because requests that a service worker may answer don't pass routes.
      await page.addInitScript(() => {
        const { fetch } = globalThis;
        globalThis.fetch = async (...what) => {
          if (what[0] instanceof URL && what[0].pathname === '/api/pushsubscribe') {
            document.documentElement.dataset['held'] = '';
            await new Promise((go) => document.addEventListener('let-go', go));
          }
          return fetch(...what);
        };
      });
      await page.reload();
      await page.locator('html[data-held]').waitFor();
      const part = await openReminderSection(page);
      await part.getByRole('button', { name: 'Stop' }).click();
      await waitForIdle(page);
      await page.evaluate(() => document.dispatchEvent(new Event('let-go')));
      await part.getByRole('button', { name: 'Turn on notifications' }).waitFor();
      await expect(ann.call(pushtest, { endpoint: browser.subscription.endpoint })).rejects.toThrow(
        'no longer subscribed',
      );
    });

    test('the reminder can be switched off and its time set, by keyboard', async () => {
      const ann = await site.createPerson();
      const page = await reusePage(site, ann, '/calendar');
      const part = await openReminderSection(page);
      const time = part.getByLabel('Reminder time');
      await expect.poll(() => time.inputValue()).toBe('08:00');
      await time.fill('06:45');
      await time.press('Enter');
      await expect.poll(() => ann.call(calendarreminder, {})).toMatchObject({ on: true, at: '06:45' });
      await part.getByLabel('Remind me of events with a pinned tag every morning').press('Space');
      await expect.poll(() => ann.call(calendarreminder, {})).toMatchObject({ on: false, at: '06:45' });
      await expect.poll(() => time.isDisabled()).toBe(true);
    });

    test.for(['light', 'dark'] as const)(
      'a browser that blocks notifications explains how to allow them, %s',
      async (scheme) => {
        const page = await reusePage(site, await site.createPerson(), '/calendar', {
          hasServiceWorker: true,
          isFullBrowser: true,
          scheme,
          size: scheme === 'dark' ? 'phone' : 'wide',
        });
        const part = await openReminderSection(page);
        // A headless browser refuses without asking.
        await part.getByRole('button', { name: 'Turn on notifications' }).click();
        await part.getByText('This browser blocks notifications from this site').waitFor();
        await waitForIdle(page);
        expect(await findBarriers(page)).toEqual([]);
        await page.setViewportSize({ width: 320, height: 700 });
        await waitForIdle(page);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
      },
    );

    test('over plain http it says that notifications need https', async () => {
      const page = await reusePage(site, await site.createPerson(), '/calendar', { plainHttp: true });
      const part = await openReminderSection(page);
      await part.getByText('Notifications need https.').waitFor();
      await part.getByRole('link', { name: 'How to turn https on' }).waitFor();
    });

    test('the pinned events of the day are shown once, on the first visit', async () => {
      const ann = await site.createPerson();
      await createPinnedEvent(ann, 'Dentist', '09:40');
      const page = await reusePage(site, ann, '/calendar');
      const notice = page.getByRole('region', { name: 'Notices' }).getByText('Pinned today: Dentist, 09:40');
      await notice.waitFor();
      await createPinnedEvent(ann, 'Birthday');
      await page.reload();
      await page.getByText('Birthday').first().waitFor();
      await waitForIdle(page);
      await expect.poll(() => notice.count()).toBe(0);
    });

    test('if notifications are allowed it is also a notification, unless the server sent one', async () => {
      const ann = await site.createPerson();
      for (const name of ['One', 'Two']) await createPinnedEvent(ann, name);
      const { page } = await openAllowed(ann);
      await page.getByText('Pinned today: One; Two').waitFor();

      const ben = await site.createPerson();
      const { page: other } = await openAllowed(ben);
      const part = await openReminderSection(other);
      await part.getByRole('button', { name: 'Turn on notifications' }).click();
      await part.getByText('Notifications are on in this browser').waitFor();
      await createPinnedEvent(ben, 'Three');
      // Noon of a day whose reminder was never sent in time, as if the server had been off.
      const noon = new Date();
      noon.setHours(12, 0, 0, 0);
      await other.clock.setFixedTime(noon);
      await other.evaluate(() => {
        for (const key of Object.keys(localStorage)) if (key.includes('reminded')) localStorage.removeItem(key);
      });
      await other.reload();
      await other.getByText('Pinned today: Three').waitFor();
      await expect
        .poll(() => listNotifications(other))
        .toEqual([{ title: 'Three', body: 'Today', tag: 'calendar-reminder' }]);
    });
  },
);
