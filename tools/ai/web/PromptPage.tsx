import { Button, Loader } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { Suspense, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useDraft } from '#platform/web/app/drafts.ts';
import { lazyPart } from '#platform/web/app/latePart.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { separatedAnswer, wholeText, type ShownAnswer, type Thread } from '../domain/thread.ts';
import { prepareMarkdown } from './AnswerText.tsx';
import { AnswerView } from './AnswerView.tsx';
import { NotSetUp } from './NotSetUp.tsx';
import { PromptForm } from './PromptForm.tsx';
import { Scrollable } from './Scrollable.tsx';
import { useAsking } from './useAsking.ts';
import { useThread } from './useThread.ts';
import styles from './PromptPage.module.css';

const EarlierAnswers = lazyPart(async () => (await import('./EarlierAnswers.tsx')).EarlierAnswers);

/** Nearer to the end than this, the page follows what is written. */
const FOLLOWED_PX = 80;
const SPOKEN = 500;

/** What a screen reader says of an answer that has ended. */
const spoken = (answer: ShownAnswer): string => {
  const { state, error } = answer;
  const { text } = separatedAnswer(answer);
  const start = text.length > SPOKEN ? `${text.slice(0, SPOKEN)}…` : text;
  if (state === 'done') return `Answer finished. ${start}`;
  return state === 'stopped' ? 'Answer stopped.' : `${error ?? 'The answer failed'}.`;
};

/** The words for answers of this visit that have ended; each is said once. */
const useAnnouncement = (thread: Thread): string => {
  const said = useRef(new Set<number>());
  const [words, setWords] = useState('');
  useEffect(() => {
    const news = thread.filter(({ answerid, state }) => state !== 'running' && !said.current.has(answerid));
    for (const { answerid } of news) said.current.add(answerid);
    if (news.length > 0) setWords(news.map(spoken).join(' '));
  }, [thread]);
  return words;
};

/** Keeps the end in sight while the person has not scrolled away from it. */
const useFollowing = () => {
  const area = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  useLayoutEffect(() => {
    if (follows.current && area.current) area.current.scrollTop = area.current.scrollHeight;
  });
  const onScroll = useCallback(() => {
    const { scrollHeight, scrollTop, clientHeight } = area.current ?? {
      scrollHeight: 0,
      scrollTop: 0,
      clientHeight: 0,
    };
    follows.current = scrollHeight - scrollTop - clientHeight < FOLLOWED_PX;
  }, []);
  const follow = useCallback(() => {
    follows.current = true;
  }, []);
  return { area, onScroll, follow };
};

export default function PromptPage() {
  const [prompt, setPrompt] = useDraft('qai');
  const [earlier, setEarlier] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const { thread, latest, change, configured, ...line } = useThread();
  const { ask, stop, busy, why } = useAsking({ change, ...line });
  const { area, onScroll, follow } = useFollowing();
  const announcement = useAnnouncement(thread);
  const running = thread.filter(({ state }) => state === 'running').map(({ answerid }) => answerid);
  useEffect(prepareMarkdown, []);

  const send = async (asked: string): Promise<void> => {
    if (busy) return;
    follow();
    // What was typed meanwhile stays, and so does a prompt that was not taken.
    if (await ask(asked)) setPrompt((now) => (now === asked ? '' : now));
  };
  const again = useCallback(
    (asked: string) => {
      setPrompt(asked);
      field.current?.focus();
    },
    [setPrompt],
  );

  return (
    <div className={styles['page']} data-flush>
      <PageHeader
        title="thing"
        note={
          running.length > 0 ? (
            <Badge tone="brass">
              <Loader size={12} color="currentColor" />
              answering
            </Badge>
          ) : undefined
        }
      >
        <Button
          variant="subtle"
          className={styles['quiet'] ?? ''}
          leftSection={<IconHistory size={17} stroke={1.75} />}
          onClick={() => setEarlier(true)}
        >
          Earlier answers
        </Button>
      </PageHeader>
      <Scrollable ref={area} label="Answers" className={styles['area']} onScroll={onScroll}>
        {configured === false ? <NotSetUp /> : null}
        <div className={styles['column']} aria-live="off">
          {thread.map((answer) => (
            <AnswerView key={answer.answerid} {...answer} again={again} />
          ))}
        </div>
      </Scrollable>
      <PromptForm
        field={field}
        prompt={prompt}
        setPrompt={setPrompt}
        submit={() => void send(prompt)}
        busy={busy}
        why={why}
        stop={running.length > 0 ? () => void stop(running) : undefined}
        // oxlint-disable-next-line no-console -- the specification's second button (specification 1, section 2)
        toConsole={() => console.log(wholeText(latest.current))}
      />
      <p className="unseen" role="status">
        {announcement}
      </p>
      {earlier ? (
        <Suspense>
          <EarlierAnswers shown={thread.map(({ answerid }) => answerid)} onClose={() => setEarlier(false)} />
        </Suspense>
      ) : null}
    </div>
  );
}
