import { useState, useCallback, useRef } from 'react';
import { isUnreachableError } from '#platform/contract/client.ts';
import { NO_ANSWER_MESSAGE } from '#platform/contract/command.ts';
import { NO_TARGET } from '#platform/contract/fields.ts';
import { getInputType } from '#platform/contract/message.ts';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import { call } from '#platform/web/app/call.ts';
import { useDraft } from '#platform/web/app/drafts.ts';
import { showError } from '#platform/web/app/failure.ts';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { getReceivedMs } from '#platform/web/browser/formats.ts';
import { keyboardinput } from '../../contract.ts';
import { pressSpecialButton, type KeyName } from '../../domain/keys.ts';
import { checkSending, parseMessageAction } from '../../domain/outgoingMessage.ts';
import type { HistoryEntry, Line } from './useHistory.ts';

/** A message sent from this page. The outcome is '' while pending, 'ok', or the reason for a failure. */
export interface PageLine extends Omit<HistoryEntry, 'id' | 'received'> {
  readonly target: string;
  /** Milliseconds at which the server received the previous line; this one is placed after it. */
  readonly after: number;
}

const isSameMoment = (one: number, other: number): boolean => Math.abs(one - other) < 0.0005;

/** Returns the lines of this page that the server does not have; the same list if that is all of them. */
function withoutKnown(own: readonly PageLine[], lines: readonly Line[]): readonly PageLine[] {
  const serverTimes = lines.filter((each) => each.from === 'person').map(({ timesent }) => timesent);
  const rest = own.filter((each) => !serverTimes.some((moment) => isSameMoment(moment, each.timesent)));
  return rest.length === own.length ? own : rest;
}

/**
 * Adds the lines of this page that the server does not have (yet), each after the line that preceded it when it was
 * sent.
 */
export function withOwn(lines: readonly Line[], own: readonly PageLine[]): readonly Line[] {
  const ownLines = withoutKnown(own, lines).map(
    ({ inputtype, inputValue, timesent, kept: stored, outcome, after }): Line => ({
      from: 'person',
      id: undefined,
      inputtype,
      inputValue,
      timesent,
      received: after / 1000,
      kept: stored,
      outcome,
    }),
  );
  return [...lines, ...ownLines].toSorted((one, other) => getReceivedMs(one) - getReceivedMs(other));
}

/** Returns the milliseconds at which the server received the last of these lines. */
export function lastReceivedMs(lines: readonly Line[]): number {
  return Math.max(0, ...lines.map(getReceivedMs));
}

const MAX_OWN_LINES = 100;
let lastSent = 0;

/** Returns seconds since the epoch with milliseconds, larger at each call, so that each message has its own time. */
const timeToSend = (): number => {
  lastSent = Math.max(Date.now(), lastSent + 1);
  return lastSent / 1000;
};

/** Returns a random key. Works over plain http too, where browsers have no `randomUUID`. */
const randomKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-');

/** The fields that identify a sent message. */
interface SendingId {
  readonly target: string;
  readonly timesent: number;
  readonly key: string;
}

/**
 * Validates a message in the order of docs/specification/platform.md section 4.1, and then its markers.
 * @throws Refusal
 */
export function checkMessage(text: string, target: string | undefined): void {
  checkSending(text, target ?? NO_TARGET);
  parseMessageAction(getInputType(text), text);
}

/**
 * Sends a message, and resolves once the device has done it.
 * @param keep whether the history stores the text
 * @throws Refusal from the rules or the device; CallError if the server did not answer, and nothing is sent later then.
 */
export type SendMessage = (text: string, target: string | undefined, keep: boolean) => Promise<void>;

