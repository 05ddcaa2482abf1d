import { dirname, join } from 'node:path/posix';

/** Texts of the repository's modules by path, relative to its root. */
export type Sources = ReadonlyMap<string, string>;

const TEST = /\.(test|e2e)\.tsx?$/;
const BROWSER_TEST = /\.e2e\.tsx?$/;
export function isTest(path: string): boolean {
  return TEST.test(path);
}
const MODULE = /\.[cm]?tsx?$/;
const IMPORT = /['"](#(?:platform|tools|testing)\/|\.{1,2}\/)([^'"\n]+\.tsx?)['"]/g;

/** Modules that import all tools: a change of one tool would reach every test through them. */
const isHub = (path: string): boolean => /^apps\/[^/]+\/(tools|pages)\.tsx?$/.test(path);

/** Returns whether a change of this file can affect any test. */
const affectsAllTests = (path: string): boolean =>
  /^(package(-lock)?\.json|tsconfig\.json|vitest\.config\.ts|run\.cjs|testing\/(setup|machine|kits\/server\/globalSetup)\.ts)$/.test(
    path,
  );

/** Tests that check all tools. */
const checksAllTools = (path: string): boolean => /^testing\/(pages|security)\//.test(path);

/** Returns whether a test reads the repository itself, like `house.test.ts`. */
const readsSources = (text: string): boolean => text.includes('globSync(');

function listImports(path: string, text: string): readonly string[] {
  return [...text.matchAll(IMPORT)].map(([, prefix = '', rest = '']) =>
    prefix.startsWith('#') ? prefix.slice(1) + rest : join(dirname(path), prefix + rest),
  );
}

function mapImporters(sources: Sources): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  for (const [path, text] of sources)
    for (const target of listImports(path, text)) {
      const paths = importers.get(target);
      if (paths) paths.push(path);
      else importers.set(target, [path]);
    }
  return importers;
}

/** Returns what imports these files, directly or indirectly, except through a hub. */
function findImporters(changed: readonly string[], sources: Sources): ReadonlySet<string> {
  const importers = mapImporters(sources);
  const reached = new Set(changed);
  for (const path of reached)
    if (!isHub(path) || changed.includes(path)) for (const importer of importers.get(path) ?? []) reached.add(importer);
  return reached;
}

/** Returns a check whether a change affects a test without an import: through built pages or the assembled server. */
function createIndirectCheck(change: string): (test: string) => boolean {
  const tool = /^tools\/[^/]+\//.exec(change)?.[0];
  if (TEST.test(change)) return () => false;
  if (tool !== undefined) return (test) => test.startsWith(tool) || checksAllTools(test);
  if (/^(platform|apps)\/web\//.test(change) || /^(build|vite\.config)\.ts$/.test(change))
    return (test) => BROWSER_TEST.test(test) || checksAllTools(test);
  if (/^(platform|apps)\/agent\//.test(change) || change === 'vite.agent.config.ts')
    return (test) => /(^|\/)agent\//.test(test);
  if (/^(platform\/contract|apps\/server)\//.test(change)) return (test) => checksAllTools(test);
  return () => false;
}

/**
 * Returns the tests that these changes can affect: tests that import them, tests of a changed tool,
 * tests of pages if all pages change, and tests whose text names a changed document.
 */
export function findAffectedTests(changes: readonly string[], sources: Sources): readonly string[] {
  const tests = [...sources.keys()].filter((path) => TEST.test(path));
  if (changes.some(affectsAllTests)) return tests;
  const reached = findImporters(changes, sources);
  const indirectChecks = changes.map(createIndirectCheck);
  const documents = changes.filter((path) => !MODULE.test(path)).map((path) => path.slice(path.lastIndexOf('/') + 1));
  return tests.filter(
    (test) =>
      reached.has(test) ||
      (changes.length > 0 && readsSources(sources.get(test) ?? '')) ||
      indirectChecks.some((isAffected) => isAffected(test)) ||
      documents.some((name) => sources.get(test)?.includes(name)),
  );
}
