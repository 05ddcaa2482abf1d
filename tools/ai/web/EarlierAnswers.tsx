import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '#platform/web/app/call.ts';
import { formatMoment } from '#platform/web/browser/formats.ts';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import { aianswers, type Answer } from '../contract.ts';
import { AnswerView } from './AnswerView.tsx';
import styles from './EarlierAnswers.module.css';

function AnswerEntry({ answer }: { readonly answer: Answer }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className={styles['entry']} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        <span className="ellipsis" dir="auto">
          {answer.prompt}
        </span>
        <time className="num" dateTime={answer.created}>
          {formatMoment(answer.created)}
        </time>
      </summary>
      {isOpen ? (
        <div className={styles['body']}>
          <AnswerView {...answer} error={answer.error} />
        </div>
      ) : null}
    </details>
  );
}

interface EarlierAnswersProps {
  /** Answers that are already on the page. */
  readonly excludedIds: readonly number[];
  readonly onClose: () => void;
}

/** Dialog with the answers from before the page was opened, newest first. */
export function EarlierAnswers({ excludedIds, onClose }: EarlierAnswersProps) {
  const { data, error } = useQuery({
    queryKey: ['aianswers'],
    queryFn: async () => (await call(aianswers, {})).answers,
    staleTime: 0,
    gcTime: 0,
  });
  const earlierAnswers = data
    ?.filter(({ answerid, state }) => state !== 'running' && !excludedIds.includes(answerid))
    .toReversed();
  return (
    <Dialog title="Earlier answers" isOpen onClose={onClose} width={760}>
      {error === null ? null : <p role="alert">{error.message}</p>}
      {earlierAnswers?.length === 0 ? (
        <p className={styles['empty']}>Answers in this browser appear here for 30 days</p>
      ) : null}
      {earlierAnswers?.map((answer) => (
        <AnswerEntry key={answer.answerid} answer={answer} />
      ))}
    </Dialog>
  );
}
