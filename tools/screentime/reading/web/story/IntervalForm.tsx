import { Button, TextInput } from '@mantine/core';
import { useId, useLayoutEffect, useState } from 'react';
import { Dropdown } from '#platform/web/ui/Dropdown.tsx';
import { Form } from '#platform/web/ui/Form.tsx';
import { SegmentedControl } from '#platform/web/ui/SegmentedControl.tsx';
import { STATUSES, type Status } from '#tools/screentime/contract/limits.ts';
import type { StoryInterval } from '../../../usage/domain/interval.ts';
import { findConflict } from '../../domain/dayStory.ts';
import type { Computers } from '../viewTypes.ts';
import { formatComputerName, formatFieldMoment, parseFieldMoment, STATUS_LABELS, formatTimes } from './useDay.ts';
import styles from './Story.module.css';

export interface IntervalFormProps {
  readonly date: string;
  /** Initial values. */
  readonly interval: StoryInterval;
  /** False for a new interval. */
  readonly isExisting: boolean;
  /** Whether the computer can be selected. */
  readonly canSelectComputer: boolean;
  readonly intervals: readonly StoryInterval[];
  readonly applications: readonly string[];
  readonly computers: Computers;
  readonly isBusy: boolean;
  /** Why the server refused it. */
  readonly failure: string | undefined;
  readonly onSave: (changed: StoryInterval) => void;
  readonly onCancel: () => void;
  /** Reports whether any field has changed. */
  readonly onChanged: (isChanged: boolean) => void;
}

const STATUS_OPTIONS = STATUSES.map((value) => ({ value, label: STATUS_LABELS[value] }));

/** Returns the moment of a field. An unchanged field keeps milliseconds, and its occurrence in a repeated hour. */
const getMoment = (text: string, initialMoment: number): number | undefined =>
  text === formatFieldMoment(initialMoment) ? initialMoment : parseFieldMoment(text);

const formatConflict = (conflict: StoryInterval, date: string): string =>
  `${conflict.application} ${conflict.status === 'on' ? 'is in focus' : 'already has an entry'}, ${formatTimes(conflict, date)}. Delete that entry first, or change the times`;

type FormResult = { readonly changed: StoryInterval } | { readonly problem: string };

/** Validates the input; returns the correction or a reason. */
function validateFields(
  fields: {
    readonly application: string;
    readonly device: number;
    readonly status: Status;
    readonly from: string;
    readonly until: string;
  },
  { interval, isExisting, intervals, date }: IntervalFormProps,
): FormResult {
  const [from, until] = [getMoment(fields.from, interval.from), getMoment(fields.until, interval.until)];
  const application = fields.application.trim();
  if (application === '') return { problem: 'Enter an application' };
  if (from === undefined || until === undefined) return { problem: 'Enter a start and an end' };
  if (until <= from) return { problem: 'The end must be after the start' };
  const { device, status } = fields;
  // A title belongs to its application.
  const title = application === interval.application && status === interval.status ? interval.title : undefined;
  const changed = { device, application, status, from, until, ...(title === undefined ? {} : { title }) };
  const conflict = findConflict(intervals, changed, isExisting ? interval : undefined);
  return conflict ? { problem: formatConflict(conflict, date) } : { changed };
}

const focusField = (field: HTMLInputElement | null): void => field?.focus();

/** Form for an interval; overlaps are refused with a sentence. */
export function IntervalForm(props: IntervalFormProps) {
  const {
    interval,
    isExisting,
    canSelectComputer,
    applications,
    computers,
    isBusy,
    failure,
    onSave,
    onCancel,
    onChanged,
  } = props;
  const [application, setApplication] = useState(interval.application);
  const [device, setDevice] = useState(interval.device);
  const [status, setStatus] = useState<Status>(interval.status);
  const [from, setFrom] = useState(formatFieldMoment(interval.from));
  const [until, setUntil] = useState(formatFieldMoment(interval.until));
  const [problem, setProblem] = useState<string>();
  const listId = useId();
  const isChanged =
    application !== interval.application ||
    device !== interval.device ||
    status !== interval.status ||
    from !== formatFieldMoment(interval.from) ||
    until !== formatFieldMoment(interval.until);
  // Before anything else can be pressed.
  useLayoutEffect(() => {
    onChanged(isChanged);
    return () => onChanged(false);
  }, [onChanged, isChanged]);
  const message = problem ?? failure;
  return (
    <Form
      className={styles['form']}
      aria-label={isExisting ? 'Edit entry' : 'Add entry'}
      noValidate
      onSubmit={() => {
        const result = validateFields({ application, device, status, from, until }, props);
        setProblem('problem' in result ? result.problem : undefined);
        if ('changed' in result && !isBusy) onSave(result.changed);
      }}
    >
      <TextInput
        label="Application"
        list={listId}
        ref={focusField}
        value={application}
        onChange={(event) => setApplication(event.currentTarget.value)}
      />
      <datalist id={listId}>
        {applications.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </datalist>
      <TextInput
        type="datetime-local"
        step={1}
        label="From"
        value={from}
        onChange={(event) => setFrom(event.currentTarget.value)}
      />
      <TextInput
        type="datetime-local"
        step={1}
        label="Until"
        value={until}
        onChange={(event) => setUntil(event.currentTarget.value)}
      />
      {canSelectComputer ? (
        <Dropdown
          label="Computer"
          options={Object.entries(computers).map(([value, label]) => ({ value, label }))}
          value={String(device)}
          onSelect={(id) => setDevice(Number(id))}
        />
      ) : null}
      <SegmentedControl label="Status" options={STATUS_OPTIONS} value={status} onSelect={setStatus} />
      <span className={styles['actions']}>
        {Object.keys(computers).length > 1 && !canSelectComputer ? (
          <small dir="auto">on {formatComputerName(computers, interval.device)}</small>
        ) : null}
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="primary" loading={isBusy}>
          Save entry
        </Button>
      </span>
      {message === undefined ? null : (
        <p className={styles['problem']} role="alert">
          {message}
        </p>
      )}
    </Form>
  );
}
