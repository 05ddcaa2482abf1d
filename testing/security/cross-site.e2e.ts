import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { SOCKET_PATH } from '#platform/contract/realtime.ts';
import { log } from '#platform/contract/session.ts';
import { checkaccounts, endsessions } from '#tools/accounts/contract.ts';
import { startTestSite } from '../kits/browser/site.ts';
import { listenLocally } from '../kits/server/localServer.ts';

const site = startTestSite({ rateLimits: false });

/** What a page of another site gets of ours. */
interface Attempts {
  readonly answers: readonly string[];
  readonly socket: string;
}

describe.skipIf(site.skipReason)(`pages of other sites (${site.skipReason ?? 'in Chromium'})`, () => {
  test('they can neither call, nor open a socket, nor show a page in a frame, with the login of the browser', async () => {
    const ada = await site.server.createAccount('Ada');
    await site.server.call(log, { username: ada.name, password: ada.password });
    await using hostileSite = await listenLocally(
      createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<h1>Free cake</h1>')),
    );
    // Another site: `localhost` and `127.0.0.1` share no cookies.
    const origin = site.server.origin.replace('127.0.0.1', 'localhost');
    const page = await site.browser.openPage(origin, '/dashboard/settings?tab=account', {
      token: ada.token,
      expects: /CORS|Failed to load|frame|WebSocket|ERR_/i,
    });
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    await page.goto(hostileSite.origin);
    const attempts = await page.evaluate(
      async ({ target, calls, token, socketPath }): Promise<Attempts> => {
        const types = ['text/plain', 'application/x-www-form-urlencoded', 'application/json'];
        const tries = calls.flatMap((path) => types.map((type) => ({ path, type })));
        const answers = await Promise.all(
          tries.map(({ path, type }) =>
            fetch(target + path, {
              method: 'POST',
              credentials: 'include',
              headers: { 'content-type': type },
              body: JSON.stringify({ token }),
            }).then(
              (response) => response.text(),
              () => 'blocked',
            ),
          ),
        );
        const socket = await new Promise<string>((resolve) => {
          const webSocket = new WebSocket(`${target.replace('http', 'ws')}${socketPath}/?EIO=4&transport=websocket`);
          webSocket.addEventListener('open', () => resolve('open'));
          webSocket.addEventListener('error', () => resolve('refused'));
        });
        const frame = document.createElement('iframe');
        frame.src = `${target}/login`;
        const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
        document.body.append(frame);
        await loaded;
        return { answers, socket };
      },
      { target: origin, calls: [endsessions.path, checkaccounts.path], token: ada.token, socketPath: SOCKET_PATH },
    );
    expect([...new Set(attempts.answers)]).toEqual(['blocked']);
    expect(attempts.socket).toBe('refused');
    // Chromium shows an error page instead of ours.
    const [, frame] = page.frames();
    expect(await frame?.evaluate(() => document.body.innerText)).not.toContain('Log in');
    // Nothing was done, either: `endsessions` would have ended one of the two.
    expect((await ada.call(checkaccounts, {})).sessions).toHaveLength(2);
  });
});
