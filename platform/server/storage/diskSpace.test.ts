import { existsSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createManualTimers } from '#testing/kits/server/manualTimers.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { fileupload, returnfilenames } from '#tools/remote/contract.ts';
import { createLogger } from '../operations/logger.ts';
import { computeWarningBytes, createDiskMonitor, LOW_DISK_SPACE_MESSAGE } from './diskSpace.ts';

const MIB = 1024 * 1024;
const CHECK_INTERVAL_MS = 30_000;
const WARNING_BYTES = MIB / 2;
let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'pegboard-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

async function startMonitor(free: () => number, reserveBytes = 0) {
  const lines: string[] = [];
  const warnings: string[] = [];
  const timers = createManualTimers();
  const log = createLogger({ level: 'info', destination: { write: (line: string) => void lines.push(line) } });
  const disk = createDiskMonitor({
    dataDir,
    log,
    timers,
    reserveBytes,
    warning: { bytes: WARNING_BYTES },
    onWarning: (message) => void warnings.push(message),
    read: async () => free(),
  });
  await disk.start();
  return { disk, lines, warnings, timers, path: join(dataDir, 'reserve') };
}
const getSize = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

test.each([
  { free: 2048 * MIB, files: true, downloads: true },
  { free: 2048 * MIB - 1, files: true, downloads: false },
  { free: 500 * MIB, files: true, downloads: false },
  { free: 500 * MIB - 1, files: false, downloads: false },
])(
  'with $free bytes free, files are stored: $files, downloads start: $downloads',
  async ({ free, files, downloads }) => {
    const { disk } = await startMonitor(() => free);
    expect({ files: disk.canStoreFiles(), downloads: disk.canStoreLargeFiles() }).toEqual({ files, downloads });
    await disk.stop();
  },
);

test('free space is measured every 30 seconds, and a change is logged once', async () => {
  let free = 10_000 * MIB;
  const { disk, lines, timers } = await startMonitor(() => free);
  free = 400 * MIB;
  timers.advance(CHECK_INTERVAL_MS - 1);
  expect(disk.canStoreFiles()).toBe(true);
  timers.advance(1);
  await expect.poll(disk.canStoreFiles).toBe(false);
  timers.advance(CHECK_INTERVAL_MS);
  free = 600 * MIB;
  timers.advance(CHECK_INTERVAL_MS);
  await expect.poll(disk.canStoreFiles).toBe(true);
  await disk.stop();
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['disk.low', 'disk.recovered']);
});

test('a failed measurement is logged, and the last one stays valid', async () => {
  let isBroken = false;
  const { disk, lines, timers } = await startMonitor(() => {
    if (isBroken) throw new Error('gone');
    return 600 * MIB;
  });
  isBroken = true;
  timers.advance(CHECK_INTERVAL_MS);
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  expect(lines[0]).toContain('disk.check.failed');
  expect(disk.canStoreFiles()).toBe(true);
  await disk.stop();
});

test('the reserve is created if there is space, released immediately, and created again later', async () => {
  let free = 3 * MIB;
  const { disk, path, timers } = await startMonitor(() => free, 2 * MIB);
  await disk.measureFreeBytes();
  expect(existsSync(path)).toBe(false);
  free = 4 * MIB;
  timers.advance(CHECK_INTERVAL_MS);
  await expect.poll(() => getSize(path)).toBe(2 * MIB);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  disk.releaseReserve();
  expect(existsSync(path)).toBe(false);
  disk.releaseReserve();
  timers.advance(CHECK_INTERVAL_MS);
  await expect.poll(() => getSize(path)).toBe(2 * MIB);
  await disk.stop();
});

