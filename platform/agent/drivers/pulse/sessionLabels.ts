import type { Voice } from './pulseConnection.ts';

const MASTER_NAME = 'Master';
/** In code points; what is longer ends in an ellipsis. */
const MAX_NAME_LENGTH = 100;
/** Controls, lone surrogates, and what turns the direction of writing or is unseen, but for the joiner of emoji. */
const INVISIBLE_CHARACTERS = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?!\u200D)\p{Cf}/gu;
const VISIBLE_CHARACTER = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** A name as it may stand on a slider; '' where nothing is left of it. */
export const sanitizeName = (raw: string): string => {
  const clean = raw.replaceAll(INVISIBLE_CHARACTERS, ' ').replaceAll(/\s+/g, ' ').trim();
  if (!VISIBLE_CHARACTER.test(clean)) return '';
  const characters = Array.from(clean);
  const short = characters.length <= MAX_NAME_LENGTH ? clean : `${characters.slice(0, MAX_NAME_LENGTH - 1).join('')}…`;
  // As a key of a JSON object it would be lost on the way.
  return short === '__proto__' ? 'proto' : short;
};

const firstName = (candidates: readonly (string | undefined)[]): string =>
  candidates.map((one) => sanitizeName(one ?? '')).find((one) => one !== '') ?? 'Unnamed';

/** The application behind a stream. All streams of one name are one slider. */
export const getSessionName = ({ properties }: Pick<Voice, 'properties'>): string =>
  firstName([properties['application.name'], properties['application.process.binary'], properties['media.name']]);

/** What its colour comes from. */
export const getIconName = ({ properties }: Voice): string | undefined =>
  properties['application.icon_name'] ?? properties['media.icon_name'];

/** Sounds of the desktop itself, such as that of a click. */
export const isEventSound = ({ properties }: Pick<Voice, 'properties'>): boolean =>
  properties['media.role'] === 'event';

/** What an output is called by the system. */
export const formatDeviceName = (description: string): string => firstName([description, 'Output']);

/** Names for outputs: the default one is Master, whichever that is, and of two alike the second has a number. */
export const nameOutputs = (
  outputs: readonly { readonly description: string; readonly isDefault: boolean }[],
): readonly string[] => {
  const taken = new Set<string>();
  return outputs.map(({ description, isDefault }) => {
    const name = isDefault ? MASTER_NAME : formatDeviceName(description);
    let unique = name;
    for (let number = 2; taken.has(unique); number += 1) unique = `${name} ${number}`;
    taken.add(unique);
    return unique;
  });
};
