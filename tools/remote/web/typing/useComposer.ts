import { useState, useCallback, useRef } from 'react';
import { isUnreachableError } from '#platform/contract/client.ts';
import { NO_ANSWER_MESSAGE } from '#platform/contract/command.ts';
import { NO_TARGET } from '#platform/contract/fields.ts';
import { getInputType } from '#platform/contract/message.ts';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import { call } from '#platform/web/app/call.ts';
import { useDraft } from '#platform/web/app/drafts.ts';
import { showError } from '#platform/web/app/showError.ts';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { getReceivedMs } from '#platform/web/browser/formats.ts';
import { keyboardinput } from '../../contract.ts';
import { pressSpecialButton, type KeyName } from '../../domain/keys.ts';
import { validateOutgoingMessage, parseMessageAction } from '../../domain/outgoingMessage.ts';
import type { HistoryEntry, HistoryLine } from './useMessageHistory.ts';

/** A message sent from this page. The outcome is '' while pending, 'ok', or the reason for a failure. */
export interface PageLine extends Omit<HistoryEntry, 'id' | 'received'> {
  readonly target: string;
  /** Milliseconds at which the server received the previous line; this one is placed after it. 0 if there was none. */
  readonly after: number;
}

const isSameMoment = (one: number, other: number): boolean => Math.abs(one - other) < 0.0005;

/** Removes the lines of this page that the server has; returns the same list if it has none of them. */
function removeServerLines(pageLines: readonly PageLine[], lines: readonly HistoryLine[]): readonly PageLine[] {
  const serverTimes = lines.filter((each) => each.from === 'person').map(({ timesent }) => timesent);
  const rest = pageLines.filter((each) => !serverTimes.some((time) => isSameMoment(time, each.timesent)));
  return rest.length === pageLines.length ? pageLines : rest;
}

/** Adds the lines of this page that the server lacks (yet), each after the line that was last when it was sent. */
export function mergePageLines(lines: readonly HistoryLine[], pageLines: readonly PageLine[]): readonly HistoryLine[] {
  const unknownLines = removeServerLines(pageLines, lines).map(
    ({ inputtype, inputValue, timesent, kept, outcome, after }): HistoryLine => ({
      from: 'person',
      id: undefined,
      inputtype,
      inputValue,
      timesent,
      // Before any other line, it has only its own time.
      received: after === 0 ? undefined : after / 1000,
      kept,
      outcome,
    }),
  );
  return [...lines, ...unknownLines].toSorted((one, other) => getReceivedMs(one) - getReceivedMs(other));
}

/** Returns the milliseconds at which the server received the last of these lines. */
export function getLastReceivedMs(lines: readonly HistoryLine[]): number {
  return Math.max(0, ...lines.map(getReceivedMs));
}

const MAX_PAGE_LINES = 100;
let lastSendMs = 0;

/** Returns the time in seconds since the epoch, but larger at each call, so that each message has its own time. */
function getNextSendTime(): number {
  lastSendMs = Math.max(Date.now(), lastSendMs + 1);
  return lastSendMs / 1000;
}

/** Works over plain http too, where browsers have no `randomUUID`. */
const generateKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-');

interface UnansweredMessage {
  readonly target: string;
  readonly timesent: number;
  readonly key: string;
}

/**
 * Validates a message in the order of docs/specification/platform.md section 4.1, and then its markers.
 * @throws Refusal
 */
export function validateMessageText(text: string, target: string | undefined): void {
  validateOutgoingMessage(text, target ?? NO_TARGET);
  parseMessageAction(getInputType(text), text);
}

/**
 * Sends a message, and resolves once the device has done it.
 * @param keep whether the history stores the text
 * @throws Refusal from the rules or the device; CallError if the server did not answer. It is not sent later then.
 */
export type SendMessage = (text: string, target: string | undefined, keep: boolean) => Promise<void>;

