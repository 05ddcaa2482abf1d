import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMessage, generateKey, readPrivateKey, sign } from 'openpgp';
import { pino } from 'pino';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '#platform/contract/duration.ts';
import { createManualTimers } from '#testing/kits/server/manualTimers.ts';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { EgressRefusal } from '../egress/egress.ts';
import { LOW_DISK_SPACE_MESSAGE } from '../storage/diskSpace.ts';
import { createMediaPrograms } from './mediaPrograms.ts';
import { createProcessRunner } from './processRunner.ts';
import { createYtdlpUpdater } from './ytdlpUpdates.ts';

const log = pino({ level: 'silent' });
const createProgram = (version: string): string => `#!/bin/sh\necho ${version}\n`;
const createChecksums = (program: string | Uint8Array): string =>
  `${'0'.repeat(64)}  yt-dlp.exe\n${createHash('sha256').update(program).digest('hex')}  yt-dlp\n`;

let keys: { readonly privateKey: string; readonly publicKey: string };
beforeAll(async () => {
  keys = await generateKey({ userIDs: [{ name: 'Test' }] });
});
const createSignature = async (text: string): Promise<Uint8Array> =>
  sign({
    message: await createMessage({ binary: Buffer.from(text) }),
    signingKeys: await readPrivateKey({ armoredKey: keys.privateKey }),
    detached: true,
    format: 'binary',
  });

/** Files of a site by address; `undefined` breaks the connection. */
type Site = Map<string, string | Uint8Array | undefined>;

/** Publishes a version, or a program. */
async function publishRelease(site: Site, release: string | Uint8Array, channel = 'stable'): Promise<void> {
  const program = typeof release === 'string' ? createProgram(release) : release;
  site.set(`${channel}/yt-dlp`, program);
  site.set(`${channel}/SHA2-256SUMS`, createChecksums(program));
  site.set(`${channel}/SHA2-256SUMS.sig`, await createSignature(createChecksums(program)));
}

const listFolder = async (folder: string): Promise<readonly string[]> => (await readdir(folder)).toSorted();

interface UpdaterOptions {
  readonly dataDir: string;
  readonly site: Site;
  /** In this machine's zone. */
  readonly startsAt?: string;
}

function createUpdater({ dataDir, site, startsAt = '2026-11-27T03:00' }: UpdaterOptions) {
  const timers = createManualTimers();
  let timerCount = 0;
  const start = Temporal.PlainDateTime.from(startsAt).toZonedDateTime(Temporal.Now.timeZoneId()).toInstant();
  const processRunner = createProcessRunner({ log });
  const fetched: string[] = [];
  const updates = createYtdlpUpdater({
    dataDir,
    log,
    processRunner,
    egress: {
      fetch: async (url) => {
        fetched.push(url);
        const body = site.get(url);
        if (body === undefined && site.has(url))
          throw new EgressRefusal('unreached', 'The connection to that site was lost');
        const bytes = Buffer.from(body ?? '');
        return { status: body === undefined ? 404 : 200, header: () => undefined, body: bytes };
      },
    },
    now: () => start.add({ milliseconds: timers.now() }),
    timers: {
      ...timers,
      schedule: (ms, callback) => {
        timerCount += 1;
        return timers.schedule(ms, callback);
      },
    },
    releases: { stable: 'stable', nightly: 'nightly', key: keys.publicKey },
  });
  onTestFinished(async () => {
    await updates.stop();
    await processRunner.stop();
  });
  return { updates, timers, fetched, getTimerCount: () => timerCount };
}

async function setUpComputer(startsAt?: string) {
  const dataDir = await createTempFolder();
  const site: Site = new Map();
  const computer = { dataDir, site, ...(startsAt === undefined ? {} : { startsAt }) };
  const folder = join(dataDir, 'programs');
  return { ...computer, ...createUpdater(computer), folder, program: join(folder, 'yt-dlp') };
}

