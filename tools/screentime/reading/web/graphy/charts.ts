import { createHues, getLineColour } from '#platform/web/charts/lineColour.ts';
import type { ChartLine } from '#platform/web/charts/plot.ts';
import { dayLabel, dayTick } from '../../domain/dayLabel.ts';
import { daySeries, runningTotal, type SecondsByDay } from '../../domain/daySeries.ts';

const YEAR = 366;

interface TypeLines {
  readonly name: string;
  readonly lines: readonly ChartLine[];
}

/** Everything that the page draws. An application has one colour in all of its charts. */
export interface Charts {
  readonly ticks: readonly string[];
  readonly labels: readonly string[];
  readonly all: readonly ChartLine[];
  readonly types: readonly TypeLines[];
}

interface Usage {
  readonly soundata: SecondsByDay;
  readonly types: Readonly<Record<string, readonly string[]>>;
}

export const chartsOf = ({ soundata, types }: Usage, isAccumulative: boolean): Charts => {
  const { days, applications } = daySeries(soundata);
  const hues = createHues(applications.length);
  const all = applications.map(({ name, hours }, index) => ({
    name,
    colour: getLineColour(hues[index] ?? 0),
    values: isAccumulative ? runningTotal(hours) : hours,
  }));
  return {
    ticks: days.map((day) => dayTick(day, days.length > YEAR)),
    labels: days.map(dayLabel),
    all,
    types: Object.entries(types).flatMap(([name, names]) => {
      const its = new Set(names);
      const lines = all.filter((line) => its.has(line.name));
      return lines.length > 0 ? [{ name, lines }] : [];
    }),
  };
};

/** Hours as they stand beside a line: '5.7', '0.04', '1204.5', '0'. */
export const hoursText = (hours: number): string => (hours === 0 ? '0' : hours.toFixed(hours < 1 ? 2 : 1));
/** Hours beside the axis. */
export const axisText = String;
