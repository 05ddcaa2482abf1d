import { IconClipboard, IconFlame, IconLock } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AnswerOf } from '#platform/contract/call.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { formatMoment, formatSize } from '#platform/web/browser/formats.ts';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { deletepaste, mypastes } from '../contract.ts';
import { untilText } from './PastePill.tsx';
import { MY_PIECES } from './usePaste.ts';
import styles from './MyPastesDialog.module.css';

type PasteSummary = AnswerOf<typeof mypastes>['pieces'][number];

interface PasteListProps {
  readonly open: (code: string) => void;
  /** Called after a paste is deleted. */
  readonly forget: (code: string) => void;
}

function PasteRow({
  piece,
  open,
  remove,
}: {
  readonly piece: PasteSummary;
  readonly open: () => void;
  readonly remove: () => void;
}) {
  const { code, bytes, encrypted, burns, created, expires } = piece;
  return (
    <li className={styles['line']}>
      <span className={styles['details']}>
        {/* Opening a paste that burns would delete it, and an encrypted one can't be opened without its link. */}
        {burns || encrypted ? (
          <b>{code}</b>
        ) : (
          <button type="button" className={styles['open']} aria-label={`Open ${code}`} onClick={open}>
            {code}
          </button>
        )}
        {encrypted ? <IconLock size={15} stroke={1.75} aria-label="encrypted" /> : null}
        {burns ? <IconFlame size={15} stroke={1.75} aria-label="burns after reading" /> : null}
        <small className="num">
          {formatSize(bytes)}, {formatMoment(created)}, {untilText(expires)}
        </small>
      </span>
      <ConfirmButton size="compact-md" confirmLabel="Confirm Delete" aria-label={`Delete ${code}`} onConfirm={remove}>
        Delete
      </ConfirmButton>
    </li>
  );
}

function PasteList({ open, forget }: PasteListProps) {
  const queryClient = useQueryClient();
  const { data, error } = useQuery({ queryKey: MY_PIECES, queryFn: () => call(mypastes, {}), staleTime: 0 });
  const deleteMutation = useMutation({
    mutationFn: (code: string) => call(deletepaste, { code }),
    onSuccess: (_response, code) => forget(code),
    onError: showError,
    onSettled: () => queryClient.invalidateQueries({ queryKey: MY_PIECES }),
  });
  if (error !== null && data === undefined) return <p role="alert">{error.message}</p>;
  if (data === undefined) return <div className={styles['loading']} />;
  if (data.pieces.length === 0)
    return <EmptyState icon={IconClipboard} text="Your last 20 pastes appear here. Submit some text to create one" />;
  return (
    <ul className={styles['list']}>
      {data.pieces.map((piece) => (
        <PasteRow
          key={piece.code}
          piece={piece}
          open={() => open(piece.code)}
          remove={() => deleteMutation.mutate(piece.code)}
        />
      ))}
    </ul>
  );
}

interface MyPiecesProps extends PasteListProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Lists the last pastes of this account or browser, to open or delete them. */
export function MyPieces({ opened, onClose, open, forget }: MyPiecesProps) {
  return (
    <Dialog title="Your pastes" isOpen={opened} onClose={onClose}>
      <PasteList
        open={(code) => {
          onClose();
          open(code);
        }}
        forget={forget}
      />
    </Dialog>
  );
}
