import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import * as z from 'zod/mini';
import {
  type Command,
  COMMAND_EVENT,
  COMMAND_PATIENCE_MS,
  COMMAND_TOO_LATE,
  type CommandAnswerOf,
  type CommandEnvelope,
  NO_ANSWER,
} from '#platform/contract/command.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Realtime } from '../realtime/realtime.ts';
import type { Timers } from '../realtime/timers.ts';
import type { Device, DeviceLink } from './link.ts';
import type { Presence } from './presence.ts';
import { makeTurns } from './turns.ts';

const NOT_UNDERSTOOD = 'device answered something that is not understood';
/** A device's sentence is shown to people: a lying one shall not fill the screen. */
const SENTENCE = 500;

const reply = z.object({ message: z.string() });

/** @throws Refusal for a browser: it is a device for messages only (contract.md section 4). */
export const checkComputer = ({ kind, name }: Pick<Device, 'kind' | 'name'>): void => {
  if (kind === 'browser') throw new Refusal(`${name} is a browser, it only takes messages`);
};

interface CommandGround {
  readonly realtime: Pick<Realtime, 'ask'>;
  readonly presence: Presence;
  readonly timers: Timers;
  readonly now: () => Temporal.Instant;
  readonly log: FastifyBaseLogger;
}

/** An answer that comes later is of no use to anybody. */
const LATE_ANSWER_TIMEOUT_MS = 60_000;
/** However much progress a device reports. */
const LONGEST_COMMAND_MS = 120_000;

export interface Sender {
  readonly send: DeviceLink['send'];
  /** The device is still at these. */
  readonly progress: (device: number, ids: readonly string[]) => void;
}

/** A command that waits for its answer. */
interface Waiting {
  until: number;
  readonly latest: number;
}

const keyOf = (device: number, id: string): string => `${device} ${id}`;

/**
 * Sends commands to devices: each within five seconds after the last progress, over a broken line too, and under one id, so that it is
 * done once.
 */
export const makeSender = ({ realtime, presence, timers, now, log }: CommandGround): Sender => {
  const turns = makeTurns(timers);
  const waiting = new Map<string, Waiting>();

  /** Asks on the line there is; where that breaks, on the next one. */
  const ask = async (
    device: { readonly id: number; readonly name: string },
    envelope: CommandEnvelope,
    wait: Waiting,
  ) => {
    for (;;) {
      const { until } = wait;
      const left = until - timers.now();
      if (left <= 0) throw new Refusal(NO_ANSWER);
      const connection = presence.connection(device.id);
      if (presence.state(device.id) === 'Disconnected') throw new Refusal(`${device.name} is not connected`);
      if (connection === undefined) {
        await presence.change(device.id, left);
        continue;
      }
      try {
        return await realtime.ask(`device:${device.id}`, COMMAND_EVENT, envelope, left);
      } catch (error) {
        // The same line is still there: it was silent, not lost. A device that reported progress is asked again, under the same id.
        if (presence.connection(device.id) === connection && wait.until === until) throw error;
      }
    }
  };

  const read = <C extends Command>(command: C, answer: unknown): CommandAnswerOf<C> => {
    const said = reply.safeParse(answer);
    if (said.success && said.data.message === COMMAND_TOO_LATE) throw new Refusal(NO_ANSWER);
    if (said.success && said.data.message !== 'ok') throw new Refusal(said.data.message.slice(0, SENTENCE));
    const parsed = command.answer.safeParse(answer);
    if (said.success && parsed.success) return parsed.data as CommandAnswerOf<C>;
    log.warn({ command: command.name }, NOT_UNDERSTOOD);
    throw new Refusal(NOT_UNDERSTOOD);
  };

  /** Asks on for what the device did not answer in time, as it may have done it all the same. */
  const awaitLate = async <C extends Command>(
    device: Device,
    command: C,
    envelope: CommandEnvelope,
    then: (answer: CommandAnswerOf<C>) => void,
  ): Promise<void> => {
    const until = timers.now() + LATE_ANSWER_TIMEOUT_MS;
    try {
      then(read(command, await ask(device, envelope, { until, latest: until })));
    } catch (error) {
      if (!(error instanceof Refusal)) log.error({ err: error }, 'late answer of a device not taken');
    }
  };

  const send: DeviceLink['send'] = async (device, command, data, named = randomUUID()) => {
    checkComputer(device);
    const { id, onLate } = typeof named === 'string' ? { id: named, onLate: undefined } : named;
    const began = timers.now();
    const wait = { until: began + COMMAND_PATIENCE_MS, latest: began + LONGEST_COMMAND_MS };
    const key = keyOf(device.id, id);
    const wish = { id, name: command.name, sentAt: now().epochMilliseconds, data: command.request.parse(data) };
    presence.touch(device.id);
    const endTurn = await turns.take(device.id, COMMAND_PATIENCE_MS);
    if (!endTurn) throw new Refusal(NO_ANSWER);
    waiting.set(key, wait);
    try {
      return read(command, await ask(device, wish, wait));
    } catch (error) {
      const isSilent = error instanceof Refusal && error.message === NO_ANSWER;
      if (isSilent && onLate) void awaitLate(device, command, wish, onLate);
      throw error;
    } finally {
      if (waiting.get(key) === wait) waiting.delete(key);
      endTurn();
    }
  };

  return {
    send,
    progress: (device, ids) => {
      for (const id of ids) {
        const wait = waiting.get(keyOf(device, id));
        if (wait) wait.until = Math.min(timers.now() + COMMAND_PATIENCE_MS, wait.latest);
      }
    },
  };
};
