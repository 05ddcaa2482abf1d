import { Button } from '@mantine/core';
import { useState, type KeyboardEvent } from 'react';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { VISITOR_NAME_LIMIT, VISITOR_TEXT_LIMIT } from '../contract.ts';
import { SpMessageCount } from './SpMessageCount.tsx';
import { SpMessageStatus } from './SpMessageStatus.tsx';
import { useSpMessage } from './useSpMessage.ts';
import styles from './SpMessagePage.module.css';

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
