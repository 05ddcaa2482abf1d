import { useCallback, useRef, useState } from 'react';
import { isUnreachableError } from '#platform/contract/client.ts';
import { NO_ANSWER_MESSAGE } from '#platform/contract/command.ts';
import { NO_TARGET } from '#platform/contract/fields.ts';
import { getInputType } from '#platform/contract/message.ts';
import { call } from '#platform/web/app/call.ts';
import { keyboardinput } from '../../contract.ts';
import { checkSending, wishOf } from '../../domain/outgoingMessage.ts';
import { lastReceivedMs, withOwn, withoutKnown, type Line, type OwnLine } from './lines.ts';

const MAX_OWN_LINES = 100;
let lastSent = 0;

/** Seconds since the epoch to the millisecond, later at each call: every send is its own. */
const timeToSend = (): number => {
  lastSent = Math.max(Date.now(), lastSent + 1);
  return lastSent / 1000;
};

/** Random, also on pages over plain http, where browsers have no `randomUUID`. */
const randomKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-');

/** What tells a sending from others. */
interface SendingId {
  readonly target: string;
  readonly timesent: number;
  readonly key: string;
}

/** @throws Refusal for what may not be sent, in the specification's order: text, device, length; then what the markers ask for. */
export function checkMessage(text: string, target: string | undefined): void {
  checkSending(text, target ?? NO_TARGET);
  wishOf(getInputType(text), text);
}

/**
 * Settles once the device has done it.
 * @param keep whether the history stores the text
 * @throws Refusal for what the rules or the device refuse; CallFailed where the server said nothing, and then nothing is sent later either.
 */
export type SendMessage = (text: string, target: string | undefined, keep: boolean) => Promise<void>;

/** Sends one after the other, in the order they were given, and remembers what became of each. */
export function useSending() {
  const [own, setOwn] = useState<readonly OwnLine[]>([]);
  const line = useRef<Promise<unknown>>(Promise.resolve());
  /** Unanswered messages: sent again, each is the same message, which the device may have typed already. */
  const unanswered = useRef(new Map<string, SendingId>());
  const lastReceived = useRef(0);

  const send: SendMessage = useCallback(async (text, target = NO_TARGET, keep) => {
    checkMessage(text, target);
    const name = JSON.stringify([target, keep, text]);
    const { timesent, key } = unanswered.current.get(name) ?? { timesent: timeToSend(), key: randomKey() };
    unanswered.current.delete(name);
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
    const before = line.current;
    const content = { inputtype, inputValue: text, timesent, target, ...(keep ? {} : { keep, key }) };
    const sending = before.then(() => call(keyboardinput, { content }));
    line.current = sending.catch(() => undefined);
    try {
      await sending;
      settle('ok');
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      if (said === NO_ANSWER_MESSAGE || isUnreachableError(error))
        unanswered.current.set(name, { timesent, key, target });
      settle(said);
      throw error;
    }
  }, []);

  /** The server's lines with those of this page that the server does not know (yet). */
  const merged = (lines: readonly Line[], target: string | undefined): readonly Line[] =>
    withOwn(
      lines,
      own.filter((each) => each.target === target),
    );
  /** Takes note of the server's lines: what it knows is its own from then on, so that what is deleted there is gone here too. */
  const follow = useCallback((lines: readonly Line[]): void => {
    lastReceived.current = lastReceivedMs(lines);
    setOwn((before) => withoutKnown(before, lines));
  }, []);
  /** Forgets one line of this page, or all of a device. */
  const forget = useCallback((target: string, timesent?: number): void => {
    for (const [name, message] of unanswered.current)
      if (message.target === target && (timesent === undefined || message.timesent === timesent))
        unanswered.current.delete(name);
    setOwn((lines) =>
      lines.filter((each) => each.target !== target || (timesent !== undefined && each.timesent !== timesent)),
    );
  }, []);

  return { send, merged, follow, forget };
}
