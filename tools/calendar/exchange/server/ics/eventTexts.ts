import {
  MAX_DESCRIPTION_LENGTH,
  MAX_NAME_LENGTH,
  MAX_TAG_LENGTH,
  MAX_TAGS_PER_EVENT,
} from '#tools/calendar/contract/events.ts';
import type { EventDraft } from '#tools/calendar/events/domain/event.ts';
import { isReservedTag } from '#tools/calendar/events/domain/tags.ts';
import { listLines, findText, type Component, listTextValues } from './contentLines.ts';

export const UNTITLED = 'Untitled';

export type Warn = (why: string) => void;

/** Returns the first `limit` code points. */
const truncate = (text: string, limit: number): string =>
  Array.from(text.slice(0, 2 * limit))
    .slice(0, limit)
    .join('');

function truncateWithWarning(text: string, limit: number, warn: () => void): string {
  if (text.length <= limit) return text;
  const truncated = truncate(text, limit);
  if (truncated.length < text.length) warn();
  return truncated;
}

const toOneLine = (text: string): string => text.replaceAll('\u2800', ' ').replaceAll(/\s+/g, ' ').trim();

export function readEventName(component: Component, warn: Warn): string {
  const name = toOneLine(findText(component, 'SUMMARY') ?? '') || UNTITLED;
  const truncated = truncateWithWarning(name, MAX_NAME_LENGTH, () =>
    warn(`Its name is cut off after ${MAX_NAME_LENGTH} characters`),
  );
  return truncated.trim();
}

export function readEventDescription(component: Component, warn: Warn): string {
  return truncateWithWarning(findText(component, 'DESCRIPTION') ?? '', MAX_DESCRIPTION_LENGTH, () =>
    warn(`Its description is cut off after ${MAX_DESCRIPTION_LENGTH.toLocaleString('en')} characters`),
  );
}

/** Maximum number of categories that are read. */
const MAX_CATEGORIES = 1000;

/** Returns the categories as tags, and the main tag if this program wrote the file. */
export function readEventTags(component: Component, warn: Warn): Pick<EventDraft, 'tags' | 'pinned'> {
  const names = listLines(component, 'CATEGORIES')
    .flatMap(listTextValues)
    .slice(0, MAX_CATEGORIES)
    .map((value) => toOneLine(value.replaceAll(',', ' ')))
    .filter((name) => name !== '' && !isReservedTag(name))
    .map((name) =>
      truncateWithWarning(name, MAX_TAG_LENGTH, () =>
        warn(`A tag name is cut off after ${MAX_TAG_LENGTH} characters`),
      ).trim(),
    );
  const all = [...new Set(names)];
  if (all.length > MAX_TAGS_PER_EVENT) warn(`Only its first ${MAX_TAGS_PER_EVENT} tags are used`);
  const tags = all.slice(0, MAX_TAGS_PER_EVENT);
  const main = findText(component, 'X-PEGBOARD-PINNED');
  return { tags, pinned: tags.find((name) => name === main) };
}
