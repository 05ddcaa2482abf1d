import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDownloadsPage } from '#testing/kits/media/downloads.ts';
import { startMediaSite } from '#testing/kits/media/mediaSite.ts';
import { startServer } from '#testing/kits/server/server.ts';
import { createTempFolder } from '#testing/kits/server/tempFolder.ts';
import { findProgram } from '#testing/machine.ts';

/** Handles addresses that no other extractor supports. */
const PLUGIN = `from yt_dlp.extractor.common import InfoExtractor
class HelloPluginIE(InfoExtractor):
    _VALID_URL = r'https?://127\\.0\\.0\\.1:\\d+/hello'
    def _real_extract(self, url):
        song = url.replace('/hello', '/media/song.mp3')
        return {'id': '1', 'title': 'Found by a plug-in', 'url': song, 'ext': 'mp3'}
`;

/** Makes the system's yt-dlp accept `--plugin-dirs`: old versions find plug-ins on Python's own path. */
const newYtdlp = (program: string): string => `#!/bin/sh
[ "$*" = "--version" ] && exec echo 2026.08.19
for argument; do
  shift
  case "$argument" in
    --plugin-dirs=*) for folder in "\${argument#*=}"/*; do PYTHONPATH="$PYTHONPATH:$folder"; done ;;
    --no-plugin-dirs | --js-runtimes=*) ;;
    *) set -- "$@" "$argument" ;;
  esac
done
export PYTHONPATH
exec ${program} "$@"
`;

test('a plug-in in the operator’s folder reads its site inside the sandbox', async () => {
  const folder = await createTempFolder();
  const extractors = join(folder, 'plugins', 'hello', 'yt_dlp_plugins', 'extractor');
  await mkdir(extractors, { recursive: true });
  await writeFile(join(extractors, 'hello.py'), PLUGIN);
  const ytdlpPath = join(folder, 'yt-dlp');
  await writeFile(ytdlpPath, newYtdlp(findProgram('yt-dlp') ?? 'yt-dlp'), { mode: 0o755 });
  await using media = await startMediaSite();
  const environment = { YTDLP_PLUGINS: join(folder, 'plugins') };
  await using server = await startServer({ egressAllow: media.allowedTargets, ytdlpPath, environment });
  await using page = await openDownloadsPage(server, await server.createAccount('Ada'));
  expect(await page.waitForEnd(await page.queueLink(media.getAddress('/hello')))).toMatchObject({
    title: 'Found by a plug-in',
  });
});

test('a missing plug-in folder is logged, and the server starts', async () => {
  const plugins = join(await createTempFolder(), 'nothing');
  await using server = await startServer({ environment: { YTDLP_PLUGINS: plugins } });
  await expect.poll(() => server.log.join('\n')).toContain('music.ytdlp.plugins_missing');
});
