import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listServerState, listStateVariables } from './serverState.ts';

/** Reads the rows `| file | variables |` of docs/scaling.md. */
function readDocumentedState(): readonly string[] {
  const text = readFileSync('docs/scaling.md', 'utf8');
  const rows = [...text.slice(text.indexOf('## State in memory')).matchAll(/^\| `([^`]+)` +\| (.+?) *\|$/gm)];
  return rows.flatMap(([, file, names = '']) => [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => `${file} ${name}`));
}

test('docs/scaling.md lists every variable in which the server keeps state in memory', () => {
  const found = listServerState().map(({ file, name }) => `${file} ${name}`);
  expect(found.length).toBeGreaterThan(200);
  expect(readDocumentedState().toSorted()).toEqual(found.toSorted());
});

test('variables of modules and of factories are found, constants and variables of functions in them are not', () => {
  const source = [
    'const cache = new Map<string, number>();',
    "const names = new Map([['a', 1]]);",
    'let count = 0;',
    'export function createStore({',
    '  database,',
    '}: Deps): Store {',
    '  const entries = new LRUCache<string, number>({ max: 3 });',
    '  const queue: Job[] = [];',
    '  const fixed = new Set(names);',
    '  let isStopped = false;',
    '  function get() {',
    '    let inner = 0;',
    '  }',
    '}',
    'function format() {',
    '  let text = 1;',
    '}',
  ].join('\n');
  expect(listStateVariables(source)).toEqual([
    'cache',
    'count',
    'createStore.entries',
    'createStore.queue',
    'createStore.isStopped',
  ]);
});