/** Sends messages in order, one after another, and tracks their outcomes. */
export function useSending() {
  const [own, setOwn] = useState<readonly PageLine[]>([]);
  const [enqueue] = useState(createSerialQueue);
  /** Unanswered messages. Sending one again reuses its id, because the device may have typed it already. */
  const unanswered = useRef(new Map<string, SendingId>());
  const lastReceived = useRef(0);

  const send: SendMessage = useCallback(
    async (text, target = NO_TARGET, keep) => {
      checkMessage(text, target);
      const messageKey = JSON.stringify([target, keep, text]);
      const { timesent, key } = unanswered.current.get(messageKey) ?? { timesent: timeToSend(), key: randomKey() };
      unanswered.current.delete(messageKey);
      const inputtype = getInputType(text);
      const message: PageLine = {
        inputtype,
        inputValue: keep ? text : '',
        target,
        timesent,
        outcome: '',
        after: lastReceived.current,
        ...(keep ? {} : { kept: false }),
      };
      const settle = (outcome: string) =>
        setOwn((lines) => lines.map((each) => (each.timesent === timesent ? { ...each, outcome } : each)));
      setOwn((lines) => [...lines.filter((each) => each.timesent !== timesent).slice(-MAX_OWN_LINES), message]);
      const content = { inputtype, inputValue: text, timesent, target, ...(keep ? {} : { keep, key }) };
      try {
        await enqueue(() => call(keyboardinput, { content }));
        settle('ok');
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (reason === NO_ANSWER_MESSAGE || isUnreachableError(error))
          unanswered.current.set(messageKey, { timesent, key, target });
        settle(reason);
        throw error;
      }
    },
    [enqueue],
  );

  /** Merges the server's lines with the lines of this page that the server does not have (yet). */
  const mergeLines = (lines: readonly Line[], target: string | undefined): readonly Line[] =>
    withOwn(
      lines,
      own.filter((each) => each.target === target),
    );
  /** Removes the lines that the server has, so that deleting them there deletes them here too. */
  const follow = useCallback((lines: readonly Line[]): void => {
    lastReceived.current = lastReceivedMs(lines);
    setOwn((before) => withoutKnown(before, lines));
  }, []);
  /** Removes one line of this page, or all of a device. */
  const forget = useCallback((target: string, timesent?: number): void => {
    for (const [messageKey, message] of unanswered.current)
      if (message.target === target && (timesent === undefined || message.timesent === timesent))
        unanswered.current.delete(messageKey);
    setOwn((lines) =>
      lines.filter((each) => each.target !== target || (timesent !== undefined && each.timesent !== timesent)),
    );
  }, []);

  return { send, mergeLines, follow, forget };
}

const MODE = 'dashboard.keep';
// A choice not to keep messages applies to all tabs.
browserStorage.followOtherTabs(MODE);

/**
 * Whether the next message is stored in the history: as set for this browser, unless the user chose otherwise for one
 * message.
 */
export function useKeeping() {
  const [mode, setMode] = useBrowserStorage(MODE);
  // Stored with the draft it applies to: both survive a change of the page and a login.
  const [nextMessageChoice, setOnce] = useDraft('remote.once', { isSecret: true });
  const isAlways = mode !== 'off';
  const keep = nextMessageChoice === '' ? isAlways : nextMessageChoice === 'keep';
  return {
    keep,
    /** Toggles for the next message only. */
    toggle: (): void => setOnce(keep ? 'not' : 'keep'),
    /** Call this when the message is done, as the choice applied to it alone. */
    reset: (): void => setOnce(''),
    /** The setting for all messages sent from this browser. */
    isAlways,
    setAlways: (always: boolean): void => {
      setOnce('');
      setMode(always ? 'on' : 'off');
    },
  };
}

export type RetentionControls = ReturnType<typeof useKeeping>;

/** Runs a check. Shows a refusal as a notice and returns false. */
const attempt = (act: () => void): boolean => {
  try {
    act();
    return true;
  } catch (error) {
    showError(error);
    return false;
  }
};

/** The text field: its content, the special buttons that write to it, and sending. */
export function useComposer(send: SendMessage, target: string | undefined) {
  const [isSending, setIsSending] = useState(false);
  const keeping = useKeeping();
  const { keep } = keeping;
  const [text, setText] = useDraft('remote.text', { isSecret: !keep });

  /** Sends a text. Returns false if it was refused. */
  const deliver = (value: string, onFailed?: () => void): boolean => {
    if (!attempt(() => checkMessage(value, target))) return false;
    send(value, target, keep).catch((error: unknown) => {
      showError(error);
      onFailed?.();
    });
    return true;
  };

  /** Sends a text that is stored nowhere else: it stays in the field until the device has done it. */
  const submitUnkept = async (): Promise<void> => {
    if (isSending || !attempt(() => checkMessage(text, target))) return;
    setIsSending(true);
    try {
      await send(text, target, false);
      // Text that was entered meanwhile, also on another page, is another message, and the option applies to it.
      let isSame = false;
      setText((current) => {
        isSame = current === text;
        return isSame ? '' : current;
      });
      if (isSame) keeping.reset();
    } catch (error) {
      showError(error);
    } finally {
      setIsSending(false);
    }
  };

  /**
   * Sends the content of the field and empties it. If it fails, the text is restored unless something else was typed.
   */
  const submit = (): void => {
    if (!keep) void submitUnkept();
    else if (deliver(text, () => setText((current) => (current === '' ? text : current)))) {
      setText('');
      keeping.reset();
    }
  };

  /** Sends a line of the history again. If the field still contains it after a failure, it is removed from there. */
  const sendAgain = (value: string): void => {
    if (value === text) submit();
    else deliver(value);
  };

  const press = (key: KeyName): boolean => attempt(() => setText(pressSpecialButton(text, key)));

  return { text, setText, deliver, submit, sendAgain, press, keeping, isSending };
}