test('an automatic update runs at the configured time once a day, with one timer', async () => {
  const { updates, timers, site, fetched, getTimerCount } = await setUpComputer('2026-11-27T03:00');
  await publishRelease(site, '2026.11.01');
  await updates.start();
  expect(getTimerCount()).toBe(0);
  await updates.setOptions({ channel: 'stable', dailyAt: '04:30' });
  timers.advance(89 * MINUTE_MS);
  expect([fetched.length, getTimerCount()]).toEqual([0, 1]);
  timers.advance(MINUTE_MS);
  await expect.poll(async () => (await updates.getState()).last).toBeDefined();
  expect(fetched).toEqual(['stable/SHA2-256SUMS', 'stable/SHA2-256SUMS.sig', 'stable/yt-dlp']);
  expect((await updates.getState()).last).not.toHaveProperty('failure');

  // The site is down the next day, and works again the day after.
  const firstUpdateAt = (await updates.getState()).last?.at ?? 0;
  site.delete('stable/SHA2-256SUMS');
  await expect.poll(getTimerCount).toBe(2);
  timers.advance(24 * HOUR_MS);
  await expect
    .poll(async () => (await updates.getState()).last)
    .toEqual({
      at: firstUpdateAt + 24 * HOUR_MS,
      failure: expect.stringContaining('its site responded with status 404'),
    });
  await expect.poll(getTimerCount).toBe(3);
  await publishRelease(site, '2026.11.02');
  timers.advance(24 * HOUR_MS);
  await expect.poll(async () => (await updates.getState()).last).toEqual({ at: firstUpdateAt + 48 * HOUR_MS });

  await expect.poll(getTimerCount).toBe(4);
  await updates.setOptions({ channel: 'stable', dailyAt: null });
  const before = fetched.length;
  timers.advance(72 * HOUR_MS);
  expect([fetched.length, getTimerCount()]).toEqual([before, 4]);
});

test('a server that was off at that time updates after its start', async () => {
  const computer = await setUpComputer('2026-11-26T20:00');
  await computer.updates.setOptions({ channel: 'stable', dailyAt: '04:30' });
  await computer.updates.stop();
  await publishRelease(computer.site, '2026.11.01');
  const later = createUpdater({ ...computer, startsAt: '2026-11-27T09:00' });
  await later.updates.start();
  expect(later.fetched).toEqual([]);
  later.timers.advance(MINUTE_MS);
  await expect.poll(async () => (await later.updates.getState()).last).toBeDefined();
  expect(await readFile(computer.program, 'utf8')).toBe(createProgram('2026.11.01'));

  await expect.poll(later.getTimerCount).toBe(2);
  later.timers.advance(19 * HOUR_MS);
  expect(later.fetched).toHaveLength(3);
  later.timers.advance(HOUR_MS);
  await expect.poll(() => later.fetched.length).toBeGreaterThan(3);
});

test('a time that a wrong clock has set does not prevent updates for years', async () => {
  const computer = await setUpComputer('2099-01-01T12:00');
  await computer.updates.setOptions({ channel: 'stable', dailyAt: '04:30' });
  await computer.updates.stop();
  const later = createUpdater({ ...computer, startsAt: '2026-11-27T04:00' });
  await later.updates.start();
  later.timers.advance(29 * MINUTE_MS);
  expect(later.fetched).toEqual([]);
  later.timers.advance(MINUTE_MS);
  await expect.poll(async () => (await later.updates.getState()).last).toBeDefined();
});

test('damaged options on the disk fall back to the defaults', async () => {
  const { updates, folder } = await setUpComputer();
  await mkdir(folder);
  await writeFile(join(folder, 'yt-dlp.json'), '{"channel": "stable", "dailyAt": "25:99"');
  expect(await updates.getState()).toEqual({ channel: 'stable', dailyAt: null });
  // Two concurrent changes, from two pages or fields: neither reverts the other.
  await Promise.all([updates.setOptions({ channel: 'nightly' }), updates.setOptions({ dailyAt: '05:15' })]);
  expect(await updates.getState()).toMatchObject({ channel: 'nightly', dailyAt: '05:15' });
  expect(JSON.parse(await readFile(join(folder, 'yt-dlp.json'), 'utf8'))).toMatchObject({ channel: 'nightly' });
});

