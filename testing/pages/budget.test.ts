import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readManifest } from '../../apps/web/pageFiles.ts';
import { measureFirstLoad } from './weight.ts';

// Budgets of docs/design/appearance.md section 9, in bytes of gzip.
const JS_LIMIT = 140 * 1024;
const CSS_LIMIT = 14 * 1024;
const FONT_LIMIT = 48 * 1024;

const DIST = fileURLToPath(new URL('../../apps/web/dist', import.meta.url));
const readDist = (file: string): Buffer => readFileSync(join(DIST, file));

test.for([
  ['/', '../../tools/home/web/HomePage.tsx'],
  ['/login', '../../tools/accounts/web/LoginPage.tsx'],
  ['/signup', '../../tools/accounts/web/SignupPage.tsx'],
])('the first load of %s is within its budget', async ([, page = '']) => {
  expect(Object.keys(await readManifest(DIST))).toContain(page);
  const { js, css } = await measureFirstLoad(DIST, page);
  expect(js).toBeLessThan(JS_LIMIT);
  expect(css).toBeLessThan(CSS_LIMIT);
});

test('no page loads sockets, the palette or all of zod at first', async () => {
  const { scripts } = await measureFirstLoad(DIST, '../../tools/home/web/HomePage.tsx');
  const text = scripts.map((file) => readDist(file).toString()).join('\n');
  for (const foreign of ['engine.io', 'mantine-Spotlight', 'invalid_type']) expect(text).not.toContain(foreign);
});

test('there is one small font file', async () => {
  const fonts = Object.values(await readManifest(DIST)).flatMap(({ file, assets = [] }) =>
    [file, ...assets].filter((each) => each.endsWith('.woff2')),
  );
  const one = [...new Set(fonts)];
  expect(one).toHaveLength(1);
  expect(readDist(one[0] ?? '').length).toBeLessThan(FONT_LIMIT);
});
