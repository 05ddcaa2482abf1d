import { expect, test } from 'vitest';
import { findAffectedTests } from './affected.ts';

const sources = new Map(
  Object.entries({
    'tools/paste/domain/code.ts': '',
    'tools/paste/domain/code.test.ts': "import { codeOf } from './code.ts';",
    'tools/paste/server/index.ts': "import { codeOf } from '../domain/code.ts';",
    'tools/paste/web/paste.e2e.ts': "import { serveSite } from '#testing/site.ts';",
    'tools/timer/domain/clock.test.ts': "import { clock } from './clock.ts';",
    'tools/timer/domain/clock.ts': "import { pad } from '#platform/contract/pad.ts';",
    'tools/timer/web/timer.e2e.ts': "import { serveSite } from '#testing/site.ts';",
    'apps/server/tools.ts': "import { paste } from '../../tools/paste/server/index.ts';",
    'apps/server/assemble.ts':
      "import { tools } from './tools.ts';\nimport { openDatabase } from '#platform/server/open.ts';",
    'apps/agent/agent.test.ts': "const main = new URL('./main.ts', import.meta.url);",
    'apps/agent/main.ts': '',
    'platform/contract/pad.ts': '',
    'platform/server/open.ts': '',
    'platform/server/limits.test.ts': "readFileSync('docs/limits.md')",
    'platform/web/button.tsx': '',
    'testing/house.test.ts': "globSync('tools/**/*.ts')",
    'testing/site.ts': "import { assembleServer } from '../apps/server/assemble.ts';",
    'testing/pages/every-page.e2e.ts': "import { serveSite } from '../site.ts';",
  }),
);
const PAGES = ['tools/paste/web/paste.e2e.ts', 'tools/timer/web/timer.e2e.ts', 'testing/pages/every-page.e2e.ts'];
const ALL = [...sources.keys()].filter((path) => /\.(test|e2e)\./.test(path));

test.for<[what: string, changes: readonly string[], tests: readonly string[]]>([
  [
    'a tool’s module: tests that import it, those of its tool and those of all pages',
    ['tools/paste/domain/code.ts'],
    ['tools/paste/domain/code.test.ts', 'tools/paste/web/paste.e2e.ts', 'testing/pages/every-page.e2e.ts'],
  ],
  [
    'a tool’s style sheet, which no module imports',
    ['tools/timer/web/timer.module.css'],
    ['tools/timer/domain/clock.test.ts', 'tools/timer/web/timer.e2e.ts', 'testing/pages/every-page.e2e.ts'],
  ],
  ['a test: itself alone', ['tools/timer/domain/clock.test.ts'], ['tools/timer/domain/clock.test.ts']],
  ['the platform of the server: every test of a server', ['platform/server/open.ts'], PAGES],
  ['a component of the platform: every page', ['platform/web/button.tsx'], PAGES],
  [
    'the contract: what imports it and what looks at every call',
    ['platform/contract/pad.ts'],
    ['tools/timer/domain/clock.test.ts', 'testing/pages/every-page.e2e.ts'],
  ],
  ['a module that is only named as an address', ['apps/agent/main.ts'], ['apps/agent/agent.test.ts']],
  ['a document: tests that name it', ['docs/limits.md'], ['platform/server/limits.test.ts']],
  ['a kit: every test that uses it', ['testing/site.ts'], PAGES],
  ['the list of tools: every test of a server', ['apps/server/tools.ts'], PAGES],
  ['the packages: every test', ['package-lock.json'], ALL],
  ['a document that no test names: none', ['docs/music.md'], []],
  ['nothing: none', [], []],
])('%s', ([, changes, tests]) => {
  // A test that reads every source is affected by any change.
  const expected = changes.length === 0 || tests === ALL ? tests : [...tests, 'testing/house.test.ts'];
  expect(findAffectedTests(changes, sources).toSorted()).toEqual(expected.toSorted());
});
