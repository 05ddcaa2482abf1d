import type * as z from 'zod/mini';
import type { durationEntry } from '../contract.ts';
import { repeatUnits, styles } from '../contract.ts';
import { TRANSPARENT } from '../domain/colours.ts';
import { toWire } from '../domain/day.ts';
import type { Style } from '../domain/event.ts';
import type { Entry } from '../domain/page.ts';
import { mainColour, type Listed } from './store/reading.ts';

export const styleOfRow = ({ style }: Pick<Listed, 'style'>): Style =>
  styles.find((each) => each === style) ?? 'calendar';

/** The main tag fills an entry and stands at its left, the second one at its right. */
const coloursOf = (event: Listed): Entry['colours'] => {
  const main = mainColour(event);
  return { background: main, left: main, right: event.tags[1]?.colour ?? TRANSPARENT };
};

export const entryOf = (event: Listed): Entry => {
  const { id, name, time, repeat_every: every, repeat_unit: word, subscription } = event;
  const unit = repeatUnits.find((each) => each === word);
  return {
    name,
    eventid: id,
    type: styleOfRow(event),
    colours: coloursOf(event),
    pinned: event.isPinned,
    ...(time === null ? {} : { time }),
    ...(every === null || unit === undefined ? {} : { every, unit }),
    ...(subscription === null ? {} : { fixed: true }),
  };
};

export const durationEntryOf = (event: Listed): z.output<typeof durationEntry> => ({
  ...entryOf(event),
  date: toWire(event.day),
  until: toWire(event.until_day),
});
