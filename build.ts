// `npm run build`: builds the pages into apps/web/dist and the agent into apps/agent/dist.
// `--if-stale`: only if a source changed.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { packTar } from 'modern-tar';
import { build } from 'vite';
import { COMPILE_CACHE, isBuilt, hashSources, STAMP_PATH } from './apps/server/buildStamp.ts';
import { listOfflineFiles } from './apps/web/offlineFiles.ts';
import { listPageFiles } from './apps/web/pageFiles.ts';
import manifest from './package.json' with { type: 'json' };

const root = import.meta.dirname;
const web = join(root, 'apps/web/dist');
const agent = join(root, 'apps/agent/dist');
const zip = promisify(gzip);
const brotli = promisify(brotliCompress);
/** Smaller files gain nothing from compression. */
const MIN_BYTES = 1024;

/** Writes a `.gz` and a `.br` beside a text file. */
async function compress(path: string): Promise<void> {
  const text = await readFile(path);
  if (text.length < MIN_BYTES) return;
  await writeFile(`${path}.gz`, await zip(text, { level: 9 }));
  await writeFile(`${path}.br`, await brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
}

/** Packs the agent as an npm package for `npx http://<server>/agent.tgz`: apps/agent/package and the built agent. */
async function packAgent(): Promise<void> {
  const paths = [...globSync('apps/agent/package/*', { cwd: root }).toSorted(), 'apps/agent/dist/agent.mjs'];
  const entries = paths.map(async (path) => {
    const name = basename(path);
    const read = await readFile(join(root, path));
    const body = name === 'package.json' ? Buffer.from(withVersion(read.toString())) : read;
    // A fixed time, so that the same sources produce the same bytes.
    return { header: { name: `package/${name}`, size: body.length, mode: 0o755, mtime: new Date(0) }, body };
  });
  await writeFile(join(agent, 'agent.tgz'), await zip(await packTar(await Promise.all(entries)), { level: 9 }));
}

const withVersion = (text: string): string =>
  JSON.stringify({ ...(JSON.parse(text) as object), version: manifest.version }, null, 2);

/** Loads the server once into the compile cache of `npm start`, so that its first start is fast too. */
function warmUp(): void {
  const load = 'await import(process.argv[1]); process.exit()';
  spawnSync(process.execPath, ['--input-type=module', '-e', load, join(root, 'apps/server/assemble.ts')], {
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE },
    stdio: 'inherit',
  });
}

const { values } = parseArgs({ options: { 'if-stale': { type: 'boolean', default: false } } });
if (!values['if-stale'] || !isBuilt()) {
  const hash = hashSources();
  process.env['NODE_ENV'] = 'production';
  await build({ configFile: join(root, 'vite.config.ts'), root: join(root, 'apps/web'), logLevel: 'warn' });
  await build({ configFile: join(root, 'vite.agent.config.ts'), logLevel: 'warn' });
  await writeFile(join(web, 'offline.json'), JSON.stringify(await listOfflineFiles(web)));
  // Beside the manifest, because only the server reads it, not browsers.
  await writeFile(join(web, '.vite/pages.json'), JSON.stringify(await listPageFiles(web)));
  const texts = globSync('{assets,images}/**/*.{js,css,svg,json}', { cwd: web });
  await Promise.all(texts.map((path) => compress(join(web, path))));
  await packAgent();
  await writeFile(STAMP_PATH, hash);
  warmUp();
}