test('a release that is not signed, incomplete, broken or older changes nothing', async () => {
  const { updates, site, folder, program } = await setUpComputer();
  await publishRelease(site, '2026.10.01');
  await updates.update();
  const signature = site.get('stable/SHA2-256SUMS.sig');
  const forgedProgram = createProgram('2026.12.01');
  async function publishWith(name: string, body: string | Uint8Array | undefined): Promise<void> {
    await publishRelease(site, '2026.12.01');
    site.set(`stable/${name}`, body);
  }
  async function publishChecksums(checksums: string): Promise<void> {
    await publishWith('SHA2-256SUMS', checksums);
    site.set('stable/SHA2-256SUMS.sig', await createSignature(checksums));
  }
  async function publishProgram(text: string): Promise<void> {
    await publishChecksums(createChecksums(text));
    site.set('stable/yt-dlp', text);
  }
  const cases: readonly (readonly [() => Promise<void>, RegExp])[] = [
    [() => publishWith('SHA2-256SUMS.sig', signature), /invalid signature/],
    [() => publishWith('SHA2-256SUMS.sig', 'no signature'), /invalid signature/],
    [() => publishWith('SHA2-256SUMS.sig', ''), /invalid signature/],
    [() => publishWith('SHA2-256SUMS', `${createChecksums(forgedProgram)}\n`), /invalid signature/],
    [() => publishWith('yt-dlp', `${forgedProgram}rm -rf /job\n`), /does not match the signed checksum/],
    [() => publishWith('yt-dlp', forgedProgram.slice(0, 10)), /does not match the signed checksum/],
    [() => publishWith('yt-dlp', undefined), /The connection to that site was lost/],
    [() => publishWith('SHA2-256SUMS', undefined), /The connection to that site was lost/],
    [() => publishChecksums(`${'1'.repeat(64)}  yt-dlp.exe\n`), /no platform-independent file/],
    [() => publishProgram('#!/bin/sh\nexit 3\n'), /does not start on this server/],
    [() => publishProgram('#!/no/such/interpreter\n'), /does not start on this server/],
    [() => publishProgram(''), /does not start on this server/],
    [() => publishProgram(createProgram('2025.01.01')), /older than 2026.10.01/],
  ];
  for (const [publish, sentence] of cases) {
    await publish();
    await expect(updates.update()).rejects.toThrow(sentence);
    expect(await readFile(program, 'utf8')).toBe(createProgram('2026.10.01'));
    expect(await listFolder(folder)).toEqual(['yt-dlp', 'yt-dlp-2026.10.01']);
  }
});

test('files of an interrupted update are not used, and do not prevent the next one', async () => {
  const { updates, site, folder, program } = await setUpComputer();
  await publishRelease(site, '2026.10.01');
  await updates.update();
  await writeFile(`${program}.new`, createProgram('2026.11.01').slice(0, 12), { mode: 0o755 });
  await mkdir(join(folder, 'try'));
  await writeFile(join(folder, 'try', 'left'), '');
  await publishRelease(site, '2026.11.01');
  expect(await updates.update()).toEqual({ version: '2026.11.01', isNew: true });
  expect(await readFile(program, 'utf8')).toBe(createProgram('2026.11.01'));
  expect(await readFile(`${program}.previous`, 'utf8')).toBe(createProgram('2026.10.01'));
  expect(await listFolder(folder)).toEqual(['yt-dlp', 'yt-dlp-2026.10.01', 'yt-dlp-2026.11.01', 'yt-dlp.previous']);
  await publishRelease(site, '2026.11.20');
  await updates.update();
  expect(await listFolder(folder)).toEqual(['yt-dlp', 'yt-dlp-2026.11.01', 'yt-dlp-2026.11.20', 'yt-dlp.previous']);
});

