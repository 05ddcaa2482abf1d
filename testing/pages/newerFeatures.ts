import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { CompatData, CompatStatement, Identifier, SupportStatement } from '@mdn/browser-compat-data';
import { getBuildTargets } from '../../apps/web/buildTargets.ts';

// MDN's data says which browser supports what; this file converts it to names to search for in built files.

const data = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve('@mdn/browser-compat-data'), 'utf8'),
) as CompatData;

/** Returns the newest release of a browser at a date. */
export function findNewestRelease(browser: Browser, until: string): string | undefined {
  const releases = Object.entries(data.browsers[browser].releases);
  return releases
    .filter(([, { release_date: date, status }]) => date !== undefined && date <= until && status !== 'esr')
    .toSorted(([, one], [, other]) => (one.release_date ?? '').localeCompare(other.release_date ?? ''))
    .at(-1)?.[0];
}

type Browser = 'chrome' | 'edge' | 'firefox' | 'safari' | 'safari_ios';
type Oldest = Readonly<Partial<Record<Browser, string>>>;

const findOldest = (browserslist: readonly string[]): Oldest =>
  Object.fromEntries(
    getBuildTargets(browserslist).map((line) => {
      const [, name = '', version = ''] = /^([a-z]+)([\d.]+)$/.exec(line) ?? [];
      return [name === 'ios' ? 'safari_ios' : name, version];
    }),
  );

function isNewer(version: string, than: string): boolean {
  const parts = version.replace('≤', '').split('.').map(Number);
  const others = than.split('.').map(Number);
  const at = [0, 1].find((index) => (parts[index] ?? 0) !== (others[index] ?? 0));
  return at !== undefined && (parts[at] ?? 0) > (others[at] ?? 0);
}

function isSupported(support: SupportStatement | undefined, version: string): boolean {
  const statements = [support ?? []].flat();
  return statements.some(
    ({ version_added: added, version_removed: removed, flags, prefix, alternative_name: other }) =>
      typeof added === 'string' &&
      /^≤?\d/.test(added) &&
      !isNewer(added, version) &&
      (removed === undefined || isNewer(removed, version)) &&
      [flags, prefix, other].every((each) => each === undefined),
  );
}

const isLacking = (oldest: Oldest, compat: CompatStatement | undefined): boolean =>
  compat !== undefined &&
  Object.entries(oldest).some(([browser, version]) => !isSupported(compat.support[browser as Browser], version));

const listMembers = (feature: Identifier | undefined): readonly (readonly [string, Identifier])[] =>
  Object.entries(feature ?? {}).filter(
    (entry): entry is [string, Identifier] => entry[0] !== '__compat' && entry[1] !== undefined,
  );

/** Objects with one instance per page, as scripts name it. */
const SINGLE: Readonly<Record<string, string>> = { Navigator: 'navigator', Document: 'document', CSS: 'CSS' };

function* scriptNames(oldest: Oldest): Generator<string> {
  for (const [name, feature] of [...listMembers(data.javascript['builtins']), ...listMembers(data.api)]) {
    if (isLacking(oldest, feature.__compat)) yield name;
    for (const [member, { __compat }] of listMembers(feature)) {
      if (!isLacking(oldest, __compat)) continue;
      // Members of Window are global.
      if (name === 'Window') yield member;
      else yield `${SINGLE[name] ?? name}.${member.replace(/_static$/, '')}`;
    }
  }
}

/** Returns names such as `Temporal`, `Promise.try` and `navigator.share` that some of these browsers lack. */
export function listNewerScriptNames(browserslist: readonly string[]): ReadonlySet<string> {
  return new Set(scriptNames(findOldest(browserslist)));
}

const USES = /(?<![\w$.'`"])(new )?(?:(?:window|globalThis|self)\.)?([A-Za-z]\w*)(?:(\.)(\w+))?(\()?/g;

/** Returns which of the names a script uses without checking for them anywhere in its file. */
export function findUnguardedNames(script: string, names: ReadonlySet<string>): readonly string[] {
  const found = new Set<string>();
  for (const [, made, object = '', dot, member = '', called] of script.matchAll(USES)) {
    // A bare name can be anything: it is the browser's if it is constructed, called or a member is accessed.
    const isUse = made !== undefined || dot !== undefined || (called !== undefined && /^[a-z]/.test(object));
    if (isUse && names.has(object)) found.add(object);
    if (dot !== undefined && names.has(`${object}.${member}`)) found.add(`${object}.${member}`);
  }
  return [...found].filter((name) => !isAskedFor(script, name));
}

/**
 * Recognizes `'share' in navigator`, `typeof Notification`,
 * `navigator.vibrate?.(8)`, `window.TouchEvent ? …` and `a.b && …`.
 */
function isAskedFor(script: string, name: string): boolean {
  const [member = name] = name.split('.').toReversed();
  const whole = name.replaceAll('.', '\\.');
  return new RegExp(`['"\`]${member}['"\`] ?in\\b|typeof ${whole}\\b|\\b${whole}(?:\\?|&&|[!=]==?void 0)`).test(script);
}

/**
 * Returns CSS properties, at-rules and pseudo-classes that some of these browsers lack; prefixed ones are intentional.
 */
export function listNewerStyleNames(browserslist: readonly string[]): readonly string[] {
  const oldest = findOldest(browserslist);
  const lacking = (features: Identifier | undefined, mark: string): readonly string[] =>
    listMembers(features)
      .filter(([name, { __compat }]) => !name.startsWith('-') && isLacking(oldest, __compat))
      .map(([name]) => mark + name);
  const { properties, selectors, 'at-rules': rules } = data.css;
  return [...lacking(properties, ''), ...lacking(rules, '@'), ...lacking(selectors, ':')];
}

/** Returns which of them a style sheet uses outside of `@supports` and without a prefixed alternative. */
export function findUnguardedStyles(sheet: string, names: readonly string[]): readonly string[] {
  return names.filter((name) => {
    if (name.startsWith('@')) return new RegExp(`${name}\\b`).test(sheet);
    if (name.startsWith(':')) return new RegExp(`${name}\\b(?![-(])[^;{}]*\\{`).test(sheet);
    const isUsed = new RegExp(`[;{]\\s*${name}:`).test(sheet);
    return isUsed && !new RegExp(`@supports[^{]*\\(${name}:|-webkit-${name}:`).test(sheet);
  });
}
