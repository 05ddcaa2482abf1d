import { Menu } from '@mantine/core';
import { IconCheck, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { getRetentionMs, type RetentionPeriod } from '#platform/contract/retention.ts';
import { showError } from '../app/showError.ts';
import { ConfirmDialog } from '../ui/Dialog.tsx';
import { PageMenu } from './PageHeader.tsx';

const PERIOD_LABELS: Readonly<Record<RetentionPeriod, string>> = {
  day: 'A day',
  week: 'A week',
  month: '30 days',
  year: 'A year',
  forever: 'Never',
};
const PERIODS = Object.keys(PERIOD_LABELS) as RetentionPeriod[];

/** Calls of the tool that stores the texts. */
export interface RetentionCalls {
  readonly queryKey: string;
  readonly get: () => Promise<RetentionPeriod>;
  readonly set: (period: RetentionPeriod) => Promise<unknown>;
}

/** Deletes everything; left out if there is nothing to delete. */
interface ClearAction {
  readonly item: string;
  readonly title: string;
  readonly text: string;
  readonly run: () => Promise<unknown>;
}

interface RetentionMenuProps {
  readonly label: string;
  readonly calls: RetentionCalls;
  readonly clearAction?: ClearAction | undefined;
  /** Additional `Menu.Item` elements. */
  readonly children?: ReactNode;
}

const renderCheck = (isOn: boolean): ReactNode =>
  isOn ? <IconCheck size={16} stroke={2} /> : <span style={{ width: 16 }} />;

/** Reads the state out, because these menu items have no state for screen readers. */
function SelectedHint({ isOn }: { readonly isOn: boolean }) {
  return isOn ? <span className="unseen">, on</span> : null;
}

/** A menu item that is on or off. */
export function MenuCheckItem({
  isOn,
  onSwitch,
  children,
}: {
  isOn: boolean;
  onSwitch: () => void;
  children: ReactNode;
}) {
  return (
    <Menu.Item leftSection={renderCheck(isOn)} onClick={onSwitch}>
      {children}
      <SelectedHint isOn={isOn} />
    </Menu.Item>
  );
}

/** The periods, which are loaded when the menu opens. */
function PeriodItems({
  calls,
  onSelect,
}: {
  calls: RetentionCalls;
  onSelect: (to: RetentionPeriod, from: RetentionPeriod) => void;
}) {
  const { data, error } = useQuery({ queryKey: [calls.queryKey], queryFn: calls.get });
  // Nothing can be selected before the current period is known.
  if (error !== null && data === undefined)
    return (
      <Menu.Label role="alert" c="red">
        {error.message}
      </Menu.Label>
    );
  return PERIODS.map((period) => (
    <Menu.Item
      key={period}
      leftSection={renderCheck(period === data)}
      disabled={data === undefined}
      onClick={() => data !== undefined && onSelect(period, data)}
    >
      {PERIOD_LABELS[period]}
      <SelectedHint isOn={period === data} />
    </Menu.Item>
  ));
}

/** Menu of a history with its retention and a way to clear it. Deletions need a confirmation. */
export function RetentionMenu({ label, calls, clearAction, children }: RetentionMenuProps) {
  const queryClient = useQueryClient();
  const [shorterPeriod, setShorterPeriod] = useState<RetentionPeriod>();
  const [isClearing, setIsClearing] = useState(false);

  async function savePeriod(period: RetentionPeriod): Promise<void> {
    try {
      await calls.set(period);
      queryClient.setQueryData([calls.queryKey], period);
    } catch (error) {
      showError(error);
    }
  }
  function selectPeriod(to: RetentionPeriod, from: RetentionPeriod): void {
    if (getRetentionMs(to) < getRetentionMs(from)) setShorterPeriod(to);
    else if (to !== from) void savePeriod(to);
  }
  return (
    <>
      <PageMenu label={label} width={264}>
        {children}
        <Menu.Label>Delete messages after</Menu.Label>
        <PeriodItems calls={calls} onSelect={selectPeriod} />
        {clearAction === undefined ? null : (
          <>
            <Menu.Divider />
            <Menu.Item
              color="red"
              leftSection={<IconTrash size={16} stroke={1.75} />}
              onClick={() => setIsClearing(true)}
            >
              {clearAction.item}
            </Menu.Item>
          </>
        )}
      </PageMenu>
      {shorterPeriod === undefined ? null : (
        <ConfirmDialog
          title={`Delete messages older than ${PERIOD_LABELS[shorterPeriod].toLowerCase()}?`}
          cancelLabel="Cancel"
          onCancel={() => setShorterPeriod(undefined)}
          confirmLabel="Delete older messages"
          onConfirm={() => {
            setShorterPeriod(undefined);
            void savePeriod(shorterPeriod);
          }}
        >
          Older messages are deleted now on all your devices. Newer ones are deleted when they reach that age
        </ConfirmDialog>
      )}
      {isClearing && clearAction !== undefined ? (
        <ConfirmDialog
          title={clearAction.title}
          cancelLabel="Cancel"
          onCancel={() => setIsClearing(false)}
          confirmLabel="Delete all"
          onConfirm={() => {
            setIsClearing(false);
            clearAction.run().catch(showError);
          }}
        >
          {clearAction.text}
        </ConfirmDialog>
      ) : null}
    </>
  );
}
