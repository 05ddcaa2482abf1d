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

type Piece = AnswerOf<typeof mypastes>['pieces'][number];

interface ListProps {
  readonly open: (code: string) => void;
  /** Its piece is deleted. */
  readonly forget: (code: string) => void;
}

function Line({
  piece,
  open,
  remove,
}: {
  readonly piece: Piece;
  readonly open: () => void;
  readonly remove: () => void;
}) {
  const { code, bytes, encrypted, burns, created, expires } = piece;
  return (
    <li className={styles['line']}>
      <span className={styles['what']}>
        {/* Opening one would burn it, and without its link an encrypted one does not open. */}
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

function List({ open, forget }: ListProps) {
  const queries = useQueryClient();
  const { data, error } = useQuery({ queryKey: MY_PIECES, queryFn: () => call(mypastes, {}), staleTime: 0 });
  const remove = useMutation({
    mutationFn: (code: string) => call(deletepaste, { code }),
    onSuccess: (_answer, code) => forget(code),
    onError: showError,
    onSettled: () => queries.invalidateQueries({ queryKey: MY_PIECES }),
  });
  if (error !== null && data === undefined) return <p role="alert">{error.message}</p>;
  if (data === undefined) return <div className={styles['loading']} />;
  if (data.pieces.length === 0)
    return <EmptyState icon={IconClipboard} text="The last 20 texts that you stored will appear here." />;
  return (
    <ul className={styles['list']}>
      {data.pieces.map((piece) => (
        <Line key={piece.code} piece={piece} open={() => open(piece.code)} remove={() => remove.mutate(piece.code)} />
      ))}
    </ul>
  );
}

interface MyPiecesProps extends ListProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** The last pieces of this browser and account. */
export function MyPieces({ opened, onClose, open, forget }: MyPiecesProps) {
  return (
    <Dialog title="Your pieces" isOpen={opened} onClose={onClose}>
      <List
        open={(code) => {
          onClose();
          open(code);
        }}
        forget={forget}
      />
    </Dialog>
  );
}
