import { IconPlus, IconTableOff } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Suspense, useMemo, useState, useSyncExternalStore, useCallback } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { type Day, FIRST_DAY, LAST_DAY, getMonday, parseIso, toIso } from '#platform/contract/day.ts';
import { useCommands } from '#platform/web/app/commands.ts';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { createNavigationState } from '#platform/web/app/navigation.ts';
import { showError } from '#platform/web/app/showError.ts';
import { isSecureContext } from '#platform/web/browser/secureContext.ts';
import { isTextFieldFocused } from '#platform/web/browser/typeAhead.ts';
import { useIsNarrow } from '#platform/web/browser/useIsNarrow.ts';
import { HttpsHint } from '#platform/web/page/HttpsHint.tsx';
import { QueryError } from '#platform/web/ui/QueryState.tsx';
import { parseClock, parseEndClock } from '../domain/clockTime.ts';
import type { TimeSpan } from '../domain/slot.ts';
import { formatWeekLabel, formatWeekRange } from '../domain/week.ts';
import { clipboard } from './clipboard.ts';
import { createLocalDayCache } from './localDays.ts';
import type { PlannedSlot } from './plannedWeek.ts';
import { getDraftKey, createFields, useDraft, type EditorTarget } from './slotDrafts.ts';
import { EditorPane } from './SlotEditor.tsx';
import { TimetableHeader } from './TimetableHeader.tsx';
import { undo } from './undo.ts';
import { useActivities } from './useActivities.ts';
import { useCurrentTime } from './useCurrentTime.ts';
import { useMovedSlot, useWeek, useWeekChanges } from './useWeek.ts';
import { createWeekActions, type WeekActions } from './useWeekActions.ts';
import { applyPending, createWeekChanges } from './weekChanges.ts';
import { WeekView } from './WeekView.tsx';
import styles from './TimetablePage.module.css';

const FIRST_MONDAY = getMonday(FIRST_DAY + 6);
const LAST_MONDAY = getMonday(LAST_DAY - 6);

const clampDay = (day: Day): Day => Math.max(FIRST_MONDAY, Math.min(day, LAST_MONDAY + 6));

function parseDay(search: string, today: Day): Day {
  const dayParameter = new URLSearchParams(search).get('day');
  return clampDay(dayParameter === null ? today : (parseIso(dayParameter) ?? today));
}

/**
 * Tracks the current day in the address, so that links and reloads lead to it.
 * The page shows its week; a phone, the day.
 */
export function useTimetableLocation(today: Day) {
  const { search } = useLocation();
  const navigate = useNavigate();
  const day = parseDay(search, today);
  const goToDay = useCallback(
    (next: Day): void => {
      const clampedDay = clampDay(next);
      const query = clampedDay === today ? '' : `?day=${toIso(clampedDay)}`;
      void navigate({ search: query }, { replace: true, state: createNavigationState() });
    },
    [navigate, today],
  );
  return {
    day,
    monday: getMonday(day),
    goToDay,
    // Read from the address, which is ahead of the rendered state if clicks are faster than renders.
    changeWeek: (weeks: 1 | -1): void => goToDay(parseDay(location.search, today) + 7 * weeks),
    hasBefore: getMonday(day) > FIRST_MONDAY,
    hasAfter: getMonday(day) < LAST_MONDAY,
  };
}

const SaveDialog = lazyPart(async () => (await import('./SaveDialog.tsx')).SaveDialog);

const NO_DAYS: readonly (readonly PlannedSlot[])[] = [];
const NO_STATUSES: readonly string[] = [];

/** The open editor. It belongs to the week that was shown when it was opened. */
interface OpenEditor {
  readonly target: EditorTarget;
  readonly monday: Day;
  /** Number of times that the focus was moved into it. */
  readonly focusCount: number;
}

function useOpenEditor(monday: Day) {
  const [storedEditor, setStoredEditor] = useState<OpenEditor>();
  const openEditor = storedEditor?.monday === monday ? storedEditor : undefined;
  function edit(target: EditorTarget, takesFocus: boolean): void {
    const isSame = openEditor !== undefined && getDraftKey(openEditor.target) === getDraftKey(target);
    setStoredEditor({ target, monday, focusCount: (isSame ? openEditor.focusCount : 0) + (takesFocus ? 1 : 0) });
  }
  // A save that settles late must not close an editor that was opened since.
  const closeIfOpen = (closed: EditorTarget): void =>
    setStoredEditor((current) =>
      current && getDraftKey(current.target) === getDraftKey(closed) ? undefined : current,
    );
  function close(closed: EditorTarget): void {
    closeIfOpen(closed);
    if (closed.kind !== 'slot') return;
    const { id } = closed;
    requestAnimationFrame(() => {
      if (document.activeElement === document.body)
        document.querySelector<HTMLElement>(`[data-slot="${id}"]`)?.focus({ preventScroll: true });
    });
  }
  const closeSlot = (id: number): void => closeIfOpen({ kind: 'slot', id });
  return { target: openEditor?.target, focusCount: openEditor?.focusCount ?? 0, edit, close, closeSlot };
}

/** Returns the new slot in the editor, for its preview in the week. */
function useGhost(target: EditorTarget | undefined): { readonly day: Day; readonly span: TimeSpan } | undefined {
  const { edits } = useDraft(target ? getDraftKey(target) : '');
  if (target?.kind !== 'new') return undefined;
  const fields = { ...createFields(target.span), ...edits };
  const [start, end] = [parseClock(fields.start), parseEndClock(fields.end)];
  if (start === undefined || end === undefined || end <= start) return undefined;
  return { day: target.day, span: { start, end } };
}

