import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { buildTarget } from '../../apps/web/target.ts';
import about from '../../package.json' with { type: 'json' };

const DIST = fileURLToPath(new URL('../../apps/web/dist', import.meta.url));

interface Rule {
  readonly name: string;
  readonly use: RegExp;
  /** What asks for it first, somewhere in the same file; nothing may where a page cannot do without. */
  readonly guard?: RegExp;
  /** A use as the build writes it. */
  readonly planted: string;
}

const inGlobal = (name: string): RegExp => new RegExp(`[\`'"]${name}[\`'"] ?in (?:globalThis|window|self)\\b`);

const scriptRules: readonly Rule[] = [
  { name: 'Temporal', use: /\bTemporal\.(?:\w)/, planted: 'Temporal.Now.instant()' },
  { name: 'groupBy', use: /\b(?:Map|Object)\.groupBy\(/, planted: 'Map.groupBy(t,e=>e)' },
  { name: 'Promise.withResolvers', use: /\bPromise\.withResolvers\(/, planted: 'Promise.withResolvers()' },
  { name: 'Promise.try', use: /\bPromise\.try\(/, planted: 'Promise.try(e)' },
  { name: 'Intl.Segmenter', use: /\bIntl\.Segmenter\b/, planted: 'new Intl.Segmenter(`en`)' },
  {
    name: 'BroadcastChannel',
    use: /new BroadcastChannel\(/,
    guard: inGlobal('BroadcastChannel'),
    planted: 'new BroadcastChannel(`a`)',
  },
  {
    name: 'OffscreenCanvas',
    use: /new OffscreenCanvas\(/,
    guard: inGlobal('OffscreenCanvas'),
    planted: 'new OffscreenCanvas(1,1)',
  },
  {
    name: 'scheduler',
    use: /\bscheduler\.(?:postTask|yield)\(/,
    guard: inGlobal('scheduler'),
    planted: 'scheduler.yield()',
  },
  {
    name: 'requestIdleCallback',
    use: /\brequestIdleCallback\(/,
    guard: inGlobal('requestIdleCallback'),
    planted: 'requestIdleCallback(e)',
  },
  {
    name: 'Set methods',
    use: /\.(?:intersection|symmetricDifference|isSubsetOf|isSupersetOf|isDisjointFrom)\(|\bnew Set(?:\([^()]*\))?\.(?:union|difference)\(/,
    planted: 'e.isSubsetOf(t)',
  },
  {
    name: 'iterator helpers',
    use: /\.(?:values|keys|entries)\(\)\.(?:map|filter|take|drop|flatMap|reduce|toArray|forEach|some|every|find)\(|\bIterator\.from\(/,
    planted: 'e.values().map(t)',
  },
  { name: 'Array.fromAsync', use: /\bArray\.fromAsync\(/, planted: 'Array.fromAsync(e)' },
  { name: 'URL.parse', use: /\bURL\.parse\(/, planted: 'URL.parse(e)' },
  { name: 'RegExp.escape', use: /\bRegExp\.escape\(/, planted: 'RegExp.escape(e)' },
  { name: 'using', use: /(?:^|[;{}])\s*(?:await )?using [\w$]+\s*=/, planted: 'f();using e=t()' },
  {
    name: 'flag v',
    use: /[=(,:?&|]\/(?:[^/\\\n]|\\.)+\/[dgimsy]*v[dgimsy]*[.,;)\]}]/,
    planted: 'e=/^\\p{RGI_Emoji}$/v;',
  },
];
const styleRules: readonly Rule[] = [
  {
    name: 'field-sizing',
    use: /[{;]\s*field-sizing:/,
    guard: /@supports ?\(field-sizing:/,
    planted: 'a{resize:none;field-sizing:content}',
  },
];

const unguarded = (text: string, rules: readonly Rule[]): readonly string[] =>
  rules.filter(({ use, guard }) => use.test(text) && !guard?.test(text)).map(({ name }) => name);

test.for([...scriptRules, ...styleRules])('$name is found without its guard', ({ name, guard, planted }) => {
  const rules = name === 'field-sizing' ? styleRules : scriptRules;
  expect(unguarded(`let a=1;${planted}`, rules)).toEqual([name]);
  if (!guard) return;
  const asked = name === 'field-sizing' ? '@supports (field-sizing:content){' : `\`${name}\`in globalThis&&`;
  expect(unguarded(`let a=1;${asked}${planted}`, rules)).toEqual([]);
});

test.for([
  ['js', scriptRules],
  ['css', styleRules],
] as const)('the built %s depends on nothing that the oldest browsers may lack', ([ending, rules]) => {
  const files = globSync([`assets/*.${ending}`, `*.${ending}`], { cwd: DIST });
  expect(files.length).toBeGreaterThan(0);
  const found = files.flatMap((file) =>
    unguarded(readFileSync(join(DIST, file), 'utf8'), rules).map((name) => `${file}: ${name}`),
  );
  expect(found).toEqual([]);
});

test('browserslist is what the build is given', () => {
  expect(buildTarget(about.browserslist)).toEqual(['chrome131', 'edge131', 'firefox133', 'safari18.1', 'ios18.1']);
  expect(() => buildTarget(['last 2 years'])).toThrow("'last 2 years'");
});