test('a download that runs during an update continues with its version', async () => {
  const { updates, site, program, dataDir } = await setUpComputer();
  const processRunner = createProcessRunner({ log, sandbox: 'off' });
  const programs = createMediaPrograms({ processRunner, managedPath: program, log, now: Temporal.Now.instant });
  onTestFinished(() => programs.stop());
  // Like yt-dlp, it imports a module only when it needs it.
  const source = join(dataDir, 'source');
  await mkdir(source);
  await writeFile(join(source, 'late.py'), "print('imported')\n");
  await writeFile(
    join(source, '__main__.py'),
    `import os, sys, time
if '--version' in sys.argv: print('2026.10.01'); sys.exit()
print('started', flush=True)
while not os.path.exists(sys.argv[1]): time.sleep(0.02)
import late
`,
  );
  const zipapp = join(dataDir, 'zipapp');
  execFileSync('python3', ['-m', 'zipapp', source, '-o', zipapp, '-p', '/usr/bin/env python3']);
  await publishRelease(site, await readFile(zipapp));
  await updates.update();

  const updated = join(dataDir, 'updated');
  const started = Promise.withResolvers<void>();
  const download = processRunner.run({
    program: (await programs.findYtdlp()).program,
    args: [updated],
    folder: source,
    limits: { timeoutMs: 30_000, maxCpuSeconds: 10, maxFileBytes: 1024 },
    onLine: () => started.resolve(),
  });
  await started.promise;
  await publishRelease(site, '2026.11.01');
  await updates.update();
  await writeFile(updated, '');
  expect(await download).toMatchObject({ exitCode: 0, output: 'started\nimported\n' });
  expect((await programs.findYtdlp()).version).toBe('2026.11.01');
});

test('two concurrent updates download once, and both get the result', async () => {
  const { updates, site, fetched } = await setUpComputer();
  await publishRelease(site, '2026.10.01');
  const both = await Promise.all([updates.update(), updates.update()]);
  expect(both).toEqual([both[0], { version: '2026.10.01', isNew: true }]);
  expect(fetched.filter((url) => url === 'stable/yt-dlp')).toHaveLength(1);
  expect(await updates.update()).toEqual({ version: '2026.10.01', isNew: false });
});

test('an update after a change of channel uses the new one, even if another update is running', async () => {
  const { updates, site, program } = await setUpComputer();
  await publishRelease(site, '2026.11.01');
  await publishRelease(site, '2026.11.20.123456', 'nightly');
  const first = updates.update();
  await updates.setOptions({ channel: 'nightly' });
  const both = await Promise.all([updates.update(), updates.update()]);
  expect(both.map(({ version }) => version)).toEqual(['2026.11.20.123456', '2026.11.20.123456']);
  expect(await first).toMatchObject({ version: '2026.11.01' });
  expect(await readFile(program, 'utf8')).toBe(createProgram('2026.11.20.123456'));
});

test('a broken yt-dlp is replaced, even by the same release, and is not saved as the previous one', async () => {
  const { updates, site, folder, program } = await setUpComputer();
  await publishRelease(site, '2026.10.01');
  await updates.update();
  await writeFile(program, '#!/bin/sh\nexit 1\n');
  expect(await updates.update()).toEqual({ version: '2026.10.01', isNew: true });
  expect(await listFolder(folder)).toEqual(['yt-dlp', 'yt-dlp-2026.10.01']);
});

test('changing from nightly back to stable is possible', async () => {
  const { updates, site } = await setUpComputer();
  await publishRelease(site, '2026.11.20.123456', 'nightly');
  await publishRelease(site, '2026.11.01');
  await updates.setOptions({ channel: 'nightly', dailyAt: null });
  expect(await updates.update()).toMatchObject({ version: '2026.11.20.123456' });
  await updates.setOptions({ channel: 'stable', dailyAt: null });
  expect(await updates.update()).toMatchObject({ version: '2026.11.01' });
});

