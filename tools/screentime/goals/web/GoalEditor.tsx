import { Button } from '@mantine/core';
import { IconAlertCircle, IconTrash } from '@tabler/icons-react';
import { useId, useMemo, useRef, useState } from 'react';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { Dropdown } from '#platform/web/ui/Dropdown.tsx';
import { Form } from '#platform/web/ui/Form.tsx';
import { SegmentedControl } from '#platform/web/ui/SegmentedControl.tsx';
import { Switch } from '#platform/web/ui/Switch.tsx';
import { ALL_DEVICES, TOTAL, UNASSIGNED } from '../../contract/limits.ts';
import { toColourMap } from '../../reading/web/picker/applicationList.ts';
import { useApplications } from '../../reading/web/useUsage.ts';
import { ALL_DEVICES_ID } from '../../reading/web/useViewOptions.ts';
import type { Computers } from '../../reading/web/viewTypes.ts';
import { Combo, type Choice } from '../../web/FilterList.tsx';
import {
  convertAmount,
  formatAmount,
  DAY_COUNTS,
  formatDays,
  isAmount,
  OPENED_AMOUNTS,
  TIME_AMOUNTS,
  TIME_SPENT,
  TIMES_OPENED,
  type GoalType,
} from '../domain/goal.ts';
import { FillBar } from './FillBar.tsx';
import {
  NEW_GOAL,
  NEW_GOAL_ID,
  useGoalActions,
  type GoalProgress,
  type GoalFields,
  useGoalPreview,
} from './useGoals.ts';
import styles from './GoalEditor.module.css';

const toChoices = (values: readonly number[], label: (value: number) => string): readonly Choice[] =>
  values.map((value) => ({ value: String(value), label: label(value) }));

const AMOUNTS: Readonly<Record<GoalType, readonly Choice[]>> = {
  [TIME_SPENT]: toChoices(TIME_AMOUNTS, (amount) => formatAmount(TIME_SPENT, amount)),
  [TIMES_OPENED]: toChoices(OPENED_AMOUNTS, (amount) => formatAmount(TIMES_OPENED, amount)),
};
const REMOVED_COMPUTER = 'Removed computer';
const DAY_CHOICES = toChoices(DAY_COUNTS, formatDays);

const GOAL_TYPES = [
  { value: String(TIME_SPENT), label: 'Time spent' },
  { value: String(TIMES_OPENED), label: 'Times opened' },
];
const TIMESPANS = [
  { value: 'rolling', label: 'Rolling goal' },
  { value: 'between', label: 'Between dates', disabledReason: 'not implemented (or ever)' },
] as const;

/** Possible targets. */
interface Targets {
  /** Names of applications by category. */
  readonly categories: Readonly<Record<string, readonly string[]>>;
  /** CSS colours by application. */
  readonly colours: ReadonlyMap<string, string>;
}
const NO_TARGETS: Targets = { categories: {}, colours: new Map() };

/** Loads usage of all computers, because a goal may be for all, whatever the page shows. */
function useTargets() {
  const { data, error } = useApplications(ALL_DEVICES_ID, true);
  const targets = useMemo(
    (): Targets =>
      data
        ? {
            categories: Object.fromEntries(
              Object.entries(data.data).map(([category, applications]) => [
                category,
                applications.map(({ name }) => name),
              ]),
            ),
            colours: toColourMap(data),
          }
        : NO_TARGETS,
    [data],
  );
  return { targets, hasFailed: error !== null && data === undefined };
}

/** Lists the targets of a kind: all applications together and each application with its category, or the categories. */
function listChoices(kind: GoalFields['typeoftarget'], { categories, colours }: Targets): readonly Choice[] {
  if (kind === 'cat') return Object.keys(categories).map((name) => ({ value: name, label: name }));
  function findColour(name: string) {
    const colour = colours.get(name);
    return colour === undefined ? {} : { colour };
  }
  const applications = Object.entries(categories).flatMap(([category, names]) =>
    names.map((name) => ({ value: name, label: name, note: category, ...findColour(name) })),
  );
  return [{ value: TOTAL, label: TOTAL, ...findColour(TOTAL) }, ...applications];
}

