import { Button, TextInput } from '@mantine/core';
import { IconPlugConnectedX, IconRefresh, IconMoon } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState, type CSSProperties, type ReactNode, type RefObject } from 'react';
import { useLocation } from 'react-router';
import { HOUR_SECONDS, MINUTE_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { padTwo } from '#platform/contract/text.ts';
import { call } from '#platform/web/app/call.ts';
import { useCommands } from '#platform/web/app/commands.ts';
import { useNavigateTo } from '#platform/web/app/navigation.ts';
import { useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { getTimeZone } from '#platform/web/browser/formats.ts';
import { PageHeader } from '#platform/web/page/PageHeader.tsx';
import { Form } from '#platform/web/ui/Form.tsx';
import { Switch } from '#platform/web/ui/Switch.tsx';
import { chatstate, getstatusesdiscord, MAX_CODE_LENGTH } from '../contract.ts';
import { VIEWS, type View, STATUSES } from '../domain/status.ts';
import { statusPage } from '../page.ts';
import { type CursorPosition, DayRow } from './DayRow.tsx';
import { toShownDays } from './dayViews.ts';
import styles from './StatusPage.module.css';

const STATES = ['0', '1', '2'] as const;

const getState = (view: View): (typeof STATES)[number] => STATES[VIEWS.indexOf(view)] ?? '0';

/** Loads the days of a code and reloads them every minute. Loads nothing if `code` is undefined. */
function useStatuses(code: string | undefined, view: View) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['chatstatus', code, view],
    queryFn: async () => ({
      ...(await call(getstatusesdiscord, { code: code ?? '', state: getState(view), tz: getTimeZone() })),
      fetchedAt: Date.now(),
    }),
    enabled: code !== undefined,
    refetchInterval: ({ state }) => (state.error instanceof Refusal ? false : MINUTE_MS),
    // Keeps the previous view on screen until the new one of the same code is loaded.
    placeholderData: (previous, query) => (query?.queryKey[1] === code ? previous : undefined),
  });
  return {
    // A refused request must not show earlier data.
    answer: error instanceof Refusal ? undefined : data,
    problem: error?.message,
    isFetching,
    reload: () => void refetch(),
  };
}

/** Loads the state of the chat platforms; undefined until it is known. */
function usePlatforms() {
  return useQuery({
    queryKey: ['chatstate'],
    queryFn: async () => (await call(chatstate, {})).platforms,
    refetchInterval: MINUTE_MS,
  }).data;
}

/** Hour marks by window width: every sixth, fourth or second hour. */
const HOUR_STEPS = [6, 4, 2];

const hourMarks = Array.from({ length: 25 }, (_, hour) => ({
  hour,
  text: padTwo(hour),
  steps: HOUR_STEPS.filter((step) => hour % step === 0).join(' '),
}));

/** Hours above the bars; stays visible while scrolling. */
function Axis() {
  return (
    <div className={styles['axis']} aria-hidden="true">
      <div className={`${styles['hours']} num`}>
        {hourMarks.map(({ hour, text, steps }) => (
          <span key={hour} data-steps={steps} style={{ left: `${(hour / 24) * 100}%` }}>
            {text}
          </span>
        ))}
      </div>
    </div>
  );
}

/** Explains heights, patterns and colours. */
function Legend({ colours }: { readonly colours: Readonly<Record<string, string>> }) {
  return (
    <ul className={styles['legend']} aria-label="Legend">
      {STATUSES.map((status) => (
        <li key={status}>
          <i data-status={status} style={{ '--c': colours[status] } as CSSProperties} />
          {status}
        </li>
      ))}
    </ul>
  );
}

/** Shown in place of the days if there are none. */
function EmptyState({ heading, children }: { readonly heading: string; readonly children?: ReactNode }) {
  return (
    <div className={`${styles['empty']} holes`}>
      <span className={`${styles['tile']} hung`}>
        <IconMoon size={26} stroke={1.6} />
      </span>
      <div role="status">
        <h2>{heading}</h2>
      </div>
      {children}
    </div>
  );
}

interface CodeFormProps {
  readonly field: RefObject<HTMLInputElement | null>;
  /** Code of the days that are shown. */
  readonly code: string | undefined;
  readonly onSubmit: (code: string) => void;
  readonly isLoading: boolean;
  /** Controls beside the form. */
  readonly children: ReactNode;
}

/** Form for the code. */
function CodeForm({ field, code = '', onSubmit, isLoading, children }: CodeFormProps) {
  const [text, setText] = useState(code);
  const [lastCode, setLastCode] = useState(code);
  if (code !== lastCode) {
    // A link with another code was opened.
    setLastCode(code);
    setText(code);
  }
  return (
    <Form className={styles['form']} onSubmit={() => onSubmit(text)}>
      <TextInput
        ref={field}
        className={styles['code'] ?? ''}
        aria-label="Code"
        placeholder="Code"
        maxLength={MAX_CODE_LENGTH}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        enterKeyHint="go"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" variant="primary" className={styles['submit'] ?? ''} loading={isLoading}>
        Submit
      </Button>
      {children}
    </Form>
  );
}

const MIDDAY = 12 * HOUR_SECONDS;

type Platforms = NonNullable<ReturnType<typeof usePlatforms>>;

