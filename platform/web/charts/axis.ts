/** Steps that people count in, and what each is times ten. */
const STEPS = [1, 2, 2.5, 5, 10] as const;

export interface AxisScale {
  readonly top: number;
  readonly step: number;
}

/** An axis from 0 that reaches at least `most`, in about `lines` steps that are easy to read. */
export function createScale(most: number, lines = 5): AxisScale {
  const wanted = Math.max(most, Number.EPSILON) / lines;
  const unit = 10 ** Math.floor(Math.log10(wanted));
  const step = unit * (STEPS.find((each) => each * unit >= wanted * (1 - 1e-9)) ?? 10);
  return { top: step * Math.ceil(most / step - 1e-9), step };
}

/** The gridlines of an axis, from 0 to its top. */
export function listGridlines({ top, step }: AxisScale): readonly number[] {
  return Array.from({ length: Math.round(top / step) + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** Every how many labels one is written so that `room` of them fit. */
export function getLabelStride(labels: number, room: number): number {
  return Math.max(1, Math.ceil(labels / Math.max(1, Math.floor(room))));
}
