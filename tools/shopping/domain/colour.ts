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
export const hexOf = (colour: string): string | undefined => {
  const its = channelsOf(colour);
  return its && `#${its.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
};

/** The specification's darker shade; whole numbers, as screens have no others. */
const darker = (channel: number): number => Math.max(0, Math.round(channel / 1.75 - 20));

/** A type's pair for a picked '#rrggbb'. Nothing for black, which pickers tell as they open, and for what is no such colour. */
export const pairOf = (hex: string): readonly [string, string] | undefined => {
  const its = HEX.test(hex) ? channelsOf(hex) : undefined;
  if (!its || its.every((channel) => channel === 0)) return undefined;
  const [red, green, blue] = its;
  return [written(its), written([darker(red), darker(green), darker(blue)])];
};
