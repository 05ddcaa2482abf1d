import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { checkPrograms } from './doctor.ts';

test('the doctor lists the media programs with their versions', async () => {
  const findings = await checkPrograms({});
  expect(findings.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^yt-dlp \d{4}\.\d\d\.\d\d/),
    expect.stringMatching(/^ffmpeg \d/),
    expect.stringMatching(/^bwrap( \d|.* is missing or not allowed to create namespaces)/),
  ]);
  expect(findings.slice(0, 2).every(({ isOk }) => isOk)).toBe(true);
});

test('without media programs, the doctor says what does not work and how to install them', async () => {
  const path = await createTempFolder();
  for (const program of ['nice', 'setpriv', 'prlimit']) await symlink(join('/usr/bin', program), join(path, program));
  const findings = await checkPrograms({}, { path });
  expect(findings.map(({ isOk }) => isOk)).toEqual([false, false, false]);
  expect(findings.map(({ text }) => text)).toEqual([
    expect.stringMatching(
      /yt-dlp is not installed on this server.*apt-get install yt-dlp \(without it songs can only be uploaded/,
    ),
    expect.stringMatching(
      /ffmpeg is not installed on this server.*apt-get install ffmpeg \(without it new songs and recordings are not possible/,
    ),
    expect.stringMatching(/^bwrap is missing.*apt-get install bubblewrap/),
  ]);
});
