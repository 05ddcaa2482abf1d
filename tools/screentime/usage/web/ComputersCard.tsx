import { Button } from '@mantine/core';
import { useState } from 'react';
import { formatDate } from '#platform/web/browser/formats.ts';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { Card } from '#platform/web/ui/Card.tsx';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { Dropdown } from '#platform/web/ui/Dropdown.tsx';
import { formatDuration } from '../domain/formats.ts';
import { useComputerUsage, type UsageComputer, type UsageImport } from './useComputerUsage.ts';
import styles from './UsagePanel.module.css';

const ORIGINS = { paired: 'Paired', imported: 'Imported', removed: 'Removed' } as const;

function formatSpan(first: string | number, last: string | number): string {
  const [from, until] = [formatDate(first), formatDate(last)];
  return from === until ? from : `${from} to ${until}`;
}

interface ComputerProps {
  readonly computer: UsageComputer;
  readonly others: readonly UsageComputer[];
  readonly isBusy: boolean;
  readonly onMerge: (into: number) => void;
  readonly onDelete: () => void;
}

function Computer({ computer, others, isBusy, onMerge, onDelete }: ComputerProps) {
  const [target, setTarget] = useState<UsageComputer>();
  const { name, origin, seconds, first, last } = computer;
  return (
    <li className={styles['computer']} aria-label={`Screen time of ${name}`}>
      <span className={styles['details']}>
        <span>
          <b dir="auto">{name}</b> <Badge tone={origin === 'paired' ? 'green' : 'plain'}>{ORIGINS[origin]}</Badge>
        </span>
        <small className="num">
          {first === undefined || last === undefined
            ? 'No use recorded'
            : `${formatDuration(seconds)}, ${formatSpan(first, last)}`}
        </small>
      </span>
      {target ? (
        <span className={styles['actions']}>
          <Button variant="primary" loading={isBusy} onClick={() => onMerge(target.id)}>
            Merge into {target.name}
          </Button>
          <Button onClick={() => setTarget(undefined)}>Cancel</Button>
        </span>
      ) : (
        <span className={styles['actions']}>
          {origin === 'paired' || others.length === 0 ? null : (
            <Dropdown
              label={`Merge ${name}`}
              hideLabel
              placeholder="Merge into…"
              options={others.map((other) => ({
                value: String(other.id),
                label: other.name,
                note: ORIGINS[other.origin],
              }))}
              onSelect={(id) => setTarget(others.find((other) => String(other.id) === id))}
            />
          )}
          <ConfirmButton
            confirmLabel="Confirm Delete"
            aria-label={`Delete screen time of ${name}`}
            disabled={isBusy}
            onConfirm={onDelete}
          >
            Delete
          </ConfirmButton>
        </span>
      )}
    </li>
  );
}

interface ImportsProps {
  readonly imports: readonly UsageImport[];
  readonly getName: (device: number) => string;
  readonly isBusy: boolean;
  readonly onUndo: (id: number) => void;
}

function Imports({ imports, getName, isBusy, onUndo }: ImportsProps) {
  if (imports.length === 0) return null;
  return (
    <>
      <h3 className={styles['sub']}>Imports</h3>
      <ul className={styles['computers']} aria-label="Imports">
        {imports.map(({ id, device, created, seconds, first, last }) => (
          <li key={id} className={styles['computer']}>
            <span className={styles['details']}>
              <b dir="auto">
                {getName(device)}
                {created === 0 ? '' : `, imported ${formatDate(created)}`}
              </b>
              <small className="num">
                {formatDuration(seconds)}, {formatSpan(first, last)}
              </small>
            </span>
            <span className={styles['actions']}>
              <ConfirmButton
                confirmLabel="Confirm Undo"
                aria-label={`Undo the import from ${getName(device)}`}
                disabled={isBusy}
                onConfirm={() => onUndo(id)}
              >
                Undo
              </ConfirmButton>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Computers with screen time, also removed ones: delete, merge, and undo imports. */
export function ComputersCard() {
  const { computers, imports, remove, undo, merge } = useComputerUsage();
  const usedComputers = computers.filter(({ origin, seconds }) => origin !== 'paired' || seconds > 0);
  const isBusy = remove.isPending || undo.isPending || merge.isPending;
  if (usedComputers.length === 0) return null;
  const canMerge = computers.length > 1 && usedComputers.some(({ origin }) => origin !== 'paired');
  return (
    <Card title="Screen time by computer">
      <ul className={styles['computers']} aria-label="Computers with screen time">
        {usedComputers.map((computer) => (
          <Computer
            key={computer.id}
            computer={computer}
            others={computers.filter(({ id }) => id !== computer.id)}
            isBusy={isBusy}
            onMerge={(into) => merge.mutate({ from: computer.id, into })}
            onDelete={() => remove.mutate(computer.id)}
          />
        ))}
      </ul>
      <p className={styles['note']}>
        Deleting removes the time from all totals, goals and exports and can't be undone
        {canMerge ? '. Merge if the same computer appears twice. Time when both were in use counts once' : null}
      </p>
      <Imports
        imports={imports}
        getName={(device) => computers.find(({ id }) => id === device)?.name ?? ''}
        isBusy={isBusy}
        onUndo={(id) => undo.mutate(id)}
      />
    </Card>
  );
}
