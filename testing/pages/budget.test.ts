import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

// Budgets of look.md section 10, in bytes of gzip.
const JS_LIMIT = 140 * 1024;
const CSS_LIMIT = 14 * 1024;
const FONT_LIMIT = 48 * 1024;

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
  readonly assets?: readonly string[];
}

const DIST = new URL('../../apps/web/dist/', import.meta.url);
const readManifest = (): Readonly<Record<string, Chunk>> =>
  JSON.parse(readFileSync(new URL('.vite/manifest.json', DIST), 'utf8')) as Record<string, Chunk>;
const weigh = (file: string): number => gzipSync(readFileSync(new URL(file, DIST)), { level: 9 }).length;

const sum = (files: readonly string[]): number => files.map(weigh).reduce((total, bytes) => total + bytes, 0);

/** Everything that the browser has to take before the page works: the entry, the page's own part, and what they import. */
const firstLoad = (manifest: Readonly<Record<string, Chunk>>, page: string) => {
  const seen = new Set<string>();
  const take = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const imported of manifest[name]?.imports ?? []) take(imported);
  };
  take('index.html');
  take(page);
  const chunks = [...seen].flatMap((name) => manifest[name] ?? []);
  const scripts = chunks.map(({ file }) => file);
  const styles = [...new Set(chunks.flatMap(({ css = [] }) => css))];
  return { scripts, js: sum(scripts), css: sum(styles) };
};

test.for([
  ['/', '../../tools/home/web/HomePage.tsx'],
  ['/login', '../../tools/accounts/web/LoginPage.tsx'],
  ['/signup', '../../tools/accounts/web/SignupPage.tsx'],
])('the first load of %s stays in its budget', ([, page = '']) => {
  const manifest = readManifest();
  expect(Object.keys(manifest)).toContain(page);
  const { js, css } = firstLoad(manifest, page);
  expect(js).toBeLessThan(JS_LIMIT);
  expect(css).toBeLessThan(CSS_LIMIT);
});

test('no page starts with sockets, the palette or the whole of zod', () => {
  const { scripts } = firstLoad(readManifest(), '../../tools/home/web/HomePage.tsx');
  const text = scripts.map((file) => readFileSync(new URL(file, DIST), 'utf8')).join('\n');
  for (const foreign of ['engine.io', 'mantine-Spotlight', 'invalid_type']) expect(text).not.toContain(foreign);
});

test('the font is the one small file', () => {
  const fonts = Object.values(readManifest()).flatMap(({ file, assets = [] }) =>
    [file, ...assets].filter((each) => each.endsWith('.woff2')),
  );
  const one = [...new Set(fonts)];
  expect(one).toHaveLength(1);
  expect(readFileSync(new URL(one[0] ?? '', DIST)).length).toBeLessThan(FONT_LIMIT);
});
