import type { UseQueryResult } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import type { OptionName, Options } from './choices.ts';
import { Days } from './Days.tsx';
import type { Computers, Scope } from './parts.ts';
import { ChipRow } from './picker/ChipRow.tsx';
import { DeviceChoice, type DeviceChoiceProps } from './picker/DeviceChoice.tsx';
import { NewPicker } from './picker/NewPicker.tsx';
import { Picker } from './picker/Picker.tsx';
import { PickerSheet } from './picker/PickerSheet.tsx';
import { usePickerKeys, type PickerPlace } from './picker/usePickerKeys.ts';
import { Failed, Loading } from './states.tsx';
import { useRenewal } from './useRenewal.ts';
import { usePicking, useShown } from './useShown.ts';
import { useApplications } from './useUsage.ts';
import { useWide } from './useWidth.ts';
import styles from './ScreenTimePage.module.css';

const NO_NAMES: readonly string[] = [];
const nothing = (): void => undefined;

interface UsageProps {
  readonly computers: UseQueryResult<Computers>;
  readonly deviceid: string;
  readonly choose: (id: string) => void;
  readonly options: Options;
  readonly toggle: (name: OptionName) => void;
}

/** The height of what scrolls, for what stays in sight within it. */
const useViewHeight = (): RefObject<HTMLDivElement | null> => {
  const scroller = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const watcher = new ResizeObserver(() => element.style.setProperty('--view', `${element.clientHeight}px`));
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);
  return scroller;
};

/** Everything that is asked for, and what of it is chosen. */
const useScreen = ({ computers, deviceid, options }: UsageProps) => {
  const wall = options.wall ? '1' : '0';
  const scope = useMemo((): Scope => ({ deviceid, wall }), [deviceid, wall]);
  const list = useApplications(scope, computers.isFetched);
  useRenewal(list.data?.runningapps ?? NO_NAMES);
  const picking = usePicking(scope, list.data);
  const shown = useShown(scope, picking.chosen, list.data !== undefined);
  return { scope, list, picking, shown };
};

interface MiddleProps {
  readonly screen: ReturnType<typeof useScreen>;
  readonly options: Options;
  readonly hasChips: boolean;
  readonly openPicker: (() => void) | undefined;
  readonly scroller: RefObject<HTMLDivElement | null>;
}

/** The days, or what stands in their place. */
function Middle({ screen, options, hasChips, openPicker, scroller }: MiddleProps) {
  const { scope, list, picking, shown } = screen;
  // What is pressed meanwhile comes first.
  const loaded = useDeferredValue(shown.shown);
  const error = list.data ? shown.error : list.error;
  if (error && !shown.total) return <Failed error={error} again={() => void list.refetch()} />;
  if (list.data === undefined || shown.isLoading) return <Loading />;
  return (
    <>
      {hasChips ? <ChipRow names={picking.chosen} {...picking} openPicker={openPicker} /> : null}
      <Days applications={list.data} scope={scope} shown={loaded} options={options} scroller={scroller} />
    </>
  );
}

const placeOf = (wide: boolean, { newPicker }: Options): PickerPlace => {
  if (newPicker) return 'band';
  return wide ? 'aside' : 'sheet';
};

/** The page for somebody who is logged in. */
export function Usage(props: UsageProps) {
  const { computers, deviceid, choose, options, toggle } = props;
  const wide = useWide();
  const scroller = useViewHeight();
  const screen = useScreen(props);
  const { picker } = screen.picking;
  const [sheet, setSheet] = useState<{ readonly onOpen: () => void }>();
  const place = placeOf(wide, options);
  usePickerKeys(place, (onOpen) => setSheet({ onOpen }));
  const device: DeviceChoiceProps = {
    computers: computers.data ?? {},
    isLost: computers.isError && computers.data === undefined,
    deviceid,
    choose,
    isWall: options.wall,
    toggleWall: () => toggle('wall'),
  };
  return (
    <div ref={scroller} className={styles['scroll']}>
      {place === 'band' ? (
        <div className={styles['band']} data-band>
          <DeviceChoice {...device} />
          {picker ? <NewPicker {...picker} /> : null}
        </div>
      ) : null}
      <div className={styles['grid']} data-picker={place === 'aside' || undefined}>
        {place === 'aside' ? (
          <aside className={styles['pick']} aria-label="Apps">
            <div className={styles['stick']}>
              <DeviceChoice {...device} />
              {picker ? <Picker {...picker} /> : null}
            </div>
          </aside>
        ) : null}
        <div className={styles['middle']}>
          <Middle
            screen={screen}
            options={options}
            hasChips={!wide || options.compact}
            openPicker={place === 'sheet' ? () => setSheet({ onOpen: nothing }) : undefined}
            scroller={scroller}
          />
        </div>
      </div>
      {place === 'sheet' && sheet ? (
        <PickerSheet {...sheet} onClose={() => setSheet(undefined)} device={device} picker={picker} />
      ) : null}
    </div>
  );
}
