import { IconMail } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { formatDayName, formatClockTime } from '#platform/web/browser/formats.ts';
import { getSiteAddress } from '#platform/web/browser/siteAddress.ts';
import { useNow } from '#platform/web/browser/useNow.ts';
import { ConfirmButton } from '#platform/web/ui/ConfirmButton.tsx';
import { CopyButton } from '#platform/web/ui/CopyButton.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { QueryError } from '#platform/web/ui/QueryState.tsx';
import type { VisitorMessage } from '../contract.ts';
import { messageFormPage } from '../page.ts';
import { useVisitorMessages } from './useVisitorMessages.ts';
import styles from './VisitorMessages.module.css';

/** The address of the form, for the owner to share, with a copy button. */
function FormAddress() {
  const address = `${getSiteAddress()}${messageFormPage.path}`;
  return (
    <span className={styles['address']}>
      <a href={address} target="_blank" rel="noreferrer">
        {address.replace(/^https?:\/\//, '')}
      </a>
      <CopyButton text={address} label="Copy form address" />
    </span>
  );
}

interface LetterProps {
  readonly letter: VisitorMessage;
  readonly now: number;
  readonly isBusy: boolean;
  readonly onDelete: () => void;
}

function Letter({ letter, now, isBusy, onDelete }: LetterProps) {
  const { name, text, received } = letter;
  return (
    <article className={`${styles['letter']} surface`} aria-label={`Message from ${name}`}>
      <header>
        <b dir="auto">{name}</b>
        <time dateTime={received}>
          {formatDayName(received, now)}, {formatClockTime(received)}
        </time>
        <ConfirmButton
          variant="subtle"
          size="xs"
          aria-label={`Delete message from ${name}`}
          confirmLabel="Confirm Delete"
          disabled={isBusy}
          onConfirm={onDelete}
        >
          Delete
        </ConfirmButton>
      </header>
      <p dir="auto">{text}</p>
    </article>
  );
}

/** Scrolls to a new message if the end of the list is in view. */
function useNewestInView(newestId: number) {
  const end = useRef<HTMLDivElement>(null);
  const isInView = useRef(true);
  useEffect(() => {
    if (!end.current) return undefined;
    const observer = new IntersectionObserver((entries) => {
      isInView.current = entries.at(-1)?.isIntersecting === true;
    });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (newestId > 0 && isInView.current) end.current?.scrollIntoView({ block: 'end' });
  }, [newestId]);
  return end;
}

function LetterList({ visitors }: { readonly visitors: readonly VisitorMessage[] }) {
  const { removeMutation } = useVisitorMessages();
  const now = useNow(MINUTE_MS);
  const list = useRef<HTMLOListElement>(null);
  const end = useNewestInView(visitors.at(-1)?.id ?? 0);
  return (
    <div className={styles['visitors']}>
      <p className={styles['note']}>
        Written at <FormAddress />
      </p>
      <ol ref={list} className={styles['list']} aria-label="Messages from visitors" tabIndex={-1}>
        {visitors.map((letter) => (
          <li key={letter.id}>
            <Letter
              letter={letter}
              now={now}
              isBusy={removeMutation.isPending}
              onDelete={() => removeMutation.mutate(letter.id, { onSuccess: () => list.current?.focus() })}
            />
          </li>
        ))}
      </ol>
      <div ref={end} />
    </div>
  );
}

/** Visitors' messages to the owner of this server, newest last. */
export function VisitorMessages() {
  const { visitors, error, refetch } = useVisitorMessages();
  if (visitors === undefined) return error === null ? null : <QueryError message={error.message} onRetry={refetch} />;
  if (visitors.length > 0) return <LetterList visitors={visitors} />;
  return (
    <EmptyState icon={IconMail} text="Messages from visitors appear here. Share the address of the message form">
      <FormAddress />
    </EmptyState>
  );
}
