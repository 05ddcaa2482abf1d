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
import { LoadError, Loading, FailedApplications, NoUsage } from './UsageStates.tsx';
import { useDataReload } from './useDataReload.ts';
import {
  useMoreDays,
  useSelection,
  useSelectedApplications,
  useToday,
  useVisibleDays,
  type MoreDays,
  useNearElement,
  type Scroller,
} from './useSelectedApplications.ts';
import { useApplications, type LoadedApplication, useEarlierUsage, type FailedApplication } from './useUsage.ts';
import { ALL_DEVICES_ID, type OptionName, type ViewOptions } from './useViewOptions.ts';
import type { Computers, Scope } from './viewTypes.ts';
import styles from './ScreenTimeView.module.css';

interface DayTimelineProps {
  readonly applications: Applications;
  readonly scope: Scope;
  readonly selected: readonly LoadedApplication[];
  /** Selected applications that failed to load. */
  readonly failed: readonly FailedApplication[];
  readonly moreDays: MoreDays;
  readonly options: ViewOptions;
  readonly scroller: RefObject<HTMLElement | null>;
  readonly onDay: (date: string) => void;
}

/** The timeline of the selected applications, with a button for earlier days. */
function DayTimeline({ applications, scope, selected, failed, moreDays, options, scroller, onDay }: DayTimelineProps) {
  const today = useToday();
  const { dates, periods, hasMore } = useVisibleDays(applications, moreDays);
  const names = useMemo(() => selected.map(({ name }) => name), [selected]);
  const { earlier, failed: failedEarlier } = useEarlierUsage(scope, names, periods);
  const { hideUnused, compact } = options;
  const { weekdays, weekdaycolours: colours } = applications.order;
  const rows = useMemo(
    () => createRows({ dates, weekdays, colours, loaded: selected, earlier, hideUnused }),
    [dates, weekdays, colours, selected, earlier, hideUnused],
  );
  if (applications.flat.length === 0) return <NoUsage />;
  return (
    <>
      <Timeline rows={rows} today={today} isCompact={compact} scroller={scroller} onDay={onDay} />
      {selected.length + failed.length === 0 ? (
        <p className={styles['hint']}>No apps selected. Choose some from the picker</p>
      ) : null}
      {hasMore ? (
        <button type="button" className={styles['more']} onClick={moreDays.show}>
          Show earlier days
        </button>
      ) : null}
      <FailedApplications failed={[...failed, ...failedEarlier]} />
    </>
  );
}

const UsageDetails = lazyPart(async () => (await import('./UsageDetails.tsx')).UsageDetails);

/** Distance from the viewport within which the newest data is rendered. */
const UPDATE_MARGIN = '400px';

const areSame = (a: readonly LoadedApplication[], b: readonly LoadedApplication[]): boolean =>
  a.length === b.length && a.every((application, index) => application === b[index]);

/**
 * Returns the newest applications once all are loaded and the section is near the viewport, or else the previous ones:
 * rendering them would delay what is visible.
 */
function useWhileNear(value: readonly LoadedApplication[], isComplete: boolean, scroller: Scroller) {
  const [isNear, setNear] = useState(true);
  const elementRef = useNearElement<HTMLElement>(UPDATE_MARGIN, scroller, setNear);
  const [rendered, setRendered] = useState<readonly LoadedApplication[]>();
  const shouldUpdate = rendered === undefined ? isComplete : isNear && !areSame(rendered, value);
  if (shouldUpdate) setRendered(value);
  return { elementRef, rendered };
}

interface LazyUsageDetailsProps extends Omit<UsageDetailsProps, 'applications'> {
  readonly selected: readonly LoadedApplication[];
  /** Everything requested is loaded. */
  readonly isComplete: boolean;
}

/** Use of the last two weeks, and the year. */
const LazyUsageDetails = memo(function LazyUsageDetails({ selected, isComplete, ...props }: LazyUsageDetailsProps) {
  const { elementRef, rendered } = useWhileNear(selected, isComplete, props.scroller);
  return (
    <section ref={elementRef} className={styles['breakdownSection']} aria-label="Where the time went">
      {rendered ? (
        <Suspense>
          <UsageDetails applications={rendered} {...props} />
        </Suspense>
      ) : null}
    </section>
  );
});

/**
 * Returns whether picker, timeline and goals are side by side, from 1100 px on (docs/design/appearance.md section 3.2).
 */
function useIsWide(): boolean {
  return useMediaQuery('(min-width: 1100px)', undefined, { getInitialValueInEffect: false }) ?? true;
}

const NO_NAMES: readonly string[] = [];
const NO_COMPUTERS: Computers = {};

/** Panel beside the days. It is a part of another subject, so the page passes it in. */
export type SidePanel = ComponentType<{ readonly scope: Scope; readonly computers: Computers }>;

interface UsageViewProps {
  readonly goalsPanel: SidePanel;
  readonly computers: UseQueryResult<Computers>;
  readonly deviceid: string;
  readonly selectDevice: (id: string) => void;
  readonly options: ViewOptions;
  readonly toggle: (name: OptionName) => void;
}

/** Returns the ref of the scroller. Stores its height in `--view`, for sticky content. */
function useViewHeight(): RefObject<HTMLDivElement | null> {
  const scroller = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => element.style.setProperty('--view', `${element.clientHeight}px`));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return scroller;
}

