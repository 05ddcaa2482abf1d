import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import * as z from 'zod/mini';
import {
  type Command,
  COMMAND_EVENT,
  COMMAND_TIMEOUT_MS,
  COMMAND_TOO_LATE_MESSAGE,
  type CommandAnswerOf,
  type CommandEnvelope,
  NO_ANSWER_MESSAGE,
} from '#platform/contract/command.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Realtime } from '../realtime/realtime.ts';
import type { Timers } from '../schedule/timers.ts';
import type { Device, DeviceLink } from './deviceLink.ts';
import type { Presence } from './presence.ts';

/** Commands under way to one device. */
export const MAX_CONCURRENT_COMMANDS = 16;

/** Turns at each device, given in the order in which they were asked for. */
export interface CommandSlots {
  /** Gives back how to end the turn; undefined where none was free within `ms`. */
  readonly acquire: (device: number, ms: number) => Promise<(() => void) | undefined>;
}

export function createCommandSlots(timers: Timers): CommandSlots {
  const taken = new Map<number, number>();
  const queues = new Map<number, (() => void)[]>();

  const end = (device: number) => (): void => {
    const next = queues.get(device)?.shift();
    if (next) return next(); // the turn goes on to the next one
    const left = (taken.get(device) ?? 1) - 1;
    if (left === 0) taken.delete(device);
    else taken.set(device, left);
    queues.delete(device);
  };
  return {
    acquire: async (device, ms) => {
      const running = taken.get(device) ?? 0;
      if (running < MAX_CONCURRENT_COMMANDS) {
        taken.set(device, running + 1);
        return end(device);
      }
      const queue = queues.get(device) ?? [];
      queues.set(device, queue);
      return new Promise((resolve) => {
        const go = (): void => {
          callOff();
          resolve(end(device));
        };
        const callOff = timers.schedule(ms, () => {
          queue.splice(queue.indexOf(go), 1);
          resolve(undefined);
        });
        queue.push(go);
      });
    },
  };
}

const INVALID_ANSWER_MESSAGE = 'device answered something that is not understood';
/** A device's sentence is shown to people: a lying one shall not fill the screen. */
const MAX_MESSAGE_LENGTH = 500;

const reply = z.object({ message: z.string() });

/** @throws Refusal for a browser: it is a device for messages only (contract.md section 4). */
export function validateComputer({ kind, name }: Pick<Device, 'kind' | 'name'>): void {
  if (kind === 'browser') throw new Refusal(`${name} is a browser, it only takes messages`);
}

interface CommandSenderDeps {
  readonly realtime: Pick<Realtime, 'request'>;
  readonly presence: Presence;
  readonly timers: Timers;
  readonly now: () => Temporal.Instant;
  readonly log: FastifyBaseLogger;
}

/** An answer that comes later is of no use to anybody. */
const LATE_ANSWER_TIMEOUT_MS = 60_000;
/** However much progress a device reports. */
const MAX_COMMAND_DURATION_MS = 120_000;

export interface CommandSender {
  readonly send: DeviceLink['send'];
  /** The device is still at these. */
  readonly onProgress: (device: number, ids: readonly string[]) => void;
}

/** A command that waits for its answer. */
interface PendingCommand {
  deadline: number;
  readonly maxDeadline: number;
}

const getCommandKey = (device: number, id: string): string => `${device} ${id}`;

/**
 * Sends commands to devices: each within five seconds after the last progress, over a broken line too, and under one id, so that it is
 * done once.
 */
export function createCommandSender({ realtime, presence, timers, now, log }: CommandSenderDeps): CommandSender {
  const turns = createCommandSlots(timers);
  const waiting = new Map<string, PendingCommand>();

  /** Asks on the line there is; where that breaks, on the next one. */
  const ask = async (
    device: { readonly id: number; readonly name: string },
    envelope: CommandEnvelope,
    wait: PendingCommand,
  ) => {
    for (;;) {
      const { deadline } = wait;
      const left = deadline - timers.now();
      if (left <= 0) throw new Refusal(NO_ANSWER_MESSAGE);
      const connection = presence.getConnection(device.id);
      if (presence.getState(device.id) === 'Disconnected') throw new Refusal(`${device.name} is not connected`);
      if (connection === undefined) {
        await presence.waitForChange(device.id, left);
        continue;
      }
      try {
        return await realtime.request(`device:${device.id}`, COMMAND_EVENT, envelope, left);
      } catch (error) {
        // The same line is still there: it was silent, not lost. A device that reported progress is asked again, under the same id.
        if (presence.getConnection(device.id) === connection && wait.deadline === deadline) throw error;
      }
    }
  };

  const read = <C extends Command>(command: C, answer: unknown): CommandAnswerOf<C> => {
    const said = reply.safeParse(answer);
    if (said.success && said.data.message === COMMAND_TOO_LATE_MESSAGE) throw new Refusal(NO_ANSWER_MESSAGE);
    if (said.success && said.data.message !== 'ok') throw new Refusal(said.data.message.slice(0, MAX_MESSAGE_LENGTH));
    const parsed = command.answer.safeParse(answer);
    if (said.success && parsed.success) return parsed.data as CommandAnswerOf<C>;
    log.warn({ command: command.name }, INVALID_ANSWER_MESSAGE);
    throw new Refusal(INVALID_ANSWER_MESSAGE);
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
      then(read(command, await ask(device, envelope, { deadline: until, maxDeadline: until })));
    } catch (error) {
      if (!(error instanceof Refusal)) log.error({ err: error }, 'late answer of a device not taken');
    }
  };

  const send: DeviceLink['send'] = async (device, command, data, named = randomUUID()) => {
    validateComputer(device);
    const { id, onLateAnswer } = typeof named === 'string' ? { id: named, onLateAnswer: undefined } : named;
    const began = timers.now();
    const wait = { deadline: began + COMMAND_TIMEOUT_MS, maxDeadline: began + MAX_COMMAND_DURATION_MS };
    const key = getCommandKey(device.id, id);
    const wish = { id, name: command.name, sentAt: now().epochMilliseconds, data: command.request.parse(data) };
    presence.markUsed(device.id);
    const endTurn = await turns.acquire(device.id, COMMAND_TIMEOUT_MS);
    if (!endTurn) throw new Refusal(NO_ANSWER_MESSAGE);
    waiting.set(key, wait);
    try {
      return read(command, await ask(device, wish, wait));
    } catch (error) {
      const isSilent = error instanceof Refusal && error.message === NO_ANSWER_MESSAGE;
      if (isSilent && onLateAnswer) void awaitLate(device, command, wish, onLateAnswer);
      throw error;
    } finally {
      if (waiting.get(key) === wait) waiting.delete(key);
      endTurn();
    }
  };

  return {
    send,
    onProgress: (device, ids) => {
      for (const id of ids) {
        const wait = waiting.get(getCommandKey(device, id));
        if (wait) wait.deadline = Math.min(timers.now() + COMMAND_TIMEOUT_MS, wait.maxDeadline);
      }
    },
  };
}