/** Explains that only slots that were copied on this page can be pasted, if so. */
function ClipboardNote() {
  const hasPageCopy = useSyncExternalStore(clipboard.subscribe, clipboard.hasPageCopy);
  if (isSecureContext() || !hasPageCopy) return null;
  return (
    <p className={styles['strip']} role="status">
      <HttpsHint>Copied within this page only. Copying to and from other pages needs https</HttpsHint>
    </p>
  );
}

function LoadError({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  return (
    <div className={styles['failed']}>
      <QueryError icon={IconTableOff} message={error.message} onRetry={onRetry} />
    </div>
  );
}

const canUndo = (): boolean => undo.getLast() !== undefined && !isTextFieldFocused();

/** Returns the shown week including unsaved changes. */
function useShownWeek(location: ReturnType<typeof useTimetableLocation>) {
  const { monday } = location;
  const queryClient = useQueryClient();
  const week = useWeek(monday, location);
  useWeekChanges();
  const changes = useMemo(() => createWeekChanges(queryClient), [queryClient]);
  const pending = useSyncExternalStore(changes.subscribe, changes.getPending);
  const days = week.data?.days ?? NO_DAYS;
  const slots = useMemo(() => applyPending(days, pending, monday), [days, pending, monday]);
  return { week, changes, slots, statuses: week.data?.statuses ?? NO_STATUSES };
}

/** Returns the slot in the editor: from the shown week, or from where it moved. */
function useOpenSlot(target: EditorTarget | undefined, { findSlot }: Pick<WeekActions, 'findSlot'>, isLoaded: boolean) {
  const id = target?.kind === 'slot' ? target.id : undefined;
  const shownSlot = id === undefined ? undefined : findSlot(id);
  const movedSlotQuery = useMovedSlot(shownSlot || !isLoaded ? undefined : id);
  return {
    openSlot: shownSlot ?? movedSlotQuery.data ?? undefined,
    isDeleted: !shownSlot && movedSlotQuery.data === null && !movedSlotQuery.isFetching,
  };
}

export default function TimetablePage() {
  const isNarrow = useIsNarrow();
  const now = useCurrentTime();
  const location = useTimetableLocation(now.today);
  const { day, monday, goToDay, changeWeek } = location;
  const { week, changes, slots, statuses } = useShownWeek(location);
  const [getLocalDay] = useState(createLocalDayCache);
  const activities = useActivities(monday);
  const { target, focusCount, edit, close, closeSlot } = useOpenEditor(monday);
  const ghost = useGhost(target);
  const [isSaveDialogOpen, setSaveDialogOpen] = useState(false);
  const [announcement, announce] = useState('');
  const actions = createWeekActions({
    monday,
    slots,
    statuses,
    defaultDay: day,
    isShown: (shownDay) => (isNarrow ? shownDay === day : shownDay >= monday && shownDay < monday + 7),
    changes,
    getLocalDay,
    edit,
    closeSlot,
    goToDay,
    announce,
  });
  const { openSlot, isDeleted } = useOpenSlot(target, actions, week.isSuccess && !week.isFetching);
  const showToday = (): void => goToDay(now.today);
  const openSaveDialog = (): void => setSaveDialogOpen(true);
  useCommands([
    { id: 'timetable.undo', name: 'Undo the last change', keys: 'Mod+Z', when: canUndo, run: () => void undo.run() },
    { id: 'timetable.today', name: 'Today', keys: 't', run: showToday },
    { id: 'timetable.weekbefore', name: 'Previous week', run: () => changeWeek(-1) },
    { id: 'timetable.weekafter', name: 'Next week', run: () => changeWeek(1) },
    { id: 'timetable.save', name: 'Save timetable', run: openSaveDialog },
  ]);
  const label = `${formatWeekLabel(monday)}, ${formatWeekRange(monday)}`;
  const header = (
    <TimetableHeader
      isNarrow={isNarrow}
      label={label}
      hasBefore={location.hasBefore}
      hasAfter={location.hasAfter}
      onChangeWeek={changeWeek}
      onToday={showToday}
      onSave={openSaveDialog}
      activities={activities}
    />
  );
  if (week.data === undefined && week.isError) {
    const retry = (): void => void week.refetch().then(({ error }) => error && showError(error));
    return (
      <div className={styles['page']} data-flush>
        {header}
        <LoadError error={week.error} onRetry={retry} />
      </div>
    );
  }
  return (
    <div className={styles['page']} data-flush>
      {header}
      <div className={styles['main']}>
        <ClipboardNote />
        <WeekView
          monday={monday}
          slots={slots}
          shownDay={isNarrow ? day : undefined}
          now={now}
          actions={actions}
          openId={openSlot?.id}
          ghost={ghost}
          activities={activities.intervals}
          isLoading={week.data === undefined}
          onDay={goToDay}
        />
      </div>
      <EditorPane
        target={target}
        slot={openSlot}
        isDeleted={isDeleted}
        statuses={statuses}
        changes={changes}
        focusCount={focusCount}
        onClose={close}
        onAdd={() => actions.create(day)}
      />
      {isNarrow ? (
        <button type="button" className={styles['plus']} aria-label="Add slot" onClick={() => actions.create(day)}>
          <IconPlus size={24} stroke={1.75} />
        </button>
      ) : null}
      <p className="unseen" role="status">
        {announcement}
      </p>
      {isSaveDialogOpen ? (
        <Suspense>
          <SaveDialog
            monday={monday}
            slots={slots}
            getLocalDay={getLocalDay}
            onClose={() => setSaveDialogOpen(false)}
          />
        </Suspense>
      ) : null}
    </div>
  );
}
