import { Button } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState, type KeyboardEvent } from 'react';
import { CallError, DISK_FULL_STATUS } from '#platform/contract/client.ts';
import { countCodePoints } from '#platform/contract/fields.ts';
import { call } from '#platform/web/app/call.ts';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { Form } from '#platform/web/ui/Form.tsx';
import { MAX_VISITOR_NAME_LENGTH, MAX_VISITOR_TEXT_LENGTH, spmessage } from '../contract.ts';
import { validateLetter, type Letter } from '../domain/message.ts';
import styles from './SpMessagePage.module.css';

interface Status {
  readonly isDone: boolean;
  readonly text: string;
  readonly details?: string;
}

/** Share of the limit from which a quiet count is shown. */
const COUNT_SHOWN_SHARE = 0.8;

interface SpMessageCountProps {
  readonly id: string;
  readonly text: string;
  readonly limit: number;
  /** Hides the count while the text is much shorter than the limit. */
  readonly isQuiet?: boolean;
}

function SpMessageCount({ id, text, limit, isQuiet = false }: SpMessageCountProps) {
  const length = countCodePoints(text);
  const isShown = !isQuiet || length > limit * COUNT_SHOWN_SHARE;
  return (
    <span id={id} className={`${styles['count']} num`} data-over={length > limit || undefined}>
      {isShown ? `${length} / ${limit}` : ''}
    </span>
  );
}

/** The outcome of sending: the server's answer, or why there is none. */
function SpMessageStatus({ status }: { readonly status: Status | undefined }) {
  return (
    <div className={styles['status']} role="status" data-kind={status?.isDone === true ? 'good' : 'bad'}>
      {status === undefined ? null : (
        <>
          {status.isDone ? <IconCheck size={18} stroke={2} /> : <IconAlertTriangle size={18} stroke={1.75} />}
          <span>
            {status.text}
            {status.details === undefined ? null : <small>{status.details}</small>}
          </span>
        </>
      )}
    </div>
  );
}

const DRAFT_KEY = 'spmessage';
const EMPTY_LETTER: Letter = { name: '', text: '' };
const TOO_MANY_REQUESTS_STATUS = 429;
const DRAFT_SAFE_MESSAGE = 'Your text is still here';

function parseDraft(stored: string | undefined): Letter {
  if (!stored) return EMPTY_LETTER;
  try {
    const { name, text } = JSON.parse(stored) as { readonly name?: unknown; readonly text?: unknown };
    return { name: typeof name === 'string' ? name : '', text: typeof text === 'string' ? text : '' };
  } catch {
    return EMPTY_LETTER; // written by another version
  }
}

/** Returns the error of docs/specification/messages.md section 5, with an explanation for the visitor. */
function toErrorStatus(error: Error): Status {
  if (!(error instanceof CallError)) return { isDone: false, text: error.message };
  if (error.status === 0) return { isDone: false, text: error.message, details: DRAFT_SAFE_MESSAGE };
  if (error.status === DISK_FULL_STATUS) return { isDone: false, text: error.message, details: DRAFT_SAFE_MESSAGE };
  const explanation =
    error.status === TOO_MANY_REQUESTS_STATUS ? 'You can send five messages per hour. Try again later.' : '';
  return {
    isDone: false,
    text: `HTTP error! Status: ${error.status}`,
    details: `${explanation} ${DRAFT_SAFE_MESSAGE}`.trim(),
  };
}

/** The fields of the form, stored in this browser until they are sent, and the outcome of the last attempt. */
function useSpMessage() {
  const [stored] = useBrowserStorage(DRAFT_KEY);
  const letter = parseDraft(stored);
  const [honeypot, setHoneypot] = useState('');
  const sendMutation = useMutation({
    mutationFn: async (sentLetter: Letter) => {
      // Validated here too, because each request counts towards the rate limit of the address.
      validateLetter(sentLetter);
      await call(spmessage, {
        type: 'toserver',
        message: sentLetter.name,
        message2: sentLetter.text,
        ...(honeypot === '' ? {} : { website: honeypot }),
      });
    },
    onSuccess: (_, sentLetter) => {
      // Text that was entered in the meantime stays, also in another window.
      const current = parseDraft(browserStorage.get(DRAFT_KEY));
      if (current.name === sentLetter.name && current.text === sentLetter.text) browserStorage.set(DRAFT_KEY, '');
    },
  });
  function setLetter(newLetter: Letter): void {
    browserStorage.set(DRAFT_KEY, JSON.stringify(newLetter));
    if (!sendMutation.isPending) sendMutation.reset();
  }
  function submit(): void {
    if (!sendMutation.isPending) sendMutation.mutate(letter);
  }
  function getStatus(): Status | undefined {
    if (sendMutation.isSuccess) return { isDone: true, text: 'ok' };
    return sendMutation.error ? toErrorStatus(sendMutation.error) : undefined;
  }
  return {
    letter,
    setLetter,
    honeypot,
    setHoneypot,
    submit,
    status: getStatus(),
    isSending: sendMutation.isPending,
  };
}

const PLACEHOLDER = 'Main message';

function handleSubmitKeys(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
  event.preventDefault();
  if (!event.repeat) event.currentTarget.form?.requestSubmit();
}

/** The public form in which a visitor writes to the owner of this server. */
export default function SpMessagePage() {
  const { letter, setLetter, honeypot, setHoneypot, submit, status, isSending } = useSpMessage();
  const [isWriting, setWriting] = useState(false);

  return (
    <>
      <PageHeader title="Message" />
      <Form className={styles['form']} aria-label="A message to the owner" noValidate onSubmit={submit}>
        <div className={`${styles['card']} hung`}>
          <div>
            <h2>A message to the owner</h2>
            <p className={styles['note']}>
              You don't need an account. Only the owner of this server can read your message
            </p>
          </div>
          <div className={styles['field']}>
            <span className={styles['label']}>
              <label htmlFor="spmessage-name">Name</label>
              <SpMessageCount id="spmessage-name-count" text={letter.name} limit={MAX_VISITOR_NAME_LENGTH} isQuiet />
            </span>
            <input
              id="spmessage-name"
              className={styles['input']}
              aria-describedby="spmessage-name-count"
              value={letter.name}
              autoComplete="name"
              dir="auto"
              onChange={(event) => setLetter({ ...letter, name: event.currentTarget.value })}
            />
          </div>
          <div className={styles['field']}>
            <span className={styles['label']}>
              <label htmlFor="spmessage-text">Main message</label>
              <SpMessageCount id="spmessage-text-count" text={letter.text} limit={MAX_VISITOR_TEXT_LENGTH} />
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
              onKeyDown={handleSubmitKeys}
              onChange={(event) => setLetter({ ...letter, text: event.currentTarget.value })}
            />
          </div>
          {/* A honeypot: people neither see nor reach it, but bots fill in every field. */}
          <div className="unseen" aria-hidden>
            <input
              name="website"
              tabIndex={-1}
              autoComplete="off"
              data-1p-ignore
              data-lpignore="true"
              data-bwignore
              value={honeypot}
              onChange={(event) => setHoneypot(event.currentTarget.value)}
            />
          </div>
          <div className={styles['foot']}>
            <Button type="submit" variant="primary" size="lg" loading={isSending} className={styles['submit'] ?? ''}>
              Submit
            </Button>
            <SpMessageStatus status={status} />
          </div>
        </div>
      </Form>
    </>
  );
}