test.each([
  ['a nightly build of an earlier day', '2026.11.19.235959', 'older than 2026.11.20.123456'],
  ['a nightly build of an earlier time of the day', '2026.11.20.012345', 'older than 2026.11.20.123456'],
])('%s is not installed over a newer version, although it is signed', async (_, old, sentence) => {
  const { updates, site, program } = await setUpComputer();
  await publishRelease(site, '2026.11.20.123456', 'nightly');
  await updates.setOptions({ channel: 'nightly' });
  await updates.update();
  await publishRelease(site, old, 'nightly');
  await expect(updates.update()).rejects.toThrow(sentence);
  expect(await readFile(program, 'utf8')).toBe(createProgram('2026.11.20.123456'));
  await publishRelease(site, '2026.11.20.123457', 'nightly');
  expect(await updates.update()).toEqual({ version: '2026.11.20.123457', isNew: true });
});

test('changing the channel and back installs nothing older than before', async () => {
  const { updates, site, program } = await setUpComputer();
  await publishRelease(site, '2026.11.20.123456', 'nightly');
  await publishRelease(site, '2026.11.01');
  await updates.setOptions({ channel: 'nightly' });
  await updates.update();
  await updates.setOptions({ channel: 'stable' });
  await updates.update();
  await updates.setOptions({ channel: 'nightly' });
  // Newer than the release, but older than the build that was installed.
  await publishRelease(site, '2026.11.10.000000', 'nightly');
  await expect(updates.update()).rejects.toThrow('older than 2026.11.20.123456');
  await publishRelease(site, '2026.11.21.000000', 'nightly');
  expect(await updates.update()).toMatchObject({ version: '2026.11.21.000000' });
  await updates.setOptions({ channel: 'stable' });
  await publishRelease(site, '2026.10.01');
  await expect(updates.update()).rejects.toThrow('older than 2026.11.01');
  expect(await readFile(program, 'utf8')).toBe(createProgram('2026.11.21.000000'));
  await publishRelease(site, '2026.11.01');
  expect(await updates.update()).toMatchObject({ version: '2026.11.01' });
});

test('an older nightly build is not installed over a release, one of the same day or later is', async () => {
  const { updates, site } = await setUpComputer();
  await publishRelease(site, '2026.11.20');
  await updates.update();
  await updates.setOptions({ channel: 'nightly' });
  await publishRelease(site, '2026.11.19.235959', 'nightly');
  await expect(updates.update()).rejects.toThrow('older than 2026.11.20');
  await publishRelease(site, '2026.11.20.000001', 'nightly');
  expect(await updates.update()).toMatchObject({ version: '2026.11.20.000001' });
});

test('a full disk and a read-only folder are reported, and change nothing', async () => {
  const { updates, site, folder, program, dataDir } = await setUpComputer();
  await publishRelease(site, '2026.10.01');
  await updates.update();
  await publishRelease(site, '2026.11.01');
  await symlink('/dev/full', `${program}.new`);
  await expect(updates.update()).rejects.toThrow(LOW_DISK_SPACE_MESSAGE);
  expect(await readFile(program, 'utf8')).toBe(createProgram('2026.10.01'));
  expect(await listFolder(folder)).toEqual(['yt-dlp', 'yt-dlp-2026.10.01']);

  await rm(folder, { recursive: true });
  await writeFile(join(dataDir, 'programs'), '');
  await expect(updates.update()).rejects.toThrow(/^This server can't write to 'programs' in its data folder \(E/);
  await expect(updates.setOptions({ channel: 'nightly', dailyAt: '04:30' })).rejects.toThrow(/can't write/);
  expect(await updates.getState()).toEqual({ channel: 'stable', dailyAt: null });
});

test('a server that is stopping installs nothing', async () => {
  const { updates, site, dataDir } = await setUpComputer();
  await publishRelease(site, '2026.10.01');
  const updating = updates.update();
  await updates.stop();
  await expect(updating).rejects.toThrow('The server is stopping. Try again in a moment');
  await expect(readFile(join(dataDir, 'programs', 'yt-dlp'))).rejects.toThrow();
});
