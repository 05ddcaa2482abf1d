import { Button } from '@mantine/core';
import { IconCalendarStats } from '@tabler/icons-react';
import { memo, Suspense, useDeferredValue, useEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import { latePart } from '#platform/web/latePart.ts';
import { TOTAL } from '../../contract/limits.ts';
import type { Loaded } from './loaded.ts';
import type { Scope } from './parts.ts';
import { inTurn, LANES_AT_ONCE } from './timeline/turns.ts';
import styles from './ScreenTimePage.module.css';

const Breakdown = latePart(async () => (await import('./breakdown/Breakdown.tsx')).Breakdown);
const Density = latePart(async () => (await import('./breakdown/Density.tsx')).Density);
const HeatMap = latePart(async () => (await import('./days/HeatMap.tsx')).HeatMap);

/** Beyond the window: where it has what is newest, and where it is painted. */
const FRESH = '400px';
const PAINTED = '1200px';

type Scroller = RefObject<HTMLElement | null>;

/** A place that tells when it comes near to the window of the scroller, by so much, and when it leaves. */
const useNear = <Place extends HTMLElement>(margin: string, scroller: Scroller, tell: (isNear: boolean) => void) => {
  const place = useRef<Place>(null);
  useEffect(() => {
    if (!place.current) return undefined;
    const watcher = new IntersectionObserver((seen) => tell(seen.at(-1)?.isIntersecting === true), {
      root: scroller.current,
      rootMargin: `${margin} 0px`,
    });
    watcher.observe(place.current);
    return () => watcher.disconnect();
  }, [margin, scroller, tell]);
  return place;
};

const areSame = (one: readonly Loaded[], other: readonly Loaded[]): boolean =>
  one.length === other.length && one.every((each, at) => each === other[at]);

/** They as they are, while their place is near to be seen or nothing was drawn yet; else as they were: drawing them would hold up what is in sight. */
const useWhileNear = (value: readonly Loaded[], isWhole: boolean, scroller: Scroller) => {
  const [isNear, setNear] = useState(true);
  const place = useNear<HTMLElement>(FRESH, scroller, setNear);
  const [drawn, setDrawn] = useState({ value, isWhole: false });
  const isOther = !areSame(drawn.value, value) || (isWhole && !drawn.isWhole);
  if ((isNear || !drawn.isWhole) && isOther) setDrawn({ value, isWhole: isWhole || drawn.isWhole });
  return { place, value: drawn.value, isWhole: drawn.isWhole };
};

/** A part that is painted while it is near, in a turn of its own: bars, a chart and a year at once would be one long piece of a scroll. */
function Part({ scroller, children }: { readonly scroller: Scroller; readonly children: ReactNode }) {
  const [isNear, setNear] = useState(false);
  const [isPainted, setPainted] = useState(false);
  const place = useNear<HTMLDivElement>(PAINTED, scroller, setNear);
  useEffect(
    () => inTurn(() => setPainted(isNear), { urgency: isNear ? 'coming' : 'gone', lanes: LANES_AT_ONCE }),
    [isNear],
  );
  return (
    <div ref={place} data-painted={isPainted || undefined}>
      {children}
    </div>
  );
}

interface BelowProps {
  readonly scope: Scope;
  readonly shown: readonly Loaded[];
  readonly total: Loaded | undefined;
  /** All that was asked for has come. */
  readonly isWhole: boolean;
  readonly scroller: Scroller;
  readonly openDay: (date: string) => void;
  readonly openPeriods: () => void;
}

/** Where the last two weeks went, and the year. */
export const Below = memo(function Below(props: BelowProps) {
  const { scope, shown, total, isWhole, scroller, openDay, openPeriods } = props;
  const [name, setName] = useState(TOTAL);
  const { place, ...near } = useWhileNear(shown, isWhole, scroller);
  const applications = near.value;
  // A chart is much to draw: not in one go with the bars.
  const later = useDeferredValue(applications);
  const selected = applications.find((each) => each.name === name) ?? total;
  return (
    <section ref={place} className={styles['below']} aria-label="Where the time went">
      <Suspense>
        <Part scroller={scroller}>
          <Breakdown applications={applications} selected={selected} onSelect={setName} />
        </Part>
        <Part scroller={scroller}>
          <Density applications={later} isWhole={near.isWhole} />
        </Part>
        <Part scroller={scroller}>
          <HeatMap scope={scope} application={selected?.name ?? TOTAL} onDay={openDay} />
        </Part>
        <p>
          <Button leftSection={<IconCalendarStats size={16} stroke={1.75} />} onClick={openPeriods}>
            Any period
          </Button>
        </p>
      </Suspense>
    </section>
  );
});
