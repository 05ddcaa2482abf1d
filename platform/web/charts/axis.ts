/** Readable steps between gridlines, to be multiplied by powers of ten. */
const STEPS = [1, 2, 2.5, 5, 10] as const;

export interface AxisScale {
  readonly top: number;
  readonly step: number;
}

/** Creates an axis from 0 to at least `max`, with about `lines` readable steps. */
export function createScale(max: number, lines = 5): AxisScale {
  const idealStep = Math.max(max, Number.EPSILON) / lines;
  const unit = 10 ** Math.floor(Math.log10(idealStep));
  const step = unit * (STEPS.find((factor) => factor * unit >= idealStep * (1 - 1e-9)) ?? 10);
  return { top: step * Math.ceil(max / step - 1e-9), step };
}

/** Returns the positions of the gridlines, from 0 to the top. */
export function listGridlines({ top, step }: AxisScale): readonly number[] {
  return Array.from({ length: Math.round(top / step) + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** Returns the stride between shown labels, so that at most `room` of them are shown. */
export function getLabelStride(labels: number, room: number): number {
  return Math.max(1, Math.ceil(labels / Math.max(1, Math.floor(room))));
}
