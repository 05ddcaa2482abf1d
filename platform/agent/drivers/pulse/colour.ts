const SATURATION = 0.6;
/** Between black and white so that both the light and the dark surface of the pages are at least three times as light or dark. */
const LUMINANCE = 0.21;

/** FNV-1a: the same on every computer and in every run. */
const hash = (text: string): number => {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value;
};

/** Red, green and blue, each 0 to 1. */
const fromHsl = (hue: number, lightness: number): readonly number[] => {
  const reach = SATURATION * Math.min(lightness, 1 - lightness);
  return [0, 8, 4].map((part) => {
    const at = (part + hue / 30) % 12;
    return lightness - reach * Math.max(-1, Math.min(at - 3, 9 - at, 1));
  });
};

const linear = (part: number): number => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);

/** How light a colour is to the eye (WCAG 2, relative luminance). */
const luminanceOf = ([red = 0, green = 0, blue = 0]: readonly number[]): number =>
  0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);

/** '#rrggbb', always the same for a text, and as well to be seen on light as on dark. */
export const hashToColour = (text: string): string => {
  const hue = hash(text) % 360;
  let [dark, light] = [0, 1];
  for (let step = 0; step < 12; step += 1) {
    const middle = (dark + light) / 2;
    if (luminanceOf(fromHsl(hue, middle)) < LUMINANCE) dark = middle;
    else light = middle;
  }
  const parts = fromHsl(hue, dark).map((part) =>
    Math.round(part * 255)
      .toString(16)
      .padStart(2, '0'),
  );
  return `#${parts.join('')}`;
};
