import { expect, test } from 'vitest';
import {
  describeSetupProblems,
  findFfmpegProblem,
  type SetupProblem,
  parseEjsVersion,
  parseRuntimes,
  parseFfmpegVersion,
  parseYtdlpVersion,
  getYtdlpAdvice,
  findYtdlpProblem,
} from './programVersions.ts';

const today = Temporal.PlainDate.from('2026-11-23');
const createYtdlp = (version: string | undefined, program = 'yt-dlp') => ({ program, version, readablePaths: [] });
const createFfmpeg = (version: string | undefined) => ({ program: 'ffmpeg', version, readablePaths: [] });
const describeForOwner = (problem: SetupProblem | undefined): string => describeSetupProblems([problem], true);
const ALL_ENCODERS = '--enable-libmp3lame --enable-libvpx --enable-libopus';

test('versions are parsed from the output', () => {
  expect(parseFfmpegVersion('ffmpeg version 5.1.9-0+deb12u1 Copyright (c) 2000')).toBe('5.1.9');
  expect(parseFfmpegVersion('ffmpeg version N-109000-gabc Copyright')).toBe('N-109000-gabc');
  expect(parseFfmpegVersion('sh: not found')).toBe(undefined);
  expect(parseYtdlpVersion('2023.03.04\n')).toBe('2023.03.04');
  expect(parseYtdlpVersion('2025.11.12.232939\n')).toBe('2025.11.12.232939');
  expect(parseYtdlpVersion('')).toBe(undefined);
});

test('missing and outdated programs are reported with the remedy', () => {
  expect(describeForOwner(findYtdlpProblem(createYtdlp(undefined)))).toBe(
    "Downloads need yt-dlp and ffmpeg, but yt-dlp is not installed on this server. Press 'Update yt-dlp' on the music page, or run: apt-get install yt-dlp",
  );
  expect(describeForOwner(findYtdlpProblem(createYtdlp(undefined, '/opt/yt-dlp')))).toContain(
    'YTDLP_PATH is /opt/yt-dlp, which fails to start',
  );
  expect(describeForOwner(findYtdlpProblem(createYtdlp('2021.01.01')))).toContain(
    'yt-dlp 2021.01.01 is too old: 2023.03.04 or newer is required',
  );
  expect(findYtdlpProblem(createYtdlp('2023.03.04'))).toBe(undefined);
  const remedy = 'ffmpeg is not installed on this server. Run: apt-get install ffmpeg';
  expect(describeForOwner(findFfmpegProblem(createFfmpeg(undefined), '', 'download'))).toBe(
    `Downloads need yt-dlp and ffmpeg, but ${remedy}`,
  );
  // Users with only recordings do not need to read about downloads.
  expect(describeForOwner(findFfmpegProblem(createFfmpeg(undefined), '', 'convert'))).toBe(
    `Converting needs ffmpeg, but ${remedy}`,
  );
  expect(describeForOwner(findFfmpegProblem(createFfmpeg('3.4.1'), ALL_ENCODERS, 'convert'))).toContain(
    'ffmpeg 3.4.1 is too old',
  );
  expect(describeForOwner(findFfmpegProblem(createFfmpeg('5.1.9'), '--enable-libopus', 'convert'))).toContain(
    'was built without libmp3lame, libvpx',
  );
  expect(findFfmpegProblem(createFfmpeg('5.1.9'), ALL_ENCODERS, 'convert')).toBe(undefined);
  expect(findFfmpegProblem(createFfmpeg('N-109000-gabc'), ALL_ENCODERS, 'convert')).toBe(undefined);
});

test('users who are not the owner read whom to ask, without commands, settings and paths', () => {
  const problems = [
    ...[createYtdlp(undefined), createYtdlp(undefined, '/opt/yt-dlp'), createYtdlp('2021.01.01')].map(findYtdlpProblem),
    findFfmpegProblem(createFfmpeg(undefined), '', 'download'),
    findFfmpegProblem(createFfmpeg(undefined), '', 'convert', { path: '/opt/ffmpeg', hasProbe: true }),
    findFfmpegProblem(createFfmpeg('5.1.9'), ALL_ENCODERS, 'convert', { path: '/opt/ffmpeg', hasProbe: false }),
    findFfmpegProblem(createFfmpeg('3.4.1'), ALL_ENCODERS, 'convert'),
    findFfmpegProblem(createFfmpeg('5.1.9'), '', 'convert'),
  ];
  for (const problem of problems) {
    const sentence = describeSetupProblems([problem], false);
    expect(sentence).toMatch(
      /^(?:Downloads need yt-dlp and ffmpeg|Converting needs ffmpeg), but .* Ask the owner of this server$/,
    );
    expect(sentence).not.toMatch(/apt-get|_PATH|\/opt|Press/);
  }
  expect(
    describeSetupProblems(
      [findYtdlpProblem(createYtdlp(undefined)), findFfmpegProblem(createFfmpeg(undefined), '', 'download')],
      false,
    ),
  ).toBe(
    'Downloads need yt-dlp and ffmpeg, but yt-dlp is not installed on this server. Downloads need yt-dlp and ffmpeg, but ffmpeg is not installed on this server. Ask the owner of this server',
  );
  expect([true, false].map((isOwner) => describeSetupProblems([undefined], isOwner))).toEqual(['', '']);
});

test('an old yt-dlp works, and its age is reported', () => {
  expect(getYtdlpAdvice(createYtdlp('2023.03.04'), today)).toBe(
    'yt-dlp 2023.03.04, 3 years old: YouTube and some other sites need 2025.11.12 or newer',
  );
  expect(getYtdlpAdvice(createYtdlp('2025.11.01'), today)).toContain('2025.11.01, 1 year old');
  expect(getYtdlpAdvice(createYtdlp('2025.11.12.1'), today)).toBe(
    'yt-dlp 2025.11.12.1 is 376 days old. Sites change often, so downloads may fail',
  );
  expect(getYtdlpAdvice(createYtdlp('2026.10.01'), today)).toBe('');
  expect(getYtdlpAdvice(createYtdlp(undefined), today)).toBe('Without yt-dlp you can only upload songs');
});

test('the JavaScript runtimes and yt-dlp-ejs are parsed from verbose output of yt-dlp', () => {
  const verboseOutput = `[debug] yt-dlp version stable@2026.08.19
[debug] Optional libraries: Cryptodome-3.11.0, yt_dlp_ejs-0.3.2, websockets-10.4
[debug] JS runtimes: deno-2.5.6, node-20.20.2 (unsupported), quickjs-ng-0.10.1`;
  expect(parseRuntimes(verboseOutput)).toEqual(['deno 2.5.6', 'quickjs-ng 0.10.1']);
  expect(parseEjsVersion(verboseOutput)).toBe('0.3.2');
  const bareOutput = '[debug] Optional libraries: brotli-1.0.9\n[debug] JS runtimes: none\n';
  expect([parseRuntimes(bareOutput), parseEjsVersion(bareOutput), parseRuntimes(''), parseEjsVersion('')]).toEqual([
    [],
    undefined,
    [],
    undefined,
  ]);
});