test('the owner is warned once each time the free space falls below the threshold, but not at the start', async () => {
  let free = WARNING_BYTES;
  const { disk, lines, warnings, timers } = await startMonitor(() => free);
  async function measure(bytes: number): Promise<void> {
    free = bytes;
    timers.advance(CHECK_INTERVAL_MS);
    await expect.poll(disk.getFreeBytes).toBe(bytes);
  }
  for (const bytes of [WARNING_BYTES - 1, WARNING_BYTES - 2, WARNING_BYTES + 1, WARNING_BYTES - 3])
    await measure(bytes);
  const sentence = '0.0 GiB are free. Free some space before it is full';
  expect(warnings).toEqual([sentence]);
  await measure(2 * WARNING_BYTES);
  await measure(WARNING_BYTES - 4);
  expect(warnings).toEqual([sentence, sentence]);
  await disk.stop();
  const events = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
  expect(events.filter((event) => event.startsWith('disk.warning'))).toEqual([
    'disk.warning',
    'disk.warning.ended',
    'disk.warning',
  ]);
  const restarted = await startMonitor(() => free);
  expect([restarted.warnings, restarted.lines.join('').includes('disk.warning')]).toEqual([[], true]);
  await restarted.disk.stop();
});

test('a share of the disk is a threshold too', async () => {
  const total = 1000 * (await computeWarningBytes(dataDir, { share: 0.001 }));
  expect(Math.abs((await computeWarningBytes(dataDir, { share: 0.5 })) - total / 2)).toBeLessThan(1000);
  expect(total).toBeGreaterThan(MIB);
});

test('without the reserve its space must stay free, apart from what deleted rows have left', async () => {
  let free = 5 * MIB;
  let reusable = 0;
  const timers = createManualTimers();
  const log = createLogger({ level: 'silent' });
  const disk = createDiskMonitor({ dataDir, log, timers, reserveBytes: 2 * MIB, read: async () => free });
  await disk.start(async () => reusable);
  const path = join(dataDir, 'reserve');
  await expect.poll(() => getSize(path)).toBe(2 * MIB);
  expect(disk.acceptsDeferrableWrites()).toBe(true);
  free = 0;
  expect(disk.releaseReserve()).toBe(true);
  expect(disk.acceptsDeferrableWrites()).toBe(false);
  expect(disk.releaseReserve()).toBe(false);
  free = 2 * MIB;
  reusable = MIB;
  // Sooner than every 30 seconds.
  timers.advance(2000);
  await expect.poll(disk.acceptsDeferrableWrites).toBe(true);
  expect(existsSync(path)).toBe(false);
  reusable = 0;
  free = 2 * MIB - 1;
  timers.advance(CHECK_INTERVAL_MS);
  await expect.poll(disk.acceptsDeferrableWrites).toBe(false);
  free = 5 * MIB;
  timers.advance(2000);
  await expect.poll(() => getSize(path)).toBe(2 * MIB);
  expect(disk.acceptsDeferrableWrites()).toBe(true);
  await disk.stop();
});

test('an incomplete reserve of a killed server is replaced', async () => {
  writeFileSync(join(dataDir, 'reserve'), 'half');
  const { disk, path } = await startMonitor(() => 10 * MIB, 2 * MIB);
  await expect.poll(() => getSize(path)).toBe(2 * MIB);
  await disk.stop();
});

test('no script is stored on a nearly full disk, other calls work, and later it is stored', async () => {
  let free = 499 * MIB;
  const timers = createManualTimers();
  await using server = await startServer({ disk: { read: async () => free, reserveBytes: 0, timers } });
  const ada = await server.createAccount('Ada');
  const upload = () => ada.call(fileupload, { content: { text: 'echo', name: 'hello.sh' } });
  await expect(upload()).rejects.toThrow(LOW_DISK_SPACE_MESSAGE);
  expect(await ada.call(returnfilenames, {})).toEqual({ names: [] });
  free = 501 * MIB;
  timers.advance(CHECK_INTERVAL_MS);
  await expect.poll(() => upload().then(() => 'kept', String)).toBe('kept');
  expect(await ada.call(returnfilenames, {})).toEqual({ names: ['hello.sh'] });
});

test('the server is not ready below 100 MiB', async () => {
  let free = 100 * MIB - 1;
  await using server = await startServer({ disk: { read: async () => free, reserveBytes: 0 } });
  const getReadyStatus = async () => (await fetch(`${server.origin}/readyz`)).status;
  expect(await getReadyStatus()).toBe(503);
  free = 100 * MIB;
  expect(await getReadyStatus()).toBe(200);
});
