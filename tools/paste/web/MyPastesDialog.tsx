import { IconClipboard, IconFlame, IconLock } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AnswerOf } from '#platform/contract/call.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/showError.ts';
import { formatMoment, formatSize } from '#platform/web/browser/formats.ts';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { deletepaste, mypastes } from '../contract.ts';
import { formatExpiry } from './PastePill.tsx';
import { MY_PASTES_QUERY_KEY } from './usePaste.ts';
import styles from './MyPastesDialog.module.css';

type PasteSummary = AnswerOf<typeof mypastes>['pieces'][number];

interface PasteListProps {
  readonly onOpenPaste: (code: string) => void;
  readonly onDeleted: (code: string) => void;
}

function PasteRow({
  paste,
  onOpen,
  onDelete,
}: {
  readonly paste: PasteSummary;
  readonly onOpen: () => void;
  readonly onDelete: () => void;
}) {
  const { code, bytes, encrypted, burns, created, expires } = paste;
  return (
    <li className={styles['line']}>
      <span className={styles['details']}>
        {/* Opening a paste that burns would delete it, and an encrypted one can't be opened without its link. */}
        {burns || encrypted ? (
          <b>{code}</b>
        ) : (
          <button type="button" className={styles['open']} aria-label={`Open ${code}`} onClick={onOpen}>
            {code}
          </button>
        )}
        {encrypted ? <IconLock size={15} stroke={1.75} aria-label="encrypted" /> : null}
        {burns ? <IconFlame size={15} stroke={1.75} aria-label="burns after reading" /> : null}
        <small className="num">
          {formatSize(bytes)}, {formatMoment(created)}, {formatExpiry(expires)}
        </small>
      </span>
      <ConfirmButton size="compact-md" confirmLabel="Confirm Delete" aria-label={`Delete ${code}`} onConfirm={onDelete}>
        Delete
      </ConfirmButton>
    </li>
  );
}

function PasteList({ onOpenPaste, onDeleted }: PasteListProps) {
  const queryClient = useQueryClient();
  const { data, error } = useQuery({ queryKey: MY_PASTES_QUERY_KEY, queryFn: () => call(mypastes, {}), staleTime: 0 });
  const deleteMutation = useMutation({
    mutationFn: (code: string) => call(deletepaste, { code }),
    onSuccess: (_response, code) => onDeleted(code),
    onError: showError,
    onSettled: () => queryClient.invalidateQueries({ queryKey: MY_PASTES_QUERY_KEY }),
  });
  if (error !== null && data === undefined) return <p role="alert">{error.message}</p>;
  if (data === undefined) return <div className={styles['loading']} />;
  if (data.pieces.length === 0)
    return <EmptyState icon={IconClipboard} text="Your last 20 pastes appear here. Submit some text to create one" />;
  return (
    <ul>
      {data.pieces.map((paste) => (
        <PasteRow
          key={paste.code}
          paste={paste}
          onOpen={() => onOpenPaste(paste.code)}
          onDelete={() => deleteMutation.mutate(paste.code)}
        />
      ))}
    </ul>
  );
}

interface MyPastesDialogProps extends PasteListProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Lists the last pastes of this account or browser, to open or delete them. */
export function MyPastesDialog({ isOpen, onClose, onOpenPaste, onDeleted }: MyPastesDialogProps) {
  return (
    <Dialog title="Your pastes" isOpen={isOpen} onClose={onClose}>
      <PasteList
        onOpenPaste={(code) => {
          onClose();
          onOpenPaste(code);
        }}
        onDeleted={onDeleted}
      />
    </Dialog>
  );
}