/** Returns all data of the page, and the selection. */
function useUsageData({ computers, deviceid, options }: UsageViewProps) {
  const wall = options.mergesComputers ? '1' : '0';
  const scope = useMemo((): Scope => ({ deviceid, wall }), [deviceid, wall]);
  // Only the list of computers shows whether the stored selection still exists.
  const list = useApplications(deviceid, deviceid === ALL_DEVICES_ID || computers.isFetched);
  const selection = useSelection(scope, list.data);
  useDataReload({ scope, running: list.data?.runningapps ?? NO_NAMES, hours: selection.hours });
  const applications = useSelectedApplications(scope, selection.selectedNames, list.data !== undefined);
  return { scope, list, selection, applications };
}

interface TimelineColumnProps {
  readonly data: ReturnType<typeof useUsageData>;
  readonly options: ViewOptions;
  readonly hasChips: boolean;
  readonly openPicker: (() => void) | undefined;
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly onDay: (date: string) => void;
}

/** The days, or their loading and error states. */
function TimelineColumn({ data, options, hasChips, openPicker, scroller, onDay }: TimelineColumnProps) {
  const { scope, list, selection, applications } = data;
  const moreDays = useMoreDays(scope);
  // Input has priority over this render.
  const deferred = useDeferredValue(applications.selected);
  // The first render is not deferred.
  const loaded = deferred.length === 0 ? applications.selected : deferred;
  if (list.error && list.data === undefined) return <LoadError error={list.error} />;
  if (list.data === undefined || applications.isLoading) return <Loading />;
  const [failed] = applications.failed;
  if (failed && applications.selected.length === 0 && !applications.total) return <LoadError error={failed.error} />;
  return (
    <>
      {hasChips ? <ChipRow names={selection.selectedNames} {...selection} openPicker={openPicker} /> : null}
      <DayTimeline
        applications={list.data}
        {...{ scope, selected: loaded, failed: applications.failed, moreDays, options, scroller, onDay }}
      />
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

function getPickerContainer(isWide: boolean, { newPicker }: ViewOptions): PickerContainer {
  if (newPicker) return 'band';
  return isWide ? 'aside' : 'sheet';
}

interface PickerAreaProps {
  readonly device: DeviceChoiceProps;
  readonly picker: PickerProps | undefined;
}

/** The new picker, above everything. */
function PickerBand({ device, picker }: PickerAreaProps) {
  return (
    <div className={styles['band']} data-band>
      <DeviceChoice {...device} />
      {picker ? <NewPicker {...picker} /> : null}
    </div>
  );
}

function PickerAside({ device, picker }: PickerAreaProps) {
  return (
    <aside className={styles['pick']} aria-label="Apps">
      <div className={styles['stick']}>
        <DeviceChoice {...device} />
        {picker ? <Picker {...picker} /> : null}
      </div>
    </aside>
  );
}

const getDeviceChoice = ({
  computers,
  deviceid,
  selectDevice,
  options,
  toggle,
}: UsageViewProps): DeviceChoiceProps => ({
  computers: computers.data ?? NO_COMPUTERS,
  hasFailed: computers.isError && computers.data === undefined,
  deviceid,
  selectDevice,
  shouldMergeComputers: options.mergesComputers,
  toggleMergeComputers: () => toggle('mergesComputers'),
});

/** The page for a logged-in user. */
export function UsageView(props: UsageViewProps) {
  const { options } = props;
  const isWide = useIsWide();
  const scroller = useViewHeight();
  const data = useUsageData(props);
  const [sheet, setSheet] = useState<{ readonly hasSearchFocus: boolean }>();
  const dialogs = useDayDialogs();
  const container = getPickerContainer(isWide, options);
  usePickerKeys(container, (hasSearchFocus) => setSheet({ hasSearchFocus }));
  const pickerArea: PickerAreaProps = { device: getDeviceChoice(props), picker: data.selection.picker };
  return (
    <div ref={scroller} className={styles['scroll']} data-scroll>
      {container === 'band' ? <PickerBand {...pickerArea} /> : null}
      <div
        className={styles['grid']}
        data-picker={container === 'aside' || undefined}
        data-goals={options.goals || undefined}
      >
        {container === 'aside' ? <PickerAside {...pickerArea} /> : null}
        <div className={styles['middle']}>
          <TimelineColumn
            data={data}
            options={options}
            hasChips={!isWide || options.compact}
            openPicker={container === 'sheet' ? () => setSheet({ hasSearchFocus: false }) : undefined}
            scroller={scroller}
            onDay={dialogs.openDay}
          />
        </div>
        {options.goals ? (
          <Goals panel={props.goalsPanel} scope={data.scope} computers={pickerArea.device.computers} />
        ) : null}
      </div>
      {options.breakdown && data.list.data ? (
        <LazyUsageDetails
          scope={data.scope}
          {...data.applications}
          scroller={scroller}
          openDay={dialogs.openDay}
          openPeriods={dialogs.openPeriods}
        />
      ) : null}
      <DayDialogs dialogs={dialogs} scope={data.scope} computers={pickerArea.device.computers} />
      {container !== 'aside' && sheet ? (
        <PickerSheet {...sheet} {...pickerArea} onClose={() => setSheet(undefined)} />
      ) : null}
    </div>
  );
}
