import type { UsageInterval } from './deviceRecord.ts';
import { uncovered, united, type SecondRange } from './track.ts';
import { parseInstant, EARLIEST_IMPORT } from './usageReport.ts';

/** An event of ActivityWatch: ISO 8601, and seconds. */
export interface WatchedEvent {
  readonly timestamp: string;
  readonly duration: number;
}
export interface WatchedWindow extends WatchedEvent {
  readonly app: string;
}

/** What was in focus by an event; no parts where it was not, or where the event is no good. */
export interface WatchedFocus {
  readonly app: string;
  readonly parts: readonly Omit<UsageInterval, 'application'>[];
}

/** No window is longer than a week: a watcher that was left alone says nothing of a person. */
const MAX_WINDOW_SECONDS = 7 * 86_400;

const spanOf = ({ timestamp, duration }: WatchedEvent): SecondRange | undefined => {
  const at = parseInstant(timestamp);
  if (at === undefined || !Number.isFinite(duration) || duration < 0) return undefined;
  return { from: Math.round(at / 1000), until: Math.round(at / 1000 + duration) };
};

/** What of it can be use: nothing of the future, and nothing that is too early or too long. */
const usedOf = ({ from, until }: SecondRange, now: number): readonly SecondRange[] => {
  if (from < EARLIEST_IMPORT || until - from > MAX_WINDOW_SECONDS || from >= Math.min(until, now)) return [];
  return [{ from, until: Math.min(until, now) }];
};

/**
 * The focus that events of the active window tell, without the times in which the person was away.
 * @param now seconds since the epoch: nothing is of later.
 */
export function focusWatched(
  windows: readonly WatchedWindow[],
  away: readonly WatchedEvent[],
  now: number,
): readonly WatchedFocus[] {
  const gone = united(away.flatMap((event) => spanOf(event) ?? []));
  return windows.map((event) => {
    const span = spanOf(event);
    const parts = (span ? usedOf(span, now) : []).flatMap((used) => uncovered(gone, used));
    return { app: event.app, parts: parts.map((part) => ({ status: 'on', ...part })) };
  });
}

/** Of an application in use, and what its window is called. */
export interface InUse {
  readonly app: string;
  readonly title?: string | undefined;
}

/** What a watcher of ActivityWatch says is to be seen in a program: the page in its tab, or the file that is edited. */
export type Hint =
  | { readonly kind: 'site'; readonly host: string; readonly title: string }
  | { readonly kind: 'file'; readonly name: string };

/** The newest word of one watcher. */
export interface WatcherState {
  /** Name of its bucket, such as `aw-watcher-web-firefox`. */
  readonly bucket: string;
  readonly hint: Hint;
}

const textIn = (data: Readonly<Record<string, unknown>>, field: string): string => {
  const found = Object.hasOwn(data, field) ? data[field] : undefined;
  return typeof found === 'string' ? found : '';
};

/** The site of an address, as people call it; '' for pages that are none. */
export function siteOf(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return '';
  return url.hostname.replace(/\.$/, '').replace(/^www\.(?=.*\.)/, '');
}

const baseName = (path: string): string => path.split(/[/\\]/).findLast((part) => part !== '') ?? '';
const UNKNOWN = /^(?:unknown)?$/i;

/** The file as it lies in its project, without the folders above it. */
const fileName = (project: string, file: string): string => {
  if (UNKNOWN.test(file)) return UNKNOWN.test(project) ? '' : baseName(project);
  if (UNKNOWN.test(project)) return baseName(file);
  const inside = file.startsWith(project) ? file.slice(project.length).replace(/^[/\\]+/, '') : baseName(file);
  return `${baseName(project)}/${inside}`;
};

/** What an event's data say, by the fields that watchers of browsers and of editors write; undefined where it is neither. */
export function hintIn(data: Readonly<Record<string, unknown>>): Hint | undefined {
  if (Object.hasOwn(data, 'url')) {
    const host = siteOf(textIn(data, 'url'));
    // What is looked at in private stays so: the browser counts, and not the site.
    if (host === '' || data['incognito'] === true) return undefined;
    return { kind: 'site', host, title: textIn(data, 'title') };
  }
  if (!Object.hasOwn(data, 'file')) return undefined;
  const name = fileName(textIn(data, 'project'), textIn(data, 'file'));
  return name === '' ? undefined : { kind: 'file', name };
}

/** What the applications of a family call their windows: that of the name, and those that are built on it. */
const families: Readonly<Record<string, RegExp>> = {
  chrome: /chrom|brave|vivaldi|opera|\bedge|thorium/i,
  firefox: /firefox|librewolf|waterfox|floorp|zen|icecat|navigator|tor browser/i,
  vscode: /code|codium|cursor|windsurf/i,
  vim: /vim|term|konsole|kitty|alacritty|foot|tilix/i,
  jetbrains: /jetbrains|idea|pycharm|webstorm|clion|goland|rider|phpstorm|rubymine|studio/i,
};
const ANY_BROWSER = new RegExp(
  `${families['chrome']?.source}|${families['firefox']?.source}|browser|safari|epiphany`,
  'i',
);

const NEVER = /(?!)/;
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** The applications that a watcher can be about. Newer ones end in `_<computer>`. */
const aboutOf = (bucket: string): RegExp => {
  const name = bucket.split('_')[0]?.toLowerCase() ?? '';
  const browser = /^aw-watcher-web(?:-(.*))?$/.exec(name);
  if (browser && UNKNOWN.test(browser[1] ?? '')) return ANY_BROWSER;
  const family = browser?.[1] ?? name.replace(/^aw-watcher-/, '').split('-')[0] ?? '';
  if (Object.hasOwn(families, family)) return families[family] ?? NEVER;
  return family === '' ? NEVER : new RegExp(escaped(family), 'i');
};

/**
 * What counts in place of the application in use: the site, while its browser has the focus; the editor with its file for a title, while it
 * has. The newest word that is about this application counts.
 * @param watched the newest first
 */
export function instead(inUse: InUse, watched: readonly WatcherState[]): InUse {
  const hint = watched.find(({ bucket }) => aboutOf(bucket).test(inUse.app))?.hint;
  if (!hint) return inUse;
  return hint.kind === 'site' ? { app: hint.host, title: hint.title } : { app: inUse.app, title: hint.name };
}