/** Sends messages in order, one after another, and tracks their outcomes. */
export function useSending() {
  const [pageLines, setPageLines] = useState<readonly PageLine[]>([]);
  const [enqueue] = useState(createSerialQueue);
  /** Unanswered messages. Sending one again reuses its id, because the device may have typed it already. */
  const unansweredMessages = useRef(new Map<string, UnansweredMessage>());
  const lastReceivedMs = useRef(0);

  const send: SendMessage = useCallback(
    async (text, target = NO_TARGET, keep) => {
      validateMessageText(text, target);
      const messageKey = JSON.stringify([target, keep, text]);
      const { timesent, key } = unansweredMessages.current.get(messageKey) ?? {
        timesent: getNextSendTime(),
        key: generateKey(),
      };
      unansweredMessages.current.delete(messageKey);
      const inputtype = getInputType(text);
      const message: PageLine = {
        inputtype,
        inputValue: keep ? text : '',
        target,
        timesent,
        outcome: '',
        after: lastReceivedMs.current,
        ...(keep ? {} : { kept: false }),
      };
      const setOutcome = (outcome: string) =>
        setPageLines((lines) => lines.map((each) => (each.timesent === timesent ? { ...each, outcome } : each)));
      setPageLines((lines) => [...lines.filter((each) => each.timesent !== timesent).slice(-MAX_PAGE_LINES), message]);
      const content = { inputtype, inputValue: text, timesent, target, ...(keep ? {} : { keep, key }) };
      try {
        await enqueue(() => call(keyboardinput, { content }));
        setOutcome('ok');
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (reason === NO_ANSWER_MESSAGE || isUnreachableError(error))
          unansweredMessages.current.set(messageKey, { timesent, key, target });
        setOutcome(reason);
        throw error;
      }
    },
    [enqueue],
  );

  /** Merges the server's lines with the lines of this page that the server does not have (yet). */
  const mergeLines = (lines: readonly HistoryLine[], target: string | undefined): readonly HistoryLine[] =>
    mergePageLines(
      lines,
      pageLines.filter((each) => each.target === target),
    );
  /** Removes the lines that the server has, so that deleting them there deletes them here too. */
  const removeKnownLines = useCallback((lines: readonly HistoryLine[]): void => {
    lastReceivedMs.current = getLastReceivedMs(lines);
    setPageLines((current) => removeServerLines(current, lines));
  }, []);
  /** Removes one line of this page, or all of a device. */
  const removePageLines = useCallback((target: string, timesent?: number): void => {
    for (const [messageKey, message] of unansweredMessages.current)
      if (message.target === target && (timesent === undefined || message.timesent === timesent))
        unansweredMessages.current.delete(messageKey);
    setPageLines((lines) =>
      lines.filter((each) => each.target !== target || (timesent !== undefined && each.timesent !== timesent)),
    );
  }, []);

  return { send, mergeLines, removeKnownLines, removePageLines };
}

const STORAGE_KEY = 'dashboard.keep';
// The setting applies to all tabs.
browserStorage.followOtherTabs(STORAGE_KEY);

/** Controls whether the history stores the next message: by this browser's setting, or by a choice for one message. */
export function useRetentionControls() {
  const [mode, setMode] = useBrowserStorage(STORAGE_KEY);
  // Stored like the draft it applies to, so that both survive navigation and a login.
  const [nextMessageChoice, setNextMessageChoice] = useDraft('remote.once', { isSecret: true });
  const isStoringByDefault = mode !== 'off';
  const keep = nextMessageChoice === '' ? isStoringByDefault : nextMessageChoice === 'keep';
  return {
    keep,
    /** Toggles for the next message only. */
    toggle: (): void => setNextMessageChoice(keep ? 'not' : 'keep'),
    /** Ends the choice for one message, after that message is done. */
    reset: (): void => setNextMessageChoice(''),
    /** The setting for all messages sent from this browser. */
    isStoringByDefault,
    setStoringByDefault: (always: boolean): void => {
      setNextMessageChoice('');
      setMode(always ? 'on' : 'off');
    },
  };
}

export type RetentionControls = ReturnType<typeof useRetentionControls>;

/** Runs a check. Shows a refusal as a notice and returns false. */
function runCheck(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    showError(error);
    return false;
  }
}

/** The text field: its content, the special buttons that write to it, and sending. */
export function useComposer(send: SendMessage, target: string | undefined) {
  const [isSending, setIsSending] = useState(false);
  const retention = useRetentionControls();
  const { keep } = retention;
  const [text, setText] = useDraft('remote.text', { isSecret: !keep });

  /** Sends a text. Returns false if it was refused. */
  function sendText(value: string, onFailed?: () => void): boolean {
    if (!runCheck(() => validateMessageText(value, target))) return false;
    send(value, target, keep).catch((error: unknown) => {
      showError(error);
      onFailed?.();
    });
    return true;
  }

  /** Sends a text that is stored nowhere else: it stays in the field until the device has done it. */
  async function submitUnstored(): Promise<void> {
    if (isSending || !runCheck(() => validateMessageText(text, target))) return;
    setIsSending(true);
    try {
      await send(text, target, false);
      // Text that was entered meanwhile, also on another page, is another message, and the choice applies to it.
      let isSame = false;
      setText((current) => {
        isSame = current === text;
        return isSame ? '' : current;
      });
      if (isSame) retention.reset();
    } catch (error) {
      showError(error);
    } finally {
      setIsSending(false);
    }
  }

  /** Sends the content of the field and empties it. Restores it after a failure, unless something else was typed. */
  function submit(): void {
    if (!keep) void submitUnstored();
    else if (sendText(text, () => setText((current) => (current === '' ? text : current)))) {
      setText('');
      retention.reset();
    }
  }

  /** Sends a line of the history again. If the field contains the same text, it is submitted instead. */
  function sendAgain(value: string): void {
    if (value === text) submit();
    else sendText(value);
  }

  const press = (key: KeyName): boolean => runCheck(() => setText(pressSpecialButton(text, key)));

  return { text, setText, sendText, submit, sendAgain, press, retention, isSending };
}
