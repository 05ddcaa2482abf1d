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

/** Sends commands to devices: each within five seconds in all, over a broken line too, and under one id, so that it is done once. */
export const makeSender = ({ realtime, presence, timers, now, log }: CommandGround): DeviceLink['send'] => {
  const turns = makeTurns(timers);

  /** Asks on the line there is; where that breaks, on the next one. */
  const ask = async (
    device: { readonly id: number; readonly name: string },
    envelope: CommandEnvelope,
    until: number,
  ) => {
    for (;;) {
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
        // The same line is still there: it was silent, not lost.
        if (presence.connection(device.id) === connection) throw error;
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

  return async (device, command, data, id = randomUUID()) => {
    checkComputer(device);
    const until = timers.now() + COMMAND_PATIENCE_MS;
    const wish = { id, name: command.name, sentAt: now().epochMilliseconds, data: command.request.parse(data) };
    presence.touch(device.id);
    const endTurn = await turns.take(device.id, COMMAND_PATIENCE_MS);
    if (!endTurn) throw new Refusal(NO_ANSWER);
    try {
      return read(command, await ask(device, wish, until));
    } finally {
      endTurn();
    }
  };
};
