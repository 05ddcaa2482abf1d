import type { Status } from '../../contract/limits.ts';

export type Rgb = readonly [red: number, green: number, blue: number];

interface Oklch {
  /** From 0 to 1. */
  readonly light: number;
  readonly chroma: number;
  /** In degrees. */
  readonly hue: number;
}

/** Converts linear light to a channel value from 0 to 255. */
function toChannel(linear: number): number {
  const clamped = Math.min(1, Math.max(0, linear));
  const encoded = clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * clamped ** (1 / 2.4) - 0.055;
  return Math.round(encoded * 255);
}

/** Uses Björn Ottosson's OKLab matrices, and clips colours outside of sRGB. */
function toRgb({ light, chroma, hue }: Oklch): Rgb {
  const angle = (hue * Math.PI) / 180;
  const [a, b] = [chroma * Math.cos(angle), chroma * Math.sin(angle)];
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    toChannel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    toChannel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    toChannel(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

/** Spreads any number of hues evenly, with neighbours far apart. */
const GOLDEN_ANGLE = 180 * (3 - Math.sqrt(5));
const FIRST_HUE = 262;

/**
 * Returns the main and the pale colour of an application by its index in the account. Both are visible in light and
 * dark mode.
 */
export function getColours(index: number): { readonly on: Rgb; readonly off: Rgb } {
  const hue = (FIRST_HUE + index * GOLDEN_ANGLE) % 360;
  return { on: toRgb({ light: 0.63, chroma: 0.14, hue }), off: toRgb({ light: 0.72, chroma: 0.05, hue }) };
}

/** Colours of all applications together: a grey that no application has. */
export const TOTAL_COLOURS: ReturnType<typeof getColours> = { on: [110, 116, 130], off: [160, 164, 174] };

/**
 * Returns colours by status. Sound is the application's own activity and has its main colour
 * (docs/specification/screentime.md section 3.1).
 */
export function getStatusColours({ on, off }: ReturnType<typeof getColours>): Readonly<Record<Status, Rgb>> {
  return { on, off, s: on, r: on };
}
