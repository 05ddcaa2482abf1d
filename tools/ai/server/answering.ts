import type { FastifyBaseLogger } from 'fastify';
import { replaceUnstorable } from '#platform/contract/text.ts';
import type { Realtime, Room } from '#platform/server/realtime/realtime.ts';
import type { Timers } from '#platform/server/schedule/timers.ts';
import { aidatain, aithoughtin, ANSWER_LIMIT } from '../contract.ts';
import { outcomeOf, TOO_LARGE, TOO_LONG, TOO_SLOW, type Outcome } from '../domain/answerOutcome.ts';
import { separateThoughts } from '../domain/thoughts.ts';
import type { AnswerStore } from './answerStore.ts';
import { ModelFailure, type Model } from './model.ts';
import { throttle } from './throttle.ts';

/** A local model may have to be loaded before its first piece. */
export const FIRST_PIECE_MS = 120_000;
export const NEXT_PIECE_MS = 30_000;
export const WHOLE_ANSWER_MS = 600_000;
export const SEND_INTERVAL_MS = 50;
/** The row follows slower than the pieces: each write holds the whole text and waits for the disk. Running answers are told from memory. */
export const WRITE_INTERVAL_MS = 1000;

export interface AnsweringDeps {
  readonly realtime: Realtime;
  readonly store: AnswerStore;
  readonly model: Model;
  readonly timers: Timers;
  readonly log: FastifyBaseLogger;
}

/** Half of a character that is written as two: the other half comes with the next piece. */
const isHalf = (text: string): boolean => /[\ud800-\udbff]$/.test(text);

/** One answer as it is written: into its room, and into its row. */
export const createAnswering = (
  { realtime, store, model, timers, log }: AnsweringDeps,
  { id, room, prompt }: { readonly id: number; readonly room: Room; readonly prompt: string },
) => {
  const control = new AbortController();
  const output = { text: '', thoughts: '' };
  const sent = { text: 0, thoughts: 0 };
  let written: Promise<void> = Promise.resolve();

  const sendPart = (part: keyof typeof output): void => {
    const text = output[part];
    const at = sent[part];
    const end = text.length - (isHalf(text) ? 1 : 0);
    if (end <= at) return;
    const event = part === 'text' ? aidatain : aithoughtin;
    realtime.send(room, event, { data: text.slice(at, end), answerid: id, at });
    sent[part] = end;
  };
  const send = (): void => {
    sendPart('thoughts');
    sendPart('text');
  };
  const write = (): void => {
    written = written
      .then(() =>
        store.write(id, {
          text: replaceUnstorable(output.text),
          thoughts: replaceUnstorable(output.thoughts),
          state: 'running',
          error: undefined,
        }),
      )
      .catch((error: unknown) => log.error({ err: error, answer: id }, 'answer not written'));
  };
  const pieces = throttle(timers, SEND_INTERVAL_MS, send);
  const rows = throttle(timers, WRITE_INTERVAL_MS, write);

  /** Ends the answer from outside: the first reason counts. */
  const end = (why: Outcome): void => control.abort(why);

  const add = (part: keyof typeof output, more: string): void => {
    const left = ANSWER_LIMIT - output[part].length;
    output[part] += more.slice(0, left).replaceAll('\0', '\u{fffd}');
    // Thoughts beyond the limit are left out; the answer may still come.
    if (part === 'text' && more.length > left) end(TOO_LARGE);
    if (more === '') return;
    pieces.ask();
    rows.ask();
  };

  const listen = async (): Promise<Outcome> => {
    let lose = timers.schedule(FIRST_PIECE_MS, () => end(TOO_SLOW));
    const loseWhole = timers.schedule(WHOLE_ANSWER_MS, () => end(TOO_LONG));
    let reason: string | undefined;
    try {
      for await (const part of model.ask(prompt, control.signal)) {
        lose();
        lose = timers.schedule(NEXT_PIECE_MS, () => end(TOO_SLOW));
        if (part.kind === 'text' || part.kind === 'thoughts') add(part.kind, part.text);
        if (part.kind === 'end') reason = part.reason;
        if (control.signal.aborted) break;
      }
    } finally {
      lose();
      loseWhole();
    }
    return outcomeOf(reason, separateThoughts(output.text).text);
  };

  return {
    end,
    written: (): Readonly<typeof output> => output,
    /** Settles when all pieces are sent and no write is on its way any more. */
    run: async (): Promise<Outcome> => {
      let outcome: Outcome;
      try {
        outcome = await listen();
      } catch (error) {
        if (!(error instanceof ModelFailure)) throw error;
        log.warn({ answer: id, code: error.code }, 'AI server failed');
        outcome = { state: 'failed', error: error.message };
      } finally {
        pieces.end();
        rows.end();
      }
      output.text = output.text.toWellFormed();
      output.thoughts = output.thoughts.toWellFormed();
      send();
      await written;
      return control.signal.aborted ? (control.signal.reason as Outcome) : outcome;
    },
  };
};