/** Manages the edited fields. Each kind of target remembers its last choice. */
function useGoalFields(initialFields: GoalFields, { categories }: Targets) {
  const [fields, setFields] = useState(initialFields);
  const updateFields = (changedFields: Partial<GoalFields>): void =>
    setFields((current) => ({ ...current, ...changedFields }));
  const lastTargets = useRef<Partial<Record<GoalFields['typeoftarget'], string>>>({});
  function setKind(typeoftarget: GoalFields['typeoftarget']): void {
    lastTargets.current[fields.typeoftarget] = fields.target;
    const names = Object.keys(categories);
    const defaultTarget = typeoftarget === 'app' ? TOTAL : (names.find((name) => name !== UNASSIGNED) ?? UNASSIGNED);
    updateFields({ typeoftarget, target: lastTargets.current[typeoftarget] ?? defaultTarget });
  }
  const setGoalType = (goaltype: GoalType): void =>
    updateFields({ goaltype, goalseconds: convertAmount(goaltype, fields.goalseconds) });
  return { fields, updateFields, setKind, setGoalType };
}

interface FieldProps {
  readonly label: string;
  readonly isWide?: boolean;
  readonly children: React.ReactNode;
}

/** A labelled group of a few options. */
function Field({ label, isWide, children }: FieldProps) {
  return (
    <div className={styles['field']} data-wide={isWide || undefined}>
      <span aria-hidden className={styles['label']}>
        {label}
      </span>
      {children}
    </div>
  );
}

function LimitSwitch({ isOn, onChange }: { readonly isOn: boolean; readonly onChange: (isOn: boolean) => void }) {
  const id = useId();
  return (
    <div className={styles['limit']}>
      <span>
        <b id={`${id}l`}>Set as limit</b>
        <small id={`${id}d`}>You get a notification on the computer at 80 and 100 percent</small>
      </span>
      <Switch isOn={isOn} aria-labelledby={`${id}l`} aria-describedby={`${id}d`} onChange={onChange} />
    </div>
  );
}

function GoalPreview({ fields, computers }: { readonly fields: GoalFields; readonly computers: Computers }) {
  const computer =
    fields.deviceid === ALL_DEVICES ? undefined : (computers[String(fields.deviceid)] ?? REMOVED_COMPUTER);
  const preview = useGoalPreview(fields, computer);
  const isCounted = !(fields.typeoftarget === 'app' && fields.target === TOTAL && fields.goaltype === TIMES_OPENED);
  return (
    <div className={styles['progress']}>
      <small>Progress so far</small>
      <FillBar
        label="Progress so far"
        share={preview?.share ?? 0}
        isLimit={fields.limit}
        failed={fields.limit ? 'var(--red)' : 'var(--accent)'}
      />
      <small className="num" dir="auto">
        {preview?.text ?? (isCounted ? '\u00a0' : 'Times opened of all apps together appear after you save')}
      </small>
    </div>
  );
}

interface FooterProps {
  readonly error: Error | null;
  readonly isSaving: boolean;
  readonly isDeleting: boolean;
  readonly canSave: boolean;
  /** Undefined for a new goal. */
  readonly onDelete: (() => void) | undefined;
  readonly onClose: () => void;
}

function Footer({ error, isSaving, isDeleting, canSave, onDelete, onClose }: FooterProps) {
  return (
    <div className={styles['foot']}>
      {error ? (
        <p role="alert">
          <IconAlertCircle size={15} stroke={1.75} />
          {error.message}
        </p>
      ) : null}
      {onDelete ? (
        <Button
          className={styles['delete'] ?? ''}
          leftSection={<IconTrash size={16} stroke={1.75} />}
          loading={isDeleting}
          onClick={onDelete}
        >
          Delete
        </Button>
      ) : null}
      <span className={styles['end']}>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" loading={isSaving} disabled={!canSave}>
          Save
        </Button>
      </span>
    </div>
  );
}

interface GoalEditorProps {
  /** Undefined for a new goal. */
  readonly progress: GoalProgress | undefined;
  readonly computers: Computers;
  readonly onClose: () => void;
}

