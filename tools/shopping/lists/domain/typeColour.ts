/** Red, green and blue from 0 to 255. */
type Channels = readonly [number, number, number];

const HEX = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i;
const RGB = /^rgba?\(\s*([\d.]+)\s*,\s*([\d.]+)\s*,\s*([\d.]+)\s*(?:,\s*[\d.]+\s*)?\)$/i;

const channels = (parts: readonly (string | undefined)[], read: (part: string) => number): Channels | undefined => {
  const [red, green, blue] = parts.map((part) => Math.min(255, Math.round(read(part ?? ''))));
  if (red === undefined || green === undefined || blue === undefined) return undefined;
  return [red, green, blue].every(Number.isFinite) ? [red, green, blue] : undefined;
};

/** '#1e90ff' or 'rgba(30,144,255,1)', also with fractions and without the last part. */
const channelsOf = (colour: string): Channels | undefined => {
  const text = colour.trim();
  const hex = HEX.exec(text);
  if (hex) return channels(hex.slice(1), (part) => Number.parseInt(part, 16));
  const rgb = RGB.exec(text);
  return rgb ? channels(rgb.slice(1), Number) : undefined;
};

const written = ([red, green, blue]: Channels): string => `rgba(${red},${green},${blue},1)`;

/** The colour for a picker, such as '#1e90ff'. Nothing where it is written in another way than ours. */
export function hexOf(colour: string): string | undefined {
  const its = channelsOf(colour);
  return its && `#${its.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

/** The specification's darker shade; whole numbers, as screens have no others. */
const darker = (channel: number): number => Math.max(0, Math.round(channel / 1.75 - 20));

/** A type's pair for a picked '#rrggbb'. Nothing for black, which pickers tell as they open, and for what is no such colour. */
export function pairOf(hex: string): readonly [string, string] | undefined {
  const its = HEX.test(hex) ? channelsOf(hex) : undefined;
  if (!its || its.every((channel) => channel === 0)) return undefined;
  const [red, green, blue] = its;
  return [written(its), written([darker(red), darker(green), darker(blue)])];
}

/** Colours that are told apart on light and dark ground. */
export const PALETTE = [
  ['#2e9e5b', 'green'],
  ['#3b82c4', 'blue'],
  ['#b7791f', 'amber'],
  ['#c94f4f', 'red'],
  ['#8b5cf6', 'violet'],
  ['#d9468f', 'pink'],
  ['#0f8f8b', 'teal'],
  ['#6b7280', 'grey'],
  ['#7a8b1f', 'olive'],
  ['#8a5a3b', 'brown'],
  ['#4f6bd8', 'indigo'],
  ['#e07b39', 'orange'],
] as const;

/** A pair of the palette that the fewest of these have, the first of them. */
export function nextPair(used: Iterable<readonly [string, string]>): readonly [string, string] {
  const counts = new Map<string, number>();
  for (const [colour] of used) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const pairs = PALETTE.map(([hex]) => pairOf(hex)).filter((pair) => pair !== undefined);
  const least = Math.min(...pairs.map(([colour]) => counts.get(colour) ?? 0));
  return pairs.find(([colour]) => (counts.get(colour) ?? 0) === least) ?? ['', ''];
}
