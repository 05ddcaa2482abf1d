import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseHint, replaceInUse, getSite, type WatcherState, listFocus, type WatchedEvent } from './activityWatch.ts';

test.each([
  ['https://www.example.org/a?b#c', 'example.org'],
  ['http://News.Example.org./', 'news.example.org'],
  ['http://localhost:3000/', 'localhost'],
  ['https://www.com/', 'www.com'],
  ['https://bücher.example/', 'xn--bcher-kva.example'],
  ['chrome://newtab', ''],
  ['about:blank', ''],
  ['file:///home/a/secret.pdf', ''],
  ['moz-extension://x/y', ''],
  ['javascript:alert(1)', ''],
  ['', ''],
])('%s is the site %j', (address, site) => expect(getSite(address)).toBe(site));

test.each([
  [
    { url: 'https://example.org/x', title: 'X' },
    { kind: 'site', host: 'example.org', title: 'X' },
  ],
  [{ url: 'https://example.org/x', incognito: true }, undefined],
  [{ url: 7 }, undefined],
  [
    { project: '/home/a/shed', file: '/home/a/shed/src/door.ts', language: 'ts' },
    { kind: 'file', name: 'shed/src/door.ts' },
  ],
  [
    { project: 'shed', file: '/home/a/shed/src/door.ts' },
    { kind: 'file', name: 'shed/door.ts' },
  ],
  [
    { project: 'unknown', file: 'C:\\a\\door.ts' },
    { kind: 'file', name: 'door.ts' },
  ],
  [
    { project: 'shed', file: '' },
    { kind: 'file', name: 'shed' },
  ],
  [{ project: 'unknown', file: 'unknown' }, undefined],
  [{ status: 'not-afk' }, undefined],
  [{}, undefined],
])('%j says %j', (data, hint) => expect(parseHint(data)).toEqual(hint));

const site = (bucket: string, host: string): WatcherState => ({
  bucket,
  hint: { kind: 'site', host, title: `On ${host}` },
});
const file: WatcherState = { bucket: 'aw-watcher-vscode_laptop', hint: { kind: 'file', name: 'shed/door.ts' } };

test('a tab counts instead of its own browser and no other program, newest report first', () => {
  const watched = [site('aw-watcher-web-firefox_laptop', 'fox.org'), site('aw-watcher-web-chrome', 'chrome.org'), file];
  const counted = (app: string) => replaceInUse({ app, title: 'T' }, watched);
  expect(counted('firefox-esr')).toEqual({ app: 'fox.org', title: 'On fox.org' });
  expect(counted('Chromium')).toEqual({ app: 'chrome.org', title: 'On chrome.org' });
  expect(counted('Brave-browser').app).toBe('chrome.org');
  expect(counted('XTerm')).toEqual({ app: 'XTerm', title: 'T' });
  expect(counted('Code')).toEqual({ app: 'Code', title: 'shed/door.ts' });
  expect(replaceInUse({ app: 'Google-chrome' }, [site('aw-watcher-web', 'a.org')]).app).toBe('a.org');
  expect(replaceInUse({ app: 'Google-chrome' }, [site('aw-watcher-web-unknown', 'a.org')]).app).toBe('a.org');
  expect(replaceInUse({ app: 'Obsidian' }, [{ bucket: 'aw-watcher-obsidian', hint: file.hint }]).title).toBe(
    'shed/door.ts',
  );
  const two = [site('aw-watcher-web-brave', 'new.org'), site('aw-watcher-web-chrome', 'old.org')];
  expect(replaceInUse({ app: 'Brave-browser' }, two).app).toBe('new.org');
});

test('whatever watchers report, the application in use or a site is counted', () => {
  const data = fc.dictionary(
    fc.constantFrom('url', 'file', 'project', 'title', 'incognito', 'x'),
    fc.oneof(
      fc.domain().map((domain) => `https://${domain}/x`),
      fc.string(),
      fc.boolean(),
    ),
  );
  const bucket = fc.oneof(
    fc.string(),
    fc.constantFrom('aw-watcher-web-chrome', 'aw-watcher-(', 'aw-watcher-constructor'),
  );
  fc.assert(
    fc.property(fc.constantFrom('Chromium', 'Code', 'constructor'), bucket, data, (app, name, event) => {
      const hint = parseHint(event);
      const counted = replaceInUse({ app }, hint ? [{ bucket: name, hint }] : []);
      expect(counted.app === app || (hint?.kind === 'site' && counted.app === hint.host)).toBe(true);
      expect(counted.app).not.toBe('');
    }),
  );
});

