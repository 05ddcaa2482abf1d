import { useCallback, useRef, useState } from 'react';
import { isUnreachableError } from '#platform/contract/client.ts';
import { NO_ANSWER_MESSAGE } from '#platform/contract/command.ts';
import { NO_TARGET } from '#platform/contract/fields.ts';
import { getInputType } from '#platform/contract/message.ts';
import { createSerialQueue } from '#platform/contract/serialQueue.ts';
import { call } from '#platform/web/app/call.ts';
import { keyboardinput } from '../../contract.ts';
import { checkSending, parseMessageAction } from '../../domain/outgoingMessage.ts';
import { lastReceivedMs, withOwn, withoutKnown, type Line, type OwnLine } from './useHistory.ts';

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
  const [own, setOwn] = useState<readonly OwnLine[]>([]);
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
      const message: OwnLine = {
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
  const merged = (lines: readonly Line[], target: string | undefined): readonly Line[] =>
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

  return { send, merged, follow, forget };
}
