import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { getBuildTargets } from '../../apps/web/buildTargets.ts';
import about from '../../package.json' with { type: 'json' };
import {
  listNewerScriptNames,
  listNewerStyleNames,
  findNewestRelease,
  findUnguardedNames,
  findUnguardedStyles,
} from './newerFeatures.ts';

const DIST = fileURLToPath(new URL('../../apps/web/dist', import.meta.url));

interface Rule {
  readonly name: string;
  readonly use: RegExp;
  /** Feature check that must be in the same file; undefined if a page can't work without the feature. */
  readonly guard?: RegExp;
  /** A use, as the build writes it. */
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

test.for([...scriptRules, ...styleRules])('$name is reported without its guard', ({ name, guard, planted }) => {
  const rules = name === 'field-sizing' ? styleRules : scriptRules;
  expect(unguarded(`let a=1;${planted}`, rules)).toEqual([name]);
  if (!guard) return;
  const check = name === 'field-sizing' ? '@supports (field-sizing:content){' : `\`${name}\`in globalThis&&`;
  expect(unguarded(`let a=1;${check}${planted}`, rules)).toEqual([]);
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

test('browserslist matches the build targets', () => {
  expect(getBuildTargets(about.browserslist)).toEqual(['chrome131', 'edge131', 'firefox133', 'safari18.1', 'ios18.1']);
  expect(() => getBuildTargets(['last 2 years'])).toThrow("'last 2 years'");
});

/** The oldest supported browsers are two years old. */
const TWO_YEARS_AGO = '2024-11-27';

test('browserslist contains the newest releases of two years ago', () => {
  const browsers = {
    chrome: 'chrome',
    edge: 'edge',
    firefox: 'firefox',
    safari: 'safari',
    ios_saf: 'safari_ios',
  } as const;
  const newest = Object.entries(browsers).map(([name, key]) => `${name} >= ${findNewestRelease(key, TWO_YEARS_AGO)}`);
  expect(newest).toEqual(about.browserslist);
});

const scriptNames = listNewerScriptNames(about.browserslist);
const styleNames = listNewerStyleNames(about.browserslist);

test.for([
  ['Temporal', 'let e=Temporal.Now.instant()'],
  ['Promise.try', 'Promise.try(e)'],
  ['RegExp.escape', 'e=RegExp.escape(t)'],
  ['Iterator.from', 'Iterator.from(e)'],
  ['Intl.DurationFormat', 'new Intl.DurationFormat(`en`)'],
  ['Uint8Array.fromBase64', 'Uint8Array.fromBase64(e)'],
  ['scheduler', 'scheduler.yield()'],
  ['requestIdleCallback', 'window.requestIdleCallback(e)'],
  ['documentPictureInPicture', 'window.documentPictureInPicture.requestWindow()'],
  ['document.startViewTransition', 'document.startViewTransition(e)'],
  ['navigator.share', 'await navigator.share(e)'],
  ['WebTransport', 'new WebTransport(e)'],
] as const)('%s is found where it is used without a question', ([name, use]) => {
  expect(findUnguardedNames(`let a=1;${use}`, scriptNames)).toContain(name);
  const member = name.slice(name.lastIndexOf('.') + 1);
  expect(findUnguardedNames(`\`${member}\`in a&&${use}`, scriptNames)).not.toContain(name);
});

test.for([
  ['anchor-name', 'a{anchor-name:--b}'],
  ['@scope', '@scope (a){b{color:red}}'],
  ['field-sizing', 'a{field-sizing:content}'],
  [':open', 'details:open{color:red}'],
] as const)('%s is found in a style sheet', ([name, sheet]) => {
  expect(findUnguardedStyles(sheet, styleNames)).toContain(name);
});

test.for(['a{flex-direction:column;text-align:left}', '@supports (field-sizing:content){a{field-sizing:content}}'])(
  'nothing is reported in %s',
  (sheet) => {
    expect(findUnguardedStyles(sheet, styleNames)).toEqual([]);
  },
);

const read = (ending: string): readonly (readonly [string, string])[] =>
  globSync([`assets/*.${ending}`, `*.${ending}`], { cwd: DIST }).map((file) => [
    file,
    readFileSync(join(DIST, file), 'utf8'),
  ]);

/** Names whose availability is checked in another way. */
const CHECKED_OTHERWISE: ReadonlySet<string> = new Set([
  // Only used with the result of `requestIdleCallback`, which is checked.
  'cancelIdleCallback',
  // Socket.IO catches the error and uses its other transport.
  'WebTransport',
]);

test('no built script uses a name that a supported browser lacks without checking for it', () => {
  const found = read('js').flatMap(([file, text]) =>
    findUnguardedNames(text, scriptNames).map((name) => [file, name] as const),
  );
  expect(found.filter(([, name]) => !CHECKED_OTHERWISE.has(name))).toEqual([]);
});

/** Styles that are only a small improvement of a page. */
const HARMLESS_STYLES: ReadonlySet<string> = new Set([
  'forced-color-adjust',
  'overflow-anchor',
  'resize',
  'scrollbar-gutter',
  'scrollbar-width',
  'text-box-edge',
  'text-box-trim',
  ':selection',
]);

test('no built style sheet depends on something that a supported browser lacks', () => {
  const found = read('css').flatMap(([file, text]) =>
    findUnguardedStyles(text, styleNames).map((name) => [file, name] as const),
  );
  expect(found.filter(([, name]) => !HARMLESS_STYLES.has(name))).toEqual([]);
});
