import { Button } from '@mantine/core';
import { IconCalendarStats } from '@tabler/icons-react';
import { useDeferredValue, useEffect, useState, type ReactNode } from 'react';
import { PaintedSliceCount, PaintSlice } from '#platform/web/windowing/PaintSlice.tsx';
import { TOTAL } from '../../contract/limits.ts';
import { Breakdown } from './Breakdown.tsx';
import { HeatMap } from './days/HeatMap.tsx';
import { Density } from './Density.tsx';
import type { LoadedApplication } from './loaded.ts';
import { queueRender, LANES_PER_FRAME } from './timeline/frameQueue.ts';
import { useNearPlace, type Scroller } from './useNearPlace.ts';
import type { Scope } from './viewTypes.ts';

/** Beyond the window: where it is painted. */
const PAINTED = '2000px';
/** Of a part: what it begins with, and two more. */
const PIECES = 3;

interface PartProps {
  readonly scroller: Scroller;
  readonly children: ReactNode;
}

/**
 * A part that is made in a turn of its own, and painted while it is near in others: bars, a chart and a year at once would be one long piece of
 * a scroll, and made less urgently they would be begun anew with each turn of the days.
 */
function Part({ scroller, children }: PartProps) {
  const [isNear, setNear] = useState(false);
  const [painted, setPainted] = useState<number>();
  const place = useNearPlace<HTMLDivElement>(PAINTED, scroller, setNear);
  useEffect(() => {
    const wanted = isNear ? PIECES : 0;
    if (painted === wanted) return undefined;
    const next = painted === undefined || !isNear ? 0 : painted + 1;
    const urgency = isNear || painted === undefined ? 'shown' : 'gone';
    return queueRender(() => setPainted(next), { urgency, lanes: LANES_PER_FRAME });
  }, [isNear, painted]);
  return (
    <div ref={place}>
      {painted === undefined ? null : (
        <PaintedSliceCount value={painted}>
          <PaintSlice position={1}>{children}</PaintSlice>
        </PaintedSliceCount>
      )}
    </div>
  );
}

export interface BelowPartsProps {
  readonly applications: readonly LoadedApplication[];
  readonly scope: Scope;
  readonly total: LoadedApplication | undefined;
  readonly scroller: Scroller;
  readonly openDay: (date: string) => void;
  readonly openPeriods: () => void;
}

/** Bars, a chart and the year. */
export function BelowParts({ applications, scope, total, scroller, openDay, openPeriods }: BelowPartsProps) {
  const [name, setName] = useState(TOTAL);
  // A chart is much to draw: not in one go with the bars.
  const later = useDeferredValue(applications);
  const selected = applications.find((each) => each.name === name) ?? total;
  return (
    <>
      <Part scroller={scroller}>
        <Breakdown applications={applications} selected={selected} onSelect={setName} />
      </Part>
      <Part scroller={scroller}>
        <Density applications={later} />
      </Part>
      <Part scroller={scroller}>
        <HeatMap scope={scope} application={selected?.name ?? TOTAL} onDay={openDay} />
      </Part>
      <p>
        <Button leftSection={<IconCalendarStats size={16} stroke={1.75} />} onClick={openPeriods}>
          Any period
        </Button>
      </p>
    </>
  );
}
