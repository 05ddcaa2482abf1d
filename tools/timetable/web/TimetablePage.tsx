import { IconPlus, IconTableOff } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Suspense, useMemo, useState, useSyncExternalStore, useCallback } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { type Day, FIRST_DAY, LAST_DAY, getMonday, parseIso, toIso } from '#platform/contract/day.ts';
import { useCommands } from '#platform/web/app/commands.ts';
import { showError } from '#platform/web/app/failure.ts';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { createNavigationState } from '#platform/web/app/navigation.ts';
import { isSecureContext } from '#platform/web/browser/secureContext.ts';
import { isTextFieldFocused } from '#platform/web/browser/typeAhead.ts';
import { useIsNarrow } from '#platform/web/browser/useNarrow.ts';
import { HttpsHint } from '#platform/web/page/HttpsHint.tsx';
import { QueryError } from '#platform/web/ui/QueryState.tsx';
import { parseClock, parseEndClock } from '../domain/clockTime.ts';
import type { TimeSpan } from '../domain/slot.ts';
import { formatWeekLabel, formatWeekRange } from '../domain/week.ts';
import { clip } from './clip.ts';
import type { PlannedSlot } from './planned.ts';
import { createRealDays } from './realDays.ts';
import { getDraftKey, newFields, useDraft, type EditorTarget } from './slotDrafts.ts';
import { EditorPane } from './SlotEditor.tsx';
import { Head } from './TimetableHeader.tsx';
import { undo } from './undo.ts';
import { useActivities } from './useActivities.ts';
import { useNow } from './useNow.ts';
import { useElsewhere, useWeek, useWeekChanges } from './useWeek.ts';
import { createWeekActions, type WeekActions } from './useWeekActions.ts';
import { applyPending, createChanges } from './weekChanges.ts';
import { Week } from './WeekView.tsx';
import styles from './TimetablePage.module.css';

const FIRST_MONDAY = getMonday(FIRST_DAY + 6);
const LAST_MONDAY = getMonday(LAST_DAY - 6);

const clampDay = (day: Day): Day => Math.max(FIRST_MONDAY, Math.min(day, LAST_MONDAY + 6));

const parseDay = (search: string, today: Day): Day => {
  const named = new URLSearchParams(search).get('day');
  return clampDay(named === null ? today : (parseIso(named) ?? today));
};

/**
 * Tracks the current day in the address, so that links and reloads lead to it.
 * The page shows its week; a phone, the day.
 */
export function usePlace(today: Day) {
  const { search } = useLocation();
  const navigate = useNavigate();
  const day = parseDay(search, today);
  const go = useCallback(
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
    go,
    // Read from the address, which is ahead of the rendered state if clicks are faster than renders.
    turn: (weeks: 1 | -1): void => go(parseDay(location.search, today) + 7 * weeks),
    hasBefore: getMonday(day) > FIRST_MONDAY,
    hasAfter: getMonday(day) < LAST_MONDAY,
  };
}

const SaveDialog = lazyPart(async () => (await import('./SaveDialog.tsx')).SaveDialog);

const NO_DAYS: readonly (readonly PlannedSlot[])[] = [];
const NO_STATUSES: readonly string[] = [];

/** What the editor is open for. It belongs to the week that was shown then. */
interface OpenEditor {
  readonly editing: EditorTarget;
  readonly monday: Day;
  /** Number of times that the focus was moved into it. */
  readonly focus: number;
}

const useEditing = (monday: Day) => {
  const [openEditor, setOpenEditor] = useState<OpenEditor>();
  const open = openEditor?.monday === monday ? openEditor : undefined;
  const edit = (editing: EditorTarget, takesFocus: boolean): void => {
    const isSame = open !== undefined && getDraftKey(open.editing) === getDraftKey(editing);
    setOpenEditor({ editing, monday, focus: (isSame ? open.focus : 0) + (takesFocus ? 1 : 0) });
  };
  // A save that settles late must not close an editor that was opened since.
  const shut = (closed: EditorTarget): void =>
    setOpenEditor((current) => (current && getDraftKey(current.editing) === getDraftKey(closed) ? undefined : current));
  const close = (closed: EditorTarget): void => {
    shut(closed);
    if (closed.kind !== 'slot') return;
    const { id } = closed;
    requestAnimationFrame(() => {
      if (document.activeElement === document.body)
        document.querySelector<HTMLElement>(`[data-slot="${id}"]`)?.focus({ preventScroll: true });
    });
  };
  const closeFor = (id: number): void => shut({ kind: 'slot', id });
  return { editing: open?.editing, focus: open?.focus ?? 0, edit, close, closeFor };
};

/** Returns the new slot in the editor, for its preview in the week. */
const useGhost = (editing: EditorTarget | undefined): { readonly day: Day; readonly span: TimeSpan } | undefined => {
  const { edits } = useDraft(editing ? getDraftKey(editing) : '');
  if (editing?.kind !== 'new') return undefined;
  const fields = { ...newFields(editing.span), ...edits };
  const [start, end] = [parseClock(fields.start), parseEndClock(fields.end)];
  if (start === undefined || end === undefined || end <= start) return undefined;
  return { day: editing.day, span: { start, end } };
};

