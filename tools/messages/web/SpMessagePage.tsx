import { Button } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState, type KeyboardEvent } from 'react';
import { CallError } from '#platform/contract/client.ts';
import { countCodePoints } from '#platform/contract/fields.ts';
import { call } from '#platform/web/app/call.ts';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { VISITOR_NAME_LIMIT, VISITOR_TEXT_LIMIT, spmessage } from '../contract.ts';
import { checkLetter, type Letter } from '../domain/message.ts';
import styles from './SpMessagePage.module.css';

/** From this part of its limit on, a quiet count is shown. */
const NEARLY = 0.8;

interface SpMessageCountProps {
  readonly id: string;
  readonly text: string;
  readonly limit: number;
  /** Not shown as long as there is much room. */
  readonly isQuiet?: boolean;
}

/** How long a text is, and how long it may be. */
export function SpMessageCount({ id, text, limit, isQuiet = false }: SpMessageCountProps) {
  const length = countCodePoints(text);
  const isShown = !isQuiet || length > limit * NEARLY;
  return (
    <span id={id} className={`${styles['count']} num`} data-over={length > limit || undefined}>
      {isShown ? `${length} / ${limit}` : ''}
    </span>
  );
}

/** What the server answered, as it stands, or why there is no answer. */
export function SpMessageStatus({ status }: { readonly status: Status | undefined }) {
  return (
    <div className={styles['status']} role="status" data-kind={status?.isDone === true ? 'good' : 'bad'}>
      {status === undefined ? null : (
        <>
          {status.isDone ? <IconCheck size={18} stroke={2} /> : <IconAlertTriangle size={18} stroke={1.75} />}
          <span>
            {status.text}
            {status.more === undefined ? null : <small>{status.more}</small>}
          </span>
        </>
      )}
    </div>
  );
}

export interface Status {
  readonly isDone: boolean;
  readonly text: string;
  readonly more?: string;
}

const DRAFT = 'spmessage';
const EMPTY: Letter = { name: '', text: '' };
const TOO_MANY = 429;
const DRAFT_SAFE_MESSAGE = 'What you wrote stays here.';

const draftIn = (kept: string | undefined): Letter => {
  if (!kept) return EMPTY;
  try {
    const { name, text } = JSON.parse(kept) as { readonly name?: unknown; readonly text?: unknown };
    return { name: typeof name === 'string' ? name : '', text: typeof text === 'string' ? text : '' };
  } catch {
    return EMPTY; // written by another version
  }
};

/** In the specification's words (1, section 8), and what they mean to whoever wrote. */
const failureOf = (error: Error): Status => {
  if (!(error instanceof CallError)) return { isDone: false, text: error.message };
  if (error.status === 0) return { isDone: false, text: error.message, more: DRAFT_SAFE_MESSAGE };
  const why = error.status === TOO_MANY ? 'Five messages an hour are taken from one address; try again later.' : '';
  return { isDone: false, text: `HTTP error! Status: ${error.status}`, more: `${why} ${DRAFT_SAFE_MESSAGE}`.trim() };
};

/** The form's fields, kept in this browser until they are sent, and what came of the last try. */
export function useSpMessage() {
  const [kept] = useBrowserStorage(DRAFT);
  const letter = draftIn(kept);
  const [trap, fillTrap] = useState('');
  const send = useMutation({
    mutationFn: async (sent: Letter) => {
      // What it would refuse need not count towards the few that an address has.
      checkLetter(sent);
      await call(spmessage, {
        type: 'toserver',
        message: sent.name,
        message2: sent.text,
        ...(trap === '' ? {} : { website: trap }),
      });
    },
    onSuccess: (_, sent) => {
      // What was written since stays, in another window too.
      const now = draftIn(browserStorage.get(DRAFT));
      if (now.name === sent.name && now.text === sent.text) browserStorage.set(DRAFT, '');
    },
  });
  const write = (next: Letter): void => {
    browserStorage.set(DRAFT, JSON.stringify(next));
    if (!send.isPending) send.reset();
  };
  const submit = (): void => {
    if (!send.isPending) send.mutate(letter);
  };
  const statusNow = (): Status | undefined => {
    if (send.isSuccess) return { isDone: true, text: 'ok' };
    return send.error ? failureOf(send.error) : undefined;
  };
  return { letter, write, trap, fillTrap, submit, status: statusNow(), isSending: send.isPending };
}

const PLACEHOLDER = 'Main message';

const submitByKeys = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
  event.preventDefault();
  if (!event.repeat) event.currentTarget.form?.requestSubmit();
};

/** The public form: a visitor writes to the owner of this server. */
export default function SpMessagePage() {
  const { letter, write, trap, fillTrap, submit, status, isSending } = useSpMessage();
  const [isWriting, setWriting] = useState(false);

  return (
    <>
      <PageHeader title="Message" />
      <form
        className={styles['form']}
        aria-label="A message to the owner"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <div className={`${styles['card']} hung`}>
          <div>
            <h2>A message to the owner</h2>
            <p className={styles['note']}>
              No account needed. It is shown to the owner of this server and to nobody else.
            </p>
          </div>
          <div className={styles['field']}>
            <span className={styles['label']}>
              <label htmlFor="spmessage-name">Name</label>
              <SpMessageCount id="spmessage-name-count" text={letter.name} limit={VISITOR_NAME_LIMIT} isQuiet />
            </span>
            <input
              id="spmessage-name"
              className={styles['input']}
              aria-describedby="spmessage-name-count"
              value={letter.name}
              autoComplete="name"
              dir="auto"
              onChange={(event) => write({ ...letter, name: event.currentTarget.value })}
            />
          </div>
          <div className={styles['field']}>
            <span className={styles['label']}>
              <label htmlFor="spmessage-text">Main message</label>
              <SpMessageCount id="spmessage-text-count" text={letter.text} limit={VISITOR_TEXT_LIMIT} />
            </span>
            <textarea
              id="spmessage-text"
              className={styles['input']}
              aria-describedby="spmessage-text-count"
              placeholder={isWriting ? '' : PLACEHOLDER}
              value={letter.text}
              rows={8}
              dir="auto"
              onFocus={() => setWriting(true)}
              onBlur={() => setWriting(false)}
              onKeyDown={submitByKeys}
              onChange={(event) => write({ ...letter, text: event.currentTarget.value })}
            />
          </div>
          {/* A trap: people neither see nor reach it, programs that fill in every field do. */}
          <div className="unseen" aria-hidden>
            <input
              name="website"
              tabIndex={-1}
              autoComplete="off"
              data-1p-ignore
              data-lpignore="true"
              data-bwignore
              value={trap}
              onChange={(event) => fillTrap(event.currentTarget.value)}
            />
          </div>
          <div className={styles['foot']}>
            <Button type="submit" variant="primary" size="lg" loading={isSending} className={styles['submit'] ?? ''}>
              Submit
            </Button>
            <SpMessageStatus status={status} />
          </div>
        </div>
      </form>
    </>
  );
}
