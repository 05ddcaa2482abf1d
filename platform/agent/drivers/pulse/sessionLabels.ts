import type { Voice } from './pulseConnection.ts';

const SATURATION = 0.6;
/** Luminance with a contrast of at least 3:1 to both the light and the dark surface of the pages. */
const LUMINANCE = 0.21;

/** FNV-1a hash: the same on every computer and in every run. */
function hashText(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value;
}

/** Converts a hue in degrees and a lightness from 0 to 1 to red, green and blue, each 0 to 1. */
function toRgb(hue: number, lightness: number): readonly number[] {
  const chroma = SATURATION * Math.min(lightness, 1 - lightness);
  return [0, 8, 4].map((part) => {
    const at = (part + hue / 30) % 12;
    return lightness - chroma * Math.max(-1, Math.min(at - 3, 9 - at, 1));
  });
}

/** Removes the gamma correction of an sRGB channel. */
const toLinear = (channel: number): number =>
  channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;

/** Returns the relative luminance of a colour (WCAG 2). */
const getLuminance = ([red = 0, green = 0, blue = 0]: readonly number[]): number =>
  0.2126 * toLinear(red) + 0.7152 * toLinear(green) + 0.0722 * toLinear(blue);

/** Derives '#rrggbb' from a text. The colour is stable, and equally visible on light and dark. */
export function hashToColour(text: string): string {
  const hue = hashText(text) % 360;
  let [dark, light] = [0, 1];
  for (let step = 0; step < 12; step += 1) {
    const middle = (dark + light) / 2;
    if (getLuminance(toRgb(hue, middle)) < LUMINANCE) dark = middle;
    else light = middle;
  }
  const channels = toRgb(hue, dark).map((part) =>
    Math.round(part * 255)
      .toString(16)
      .padStart(2, '0'),
  );
  return `#${channels.join('')}`;
}

const MASTER_NAME = 'Master';
/** In code points; longer names end in an ellipsis. */
const MAX_NAME_LENGTH = 100;
/** Control characters, lone surrogates and invisible or direction-changing characters, except the joiner of emoji. */
const INVISIBLE_CHARACTERS = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?!\u200D)\p{Cf}/gu;
const VISIBLE_CHARACTER = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Returns the name as a slider can show it; '' if nothing is left. */
export function sanitizeName(raw: string): string {
  const clean = raw.replaceAll(INVISIBLE_CHARACTERS, ' ').replaceAll(/\s+/g, ' ').trim();
  if (!VISIBLE_CHARACTER.test(clean)) return '';
  const characters = Array.from(clean);
  const short = characters.length <= MAX_NAME_LENGTH ? clean : `${characters.slice(0, MAX_NAME_LENGTH - 1).join('')}…`;
  // A property with this name would be lost in a JSON object.
  return short === '__proto__' ? 'proto' : short;
}

/** Returns the first candidate that can be shown. */
const pickName = (candidates: readonly (string | undefined)[]): string =>
  candidates.map((one) => sanitizeName(one ?? '')).find((one) => one !== '') ?? 'Unnamed';

/** Returns the name of the application behind a stream. All streams of one name share a slider. */
export function getSessionName({ properties }: Pick<Voice, 'properties'>): string {
  return pickName([properties['application.name'], properties['application.process.binary'], properties['media.name']]);
}

/** Returns the icon name from which the colour is derived. */
export function getIconName({ properties }: Voice): string | undefined {
  return properties['application.icon_name'] ?? properties['media.icon_name'];
}

/** Returns whether a stream is a sound of the desktop itself, such as that of a click. */
export function isEventSound({ properties }: Pick<Voice, 'properties'>): boolean {
  return properties['media.role'] === 'event';
}

/** Returns the system's name of an output. */
export function formatDeviceName(description: string): string {
  return pickName([description, 'Output']);
}

/** Names the outputs: the default one is Master, and duplicates get a number. */
export function nameOutputs(
  outputs: readonly { readonly description: string; readonly isDefault: boolean }[],
): readonly string[] {
  const names = new Set<string>();
  return outputs.map(({ description, isDefault }) => {
    const name = isDefault ? MASTER_NAME : formatDeviceName(description);
    let uniqueName = name;
    for (let number = 2; names.has(uniqueName); number += 1) uniqueName = `${name} ${number}`;
    names.add(uniqueName);
    return uniqueName;
  });
}
