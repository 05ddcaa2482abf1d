import { chmod, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { createMediaPrograms, type MediaProgramsOptions } from './mediaPrograms.ts';
import { createProcessRunner } from './processRunner.ts';

const log = pino({ level: 'silent' });
const LIMIT_PROGRAMS = ['nice', 'setpriv', 'prlimit'];
const FFMPEG =
  'ffmpeg version 5.1.9-0+deb12u1 Copyright\nconfiguration: --enable-libmp3lame --enable-libvpx --enable-libopus';

const [OWNER, OTHER] = [1, 2];
const isOwner = async (account: number): Promise<boolean> => account === OWNER;
const now = () => Temporal.Instant.from('2026-11-23T12:00:00Z');

/** Simulates a computer that only has the programs of the test. */
async function setUpComputer(paths: Pick<MediaProgramsOptions, 'ytdlpPath' | 'managedPath' | 'ffmpegPath'> = {}) {
  const folder = await createTempFolder();
  for (const program of LIMIT_PROGRAMS) await symlink(join('/usr/bin', program), join(folder, program));
  const processRunner = createProcessRunner({ log, sandbox: 'off', path: folder, ffmpegPath: paths.ffmpegPath });
  const programs = createMediaPrograms({ processRunner, ...paths, isOwner, log, now });
  onTestFinished(async () => {
    await processRunner.stop();
    await programs.stop();
  });
  return {
    folder,
    programs,
    install: async (name: string, output: string) => {
      await writeFile(join(folder, name), `#!/bin/sh\necho '${output}'\n`);
      await chmod(join(folder, name), 0o755);
    },
  };
}

test('programs are listed with versions, missing ones with the remedy, and new ones are detected immediately', async () => {
  const { programs, install } = await setUpComputer();
  await install('ffmpeg', FFMPEG);
  await install('ffprobe', '');
  expect(await programs.describeVersions()).toBe('yt-dlp missing, ffmpeg 5.1.9, no sandbox');
  expect(await programs.getSetupProblem('convert')).toBe('');
  expect(await programs.getSetupProblem('download')).toBe(
    "Downloads need yt-dlp and ffmpeg, but yt-dlp is not installed on this server. Press 'Update yt-dlp' on the music page, or run: apt-get install yt-dlp",
  );
  expect(await programs.getSetupProblem('download', OWNER)).toContain('apt-get install yt-dlp');
  expect(await programs.getSetupProblem('download', OTHER)).toBe(
    'Downloads need yt-dlp and ffmpeg, but yt-dlp is not installed on this server. Ask the owner of this server',
  );
  await install('yt-dlp', '2026.11.01');
  expect(await programs.getSetupProblem('download')).toBe('');
  expect([await programs.describeVersions(), await programs.getUpdateAdvice()]).toEqual([
    'yt-dlp 2026.11.01, ffmpeg 5.1.9, no sandbox',
    '',
  ]);
  expect((await programs.findYtdlp()).version).toBe('2026.11.01');
});

test('a program of the operator replaces the one of the system, and only reads itself', async () => {
  const otherFolder = await createTempFolder();
  const { programs, install } = await setUpComputer({ ytdlpPath: join(otherFolder, 'yt-dlp') });
  await install('ffmpeg', FFMPEG);
  await install('ffprobe', '');
  await install('yt-dlp', '2025.12.01');
  expect(await programs.getSetupProblem('download')).toContain(
    `YTDLP_PATH is ${join(otherFolder, 'yt-dlp')}, which fails to start`,
  );
  await writeFile(join(otherFolder, 'yt-dlp'), '#!/bin/sh\necho 2023.07.06\n');
  await chmod(join(otherFolder, 'yt-dlp'), 0o755);
  expect(await programs.getSetupProblem('download')).toBe('');
  expect(await programs.getUpdateAdvice(OWNER)).toMatch(/^yt-dlp 2023\.07\.06, 3 years old: .* or newer$/);
  expect(await programs.getUpdateAdvice(OTHER)).toMatch(/or newer\. Ask the owner of this server to update it$/);
  expect((await programs.findYtdlp()).readablePaths).toEqual(
    ['yt-dlp', '_internal'].map((name) => join(otherFolder, name)),
  );
});

test('a computer that cannot limit programs reports that first', async () => {
  const { programs, folder } = await setUpComputer();
  await rm(join(folder, 'prlimit'));
  expect(await programs.getSetupProblem('download')).toBe(
    'Downloads and conversions need prlimit, which is part of Linux: apt-get install util-linux',
  );
});

test('no program is started again while its file is unchanged', async () => {
  const { programs, folder } = await setUpComputer();
  const runLog = join(folder, 'run.log');
  await writeFile(join(folder, 'yt-dlp'), `#!/bin/sh\necho x >> ${runLog}\necho 2025.12.01\n`, { mode: 0o755 });
  for (let times = 0; times < 3; times += 1)
    await Promise.all([programs.describeVersions(), programs.getUpdateAdvice()]);
  expect(await readFile(runLog, 'utf8')).toBe('x\n');
  await utimes(join(folder, 'yt-dlp'), 1, 1);
  await programs.describeVersions();
  expect(await readFile(runLog, 'utf8')).toBe('x\nx\n');
});

test('the newest working yt-dlp is used: managed, configured or of the system', async () => {
  const otherFolder = await createTempFolder();
  const managedPath = join(otherFolder, 'yt-dlp');
  const { programs, install, folder } = await setUpComputer({ managedPath });
  await install('yt-dlp', '2025.12.01');
  expect((await programs.findYtdlp()).program).toBe('yt-dlp');
  await writeFile(managedPath, '#!/bin/sh\necho 2026.08.19\n', { mode: 0o755 });
  expect(await programs.findYtdlp()).toMatchObject({ program: managedPath, version: '2026.08.19' });
  await writeFile(managedPath, '#!/bin/sh\nexit 1\n');
  expect(await programs.findYtdlp()).toMatchObject({ program: 'yt-dlp', version: '2025.12.01' });
  await writeFile(managedPath, '#!/bin/sh\necho 2025.01.01\n');
  expect((await programs.findYtdlp()).version).toBe('2025.12.01');
  expect(folder).not.toBe(otherFolder);
});

test('an ffmpeg of the operator is used with the ffprobe beside it, and its absence is reported', async () => {
  const otherFolder = await createTempFolder();
  const ffmpegPath = join(otherFolder, 'ffmpeg');
  const { programs, install } = await setUpComputer({ ffmpegPath });
  await install('ffmpeg', FFMPEG);
  await install('ffprobe', '');
  expect(await programs.getSetupProblem('convert')).toBe(
    `Converting needs ffmpeg, but FFMPEG_PATH is ${ffmpegPath}, which fails to start. Set it to another ffmpeg`,
  );
  await writeFile(ffmpegPath, `#!/bin/sh\necho '${FFMPEG.replace('5.1.9', '8.0.1')}'\n`, { mode: 0o755 });
  expect(await programs.getSetupProblem('convert')).toContain(`ffprobe is missing next to ${ffmpegPath}`);
  await writeFile(join(otherFolder, 'ffprobe'), '#!/bin/sh\n', { mode: 0o755 });
  expect(await programs.getSetupProblem('convert')).toBe('');
  expect((await programs.findFfmpeg()).version).toBe('8.0.1');
});
