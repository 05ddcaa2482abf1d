import { useMutation } from '@tanstack/react-query';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { notices } from '#platform/web/app/notices.ts';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { endlinks } from '../../contract.ts';
import styles from './AccountPanel.module.css';

/** Ends the addresses that songs, lists and recordings were given out under. */
export function EndLinks() {
  const end = useMutation({
    mutationFn: () => call(endlinks, {}),
    onError: showError,
    onSuccess: () => notices.add('good', 'All links have ended'),
  });
  return (
    <div className={styles['line']}>
      <span className={styles['what']}>
        <b>Links</b>
        <small>Saved lists and downloads play by addresses that hold for up to a day, for whoever has them.</small>
      </span>
      <ConfirmButton confirmLabel="Confirm End all links" onConfirm={() => end.mutate()}>
        End all links
      </ConfirmButton>
    </div>
  );
}
