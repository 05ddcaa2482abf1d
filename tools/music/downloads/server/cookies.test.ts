import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDownloadsPage } from '#testing/kits/media/downloads.ts';
import { createFastYtdlp } from '#testing/kits/media/ytdlp.ts';
import { testOnBothDatabases } from '#testing/kits/server/database.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { downloads, removecookies, setcookies } from '../../contract.ts';

const SECRET = 'very-secret-value';
const getText = (domain: string): string =>
  `# Netscape HTTP Cookie File\n${domain}\tFALSE\t/\tFALSE\t2000000000\tsid\t${SECRET}\n`;

testOnBothDatabases(
  'cookies are only sent to their site, are encrypted at rest, and are removed with one call',
  async ({ dataDir, databaseUrl }) => {
    const seen: (string | undefined)[] = [];
    const site = createServer(({ headers }, response) => {
      seen.push(headers.cookie);
      response.writeHead(404).end();
    });
    await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
    onTestFinished(() => void site.close());
    const { port } = site.address() as AddressInfo;
    const options = { dataDir, databaseUrl, egressAllow: [`127.0.0.1:${port}`], ytdlpPath: await createFastYtdlp() };
    await using server = await startServer(options);
    const [ada, bob] = [await server.createAccount('Ada'), await server.createAccount('Bob')];
    await using page = await openDownloadsPage(server, ada);
    await using others = await openDownloadsPage(server, bob);
    async function get(from: typeof page, path: string): Promise<readonly (string | undefined)[]> {
      seen.length = 0;
      await from.waitForEnd(await from.queueLink(`http://127.0.0.1:${port}/${path}`));
      return seen;
    }

    expect(await ada.call(setcookies, { text: getText('127.0.0.1') })).toMatchObject({ sites: ['127.0.0.1'] });
    expect((await ada.call(downloads, {})).cookies).toEqual(['127.0.0.1']);
    expect(await get(page, 'a')).toContain(`sid=${SECRET}`);
    expect((await get(others, 'b')).every((cookie) => cookie === undefined)).toBe(true);
    expect((await bob.call(downloads, {})).cookies).toEqual([]);

    await ada.call(setcookies, { text: getText('.other.example') });
    expect((await get(page, 'c')).every((cookie) => cookie === undefined)).toBe(true);
    await expect(ada.call(setcookies, { text: `[${SECRET}]` })).rejects.toThrow('This file is JSON');
    expect((await ada.call(downloads, {})).cookies).toEqual(['other.example']);

    const names = await readdir(server.dataDir, { recursive: true, withFileTypes: true });
    for (const file of names.filter((one) => one.isFile()))
      expect((await readFile(join(file.parentPath, file.name))).includes(SECRET)).toBe(false);
    expect(server.log.join('\n')).not.toContain(SECRET);

    await ada.call(removecookies, {});
    expect((await ada.call(downloads, {})).cookies).toEqual([]);
  },
);

test('a text that is not a cookies.txt is refused', async () => {
  await using server = await startServer();
  const ada = await server.createAccount('Ada');
  await expect(ada.call(setcookies, { text: 'nothing' })).rejects.toThrow('Line 1 is not a cookie');
});
