import { Button, Loader } from '@mantine/core';
import {
  IconHistory,
  IconMessageCircleQuestion,
  IconPlugConnectedX,
  IconPlayerStop,
  IconTerminal2,
} from '@tabler/icons-react';
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
import { Form } from '#platform/web/ui/Form.tsx';
import { MAX_PROMPT_LENGTH } from '../contract.ts';
import { separateAnswer, getWholeText, type ThreadAnswer, type Thread } from '../domain/thread.ts';
import { preloadMarkdown, AnswerView } from './AnswerView.tsx';
import { Scrollable } from './Scrollable.tsx';
import { useAsking, useThread } from './useThread.ts';
import styles from './PromptPage.module.css';

const EXAMPLE = 'AI_BASE_URL=http://127.0.0.1:11434/v1\nAI_MODEL=llama3.2';

/** Shown in place of the answers if no AI server is set up. */
function NotSetUp() {
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
  readonly fieldRef: RefObject<HTMLTextAreaElement | null>;
  readonly prompt: string;
  readonly onPromptChange: (prompt: string) => void;
  readonly onSubmit: () => void;
  readonly isBusy: boolean;
  readonly refusalReason: string | undefined;
  /** Undefined if no answer is running. */
  readonly onStop: (() => void) | undefined;
  readonly onPrintToConsole: () => void;
}

/** The counter appears near the limit. */
const COUNTER_THRESHOLD = MAX_PROMPT_LENGTH - 1000;

function CharacterCount({ prompt }: { readonly prompt: string }) {
  const length = prompt.length < COUNTER_THRESHOLD ? 0 : countCodePoints(prompt);
  if (length < COUNTER_THRESHOLD) return null;
  return (
    <span className={`${styles['count']} num`} data-over={length > MAX_PROMPT_LENGTH || undefined}>
      {length} / {MAX_PROMPT_LENGTH}
    </span>
  );
}

function fitHeight(area: HTMLTextAreaElement): void {
  area.style.height = 'auto';
  area.style.height = `${area.scrollHeight + 2}px`;
}

/** Prompt field and its buttons. Enter submits, Shift+Enter starts a new line. */
function PromptForm(props: PromptFormProps) {
  const { fieldRef, prompt, onPromptChange, onSubmit, isBusy, refusalReason, onStop, onPrintToConsole } = props;
  // The style sheet limits the height.
  useLayoutEffect(() => {
    if (fieldRef.current) fitHeight(fieldRef.current);
  });

  function handleKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (!event.repeat) onSubmit();
  }

  return (
    <Form className={styles['form']} onSubmit={onSubmit}>
      <div className={styles['row']}>
        {refusalReason === undefined ? null : (
          <p id="prompt-why" className={styles['reason']}>
            {refusalReason}
          </p>
        )}
        <textarea
          ref={fieldRef}
          className={styles['field']}
          rows={1}
          aria-label="prompt"
          aria-describedby={refusalReason === undefined ? undefined : 'prompt-why'}
          placeholder="prompt"
          enterKeyHint="send"
          dir="auto"
          value={prompt}
          onChange={(event) => onPromptChange(event.currentTarget.value)}
          onKeyDown={handleKeyDown}
        />
        <CharacterCount prompt={prompt} />
        <Button
          size="lg"
          variant="subtle"
          className={styles['formQuiet'] ?? ''}
          title="Writes the text so far to the browser console"
          leftSection={<IconTerminal2 size={17} stroke={1.75} />}
          onClick={onPrintToConsole}
        >
          console
        </Button>
        {onStop === undefined ? null : (
          <Button size="lg" leftSection={<IconPlayerStop size={17} stroke={1.75} />} onClick={onStop}>
            stop
          </Button>
        )}
        <Button size="lg" variant="primary" type="submit" aria-disabled={isBusy} data-busy={isBusy || undefined}>
          submit
        </Button>
      </div>
    </Form>
  );
}

const EarlierAnswers = lazyPart(async () => (await import('./EarlierAnswers.tsx')).EarlierAnswers);

/** While the page is scrolled this close to its end, it follows new text. */
const FOLLOW_DISTANCE_PX = 80;
const MAX_ANNOUNCED_LENGTH = 500;

