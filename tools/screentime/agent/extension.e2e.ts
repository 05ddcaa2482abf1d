import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AgentContext } from '#platform/agent/tool.ts';
import { findFreePort } from '#testing/journeys/program.ts';
import { CHROMIUM } from '#testing/kits/browser/chromium.ts';
import { createTempFolderSync } from '#testing/kits/server/tempFolder.ts';
import { getSkipReason } from '#testing/machine.ts';
import { startActivityWatch } from './activitywatch/activityWatch.ts';

/** Returns headers of an extension that sends requests like ActivityWatch's browser watcher. */
const watcher = (port: number): Readonly<Record<string, string>> => ({
  'manifest.json': JSON.stringify({
    manifest_version: 3,
    name: 'Watcher',
    version: '1',
    background: { service_worker: 'watcher.js' },
    host_permissions: [`http://127.0.0.1:${port}/*`],
  }),
  'watcher.js': `
    const ask = async (path, body) => {
      const more = body && { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
      return (await fetch('http://127.0.0.1:${port}/api/0' + path, more)).status;
    };
    const bucket = '/buckets/aw-watcher-web-chrome';
    self.watch = async () => [
      await ask('/info'),
      await ask(bucket, { client: 'aw-client-web', type: 'web.tab.current', hostname: 'laptop' }),
      await ask(bucket + '/heartbeat?pulsetime=60', {
        timestamp: new Date(), duration: 0, data: { url: 'https://example.org/a', title: 'A', incognito: false },
      }),
      await ask(bucket + '/events'),
    ];`,
});

/** Sends a request as a script of a page could. */
const post = (to: string): Promise<number> => fetch(to, { method: 'POST', body: '{}' }).then(({ status }) => status);

const missing = getSkipReason('chromium');

describe.skipIf(missing)(`a browser’s watcher (${missing ?? 'in Chromium'})`, () => {
  test('gets answers once the owner allows its origin, and web pages never do', async () => {
    const folder = createTempFolderSync();
    const port = await findFreePort();
    const allowed = { usage: true } as AgentContext['allowed'];
    const activityWatch = startActivityWatch({ allowed, stateDir: folder, print: () => undefined }, { port });
    onTestFinished(async () => activityWatch.stop?.());
    const runCommand = async (...args: readonly string[]) => activityWatch.subcommands?.[0]?.run(args);
    await runCommand('on');

    const extension = join(folder, 'watcher');
    mkdirSync(extension);
    for (const [name, text] of Object.entries(watcher(port))) writeFileSync(join(extension, name), text);
    const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
      ...CHROMIUM,
      args: [...CHROMIUM.args, `--disable-extensions-except=${extension}`, `--load-extension=${extension}`],
    });
    onTestFinished(() => context.close());
    const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
    await expect.poll(() => worker.evaluate('typeof self.watch')).toBe('function');
    const watch = (): Promise<unknown> => worker.evaluate('watch()');
    expect(await watch()).toEqual([200, 403, 403, 403]);

    await runCommand('on', worker.url().replace('/watcher.js', ''));
    expect(await watch(), 'a request without an origin reads nothing back').toEqual([200, 200, 200, 403]);
    expect(activityWatch.hints.replace({ app: 'Chromium' }).app).toBe('example.org');

    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${port}/api/0/info`);
    const path = '/api/0/buckets/aw-watcher-web-chrome/heartbeat?pulsetime=60';
    expect(await page.evaluate(post, path), 'not even one that it served itself').toBe(403);
  });
});
