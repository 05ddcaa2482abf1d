import { Button } from '@mantine/core';
import { IconCalendarEvent, IconCalendarRepeat, IconCalendarStats, IconTag } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { toIso } from '#platform/contract/day.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/showError.ts';
import { formatMoment } from '#platform/web/browser/formats.ts';
import type { Icon } from '#platform/web/tool.ts';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { QueryError } from '#platform/web/ui/QueryState.tsx';
import { BIN_DAYS, deletedevents, emptybin, restoreevent, restoretag } from '../contract/events.ts';
import { parseDay } from '../events/domain/day.ts';
import type { Style } from '../events/domain/event.ts';
import { type CalendarViewProps, queryKeys } from './selection.ts';
import styles from './BinDialog.module.css';

const ICON_BY_STYLE: Readonly<Record<Style, Icon>> = {
  calendar: IconCalendarEvent,
  repeat: IconCalendarRepeat,
  duration: IconCalendarStats,
};

interface BinRowProps {
  readonly icon: Icon;
  readonly colour?: string;
  readonly name: string;
  readonly details: string;
  readonly isBusy: boolean;
  readonly onRestore: () => void;
}

function BinRow({ icon: Icon, colour, name, details, isBusy, onRestore }: BinRowProps) {
  return (
    <li className={styles['row']}>
      <Icon size={18} stroke={1.75} aria-hidden />
      <span className={styles['details']}>
        <b dir="auto">
          {colour !== undefined && <i className="dot" style={{ background: colour }} aria-hidden />}
          {name}
        </b>
        <small className="num">{details}</small>
      </span>
      <Button size="xs" aria-label={`Restore ${name}`} disabled={isBusy} onClick={onRestore}>
        Restore
      </Button>
    </li>
  );
}

function useBin(isOpen: boolean) {
  const queryClient = useQueryClient();
  const query = useQuery({ queryKey: queryKeys.bin, queryFn: () => call(deletedevents, {}), enabled: isOpen });
  const change = useMutation({
    mutationFn: (run: () => Promise<unknown>) => run(),
    onError: showError,
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.all }),
  });
  return { ...query, change };
}

function BinList({ children }: { readonly children: ReactNode }) {
  return <ul className={styles['list']}>{children}</ul>;
}

interface BinDialogProps extends Pick<CalendarViewProps, 'onSelect'> {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Recently deleted events and tags, which can be restored. */
export function BinDialog({ isOpen, onClose, onSelect }: BinDialogProps) {
  const { data, error, refetch, change } = useBin(isOpen);
  const events = data?.events ?? [];
  const tags = data?.tags ?? [];
  const isBusy = change.isPending;
  const isEmpty = data !== undefined && events.length + tags.length === 0;
  return (
    <Dialog title="Bin" isOpen={isOpen} onClose={onClose}>
      <p className={styles['text']}>
        {isEmpty && 'The bin is empty. '}Deleted events and tags stay here for {BIN_DAYS} days
      </p>
      {error && <QueryError message={error.message} onRetry={refetch} />}
      {events.length > 0 && (
        <>
          <h3>Events</h3>
          <BinList>
            {events.map(({ id, name, date, type, deleted }) => (
              <BinRow
                key={id}
                icon={ICON_BY_STYLE[type]}
                name={name}
                details={`${date}, deleted ${formatMoment(deleted)}`}
                isBusy={isBusy}
                onRestore={() =>
                  change.mutate(async () => {
                    const { data: restored } = await call(restoreevent, { id });
                    onSelect({
                      kind: 'event',
                      id,
                      date: toIso(parseDay(restored.date) ?? 0),
                      type: restored.style,
                    });
                  })
                }
              />
            ))}
          </BinList>
        </>
      )}
      {tags.length > 0 && (
        <>
          <h3>Tags</h3>
          <BinList>
            {tags.map(({ name, colour, deleted }) => (
              <BinRow
                key={name}
                icon={IconTag}
                colour={colour}
                name={name}
                details={`deleted ${formatMoment(deleted)}`}
                isBusy={isBusy}
                onRestore={() => change.mutate(() => call(restoretag, { name }))}
              />
            ))}
          </BinList>
        </>
      )}
      {!isEmpty && data !== undefined && (
        <div className={styles['foot']}>
          <ConfirmButton confirmLabel="Confirm Empty bin" onConfirm={() => change.mutate(() => call(emptybin, {}))}>
            Empty bin
          </ConfirmButton>
          <small>This permanently deletes everything in the bin</small>
        </div>
      )}
    </Dialog>
  );
}
