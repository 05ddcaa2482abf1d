import { timeIn } from './namedTime.ts';

/** What is taken from the inbox, by the end of its name. */
const KINDS = ['mkv', 'mp4', 'webm', 'mov', 'avi', 'ts'];
const MAX_TITLE_LENGTH = 200;

const extensionOf = (name: string): string => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';

/** Whether a file of this name in the inbox is meant to be taken: neither hidden nor still being written under a name of its own. */
export const isRecordingName = (name: string): boolean => !name.startsWith('.') && KINDS.includes(extensionOf(name));

/**
 * When the recording of this name began, in milliseconds since the epoch; undefined where its name does not say.
 * @param zone of who recorded it.
 * @param modified milliseconds since the epoch: where day and month may be either way round, what is nearest to it is meant.
 */
export const startFromName = (name: string, zone: string, modified?: number): number | undefined => {
  const found = timeIn(name);
  const starts = found?.times.map((time) => time.toZonedDateTime(found.zone ?? zone).epochMilliseconds) ?? [];
  if (modified === undefined) return starts[0];
  return starts.toSorted((one, other) => Math.abs(one - modified) - Math.abs(other - modified))[0];
};

/** A title as it is kept: one line, whole characters, at most 200 of them. */
export const cleanTitle = (title: string): string =>
  Array.from(
    title
      .toWellFormed()
      .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
      .replaceAll(/ {2,}/g, ' ')
      .trim(),
  )
    .slice(0, MAX_TITLE_LENGTH)
    .join('')
    .trim();

/** Ends of names, of which some programs write two: `.webm.mkv`, `.mp4-.mp4`, `.DVR.mp4`. */
const ENDS = /[-\s]*\.(?:mkv|mp4|m4v|webm|mov|avi|ts|mpe?g|flv|wmv|3gp|gif|dvr)[-\s]*$/i;
/** What leads to the time: 'Screencast from 2026-…', 'Bildschirmaufzeichnung vom 2026-…', 'GMT20261125-…'. */
const LEADS_TO_TIME = /(?:^|\s)(?:from|at|on|vom|von|du|de|del|dal|van|från|fra|z|от|gmt)$/i;
const EDGES_BEFORE = /^[\s.-]+|[\s.,([–—-]+$/g;
const EDGES_BEHIND = /^[\s.,)\]–—~-]+|[\s.([-]+$/g;

const withoutEnds = (name: string): string => {
  let stem = name.replace(/\.[^.]+$/, '');
  for (let shorter = stem.replace(ENDS, ''); shorter !== stem && shorter !== ''; shorter = stem.replace(ENDS, ''))
    stem = shorter;
  return stem;
};

const words = (text: string): string => text.replaceAll('_', ' ');

/** What the name says beside the time: '' where it says nothing. */
export const titleFromName = (name: string): string => {
  const stem = withoutEnds(name);
  const found = timeIn(stem);
  if (!found) return cleanTitle(words(stem).replaceAll(EDGES_BEFORE, ''));
  const before = words(stem.slice(0, found.from)).replaceAll(EDGES_BEFORE, '').replace(LEADS_TO_TIME, '');
  const behind = words(stem.slice(found.until)).replaceAll(EDGES_BEHIND, '');
  return cleanTitle(`${before.replaceAll(EDGES_BEFORE, '')} ${behind}`);
};
