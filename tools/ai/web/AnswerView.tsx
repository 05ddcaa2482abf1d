import { Button } from '@mantine/core';
import { IconAlertTriangle, IconHandStop, IconHourglass, IconScissors } from '@tabler/icons-react';
import { memo, lazy, Suspense } from 'react';
import type { Icon } from '#platform/web/tool.ts';
import type { AnswerState } from '../contract.ts';
import { separateAnswer } from '../domain/thread.ts';
import styles from './AnswerView.module.css';

interface AnswerTextProps {
  readonly text: string;
  readonly isRunning: boolean;
}

const PlainText = ({ text }: AnswerTextProps) => <p className={styles['plain']}>{text}</p>;

const loadMarkdown = () => import('./Markdown.tsx');
/** Large, so it loads after the page. If it fails to load, the raw text is shown. */
const Markdown = lazy(() =>
  loadMarkdown().then(
    (markdownModule) => ({ default: markdownModule.Markdown }),
    () => ({ default: PlainText }),
  ),
);
export function preloadMarkdown(): void {
  return void loadMarkdown().catch(() => undefined);
}

function AnswerText({ text, isRunning }: AnswerTextProps) {
  if (text === '') return isRunning ? <span className={styles['cursor']} /> : null;
  return (
    <Suspense fallback={<PlainText text={text} isRunning={isRunning} />}>
      <Markdown text={text} isRunning={isRunning} />
    </Suspense>
  );
}

interface AnswerStatus {
  readonly state: AnswerState;
  readonly error: string | undefined;
  readonly waiting: boolean;
}

/** Returns the note below the text of an answer. */
function getNote({ state, error, waiting }: AnswerStatus): { readonly icon: Icon; readonly text: string } | undefined {
  if (waiting) return { icon: IconHourglass, text: 'Waiting: other prompts are answered first' };
  if (state === 'stopped') return { icon: IconHandStop, text: 'Stopped' };
  if (state === 'cut') return { icon: IconScissors, text: error ?? 'The answer was cut off here' };
  if (state === 'failed') return { icon: IconAlertTriangle, text: error ?? 'The answer failed' };
  return undefined;
}

interface AnswerViewProps extends AnswerStatus {
  readonly prompt: string;
  readonly text: string;
  readonly thoughts?: string | undefined;
  /** Called with the prompt of a failed answer. */
  readonly onAskAgain?: (prompt: string) => void;
}

/** An answer below its prompt. */
export const AnswerView = memo(function AnswerView(props: AnswerViewProps) {
  const { prompt, text, thoughts = '', onAskAgain, ...status } = props;
  const { state, waiting } = status;
  const answer = separateAnswer({ text, thoughts, state });
  const isThinking = state === 'running' && answer.text.trim() === '';
  const note = getNote(status);
  const isFailed = state === 'failed';
  return (
    <article className={styles['answer']} aria-busy={state === 'running'}>
      {prompt === '' ? null : (
        <p className={styles['prompt']} dir="auto">
          <span className="unseen">You asked: </span>
          {prompt}
        </p>
      )}
      {answer.thoughts === '' ? null : (
        <details className={styles['reasoning']}>
          <summary>{isThinking ? 'Thinking…' : 'Thoughts'}</summary>
          <p dir="auto">{answer.thoughts}</p>
        </details>
      )}
      {waiting ? null : <AnswerText text={answer.text} isRunning={state === 'running'} />}
      {note === undefined ? null : (
        <div className={styles['note']} data-failed={isFailed || undefined}>
          <note.icon size={16} stroke={1.75} aria-hidden />
          <span>{note.text}</span>
          {isFailed && onAskAgain !== undefined && prompt !== '' ? (
            <Button size="xs" onClick={() => onAskAgain(prompt)}>
              Ask again
            </Button>
          ) : null}
        </div>
      )}
    </article>
  );
});