/** Returns what a screen reader announces when an answer has ended. */
function formatAnnouncement(answer: ThreadAnswer): string {
  const { state, error } = answer;
  const { text } = separateAnswer(answer);
  const beginning = text.length > MAX_ANNOUNCED_LENGTH ? `${text.slice(0, MAX_ANNOUNCED_LENGTH)}…` : text;
  if (state === 'done') return `Answer finished. ${beginning}`;
  return state === 'stopped' ? 'Answer stopped.' : `${error ?? 'The answer failed'}.`;
}

/** Returns an announcement of the answers that have just ended. */
function useAnnouncement(thread: Thread): string {
  const announcedIds = useRef(new Set<number>());
  const [announcement, setAnnouncement] = useState('');
  useEffect(() => {
    const ended = thread.filter(({ answerid, state }) => state !== 'running' && !announcedIds.current.has(answerid));
    for (const { answerid } of ended) announcedIds.current.add(answerid);
    if (ended.length > 0) setAnnouncement(ended.map(formatAnnouncement).join(' '));
  }, [thread]);
  return announcement;
}

/** Scrolls to the end of new text, until the user scrolls away from it. */
function useAutoScroll() {
  const areaRef = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  useLayoutEffect(() => {
    if (isFollowing.current && areaRef.current) areaRef.current.scrollTop = areaRef.current.scrollHeight;
  });
  const handleScroll = useCallback(() => {
    const { scrollHeight, scrollTop, clientHeight } = areaRef.current ?? {
      scrollHeight: 0,
      scrollTop: 0,
      clientHeight: 0,
    };
    isFollowing.current = scrollHeight - scrollTop - clientHeight < FOLLOW_DISTANCE_PX;
  }, []);
  const follow = useCallback(() => {
    isFollowing.current = true;
  }, []);
  return { areaRef, handleScroll, follow };
}

export default function PromptPage() {
  const [prompt, setPrompt] = useDraft('qai');
  const [isEarlierOpen, setIsEarlierOpen] = useState(false);
  const fieldRef = useRef<HTMLTextAreaElement>(null);
  const { thread, latest, change, configured, ...connection } = useThread();
  const { ask, stop, isBusy, refusalReason } = useAsking({ change, ...connection });
  const { areaRef, handleScroll, follow } = useAutoScroll();
  const announcement = useAnnouncement(thread);
  const runningIds = thread.filter(({ state }) => state === 'running').map(({ answerid }) => answerid);
  useEffect(preloadMarkdown, []);

  async function send(submittedPrompt: string): Promise<void> {
    if (isBusy) return;
    follow();
    // A refused prompt stays, and so does text that was entered meanwhile.
    if (await ask(submittedPrompt)) setPrompt((current) => (current === submittedPrompt ? '' : current));
  }
  const handleAskAgain = useCallback(
    (submittedPrompt: string) => {
      setPrompt(submittedPrompt);
      fieldRef.current?.focus();
    },
    [setPrompt],
  );

  return (
    <div className={styles['page']} data-flush>
      <PageHeader
        title="thing"
        note={
          runningIds.length > 0 ? (
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
          onClick={() => setIsEarlierOpen(true)}
        >
          Earlier answers
        </Button>
      </PageHeader>
      <Scrollable ref={areaRef} label="Answers" className={styles['area']} onScroll={handleScroll}>
        {configured === false ? <NotSetUp /> : null}
        {configured === true && thread.length === 0 ? (
          <div className={styles['box']}>
            <EmptyState
              icon={IconMessageCircleQuestion}
              text="Enter a prompt below. The answer appears here while it is written"
            />
          </div>
        ) : null}
        <div className={styles['column']} aria-live="off">
          {thread.map((answer) => (
            <AnswerView key={answer.answerid} {...answer} onAskAgain={handleAskAgain} />
          ))}
        </div>
      </Scrollable>
      <PromptForm
        fieldRef={fieldRef}
        prompt={prompt}
        onPromptChange={setPrompt}
        onSubmit={() => void send(prompt)}
        isBusy={isBusy}
        refusalReason={refusalReason}
        onStop={runningIds.length > 0 ? () => void stop(runningIds) : undefined}
        // oxlint-disable-next-line no-console -- the 'console' button writes there (docs/specification/ai.md section 1)
        onPrintToConsole={() => console.log(getWholeText(latest.current))}
      />
      <p className="unseen" role="status">
        {announcement}
      </p>
      {isEarlierOpen ? (
        <Suspense>
          <EarlierAnswers
            excludedIds={thread.map(({ answerid }) => answerid)}
            onClose={() => setIsEarlierOpen(false)}
          />
        </Suspense>
      ) : null}
    </div>
  );
}
