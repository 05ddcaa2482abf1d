import { lazy, Suspense } from 'react';
import styles from './AnswerText.module.css';

interface AnswerTextProps {
  readonly text: string;
  readonly running: boolean;
}

const Plain = ({ text }: AnswerTextProps) => <p className={styles['plain']}>{text}</p>;

const load = () => import('./Markdown.tsx');
/** Heavy: comes behind the page. Where it does not come, the text is shown as it stands. */
const Markdown = lazy(() =>
  load().then(
    (loaded) => ({ default: loaded.Markdown }),
    () => ({ default: Plain }),
  ),
);
export const prepareMarkdown = (): void => void load().catch(() => undefined);

/** The text of an answer. */
export function AnswerText({ text, running }: AnswerTextProps) {
  if (text === '') return running ? <span className={styles['cursor']} /> : null;
  return (
    <Suspense fallback={<Plain text={text} running={running} />}>
      <Markdown text={text} running={running} />
    </Suspense>
  );
}
