import { useMediaQuery } from '@mantine/hooks';
import type { UseQueryResult } from '@tanstack/react-query';
import {
  memo,
  Suspense,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
  type ComponentType,
  type RefObject,
} from 'react';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { DayDialogs, useDayDialogs } from './days/DayDialogs.tsx';
import type { PickerProps, Applications } from './picker/applicationList.ts';
import { NewPicker } from './picker/NewPicker.tsx';
import { Picker } from './picker/Picker.tsx';
import {
  ChipRow,
  DeviceChoice,
  type DeviceChoiceProps,
  PickerSheet,
  usePickerKeys,
  type PickerContainer,
} from './picker/PickerSheet.tsx';
import { Timeline } from './timeline/Timeline.tsx';
import { createRows } from './timeline/timelineRows.ts';
import type { UsageDetailsProps } from './UsageDetails.tsx';
import { Failed, Loading, Missing, NothingYet } from './UsageStates.tsx';
import { useRenewal } from './useRenewal.ts';
import {
  useMore,
  usePicking,
  useShown,
  useToday,
  useDays,
  type MoreDays,
  useNearPlace,
  type Scroller,
} from './useShown.ts';
import { useApplications, type LoadedApplication, useEarlier, type FailedApplication } from './useUsage.ts';
import { ALL, type OptionName, type Options } from './useViewOptions.ts';
import type { Computers, Scope } from './viewTypes.ts';
import styles from './ScreenTimeView.module.css';

interface DaysProps {
  readonly applications: Applications;
  readonly scope: Scope;
  readonly shown: readonly LoadedApplication[];
  /** Selected applications that failed to load. */
  readonly lost: readonly FailedApplication[];
  readonly more: MoreDays;
  readonly options: Options;
  readonly scroller: RefObject<HTMLElement | null>;
  readonly onDay: (date: string) => void;
}

/** The days with their usage. */
export function Days({ applications, scope, shown, lost, more, options, scroller, onDay }: DaysProps) {
  const today = useToday();
  const { dates, stretches: intervals, hasMore } = useDays(applications, more);
  const names = useMemo(() => shown.map(({ name }) => name), [shown]);
  const { earlier, lost: lostEarlier } = useEarlier(scope, names, intervals);
  const { hideUnused, compact } = options;
  const { weekdays, weekdaycolours: colours } = applications.order;
  const rows = useMemo(
    () => createRows({ dates, weekdays, colours, loaded: shown, earlier, hideUnused }),
    [dates, weekdays, colours, shown, earlier, hideUnused],
  );
  if (applications.flat.length === 0) return <NothingYet />;
  return (
    <>
      <Timeline rows={rows} today={today} compact={compact} scroller={scroller} onDay={onDay} />
      {shown.length + lost.length === 0 ? (
        <p className={styles['hint']}>No apps selected. Choose some from the picker</p>
      ) : null}
      {hasMore ? (
        <button type="button" className={styles['more']} onClick={more.show}>
          Show earlier days
        </button>
      ) : null}
      <Missing lost={[...lost, ...lostEarlier]} />
    </>
  );
}

const BelowParts = lazyPart(async () => (await import('./UsageDetails.tsx')).BelowParts);

/** Distance from the viewport within which the newest data is rendered. */
const FRESH_MARGIN = '400px';

const areSame = (one: readonly LoadedApplication[], other: readonly LoadedApplication[]): boolean =>
  one.length === other.length && one.every((each, at) => each === other[at]);

/**
 * Returns the newest applications once all are loaded and the place is near the viewport, or else the previous ones:
 * rendering them would delay what is visible.
 */
const useWhileNear = (value: readonly LoadedApplication[], isWhole: boolean, scroller: Scroller) => {
  const [isNear, setNear] = useState(true);
  const place = useNearPlace<HTMLElement>(FRESH_MARGIN, scroller, setNear);
  const [drawn, setDrawn] = useState<readonly LoadedApplication[]>();
  const isDue = drawn === undefined ? isWhole : isNear && !areSame(drawn, value);
  if (isDue) setDrawn(value);
  return { place, drawn };
};

