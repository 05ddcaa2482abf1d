import type { AnswerOf } from '#platform/contract/call.ts';
import type { returnapplications } from '#tools/screentime/contract.ts';
import { TOTAL } from '#tools/screentime/contract/limits.ts';
import { getColours, TOTAL_COLOURS } from '#tools/screentime/sorting/domain/applicationColours.ts';
import { formatRgb } from '../useUsage.ts';

export type Applications = AnswerOf<typeof returnapplications>;

export interface PickerProps {
  readonly applications: Applications;
  readonly hours: ReadonlyMap<string, number>;
  /** CSS colours by application. */
  readonly colours: ReadonlyMap<string, string>;
  readonly selected: ReadonlySet<string>;
  /** Toggles one application; must be stable. */
  readonly onPick: (name: string) => void;
  readonly onPickAll: (names: readonly string[]) => void;
}

/** Returns the colour of each application by name, including `TOTAL`. */
export function toColourMap({ flat }: Pick<Applications, 'flat'>): ReadonlyMap<string, string> {
  return new Map([
    [TOTAL, formatRgb([...TOTAL_COLOURS.on])],
    ...flat.map(({ name, colouron }) => [name, formatRgb(colouron)] as const),
  ]);
}

export const NEUTRAL_COLOUR = formatRgb([...getColours(0).on]);

/** Formats `61h`, or `12m` under one hour; nothing if unused. */
export function formatHours(hours: number | undefined): string {
  if (hours === undefined || hours * 60 < 1) return '';
  return hours < 1 ? `${Math.floor(hours * 60)}m` : `${Math.round(hours)}h`;
}