const toSeconds = (text: string): number => Temporal.Instant.from(text).epochMilliseconds / 1000;
const NOW = toSeconds('2026-11-21T14:00:00Z');
const HOUR = 3600;
const DAY = 24 * HOUR;

/** Returns what remains of an hour of firefox, as `09:00 09:30`. */
const listRemaining = (away: readonly WatchedEvent[], day = '2026-11-21', duration = HOUR): readonly string[] =>
  listFocus([{ timestamp: `${day}T09:00:00Z`, duration, app: 'firefox' }], away, NOW).flatMap(({ parts }) =>
    parts.map(({ from, until }) =>
      [from, until]
        .map((second) =>
          Temporal.Instant.fromEpochMilliseconds(second * 1000)
            .toString()
            .slice(11, 16),
        )
        .join(' '),
    ),
  );

test('a window is focused while somebody is present', () => {
  expect(listRemaining([])).toEqual(['09:00 10:00']);
  expect(listRemaining([{ timestamp: '2026-11-21T09:20:00Z', duration: 600 }])).toEqual(['09:00 09:20', '09:30 10:00']);
  expect(listRemaining([{ timestamp: 'yesterday', duration: 600 }])).toEqual(['09:00 10:00']);
});

test('holidays are away, too: windows that changed their titles meanwhile were not seen by anyone', () => {
  expect(listRemaining([{ timestamp: '2026-11-11T09:00:00Z', duration: 9 * DAY }], '2026-11-16')).toEqual([]);
  // The clock of the recording may be a little ahead.
  expect(listRemaining([{ timestamp: '2026-11-21T09:30:00Z', duration: 5 * HOUR }])).toEqual(['09:00 09:30']);
});

test('a window of more than a week, from before such computers existed, or in the future is not focused', () => {
  expect(listRemaining([], '2026-11-02', 7 * DAY + 1)).toEqual([]);
  for (const day of ['1969-12-31', '2000-01-01', '2006-12-31']) expect(listRemaining([], day)).toEqual([]);
  // Old recordings of other trackers can be imported.
  expect(listRemaining([], '2008-03-01')).toEqual(['09:00 10:00']);
  expect(listRemaining([], '2026-11-22')).toEqual([]);
  // Half of it is in the future.
  expect(listRemaining([], '2026-11-21', 10 * HOUR)).toEqual(['09:00 14:00']);
});

test('an application whose name only contains that of a browser or editor keeps its time', () => {
  const hint = { kind: 'site', host: 'a.org', title: 'T' } as const;
  const count = (app: string, bucket: string) => replaceInUse({ app }, [{ bucket, hint }]).app;
  for (const [app, bucket] of [
    ['Citizen', 'aw-watcher-web-firefox'],
    ['Search', 'aw-watcher-web-arc'],
    ['Barcode Scanner', 'aw-watcher-vscode_laptop'],
  ] as const)
    expect(count(app, bucket)).toBe(app);
  for (const [app, bucket] of [
    ['zen', 'aw-watcher-web-firefox'],
    ['zen-browser', 'aw-watcher-web-zen'],
    ['Arc', 'aw-watcher-web-arc'],
    ['VSCodium', 'aw-watcher-vscode_laptop'],
    ['Code - OSS', 'aw-watcher-vscode_laptop'],
    ['code-oss', 'aw-watcher-vscode_laptop'],
  ] as const)
    expect(count(app, bucket), app).toBe('a.org');
});

test('a file of a project whose name starts like another one is not in that one', () => {
  for (const [project, path, name] of [
    ['/home/me/site', '/home/me/site-old/main.ts', 'site/main.ts'],
    ['/home/me/site', '/home/me/site/web/main.ts', 'site/web/main.ts'],
    ['/home/me/site/', '/home/me/site/main.ts', 'site/main.ts'],
  ] as const)
    expect(parseHint({ project, file: path })).toEqual({ kind: 'file', name });
});
