import { useCallback, useRef, useState } from 'react';
import { NO_ANSWER } from '#platform/contract/command.ts';
import { NO_TARGET } from '#platform/contract/fields.ts';
import { inputTypeOf } from '#platform/contract/message.ts';
import { call } from '#platform/web/call.ts';
import { keyboardinput } from '../contract.ts';
import { checkSending, wishOf } from '../domain/message.ts';
import type { Line, Sent } from './useHistory.ts';

/** Something sent from this page, as far as it knows: '' under way, 'ok', or the sentence that said why not. */
export interface OwnLine extends Omit<Sent, 'id'> {
  readonly target: string;
}

const KEPT = 100;
let lastSent = 0;

/** Seconds since the epoch to the millisecond, later at each call: every send is its own. */
const timeToSend = (): number => {
  lastSent = Math.max(Date.now(), lastSent + 1);
  return lastSent / 1000;
};

const nameOf = (text: string, target: string | undefined): string => `${target ?? NO_TARGET} ${text}`;

const sameMoment = (one: number, other: number): boolean => Math.abs(one - other) < 0.0005;

/** @throws Refusal for what may not be sent, in the specification's order: text, device, length; then what the markers ask for. */
export const checkMessage = (text: string, target: string | undefined): void => {
  checkSending(text, target ?? NO_TARGET);
  wishOf(inputTypeOf(text), text);
};

/** Sends one after the other, in the order they were given, and remembers what became of each. */
export const useSending = () => {
  const [own, setOwn] = useState<readonly OwnLine[]>([]);
  const line = useRef<Promise<unknown>>(Promise.resolve());
  /** When a message was sent that the device did not answer: sent again it is the same one, which the device may have done already. */
  const unanswered = useRef(new Map<string, number>());

  /**
   * Settles once the device has done it.
   * @throws Refusal for what the rules or the device refuse; CallFailed where the server said nothing, and then nothing is sent later either.
   */
  const send = useCallback(async (text: string, target: string | undefined): Promise<void> => {
    checkMessage(text, target);
    const message: OwnLine = {
      inputtype: inputTypeOf(text),
      inputValue: text,
      target: target ?? NO_TARGET,
      timesent: unanswered.current.get(nameOf(text, target)) ?? timeToSend(),
      outcome: '',
    };
    unanswered.current.delete(nameOf(text, target));
    const settle = (outcome: string) =>
      setOwn((lines) => lines.map((each) => (each.timesent === message.timesent ? { ...each, outcome } : each)));
    setOwn((lines) => [...lines.filter((each) => each.timesent !== message.timesent).slice(-KEPT), message]);
    const before = line.current;
    const { inputtype, inputValue, timesent } = message;
    const sending = before.then(() =>
      call(keyboardinput, { content: { inputtype, inputValue, timesent, target: message.target } }),
    );
    line.current = sending.catch(() => undefined);
    try {
      await sending;
      settle('ok');
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      if (said === NO_ANSWER) unanswered.current.set(nameOf(text, target), timesent);
      settle(said);
      throw error;
    }
  }, []);

  /** The server's lines with those of this page that the server does not know (yet). */
  const merged = (lines: readonly Line[], target: string | undefined): readonly Line[] => {
    const known = lines.filter((each) => each.from === 'person').map(({ timesent }) => timesent);
    const ours = own
      .filter((each) => each.target === target && !known.some((moment) => sameMoment(moment, each.timesent)))
      .map(({ inputtype, inputValue, timesent, outcome }): Line => ({
        from: 'person',
        inputtype,
        inputValue,
        timesent,
        outcome,
      }));
    return [...lines, ...ours].toSorted((one, other) => one.timesent - other.timesent);
  };

  return { send, merged };
};
