import type { Voice } from './connection.ts';

const MASTER = 'Master';
/** In code points; what is longer ends in an ellipsis. */
const LONGEST = 100;
/** Controls, lone surrogates, and what turns the direction of writing or is unseen, but for the joiner of emoji. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?!\u200D)\p{Cf}/gu;
const SEEN = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** A name as it may stand on a slider; '' where nothing is left of it. */
export const cleanName = (raw: string): string => {
  const clean = raw.replaceAll(UNSEEN, ' ').replaceAll(/\s+/g, ' ').trim();
  if (!SEEN.test(clean)) return '';
  const characters = Array.from(clean);
  const short = characters.length <= LONGEST ? clean : `${characters.slice(0, LONGEST - 1).join('')}…`;
  // As a key of a JSON object it would be lost on the way.
  return short === '__proto__' ? 'proto' : short;
};

const firstName = (candidates: readonly (string | undefined)[]): string =>
  candidates.map((one) => cleanName(one ?? '')).find((one) => one !== '') ?? 'Unnamed';

/** The application behind a stream. All streams of one name are one slider. */
export const sessionName = ({ properties }: Pick<Voice, 'properties'>): string =>
  firstName([properties['application.name'], properties['application.process.binary'], properties['media.name']]);

/** What its colour comes from. */
export const iconOf = ({ properties }: Voice): string | undefined =>
  properties['application.icon_name'] ?? properties['media.icon_name'];

/** Sounds of the desktop itself, such as that of a click. */
export const isEventSound = ({ properties }: Pick<Voice, 'properties'>): boolean =>
  properties['media.role'] === 'event';

/** What an output is called by the system. */
export const deviceName = (description: string): string => firstName([description, 'Output']);

/** Names for outputs: the default one is Master, whichever that is, and of two alike the second has a number. */
export const outputNames = (
  outputs: readonly { readonly description: string; readonly isDefault: boolean }[],
): readonly string[] => {
  const taken = new Set<string>();
  return outputs.map(({ description, isDefault }) => {
    const name = isDefault ? MASTER : deviceName(description);
    let unique = name;
    for (let number = 2; taken.has(unique); number += 1) unique = `${name} ${number}`;
    taken.add(unique);
    return unique;
  });
};
