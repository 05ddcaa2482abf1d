import { join } from 'node:path';
import { build } from 'vite';
import { examplePage } from '#tools/example/page.ts';
import { example } from '#tools/example/server/index.ts';
import type { ServerOptions } from '../../../apps/server/assemble.ts';
import { pages } from '../../../apps/server/pages.ts';
import { serverTools } from '../../../apps/server/tools.ts';
import { getSharedFolder } from '../server/globalSetup.ts';

const root = join(import.meta.dirname, '../../..');

/** Options of a server with the example, which is tested but not shipped. */
export const withExample = { tools: [...serverTools, example] } satisfies Partial<ServerOptions>;

/** Builds the site with `webTools.ts` in place of the product's tools. */
async function buildWebApp(outDir: string): Promise<void> {
  const { NODE_ENV } = process.env;
  process.env['NODE_ENV'] = 'production';
  try {
    await build({
      configFile: join(root, 'vite.config.ts'),
      root: join(root, 'apps/web'),
      logLevel: 'warn',
      build: { outDir, minify: false, reportCompressedSize: false },
      plugins: [
        {
          name: 'with-example',
          enforce: 'pre',
          resolveId: (source, importer) =>
            source === './tools.ts' && importer?.endsWith('/apps/web/main.tsx')
              ? join(import.meta.dirname, 'webTools.ts')
              : undefined,
        },
      ],
    });
  } finally {
    process.env['NODE_ENV'] = NODE_ENV;
  }
}

/** Returns the options of a server whose site has the page of the example. The site is built once per run. */
export async function buildSiteWithExample(): Promise<Partial<ServerOptions>> {
  const webDist = await getSharedFolder('site-with-example', buildWebApp);
  if (webDist === undefined) throw new Error('The site with the example can only be built in a test run');
  return { ...withExample, site: { webDist, pages: [...pages, examplePage.path] } };
}
