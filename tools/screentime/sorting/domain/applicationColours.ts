import type { Status } from '../../contract/limits.ts';

export type Rgb = readonly [red: number, green: number, blue: number];

interface Oklch {
  /** 0 to 1. */
  readonly light: number;
  readonly chroma: number;
  /** Degrees. */
  readonly hue: number;
}

/** Linear light to the value of a channel, 0 to 255. */
const channel = (linear: number): number => {
  const within = Math.min(1, Math.max(0, linear));
  const curved = within <= 0.0031308 ? 12.92 * within : 1.055 * within ** (1 / 2.4) - 0.055;
  return Math.round(curved * 255);
};

/** Björn Ottosson's matrices of OKLab; what the screen cannot show is cut off. */
const toRgb = ({ light, chroma, hue }: Oklch): Rgb => {
  const angle = (hue * Math.PI) / 180;
  const [a, b] = [chroma * Math.cos(angle), chroma * Math.sin(angle)];
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    channel(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
};

/** Neighbours by number stand far apart, and however many there are they spread evenly. */
const GOLDEN_ANGLE = 180 * (3 - Math.sqrt(5));
const FIRST_HUE = 262;

/** Of the application with this number in its account: `on` its main colour, `off` the same one paled. Both are seen on light and on dark ground. */
export function coloursOf(index: number): { readonly on: Rgb; readonly off: Rgb } {
  const hue = (FIRST_HUE + index * GOLDEN_ANGLE) % 360;
  return { on: toRgb({ light: 0.63, chroma: 0.14, hue }), off: toRgb({ light: 0.72, chroma: 0.05, hue }) };
}

/** Of all applications together: a grey that no application has. */
export const TOTAL_COLOURS: ReturnType<typeof coloursOf> = { on: [110, 116, 130], off: [160, 164, 174] };

/** By status, as a timeline is drawn: sound is the application's own doing, and has its main colour (specification 2, section 3). */
export function statusColours({ on, off }: ReturnType<typeof coloursOf>): Readonly<Record<Status, Rgb>> {
  return {
    on,
    off,
    s: on,
    r: on,
  };
}