/** Explains why only slots that were copied on this page can be pasted, if so. */
function OwnClipboard() {
  const hasOwn = useSyncExternalStore(clip.subscribe, clip.hasOwn);
  if (isSecureContext() || !hasOwn) return null;
  return (
    <p className={styles['strip']} role="status">
      <HttpsHint>Copied within this page only. Copying to and from other pages needs https</HttpsHint>
    </p>
  );
}

interface FailedProps {
  readonly error: Error;
  readonly onRetry: () => void;
}

function Failed({ error, onRetry }: FailedProps) {
  return (
    <div className={styles['failed']}>
      <QueryError icon={IconTableOff} message={error.message} onRetry={onRetry} />
    </div>
  );
}

const canUndo = (): boolean => undo.last() !== undefined && !isTextFieldFocused();

/** Returns the shown week including unsaved changes. */
const useShown = (place: ReturnType<typeof usePlace>) => {
  const { monday } = place;
  const queries = useQueryClient();
  const week = useWeek(monday, place);
  useWeekChanges();
  const changes = useMemo(() => createChanges(queries), [queries]);
  const pending = useSyncExternalStore(changes.subscribe, changes.pending);
  const days = week.data?.days ?? NO_DAYS;
  const slots = useMemo(() => applyPending(days, pending, monday), [days, pending, monday]);
  return { week, changes, slots, statuses: week.data?.statuses ?? NO_STATUSES };
};

/** Returns the slot in the editor: from the shown week, or from where it moved. */
const useOpen = (editing: EditorTarget | undefined, { findSlot }: Pick<WeekActions, 'findSlot'>, isKnown: boolean) => {
  const id = editing?.kind === 'slot' ? editing.id : undefined;
  const shownSlot = id === undefined ? undefined : findSlot(id);
  const elsewhere = useElsewhere(shownSlot || !isKnown ? undefined : id);
  return {
    open: shownSlot ?? elsewhere.data ?? undefined,
    isGone: !shownSlot && elsewhere.data === null && !elsewhere.isFetching,
  };
};

export default function TimetablePage() {
  const narrow = useIsNarrow();
  const now = useNow();
  const place = usePlace(now.today);
  const { day, monday, go, turn } = place;
  const { week, changes, slots, statuses } = useShown(place);
  const [realDay] = useState(createRealDays);
  const activities = useActivities(monday);
  const { editing, focus, edit, close, closeFor } = useEditing(monday);
  const ghost = useGhost(editing);
  const [isSaving, setIsSaving] = useState(false);
  const [announcement, say] = useState('');
  const actions = createWeekActions({
    monday,
    slots,
    statuses,
    day,
    isShown: (each) => (narrow ? each === day : each >= monday && each < monday + 7),
    changes,
    realDay,
    edit,
    closeFor,
    go,
    say,
  });
  const { open, isGone } = useOpen(editing, actions, week.isSuccess && !week.isFetching);
  const toToday = (): void => go(now.today);
  const save = (): void => setIsSaving(true);
  useCommands([
    { id: 'timetable.undo', name: 'Undo the last change', keys: 'Mod+Z', when: canUndo, run: () => void undo.run() },
    { id: 'timetable.today', name: 'Today', keys: 't', run: toToday },
    { id: 'timetable.weekbefore', name: 'Previous week', run: () => turn(-1) },
    { id: 'timetable.weekafter', name: 'Next week', run: () => turn(1) },
    { id: 'timetable.save', name: 'Save timetable', run: save },
  ]);
  const label = `${formatWeekLabel(monday)}, ${formatWeekRange(monday)}`;
  const head = <Head {...place} narrow={narrow} label={label} toToday={toToday} save={save} activities={activities} />;
  if (week.data === undefined && week.isError) {
    const retry = (): void => void week.refetch().then((tried) => tried.error && showError(tried.error));
    return (
      <div className={styles['page']} data-flush>
        {head}
        <Failed error={week.error} onRetry={retry} />
      </div>
    );
  }
  return (
    <div className={styles['page']} data-flush>
      {head}
      <div className={styles['main']}>
        <OwnClipboard />
        <Week
          monday={monday}
          slots={slots}
          only={narrow ? day : undefined}
          now={now}
          actions={actions}
          openId={open?.id}
          ghost={ghost}
          done={activities.stretches}
          isLoading={week.data === undefined}
          onDay={go}
        />
      </div>
      <EditorPane
        editing={editing}
        slot={open}
        isGone={isGone}
        statuses={statuses}
        changes={changes}
        focus={focus}
        onClose={close}
        add={() => actions.add(day)}
      />
      {narrow ? (
        <button type="button" className={styles['plus']} aria-label="Add slot" onClick={() => actions.add(day)}>
          <IconPlus size={24} stroke={1.75} />
        </button>
      ) : null}
      <p className="unseen" role="status">
        {announcement}
      </p>
      {isSaving ? (
        <Suspense>
          <SaveDialog monday={monday} slots={slots} realDay={realDay} onClose={() => setIsSaving(false)} />
        </Suspense>
      ) : null}
    </div>
  );
}
