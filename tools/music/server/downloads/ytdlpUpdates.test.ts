import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createMessage, generateKey, readPrivateKey, sign } from 'openpgp';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '#testing/server.ts';
import { downloads, setytdlpupdates, updateytdlp } from '../../contract.ts';

const WAIT = { timeout: 60_000 };
const programOf = (version: string): string => `#!/bin/sh\necho ${version}\n`;

interface Release {
  program: string;
  /** Wrong on purpose where given. */
  sums?: string;
  signature?: Buffer;
}

/** A site of releases that are signed with a key of its own. */
const openReleases = async () => {
  const { privateKey, publicKey } = await generateKey({ userIDs: [{ name: 'Test' }] });
  const signingKeys = await readPrivateKey({ armoredKey: privateKey });
  const releases = new Map<string, Release>();
  const signatureOf = async (text: string): Promise<Buffer> =>
    Buffer.from(
      await sign({
        message: await createMessage({ binary: Buffer.from(text) }),
        signingKeys,
        detached: true,
        format: 'binary',
      }),
    );
  const sumsOf = ({ program, sums }: Release): string =>
    sums ?? `${'0'.repeat(64)}  yt-dlp.exe\n${createHash('sha256').update(program).digest('hex')}  yt-dlp\n`;
  const site = createServer((request, response) => {
    const [, channel = '', name = ''] = (request.url ?? '').split('/');
    const release = releases.get(channel);
    void (async () => {
      if (!release) return response.writeHead(404).end();
      if (name === 'yt-dlp') return response.end(release.program);
      if (name === 'SHA2-256SUMS') return response.end(sumsOf(release));
      return response.end(release.signature ?? (await signatureOf(sumsOf(release))));
    })();
  });
  await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
  onTestFinished(() => void site.close());
  const { port } = site.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const server = await startServer({
    egressAllow: [`127.0.0.1:${port}`],
    ytdlpReleases: { stable: `${origin}/stable`, nightly: `${origin}/nightly`, key: publicKey },
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { releases, server, signatureOf, program: join(server.dataDir, 'programs', 'yt-dlp') };
};

test('the owner updates yt-dlp, the one before stays beside it, and what is used is the newest', WAIT, async () => {
  const { releases, server, program } = await openReleases();
  const owner = await server.account('Ada');
  releases.set('stable', { program: programOf('2026.10.01') });
  expect(await owner.call(updateytdlp, {})).toEqual({ version: '2026.10.01', isNew: true });
  expect(await owner.call(updateytdlp, {})).toMatchObject({ version: '2026.10.01', isNew: false });
  expect((await owner.call(downloads, {})).tools).toContain('yt-dlp 2026.10.01');
  releases.set('stable', { program: programOf('2026.11.01') });
  expect(await owner.call(updateytdlp, {})).toMatchObject({ version: '2026.11.01', isNew: true });
  expect((await owner.call(downloads, {})).tools).toContain('yt-dlp 2026.11.01');
  expect(await readFile(`${program}.previous`, 'utf8')).toBe(programOf('2026.10.01'));

  releases.set('nightly', { program: programOf('2026.11.20.123456') });
  await owner.call(setytdlpupdates, { channel: 'nightly', dailyAt: '04:30' });
  expect((await owner.call(downloads, {})).updates).toEqual({ channel: 'nightly', dailyAt: '04:30' });
  expect(await owner.call(updateytdlp, {})).toMatchObject({ version: '2026.11.20.123456' });

  const other = await server.account('Bob');
  await expect(other.call(updateytdlp, {})).rejects.toThrow('Only the owner of this server can update yt-dlp');
  await expect(other.call(setytdlpupdates, { channel: 'stable', dailyAt: null })).rejects.toThrow('Only the owner');
  expect((await other.call(downloads, {})).updates).toBeUndefined();
});

test('a release that is not what was signed, does not run or is older changes nothing', WAIT, async () => {
  const { releases, server, signatureOf, program } = await openReleases();
  const owner = await server.account('Ada');
  const good = programOf('2026.10.01');
  await expect(owner.call(updateytdlp, {})).rejects.toThrow('its site answered 404');
  expect(existsSync(program)).toBe(false);
  releases.set('stable', { program: good });
  await owner.call(updateytdlp, {});
  const sumsOfGood = `${createHash('sha256').update(good).digest('hex')}  yt-dlp\n`;
  const evil = programOf('2026.12.01');
  const cases: readonly (readonly [Release, RegExp])[] = [
    [{ program: evil, signature: await signatureOf(sumsOfGood) }, /signature .* is wrong/],
    [{ program: evil, signature: Buffer.from('no signature') }, /signature .* is wrong/],
    [{ program: evil, signature: Buffer.alloc(0) }, /signature .* is wrong/],
    [{ program: evil, sums: `${'1'.repeat(64)}  yt-dlp\n` }, /not what the release of yt-dlp was signed for/],
    [{ program: evil, sums: `${'1'.repeat(64)}  yt-dlp.exe\n` }, /no file for every system/],
    [{ program: '#!/bin/sh\nexit 3\n' }, /does not run on this server/],
    [{ program: programOf('2025.01.01') }, /older than 2026.10.01/],
  ];
  for (const [release, sentence] of cases) {
    releases.set('stable', release);
    await expect(owner.call(updateytdlp, {})).rejects.toThrow(sentence);
    expect(await readFile(program, 'utf8')).toBe(good);
    expect(existsSync(`${program}.new`)).toBe(false);
  }
});
