import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { handTimers } from '#testing/timers.ts';
import { makeChildren } from './make.ts';
import { makePrograms } from './programs.ts';

const log = pino({ level: 'silent' });
const KEEPERS = ['nice', 'setpriv', 'prlimit'];
const FFMPEG =
  'ffmpeg version 5.1.9-0+deb12u1 Copyright\nconfiguration: --enable-libmp3lame --enable-libvpx --enable-libopus';

const now = () => Temporal.Instant.from('2026-11-23T12:00:00Z');

/** A computer that has no programs but those that a test lays there. */
const openComputer = async (ytdlpPath?: string) => {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-'));
  for (const keeper of KEEPERS) await symlink(join('/usr/bin', keeper), join(folder, keeper));
  const timers = handTimers();
  const children = makeChildren({ log, timers, sandbox: 'off', path: folder });
  const programs = makePrograms({ children, ytdlpPath, log, now, timers });
  onTestFinished(async () => {
    await children.stop();
    await programs.stop();
    await rm(folder, { recursive: true });
  });
  return {
    folder,
    timers,
    programs,
    lay: async (name: string, says: string) => {
      await writeFile(join(folder, name), `#!/bin/sh\necho '${says}'\n`);
      await chmod(join(folder, name), 0o755);
    },
  };
};

test('what is there is said with its version, what is not with the remedy, and an hour later what has come', async () => {
  const { programs, lay, timers } = await openComputer();
  await lay('ffmpeg', FFMPEG);
  expect(await programs.summary()).toBe('yt-dlp missing, ffmpeg 5.1.9, no sandbox');
  expect(await programs.hindrance('convert')).toBe('');
  expect(await programs.hindrance('download')).toBe(
    'Downloads need yt-dlp and ffmpeg: yt-dlp is missing here. Its operator installs it with: apt-get install yt-dlp',
  );
  await lay('yt-dlp', '2025.12.01');
  expect(await programs.hindrance('download')).not.toBe('');
  timers.turn(3_600_000);
  expect(await programs.hindrance('download')).toBe('');
  expect([await programs.summary(), await programs.advice()]).toEqual([
    'yt-dlp 2025.12.01, ffmpeg 5.1.9, no sandbox',
    '',
  ]);
  expect((await programs.ytdlp()).version).toBe('2025.12.01');
});

test('one that its operator names is taken instead of the system’s, with nothing to read but itself', async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), 'pegboard-'));
  onTestFinished(() => rm(elsewhere, { recursive: true }));
  const { programs, lay } = await openComputer(join(elsewhere, 'yt-dlp'));
  await lay('ffmpeg', FFMPEG);
  await lay('yt-dlp', '2025.12.01');
  expect(await programs.hindrance('download')).toContain(
    `YTDLP_PATH names ${join(elsewhere, 'yt-dlp')}, which does not run`,
  );
  await writeFile(join(elsewhere, 'yt-dlp'), '#!/bin/sh\necho 2023.07.06\n');
  await chmod(join(elsewhere, 'yt-dlp'), 0o755);
  await programs.look();
  expect(await programs.hindrance('download')).toBe('');
  expect(await programs.advice()).toContain('yt-dlp 2023.07.06, 3 years old');
  expect((await programs.ytdlp()).reads).toEqual(['yt-dlp', '_internal'].map((name) => join(elsewhere, name)));
});

test('a computer that keeps no program within limits says that first', async () => {
  const { programs, folder } = await openComputer();
  await rm(join(folder, 'prlimit'));
  expect(await programs.hindrance('download')).toBe(
    'Downloads and conversions need prlimit here, which comes with Linux: apt-get install util-linux',
  );
});
