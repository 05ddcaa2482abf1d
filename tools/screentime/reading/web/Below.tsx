import { memo, Suspense, useState } from 'react';
import { lazyPart } from '#platform/web/app/latePart.ts';
import type { LoadedApplication } from './loaded.ts';
import type { BelowPartsProps } from './UsageDetails.tsx';
import { useNearPlace, type Scroller } from './useNearPlace.ts';
import styles from './ScreenTimePage.module.css';

const BelowParts = lazyPart(async () => (await import('./UsageDetails.tsx')).BelowParts);

/** Beyond the window: where it has what is newest. */
const FRESH = '400px';

const areSame = (one: readonly LoadedApplication[], other: readonly LoadedApplication[]): boolean =>
  one.length === other.length && one.every((each, at) => each === other[at]);

/**
 * They, once all that was asked for has come: drawn with each that comes, most of it would be made for nothing. Later as they are while their
 * place is near to be seen, else as they were: drawing them would hold up what is in sight.
 */
const useWhileNear = (value: readonly LoadedApplication[], isWhole: boolean, scroller: Scroller) => {
  const [isNear, setNear] = useState(true);
  const place = useNearPlace<HTMLElement>(FRESH, scroller, setNear);
  const [drawn, setDrawn] = useState<readonly LoadedApplication[]>();
  const isDue = drawn === undefined ? isWhole : isNear && !areSame(drawn, value);
  if (isDue) setDrawn(value);
  return { place, drawn };
};

interface BelowProps extends Omit<BelowPartsProps, 'applications'> {
  readonly shown: readonly LoadedApplication[];
  /** All that was asked for has come. */
  readonly isWhole: boolean;
}

/** Where the last two weeks went, and the year. */
export const Below = memo(function Below({ shown, isWhole, ...props }: BelowProps) {
  const { place, drawn } = useWhileNear(shown, isWhole, props.scroller);
  return (
    <section ref={place} className={styles['below']} aria-label="Where the time went">
      {drawn ? (
        <Suspense>
          <BelowParts applications={drawn} {...props} />
        </Suspense>
      ) : null}
    </section>
  );
});
