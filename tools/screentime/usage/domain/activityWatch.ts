import { DAY_SECONDS } from '#platform/contract/duration.ts';
import type { UsageInterval } from './interval.ts';
import { listUncovered, mergeRanges, type SecondRange } from './track.ts';
import { parseInstant, MIN_IMPORT_SECONDS } from './usageReport.ts';

/** An ActivityWatch event: start in ISO 8601, duration in seconds. */
export interface WatchedEvent {
  readonly timestamp: string;
  readonly duration: number;
}
export interface WatchedWindow extends WatchedEvent {
  readonly app: string;
}

/** Focus of an event; no ranges if it has none or is invalid. */
export interface WatchedFocus {
  readonly app: string;
  readonly parts: readonly Omit<UsageInterval, 'application'>[];
}

/** Windows of more than a week come from a watcher that was left running, not from a person. */
const MAX_WINDOW_SECONDS = 7 * DAY_SECONDS;

function toRange({ timestamp, duration }: WatchedEvent): SecondRange | undefined {
  const start = parseInstant(timestamp);
  if (start === undefined || !Number.isFinite(duration) || duration < 0) return undefined;
  return { from: Math.round(start / 1000), until: Math.round(start / 1000 + duration) };
}

/** Returns the valid part of a range: not in the future, not too early, not too long. */
function clipToValid({ from, until }: SecondRange, now: number): readonly SecondRange[] {
  if (from < MIN_IMPORT_SECONDS || until - from > MAX_WINDOW_SECONDS || from >= Math.min(until, now)) return [];
  return [{ from, until: Math.min(until, now) }];
}

/**
 * Returns the focus of window events without the times away.
 * @param now seconds since the epoch; later usage is dropped
 */
export function listFocus(
  windows: readonly WatchedWindow[],
  away: readonly WatchedEvent[],
  now: number,
): readonly WatchedFocus[] {
  const awayRanges = mergeRanges(away.flatMap((event) => toRange(event) ?? []));
  return windows.map((event) => {
    const range = toRange(event);
    const parts = (range ? clipToValid(range, now) : []).flatMap((used) => listUncovered(awayRanges, used));
    return { app: event.app, parts: parts.map((part) => ({ status: 'on', ...part })) };
  });
}

/** The application in use, and its window title. */
export interface InUse {
  readonly app: string;
  readonly title?: string | undefined;
}

/** What a watcher of ActivityWatch reports inside a program: the page of a tab, or the file in an editor. */
export type Hint =
  | { readonly kind: 'site'; readonly host: string; readonly title: string }
  | { readonly kind: 'file'; readonly name: string };

/** Newest report of one watcher. */
export interface WatcherState {
  /** Name of its bucket, such as `aw-watcher-web-firefox`. */
  readonly bucket: string;
  readonly hint: Hint;
}

function readText(data: Readonly<Record<string, unknown>>, field: string): string {
  const value = Object.hasOwn(data, field) ? data[field] : undefined;
  return typeof value === 'string' ? value : '';
}

/** Returns the site of an address for display; '' for pages without one. */
export function getSite(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return '';
  return url.hostname.replace(/\.$/, '').replace(/^www\.(?=.*\.)/, '');
}

const getBaseName = (path: string): string => path.split(/[/\\]/).findLast((part) => part !== '') ?? '';
const UNKNOWN_PATTERN = /^(?:unknown)?$/i;

/** Returns the path of a file inside its project. */
function formatFileName(project: string, file: string): string {
  if (UNKNOWN_PATTERN.test(file)) return UNKNOWN_PATTERN.test(project) ? '' : getBaseName(project);
  if (UNKNOWN_PATTERN.test(project)) return getBaseName(file);
  const rest = file.startsWith(project) ? file.slice(project.length) : '';
  const isInside = /^[/\\]/.test(rest) || /[/\\]$/.test(project);
  const relativePath = isInside ? rest.replace(/^[/\\]+/, '') : getBaseName(file);
  return `${getBaseName(project)}/${relativePath}`;
}

/** Reads the data of an event of a browser or editor watcher; undefined for others. */
export function parseHint(data: Readonly<Record<string, unknown>>): Hint | undefined {
  if (Object.hasOwn(data, 'url')) {
    const host = getSite(readText(data, 'url'));
    // Private pages stay private: the browser counts instead of the site.
    if (host === '' || data['incognito'] === true) return undefined;
    return { kind: 'site', host, title: readText(data, 'title') };
  }
  if (!Object.hasOwn(data, 'file')) return undefined;
  const name = formatFileName(readText(data, 'project'), readText(data, 'file'));
  return name === '' ? undefined : { kind: 'file', name };
}

/** Window names of related applications, by the name that watchers use. */
const FAMILY_PATTERNS: Readonly<Record<string, RegExp>> = {
  chrome: /chrom|brave|vivaldi|opera|\bedge|thorium/i,
  firefox: /firefox|librewolf|waterfox|floorp|\bzen\b|icecat|navigator|tor browser/i,
  vscode: /(?<![a-z])(?:vs)?code|codium|cursor|windsurf/i,
  vim: /vim|term|konsole|kitty|alacritty|foot|tilix/i,
  jetbrains: /jetbrains|idea|pycharm|webstorm|clion|goland|rider|phpstorm|rubymine|studio/i,
};
const ANY_BROWSER = new RegExp(
  `${FAMILY_PATTERNS['chrome']?.source}|${FAMILY_PATTERNS['firefox']?.source}|browser|safari|epiphany`,
  'i',
);

const NEVER_PATTERN = /(?!)/;
const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** Creates a pattern of names that contain a text. Short ones are a part of other words, such as 'arc' of 'Search'. */
function createNamePattern(text: string): RegExp {
  const pattern = escapePattern(text);
  return new RegExp(text.length > 3 ? pattern : `(?<![a-z])${pattern}(?![a-z])`, 'i');
}

/** Returns a pattern of the applications that a watcher reports about. Newer buckets end in `_<computer>`. */
function getApplicationPattern(bucket: string): RegExp {
  const name = bucket.split('_')[0]?.toLowerCase() ?? '';
  const browser = /^aw-watcher-web(?:-(.*))?$/.exec(name);
  if (browser && UNKNOWN_PATTERN.test(browser[1] ?? '')) return ANY_BROWSER;
  const family = browser?.[1] ?? name.replace(/^aw-watcher-/, '').split('-')[0] ?? '';
  if (Object.hasOwn(FAMILY_PATTERNS, family)) return FAMILY_PATTERNS[family] ?? NEVER_PATTERN;
  return family === '' ? NEVER_PATTERN : createNamePattern(family);
}

/**
 * Returns what counts as in use: the site instead of a focused browser, or the editor with its file as title. The
 * newest report about the application counts.
 * @param watched newest first
 */
export function replaceInUse(inUse: InUse, watched: readonly WatcherState[]): InUse {
  const hint = watched.find(({ bucket }) => getApplicationPattern(bucket).test(inUse.app))?.hint;
  if (!hint) return inUse;
  return hint.kind === 'site' ? { app: hint.host, title: hint.title } : { app: inUse.app, title: hint.name };
}
