/** Red, green and blue from 0 to 255. */
type Channels = readonly [number, number, number];

const HEX_PATTERN = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i;
const RGB_PATTERN = /^rgba?\(\s*([\d.]+)\s*,\s*([\d.]+)\s*,\s*([\d.]+)\s*(?:,\s*[\d.]+\s*)?\)$/i;

function toChannels(parts: readonly (string | undefined)[], parsePart: (part: string) => number): Channels | undefined {
  const [red, green, blue] = parts.map((part) => Math.min(255, Math.round(parsePart(part ?? ''))));
  if (red === undefined || green === undefined || blue === undefined) return undefined;
  return [red, green, blue].every(Number.isFinite) ? [red, green, blue] : undefined;
}

/** Parses '#1e90ff' or 'rgba(30,144,255,1)', also with fractions and without alpha. */
function parseChannels(colour: string): Channels | undefined {
  const text = colour.trim();
  const hex = HEX_PATTERN.exec(text);
  if (hex) return toChannels(hex.slice(1), (part) => Number.parseInt(part, 16));
  const rgb = RGB_PATTERN.exec(text);
  return rgb ? toChannels(rgb.slice(1), Number) : undefined;
}

const formatColour = ([red, green, blue]: Channels): string => `rgba(${red},${green},${blue},1)`;

/** Converts a colour to '#rrggbb' for a picker; undefined if it has another notation. */
export function toHex(colour: string): string | undefined {
  const rgb = parseChannels(colour);
  return rgb && `#${rgb.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

/** Darkens a channel (docs/specification/shopping.md section 4.3), rounded, as screens have whole channels. */
const darken = (channel: number): number => Math.max(0, Math.round(channel / 1.75 - 20));

/**
 * Returns the colour pair for a picked '#rrggbb'.
 * Undefined for black, which pickers report when they open, and bad input.
 */
export function toColourPair(hex: string): readonly [string, string] | undefined {
  const rgb = HEX_PATTERN.test(hex) ? parseChannels(hex) : undefined;
  if (!rgb || rgb.every((channel) => channel === 0)) return undefined;
  const [red, green, blue] = rgb;
  return [formatColour(rgb), formatColour([darken(red), darken(green), darken(blue)])];
}

/** Colours that are distinguishable on light and dark backgrounds. */
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

/** Returns the first of the least used pairs of the palette. */
export function getNextPair(used: Iterable<readonly [string, string]>): readonly [string, string] {
  const counts = new Map<string, number>();
  for (const [colour] of used) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const pairs = PALETTE.map(([hex]) => toColourPair(hex)).filter((pair) => pair !== undefined);
  const minCount = Math.min(...pairs.map(([colour]) => counts.get(colour) ?? 0));
  return pairs.find(([colour]) => (counts.get(colour) ?? 0) === minCount) ?? ['', ''];
}