/** Dialog 'Create/Edit Goal'. It shows errors and keeps the input. */
export function GoalEditor({ progress, computers, onClose }: GoalEditorProps) {
  const { targets, hasFailed } = useTargets();
  const [initialFields] = useState(progress?.goal ?? NEW_GOAL);
  const { fields, updateFields, setKind, setGoalType } = useGoalFields(initialFields, targets);
  const { saveMutation, deleteMutation } = useGoalActions(progress?.goalid ?? NEW_GOAL_ID);
  const choices = useMemo(() => listChoices(fields.typeoftarget, targets), [fields.typeoftarget, targets]);
  // A second click may arrive before the first is rendered.
  const isSent = useRef(false);
  function sendOnce(send: () => Promise<unknown>): void {
    if (isSent.current) return;
    isSent.current = true;
    send()
      .then(onClose, () => undefined)
      .finally(() => {
        isSent.current = false;
      });
  }
  const hasCategories =
    fields.typeoftarget === 'cat' || Object.keys(targets.categories).some((name) => name !== UNASSIGNED);
  const kinds = [{ value: 'app', label: 'App' } as const, { value: 'cat', label: 'Category' } as const];
  const isValidAmount = isAmount(fields.goaltype, fields.goalseconds);
  const amountText = formatAmount(fields.goaltype, fields.goalseconds);
  const devices = [
    { value: String(ALL_DEVICES), label: 'All devices' },
    ...Object.entries(computers).map(([value, label]) => ({ value, label })),
  ];
  return (
    <Dialog
      title="Create/Edit Goal"
      isOpen
      onClose={onClose}
      hasUnsaved={JSON.stringify(fields) !== JSON.stringify(initialFields)}
    >
      <Form
        onSubmit={() => {
          if (isValidAmount) sendOnce(() => saveMutation.mutateAsync(fields));
        }}
      >
        <div className={styles['fields']}>
          <Field label="Target type">
            <SegmentedControl
              label="Target type"
              options={hasCategories ? kinds : kinds.slice(0, 1)}
              value={fields.typeoftarget}
              onSelect={setKind}
            />
          </Field>
          <Combo
            label="Target"
            choices={choices}
            value={fields.target}
            fallback={fields.target}
            problem={hasFailed ? 'The apps could not be loaded. Close this dialog and try again' : undefined}
            onPick={(target) => updateFields({ target })}
          />
          <Field label="Type of goal">
            <SegmentedControl
              label="Type of goal"
              options={GOAL_TYPES}
              value={String(fields.goaltype)}
              onSelect={(type) => setGoalType(type === String(TIME_SPENT) ? TIME_SPENT : TIMES_OPENED)}
            />
          </Field>
          <Combo
            label="Amount"
            choices={AMOUNTS[fields.goaltype]}
            value={String(fields.goalseconds)}
            fallback={amountText}
            problem={isValidAmount ? undefined : `${amountText} is not available. Choose another amount`}
            onPick={(amount) => updateFields({ goalseconds: Number(amount) })}
          />
          <Field label="Timespan type" isWide>
            <SegmentedControl label="Timespan type" options={TIMESPANS} value="rolling" onSelect={() => undefined} />
          </Field>
          <Combo
            label="Days affected"
            choices={DAY_CHOICES}
            value={String(fields.daysaffected)}
            fallback={formatDays(fields.daysaffected)}
            onPick={(days) => updateFields({ daysaffected: Number(days) })}
          />
          <Dropdown
            label="Computer(s)"
            options={devices}
            value={String(fields.deviceid)}
            placeholder={REMOVED_COMPUTER}
            onSelect={(id) => updateFields({ deviceid: Number(id) })}
          />
          <LimitSwitch isOn={fields.limit} onChange={(limit) => updateFields({ limit })} />
          <GoalPreview fields={fields} computers={computers} />
        </div>
        <Footer
          error={saveMutation.error ?? deleteMutation.error}
          isSaving={saveMutation.isPending}
          isDeleting={deleteMutation.isPending}
          canSave={isValidAmount}
          onDelete={progress && (() => sendOnce(() => deleteMutation.mutateAsync(progress)))}
          onClose={onClose}
        />
      </Form>
    </Dialog>
  );
}
