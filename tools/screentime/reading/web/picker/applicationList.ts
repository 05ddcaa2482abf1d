import type { AnswerOf } from '#platform/contract/call.ts';
import type { returnapplications } from '#tools/screentime/contract.ts';
import { TOTAL } from '#tools/screentime/contract/limits.ts';
import { coloursOf, TOTAL_COLOURS } from '#tools/screentime/sorting/domain/applicationColours.ts';
import { css } from '../useUsage.ts';

export type Applications = AnswerOf<typeof returnapplications>;

/** What a picker shows and does. */
export interface PickerProps {
  readonly applications: Applications;
  readonly hours: ReadonlyMap<string, number>;
  /** CSS by application. */
  readonly colours: ReadonlyMap<string, string>;
  readonly on: ReadonlySet<string>;
  /** Switches one. It is the same function every time. */
  readonly onPick: (name: string) => void;
  readonly onPickAll: (names: readonly string[]) => void;
}

/** The colour of each application by its name, `TOTAL` among them. */
export function coloursBy({ flat }: Pick<Applications, 'flat'>): ReadonlyMap<string, string> {
  return new Map([
    [TOTAL, css([...TOTAL_COLOURS.on])],
    ...flat.map(({ name, colouron }) => [name, css(colouron)] as const),
  ]);
}

export const NEUTRAL = css([...coloursOf(0).on]);

/** `61h`; under one hour `12m`; nothing for what was not used. */
export function hoursText(hours: number | undefined): string {
  if (hours === undefined || hours * 60 < 1) return '';
  return hours < 1 ? `${Math.floor(hours * 60)}m` : `${Math.round(hours)}h`;
}