interface LazyDetailsProps extends Omit<UsageDetailsProps, 'applications'> {
  readonly shown: readonly LoadedApplication[];
  /** Everything requested is loaded. */
  readonly isWhole: boolean;
}

/** Use of the last two weeks, and the year. */
export const Below = memo(function Below({ shown, isWhole, ...props }: LazyDetailsProps) {
  const { place, drawn } = useWhileNear(shown, isWhole, props.scroller);
  return (
    <section ref={place} className={styles['breakdownSection']} aria-label="Where the time went">
      {drawn ? (
        <Suspense>
          <BelowParts applications={drawn} {...props} />
        </Suspense>
      ) : null}
    </section>
  );
});

/** From 1100 px on, picker, timeline and goals are side by side (docs/design/appearance.md section 3.2). */
export function useWide(): boolean {
  return useMediaQuery('(min-width: 1100px)', undefined, { getInitialValueInEffect: false }) ?? true;
}

const NO_NAMES: readonly string[] = [];
const NO_COMPUTERS: Computers = {};

/** Panel beside the days. It is a part of another subject, so the page passes it in. */
export type SidePanel = ComponentType<{ readonly scope: Scope; readonly computers: Computers }>;

interface UsageProps {
  readonly goalsPanel: SidePanel;
  readonly computers: UseQueryResult<Computers>;
  readonly deviceid: string;
  readonly choose: (id: string) => void;
  readonly options: Options;
  readonly toggle: (name: OptionName) => void;
}

/** Measures the height of the scroller, for sticky content. */
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

/** Loads all data of the page, and manages the selection. */
const useScreen = ({ computers, deviceid, options }: UsageProps) => {
  const wall = options.wall ? '1' : '0';
  const scope = useMemo((): Scope => ({ deviceid, wall }), [deviceid, wall]);
  // Only the list of computers shows whether the stored selection still exists.
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

/** The days, or what replaces them. */
function Middle({ screen, options, hasChips, openPicker, scroller, onDay }: MiddleProps) {
  const { scope, list, picking, shown } = screen;
  const more = useMore(scope);
  // Input has priority over this render.
  const drawn = useDeferredValue(shown.shown);
  // The first render is not deferred.
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
  readonly panel: SidePanel;
  readonly scope: Scope;
  readonly computers: Computers;
}

/** Goals beside the days, or below them in narrow windows. They don't depend on the picker. */
const Goals = memo(function Goals({ panel: Panel, scope, computers }: GoalsProps) {
  return (
    <div className={styles['goals']}>
      <div className={styles['stick']}>
        <Suspense>
          <Panel scope={scope} computers={computers} />
        </Suspense>
      </div>
    </div>
  );
});

const getPlace = (wide: boolean, { newPicker }: Options): PickerContainer => {
  if (newPicker) return 'band';
  return wide ? 'aside' : 'sheet';
};

interface PickingProps {
  readonly device: DeviceChoiceProps;
  readonly picker: PickerProps | undefined;
}

/** The new picker, above everything. */
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

const getDeviceChoice = ({ computers, deviceid, choose, options, toggle }: UsageProps): DeviceChoiceProps => ({
  computers: computers.data ?? NO_COMPUTERS,
  isLost: computers.isError && computers.data === undefined,
  deviceid,
  choose,
  isWall: options.wall,
  toggleWall: () => toggle('wall'),
});

/** The page for a logged-in user. */
export function Usage(props: UsageProps) {
  const { options } = props;
  const wide = useWide();
  const scroller = useViewHeight();
  const screen = useScreen(props);
  const [sheet, setSheet] = useState<{ readonly isTyped: boolean }>();
  const dialogs = useDayDialogs();
  const place = getPlace(wide, options);
  usePickerKeys(place, (isTyped) => setSheet({ isTyped }));
  const picking: PickingProps = { device: getDeviceChoice(props), picker: screen.picking.picker };
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
        {options.goals ? (
          <Goals panel={props.goalsPanel} scope={screen.scope} computers={picking.device.computers} />
        ) : null}
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
