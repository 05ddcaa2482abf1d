import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const SOURCES = globSync('{apps,platform,tools,testing,scripts}/**/*.{ts,tsx,css}', {
  exclude: ['apps/*/dist/**'],
});
const CONFIGURATION = ['.oxlintrc.json', 'build.ts', 'vite.config.ts', 'vite.agent.config.ts', 'vitest.config.ts'];
const DOCUMENTS = globSync('{*.md,docs/**/*.md,.github/**/*.md}');
const OWN = 'testing/references.test.ts';

const readText = (path: string): string => readFileSync(path, 'utf8');
/** These have references of their own making. */
const EXAMPLES = [OWN, 'testing/affected.test.ts'];
const isWithoutExamples = (path: string): boolean => !EXAMPLES.includes(path);

/** The numbers of a page's headings, such as `2.1`. */
const listSections = (path: string): ReadonlySet<string> =>
  new Set([...readText(path).matchAll(/^#{2,4} (\d+(?:\.\d+)*)\.? /gm)].map(([, number = '']) => number));

/** The anchors of a page's headings, as forges build them. */
const listAnchors = (path: string): ReadonlySet<string> =>
  new Set(
    [...readText(path).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

test('every page and section that code refers to exists', () => {
  const broken = [...SOURCES, ...CONFIGURATION].filter(isWithoutExamples).flatMap((path) =>
    [...readText(path).matchAll(/\b(docs\/[\w./-]+\.md)(?:,? sections? (\d+(?:\.\d+)*))?/g)].flatMap(
      ([reference, page = '', section]) => {
        if (!existsSync(page)) return [`${path}: ${reference}`];
        return section === undefined || listSections(page).has(section) ? [] : [`${path}: ${reference}`];
      },
    ),
  );
  expect(broken).toEqual([]);
});

test('no code refers to a document outside the repository', () => {
  const outside = /\b[Ss]pecification [123]\b|(?<![\w/-])(?:reliability|contract|look|planning|remote-agent)\.md/g;
  const strays = [...SOURCES, ...CONFIGURATION]
    .filter(isWithoutExamples)
    .flatMap((path) => [...readText(path).matchAll(outside)].map(([reference]) => `${path}: ${reference}`));
  expect(strays).toEqual([]);
});

test('every link between documents leads to a file and a heading', () => {
  const broken = DOCUMENTS.flatMap((path) => {
    const text = readText(path).replaceAll(/<!--.*?-->|```.*?```|`[^`\n]*`/gs, '');
    return [...text.matchAll(/\]\((?!\w+:)([^)\s#]*)(?:#([^)\s]*))?\)/g)].flatMap(([link, file = '', anchor]) => {
      const target = file === '' ? path : join(dirname(path), file);
      if (!existsSync(target)) return [`${path}: ${link}`];
      return anchor === undefined || !target.endsWith('.md') || listAnchors(target).has(anchor)
        ? []
        : [`${path}: ${link}`];
    });
  });
  expect(broken).toEqual([]);
});
