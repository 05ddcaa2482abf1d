/** A part of a screen, in whole pixels. */
export interface Region {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Reads `X,Y,WxH`: `0,0,640x480`. Undefined for any other text. */
export const regionFrom = (text: string): Region | undefined => {
  const found = /^(\d{1,5}),(\d{1,5}),(\d{1,5})x(\d{1,5})$/.exec(text);
  if (!found) return undefined;
  const [x = 0, y = 0, width = 0, height = 0] = found.slice(1).map(Number);
  return { x, y, width, height };
};

export const regionText = ({ x, y, width, height }: Region): string => `${x},${y},${width}x${height}`;
