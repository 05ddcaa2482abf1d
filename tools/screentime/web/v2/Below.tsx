import { Button } from '@mantine/core';
import { IconCalendarStats } from '@tabler/icons-react';
import { memo, Suspense, useDeferredValue, useEffect, useRef, useState, type RefObject } from 'react';
import { latePart } from '#platform/web/latePart.ts';
import { TOTAL } from '../../contract/limits.ts';
import type { Loaded } from './loaded.ts';
import type { Scope } from './parts.ts';
import styles from './ScreenTimePage.module.css';

const Breakdown = latePart(async () => (await import('./breakdown/Breakdown.tsx')).Breakdown);
const Density = latePart(async () => (await import('./breakdown/Density.tsx')).Density);
const HeatMap = latePart(async () => (await import('./days/HeatMap.tsx')).HeatMap);

/** In px beyond the window. */
const MARGIN_PX = 400;

const areSame = (one: readonly Loaded[], other: readonly Loaded[]): boolean =>
  one.length === other.length && one.every((each, at) => each === other[at]);

/** They as they are, while their place is near to be seen or nothing was drawn yet; else as they were: drawing them would hold up what is in sight. */
const useWhileNear = (value: readonly Loaded[], isWhole: boolean, scroller: RefObject<HTMLElement | null>) => {
  const place = useRef<HTMLElement>(null);
  const [isNear, setNear] = useState(true);
  const [drawn, setDrawn] = useState({ value, isWhole: false });
  useEffect(() => {
    if (!place.current) return undefined;
    const watcher = new IntersectionObserver((seen) => setNear(seen.at(-1)?.isIntersecting === true), {
      root: scroller.current,
      rootMargin: `${MARGIN_PX}px 0px`,
    });
    watcher.observe(place.current);
    return () => watcher.disconnect();
  }, [scroller]);
  const isOther = !areSame(drawn.value, value) || (isWhole && !drawn.isWhole);
  if ((isNear || !drawn.isWhole) && isOther) setDrawn({ value, isWhole: isWhole || drawn.isWhole });
  return { place, value: drawn.value, isWhole: drawn.isWhole };
};

interface BelowProps {
  readonly scope: Scope;
  readonly shown: readonly Loaded[];
  readonly total: Loaded | undefined;
  /** All that was asked for has come. */
  readonly isWhole: boolean;
  readonly scroller: RefObject<HTMLElement | null>;
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
        <Breakdown applications={applications} selected={selected} onSelect={setName} />
        <Density applications={later} isWhole={near.isWhole} />
        <HeatMap scope={scope} application={selected?.name ?? TOTAL} onDay={openDay} />
        <p>
          <Button leftSection={<IconCalendarStats size={16} stroke={1.75} />} onClick={openPeriods}>
            Any period
          </Button>
        </p>
      </Suspense>
    </section>
  );
});
