import { Button, Loader } from '@mantine/core';
import { IconHistory, IconPlugConnectedX, IconPlayerStop, IconTerminal2 } from '@tabler/icons-react';
import {
  Suspense,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type RefObject,
} from 'react';
import { countCodePoints } from '#platform/contract/fields.ts';
import { useDraft } from '#platform/web/app/drafts.ts';
import { lazyPart } from '#platform/web/app/lazyPart.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { Badge } from '#platform/web/ui/Badge.tsx';
import { EmptyState } from '#platform/web/ui/EmptyState.tsx';
import { PROMPT_LIMIT } from '../contract.ts';
import { separatedAnswer, wholeText, type ShownAnswer, type Thread } from '../domain/thread.ts';
import { prepareMarkdown, AnswerView } from './AnswerView.tsx';
import { Scrollable } from './Scrollable.tsx';
import { useAsking, useThread } from './useThread.ts';
import styles from './PromptPage.module.css';

const EXAMPLE = 'AI_BASE_URL=http://127.0.0.1:11434/v1\nAI_MODEL=llama3.2';

/** Shown in place of the answers if no AI server is set up. */
export function NotSetUp() {
  return (
    <section className={styles['box']} aria-label="Not set up">
      <EmptyState
        icon={IconPlugConnectedX}
        text="No AI is set up. The owner of this server can connect one, such as Ollama or llama.cpp"
      >
        <Scrollable as="pre" label="Example">
          {EXAMPLE}
        </Scrollable>
        <p className={styles['instructions']}>
          Set these two variables (and AI_API_KEY if the AI server needs a key) and restart the server. See docs/ai.md
        </p>
      </EmptyState>
    </section>
  );
}

interface PromptFormProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly prompt: string;
  readonly setPrompt: (prompt: string) => void;
  readonly submit: () => void;
  readonly busy: boolean;
  /** Why the server refused the prompt. */
  readonly why: string | undefined;
  /** Undefined while nothing runs. */
  readonly stop: (() => void) | undefined;
  readonly toConsole: () => void;
}

/** The counter appears near the limit. */
const COUNTER_THRESHOLD = PROMPT_LIMIT - 1000;

function Count({ prompt }: { readonly prompt: string }) {
  const length = prompt.length < COUNTER_THRESHOLD ? 0 : countCodePoints(prompt);
  if (length < COUNTER_THRESHOLD) return null;
  return (
    <span className={`${styles['count']} num`} data-over={length > PROMPT_LIMIT || undefined}>
      {length} / {PROMPT_LIMIT}
    </span>
  );
}

const fit = (area: HTMLTextAreaElement): void => {
  area.style.height = 'auto';
  area.style.height = `${area.scrollHeight + 2}px`;
};

/** Prompt field and its buttons. Enter submits, Shift+Enter starts a new line. */
export function PromptForm({ field, prompt, setPrompt, submit, busy, why, stop, toConsole }: PromptFormProps) {
  // As high as its text, up to the limit of the style.
  useLayoutEffect(() => {
    if (field.current) fit(field.current);
  });

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (!event.repeat) submit();
  };

  return (
    <form
      className={styles['form']}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className={styles['row']}>
        {why === undefined ? null : (
          <p id="prompt-why" className={styles['reason']}>
            {why}
          </p>
        )}
        <textarea
          ref={field}
          className={styles['field']}
          rows={1}
          aria-label="prompt"
          aria-describedby={why === undefined ? undefined : 'prompt-why'}
          placeholder="prompt"
          enterKeyHint="send"
          dir="auto"
          value={prompt}
          onChange={(event) => setPrompt(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <Count prompt={prompt} />
        <Button
          size="lg"
          variant="subtle"
          className={styles['formQuiet'] ?? ''}
          title="Writes the text so far to the browser console"
          leftSection={<IconTerminal2 size={17} stroke={1.75} />}
          onClick={toConsole}
        >
          console
        </Button>
        {stop === undefined ? null : (
          <Button size="lg" leftSection={<IconPlayerStop size={17} stroke={1.75} />} onClick={stop}>
            stop
          </Button>
        )}
        <Button size="lg" variant="primary" type="submit" aria-disabled={busy} data-busy={busy || undefined}>
          submit
        </Button>
      </div>
    </form>
  );
}

const EarlierAnswers = lazyPart(async () => (await import('./EarlierAnswers.tsx')).EarlierAnswers);

/** While the page is scrolled this close to its end, it follows new text. */
const FOLLOW_DISTANCE_PX = 80;
const MAX_ANNOUNCED_LENGTH = 500;

/** Returns what a screen reader announces when an answer has ended. */
const formatAnnouncement = (answer: ShownAnswer): string => {
  const { state, error } = answer;
  const { text } = separatedAnswer(answer);
  const start = text.length > MAX_ANNOUNCED_LENGTH ? `${text.slice(0, MAX_ANNOUNCED_LENGTH)}…` : text;
  if (state === 'done') return `Answer finished. ${start}`;
  return state === 'stopped' ? 'Answer stopped.' : `${error ?? 'The answer failed'}.`;
};

/** Returns the announcement of answers that have ended; each is announced once. */
const useAnnouncement = (thread: Thread): string => {
  const announcedIds = useRef(new Set<number>());
  const [words, setWords] = useState('');
  useEffect(() => {
    const ended = thread.filter(({ answerid, state }) => state !== 'running' && !announcedIds.current.has(answerid));
    for (const { answerid } of ended) announcedIds.current.add(answerid);
    if (ended.length > 0) setWords(ended.map(formatAnnouncement).join(' '));
  }, [thread]);
  return words;
};

/** Follows the end of the text until the user scrolls away from it. */
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
    follows.current = scrollHeight - scrollTop - clientHeight < FOLLOW_DISTANCE_PX;
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

  const send = async (submittedPrompt: string): Promise<void> => {
    if (busy) return;
    follow();
    // Text that was typed meanwhile stays, and so does a prompt that was refused.
    if (await ask(submittedPrompt)) setPrompt((now) => (now === submittedPrompt ? '' : now));
  };
  const again = useCallback(
    (submittedPrompt: string) => {
      setPrompt(submittedPrompt);
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
            <AnswerView key={answer.answerid} {...answer} onAskAgain={again} />
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
        // oxlint-disable-next-line no-console -- the 'console' button writes there (docs/specification/ai.md section 1)
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