/** Explains how to get a code, or why that is not possible. */
function CodeInstructions({ platforms }: { readonly platforms: Platforms }) {
  const names = platforms.map(({ name }) => name).join(' or ');
  return names === '' ? (
    <p>
      No chat platform is set up. The owner of this server can create a Discord bot and set <code>DISCORD_TOKEN</code>,
      as described in docs/chatstatus.md
    </p>
  ) : (
    <p>
      Get a code from the bot on {names} with <code>/schedule start</code>. Later, use <code>/schedule code</code>
    </p>
  );
}

function ProblemNote({ sentence }: { readonly sentence: string }) {
  return (
    <p className={styles['problem']} role="status">
      <IconPlugConnectedX size={16} stroke={1.75} aria-hidden />
      {sentence}
    </p>
  );
}

function createCursorPosition(): CursorPosition {
  let position = MIDDAY;
  return {
    get: () => position,
    set: (seconds) => {
      position = seconds;
    },
  };
}

function Days({ answer }: { readonly answer: NonNullable<ReturnType<typeof useStatuses>['answer']> }) {
  const [cursorPosition] = useState(createCursorPosition);
  const days = useMemo(() => toShownDays(answer, answer.fetchedAt), [answer]);
  if (days.length === 0) return <EmptyState heading="No recorded days yet" />;
  return (
    <>
      <Axis />
      <ul aria-label="Days">
        {days.map((day, index) => (
          <DayRow
            key={day.date}
            day={day}
            colours={answer.colours}
            nextSleep={days[index - 1]?.sleep}
            cursorPosition={cursorPosition}
          />
        ))}
      </ul>
    </>
  );
}

const getNextView = (view: View): View => VIEWS[(VIEWS.indexOf(view) + 1) % VIEWS.length] ?? 'both';

/** Manages the current code, and whether this browser stores it. */
function useCode() {
  const { hash } = useLocation();
  const navigate = useNavigateTo();
  const [storedCode = '', setStoredCode] = useBrowserStorage('chatstatus.code');
  const [code, setCode] = useState(storedCode === '' ? undefined : storedCode);
  const [isStored, setIsStored] = useState(storedCode !== '');
  const [handledHash, setHandledHash] = useState('');
  if (hash !== handledHash) {
    setHandledHash(hash);
    // The bot's link has a code after #. It may belong to somebody else, so the stored code stays.
    if (hash !== '') {
      setCode(hash.slice(1));
      setIsStored(hash.slice(1) === storedCode);
    }
  }
  useEffect(() => {
    // Removes the code from the address, so that it doesn't appear in the history.
    if (hash !== '') navigate(statusPage.path, { replace: true });
  }, [hash, navigate]);
  function setRemembered(isRemembered: boolean): void {
    setIsStored(isRemembered);
    if (!isRemembered) setStoredCode('');
  }
  return { code, setCode, isStored, setRemembered, setStoredCode };
}

/** Page with the days of a person, selected by the code of the bot. */
export default function StatusPage() {
  const { code, setCode, isStored, setRemembered, setStoredCode } = useCode();
  const [view, setView] = useState<View>('both');
  const { answer, problem, isFetching, reload } = useStatuses(code, view);
  const platforms = usePlatforms();
  const field = useRef<HTMLInputElement>(null);
  const isKnown = answer !== undefined;

  useEffect(() => {
    // Stores only codes that work.
    if (isStored && isKnown && code !== undefined) setStoredCode(code);
  }, [isStored, isKnown, code, setStoredCode]);

  const showNextView = (): void => setView(getNextView);
  useCommands([
    { id: 'chatstatus.code', name: 'Enter a code', keys: '/', opensField: true, run: () => field.current?.select() },
    { id: 'chatstatus.view', name: 'Show both, pc or mobile', keys: 'v', run: showNextView },
  ]);

  return (
    <div className={styles['page']} data-flush>
      <PageHeader />
      <div className={styles['head']}>
        <CodeForm
          field={field}
          code={code}
          onSubmit={(submittedCode) => (submittedCode === code ? reload() : setCode(submittedCode))}
          isLoading={isFetching && !isKnown}
        >
          <Button
            className={styles['cycle'] ?? ''}
            leftSection={<IconRefresh size={16} stroke={1.75} />}
            onClick={showNextView}
            title="Show both, pc or mobile"
          >
            Show {view}
          </Button>
          <span
            className={styles['remember']}
            title="Stores the code in this browser, so that this page opens with the days"
          >
            <Switch label="Remember code" isOn={isStored} onChange={setRemembered} />
          </span>
        </CodeForm>
        {answer ? <Legend colours={answer.colours} /> : null}
      </div>
      <div className={styles['body']}>
        {(platforms ?? []).map(({ name, isReady, state }) =>
          isReady ? null : <ProblemNote key={name} sentence={state} />,
        )}
        {isKnown && problem !== undefined ? <ProblemNote sentence={problem} /> : null}
        {answer ? <Days answer={answer} /> : null}
        {isKnown ? null : (
          <EmptyState heading={problem ?? 'Enter code'}>
            {platforms === undefined || problem !== undefined ? null : <CodeInstructions platforms={platforms} />}
          </EmptyState>
        )}
      </div>
    </div>
  );
}
