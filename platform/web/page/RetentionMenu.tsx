import { Menu } from '@mantine/core';
import { IconCheck, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { getRetentionMs, type RetentionPeriod } from '#platform/contract/retention.ts';
import { showError } from '../app/failure.ts';
import { DiscardDialog } from '../ui/Dialog.tsx';
import { PageMenu } from './PageHeader.tsx';

const names: Readonly<Record<RetentionPeriod, string>> = {
  day: 'A day',
  week: 'A week',
  month: '30 days',
  year: 'A year',
  forever: 'Never',
};
const periods = Object.keys(names) as RetentionPeriod[];

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
  readonly clearing?: ClearAction | undefined;
  /** Additional `Menu.Item` elements. */
  readonly children?: ReactNode;
}

const check = (isOn: boolean): ReactNode =>
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
    <Menu.Item leftSection={check(isOn)} onClick={onSwitch}>
      {children}
      <SelectedHint isOn={isOn} />
    </Menu.Item>
  );
}

/** The periods, which are loaded when the menu opens. */
function PeriodItems({
  calls,
  choose,
}: {
  calls: RetentionCalls;
  choose: (to: RetentionPeriod, from: RetentionPeriod) => void;
}) {
  const { data, error } = useQuery({ queryKey: [calls.queryKey], queryFn: calls.get });
  // Nothing can be selected before the current period is known.
  if (error !== null && data === undefined)
    return (
      <Menu.Label role="alert" c="red">
        {error.message}
      </Menu.Label>
    );
  return periods.map((period) => (
    <Menu.Item
      key={period}
      leftSection={check(period === data)}
      disabled={data === undefined}
      onClick={() => data !== undefined && choose(period, data)}
    >
      {names[period]}
      <SelectedHint isOn={period === data} />
    </Menu.Item>
  ));
}

/** Menu of a history with its retention and a way to clear it. Deletions need a confirmation. */
export function RetentionMenu({ label, calls, clearing, children }: RetentionMenuProps) {
  const queries = useQueryClient();
  const [shorter, setShorter] = useState<RetentionPeriod>();
  const [isClearing, setClearing] = useState(false);

  const set = async (period: RetentionPeriod): Promise<void> => {
    try {
      await calls.set(period);
      queries.setQueryData([calls.queryKey], period);
    } catch (error) {
      showError(error);
    }
  };
  const choose = (to: RetentionPeriod, from: RetentionPeriod): void => {
    if (getRetentionMs(to) < getRetentionMs(from)) setShorter(to);
    else if (to !== from) void set(to);
  };
  return (
    <>
      <PageMenu label={label} width={264}>
        {children}
        <Menu.Label>Delete messages after</Menu.Label>
        <PeriodItems calls={calls} choose={choose} />
        {clearing === undefined ? null : (
          <>
            <Menu.Divider />
            <Menu.Item
              color="red"
              leftSection={<IconTrash size={16} stroke={1.75} />}
              onClick={() => setClearing(true)}
            >
              {clearing.item}
            </Menu.Item>
          </>
        )}
      </PageMenu>
      {shorter === undefined ? null : (
        <DiscardDialog
          title={`Delete messages older than ${names[shorter].toLowerCase()}?`}
          keepLabel="Cancel"
          onKeep={() => setShorter(undefined)}
          discardLabel="Delete older messages"
          onDiscard={() => {
            setShorter(undefined);
            void set(shorter);
          }}
        >
          Older messages are deleted now on all your devices. Newer ones are deleted when they reach that age
        </DiscardDialog>
      )}
      {isClearing && clearing !== undefined ? (
        <DiscardDialog
          title={clearing.title}
          keepLabel="Cancel"
          onKeep={() => setClearing(false)}
          discardLabel="Delete all"
          onDiscard={() => {
            setClearing(false);
            clearing.run().catch(showError);
          }}
        >
          {clearing.text}
        </DiscardDialog>
      ) : null}
    </>
  );
}
