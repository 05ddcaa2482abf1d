import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Fragment } from 'react';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/showError.ts';
import { getSiteAddress } from '#platform/web/browser/siteAddress.ts';
import { LocalAddressNote } from '#platform/web/page/LocalAddressNote.tsx';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { CopyButton } from '#platform/web/ui/CopyButton.tsx';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { QrCode } from '#platform/web/ui/QrCode.tsx';
import { QueryError } from '#platform/web/ui/QueryState.tsx';
import { calendarfeed, endcalendarfeed, makecalendarfeed } from '../../contract/exchange.ts';
import { queryKeys } from '../selection.ts';
import { CalDav } from './CalDav.tsx';
import { Import } from './Import.tsx';
import { Reminder } from './Reminder.tsx';
import { Subscriptions } from './Subscriptions.tsx';
import styles from './ConnectDialog.module.css';

function useFeed() {
  const queryClient = useQueryClient();
  const query = useQuery({ queryKey: queryKeys.feed, queryFn: () => call(calendarfeed, {}) });
  const setFeed = (answer: { readonly path?: string | undefined }): void =>
    void queryClient.setQueryData(queryKeys.feed, answer);
  const create = useMutation({ mutationFn: () => call(makecalendarfeed, {}), onSuccess: setFeed, onError: showError });
  const remove = useMutation({
    mutationFn: () => call(endcalendarfeed, {}),
    onSuccess: () => setFeed({}),
    onError: showError,
  });
  return { query, create, remove, isBusy: create.isPending || remove.isPending };
}

function FeedAddress({ path }: { readonly path: string }) {
  const address = `${getSiteAddress()}${path}`;
  return (
    <div className={styles['address']}>
      <QrCode text={address} size={116} />
      <div className={styles['details']}>
        <div className={styles['line']}>
          <code>
            {address.split(/(?<=[/_-])/).map((part, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- parts of one text, which never move
              <Fragment key={index}>
                {part}
                <wbr />
              </Fragment>
            ))}
          </code>
          <CopyButton text={address} label="Copy address" />
        </div>
        <LocalAddressNote className={styles['note']} />
      </div>
    </div>
  );
}

/** The section for the feed, to which phones subscribe. */
export function Feed() {
  const { query, create, remove, isBusy } = useFeed();
  const path = query.data?.path;
  return (
    <section aria-labelledby="feed-title">
      <h3 id="feed-title">Address for phones</h3>
      <p className={styles['text']}>
        Phones and apps that subscribe to this address show your events but can't change them. Anyone with the address
        can read your calendar
      </p>
      {query.error && <QueryError message={query.error.message} onRetry={query.refetch} />}
      {path !== undefined && <FeedAddress path={path} />}
      {query.data && path === undefined && (
        <Button loading={isBusy} onClick={() => create.mutate()}>
          Create address
        </Button>
      )}
      {path !== undefined && (
        <div className={styles['buttons']}>
          <ConfirmButton confirmLabel="Confirm Replace address" disabled={isBusy} onConfirm={() => create.mutate()}>
            Replace address
          </ConfirmButton>
          <ConfirmButton confirmLabel="Confirm Remove address" disabled={isBusy} onConfirm={() => remove.mutate()}>
            Remove address
          </ConfirmButton>
          <small>If you replace the address, the old one stops working</small>
        </div>
      )}
    </section>
  );
}

interface ConnectDialogProps {
  readonly isOpen: boolean;
  /** Whether the dialog was opened for this section. */
  readonly startsAtImport: boolean;
  readonly onClose: () => void;
}

/** The dialog for exchanging events with phones and other programs. */
export function ConnectDialog({ isOpen, startsAtImport, onClose }: ConnectDialogProps) {
  return (
    <Dialog title="Phones and other calendars" width={640} isOpen={isOpen} onClose={onClose}>
      <div className={styles['sections']}>
        <Feed />
        <CalDav />
        <Subscriptions />
        <Import startsHere={startsAtImport} onClose={onClose} />
        <Reminder />
      </div>
    </Dialog>
  );
}
