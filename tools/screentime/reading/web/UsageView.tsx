import type { UseQueryResult } from '@tanstack/react-query';
import { memo, Suspense, useDeferredValue, useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { lazyPart } from '#platform/web/app/latePart.ts';
import { Below } from './Below.tsx';
import { Days } from './Days.tsx';
import { DayDialogs, useDayDialogs } from './days/DayDialogs.tsx';
import type { PickerProps } from './picker/applicationList.ts';
import { ChipRow } from './picker/ChipRow.tsx';
import { DeviceChoice, type DeviceChoiceProps } from './picker/DeviceChoice.tsx';
import { NewPicker } from './picker/NewPicker.tsx';
import { Picker } from './picker/Picker.tsx';
import { PickerSheet } from './picker/PickerSheet.tsx';
import { usePickerKeys, type PickerPlace } from './picker/usePickerKeys.ts';
import { Failed, Loading } from './UsageStates.tsx';
import { useRenewal } from './useRenewal.ts';
import { useMore, usePicking, useShown } from './useShown.ts';
import { useApplications } from './useUsage.ts';
import { ALL, type OptionName, type Options } from './useViewOptions.ts';
import { useWide } from './useWidth.ts';
import type { Computers, Scope } from './viewTypes.ts';
import styles from './ScreenTimePage.module.css';

const GoalsPanel = lazyPart(async () => (await import('../../goals/web/GoalsPanel.tsx')).GoalsPanel);

const NO_NAMES: readonly string[] = [];
const NO_COMPUTERS: Computers = {};

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
  // Whether a remembered computer is still there is not known before their names are.
  const list = useApplications(deviceid, deviceid === ALL || computers.isFetched);
  const picking = usePicking(scope, list.data);
  useRenewal({ scope, running: list.data?.runningapps ?? NO_NAMES, hours: picking.hours });
  const shown = useShown(scope, picking.chosen, list.data !== undefined);
  return { scope, list, picking, shown };
};

interface MiddleProps {
  readonly screen: ReturnType<typeof useScreen>;
  readonly options: Options;
  readonly hasChips: boolean;
  readonly openPicker: (() => void) | undefined;
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly onDay: (date: string) => void;
}

/** The days, or what stands in their place. */
function Middle({ screen, options, hasChips, openPicker, scroller, onDay }: MiddleProps) {
  const { scope, list, picking, shown } = screen;
  const more = useMore(scope);
  // What is pressed meanwhile comes first.
  const drawn = useDeferredValue(shown.shown);
  // The first of all is not waited for.
  const loaded = drawn.length === 0 ? shown.shown : drawn;
  if (list.error && list.data === undefined) return <Failed error={list.error} />;
  if (list.data === undefined || shown.isLoading) return <Loading />;
  const [lost] = shown.lost;
  if (lost && shown.shown.length === 0 && !shown.total) return <Failed error={lost.error} />;
  return (
    <>
      {hasChips ? <ChipRow names={picking.chosen} {...picking} openPicker={openPicker} /> : null}
      <Days applications={list.data} {...{ scope, shown: loaded, lost: shown.lost, more, options, scroller, onDay }} />
    </>
  );
}

interface GoalsProps {
  readonly scope: Scope;
  readonly computers: Computers;
}

/** The goals beside the days; on narrower windows below them. What is pressed in the picker is nothing to them. */
const Goals = memo(function Goals({ scope, computers }: GoalsProps) {
  return (
    <div className={styles['goals']}>
      <div className={styles['stick']}>
        <Suspense>
          <GoalsPanel scope={scope} computers={computers} />
        </Suspense>
      </div>
    </div>
  );
});

const placeOf = (wide: boolean, { newPicker }: Options): PickerPlace => {
  if (newPicker) return 'band';
  return wide ? 'aside' : 'sheet';
};

interface PickingProps {
  readonly device: DeviceChoiceProps;
  readonly picker: PickerProps | undefined;
}

/** The new picker, over everything. */
function Band({ device, picker }: PickingProps) {
  return (
    <div className={styles['band']} data-band>
      <DeviceChoice {...device} />
      {picker ? <NewPicker {...picker} /> : null}
    </div>
  );
}

function Aside({ device, picker }: PickingProps) {
  return (
    <aside className={styles['pick']} aria-label="Apps">
      <div className={styles['stick']}>
        <DeviceChoice {...device} />
        {picker ? <Picker {...picker} /> : null}
      </div>
    </aside>
  );
}

const deviceChoiceOf = ({ computers, deviceid, choose, options, toggle }: UsageProps): DeviceChoiceProps => ({
  computers: computers.data ?? NO_COMPUTERS,
  isLost: computers.isError && computers.data === undefined,
  deviceid,
  choose,
  isWall: options.wall,
  toggleWall: () => toggle('wall'),
});

/** The page for somebody who is logged in. */
export function Usage(props: UsageProps) {
  const { options } = props;
  const wide = useWide();
  const scroller = useViewHeight();
  const screen = useScreen(props);
  const [sheet, setSheet] = useState<{ readonly isTyped: boolean }>();
  const dialogs = useDayDialogs();
  const place = placeOf(wide, options);
  usePickerKeys(place, (isTyped) => setSheet({ isTyped }));
  const picking: PickingProps = { device: deviceChoiceOf(props), picker: screen.picking.picker };
  return (
    <div ref={scroller} className={styles['scroll']} data-scroll>
      {place === 'band' ? <Band {...picking} /> : null}
      <div
        className={styles['grid']}
        data-picker={place === 'aside' || undefined}
        data-goals={options.goals || undefined}
      >
        {place === 'aside' ? <Aside {...picking} /> : null}
        <div className={styles['middle']}>
          <Middle
            screen={screen}
            options={options}
            hasChips={!wide || options.compact}
            openPicker={place === 'sheet' ? () => setSheet({ isTyped: false }) : undefined}
            scroller={scroller}
            onDay={dialogs.openDay}
          />
        </div>
        {options.goals ? <Goals scope={screen.scope} computers={picking.device.computers} /> : null}
      </div>
      {options.breakdown && screen.list.data ? (
        <Below
          scope={screen.scope}
          {...screen.shown}
          scroller={scroller}
          openDay={dialogs.openDay}
          openPeriods={dialogs.openPeriods}
        />
      ) : null}
      <DayDialogs dialogs={dialogs} scope={screen.scope} computers={picking.device.computers} />
      {place !== 'aside' && sheet ? <PickerSheet {...sheet} {...picking} onClose={() => setSheet(undefined)} /> : null}
    </div>
  );
}
