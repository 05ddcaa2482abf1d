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
import { MINUTE_MS } from '#platform/contract/duration.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Realtime } from '../realtime/realtime.ts';
import type { Timers } from '../schedule/timers.ts';
import type { Device, DeviceLink } from './deviceLink.ts';
import type { DeviceConnection, Presence } from './presence.ts';

/** Maximum number of commands that run on one device. */
export const MAX_CONCURRENT_COMMANDS = 16;

/** Limits concurrent commands per device, in order of arrival. */
export interface CommandSlots {
  /** Returns a function that releases the slot, or undefined if none is free within `timeoutMs`. */
  readonly acquire: (deviceId: number, timeoutMs: number) => Promise<(() => void) | undefined>;
}

export function createCommandSlots(timers: Timers): CommandSlots {
  const usedSlotsByDevice = new Map<number, number>();
  const queueByDevice = new Map<number, (() => void)[]>();

  const createRelease = (deviceId: number) => (): void => {
    const next = queueByDevice.get(deviceId)?.shift();
    if (next) return next(); // pass the slot to the next one
    const remaining = (usedSlotsByDevice.get(deviceId) ?? 1) - 1;
    if (remaining === 0) usedSlotsByDevice.delete(deviceId);
    else usedSlotsByDevice.set(deviceId, remaining);
    queueByDevice.delete(deviceId);
  };
  return {
    acquire: async (deviceId, timeoutMs) => {
      const usedSlots = usedSlotsByDevice.get(deviceId) ?? 0;
      if (usedSlots < MAX_CONCURRENT_COMMANDS) {
        usedSlotsByDevice.set(deviceId, usedSlots + 1);
        return createRelease(deviceId);
      }
      const queue = queueByDevice.get(deviceId) ?? [];
      queueByDevice.set(deviceId, queue);
      return new Promise((resolve) => {
        function start(): void {
          cancelTimeout();
          resolve(createRelease(deviceId));
        }
        const cancelTimeout = timers.schedule(timeoutMs, () => {
          queue.splice(queue.indexOf(start), 1);
          resolve(undefined);
        });
        queue.push(start);
      });
    },
  };
}

const INVALID_ANSWER_MESSAGE = "The device sent a response that the server can't read. Update its agent";
/** The device's message is shown to users, so a manipulated device must not fill the screen. */
const MAX_MESSAGE_LENGTH = 500;
const MAX_CODE_LENGTH = 60;

const replySchema = z.object({ message: z.string(), code: z.optional(z.string()) });

/**
 * Validates the target of a command.
 * @throws Refusal for a browser, which is a device for messages only (docs/specification/devices.md section 3.3).
 */
export function validateComputer({ kind, name }: Pick<Device, 'kind' | 'name'>): void {
  if (kind === 'browser')
    throw new Refusal('device.is_browser', `${name} is a browser, so it only receives messages. Choose a computer`);
}

interface CommandSenderDeps {
  readonly realtime: Pick<Realtime, 'request'>;
  readonly presence: Presence;
  readonly timers: Timers;
  readonly now: () => Temporal.Instant;
  readonly log: FastifyBaseLogger;
}

/** How long to wait for a late answer. */
const LATE_ANSWER_TIMEOUT_MS = MINUTE_MS;
/** Maximum time for one command, even if the device reports progress. */
const MAX_COMMAND_DURATION_MS = 2 * MINUTE_MS;

/** Sends commands, and extends their deadlines on progress. */
export interface CommandSender {
  readonly send: DeviceLink['send'];
  /** Called when the device reports progress on these commands. Returns the ids that this instance has not sent. */
  readonly onProgress: (device: number, ids: readonly string[]) => readonly string[];
}

/** A command that waits for its answer. */
interface PendingCommand {
  deadline: number;
  readonly maxDeadline: number;
}

const getCommandKey = (device: number, id: string): string => `${device} ${id}`;

/**
 * Creates a sender of commands. Each must be answered within 5 s after the last progress, also over a new connection.
 * Its id stays the same, so that the device runs it once (docs/adr/0013-commands-with-idempotency-keys.md).
 */
export function createCommandSender({ realtime, presence, timers, now, log }: CommandSenderDeps): CommandSender {
  const slots = createCommandSlots(timers);
  const pendingCommands = new Map<string, PendingCommand>();

  /** Requests an answer over one connection. If another instance holds it, that may stop without an answer. */
  async function requestOver(connection: DeviceConnection, device: number, envelope: CommandEnvelope, ms: number) {
    const answer = realtime.request(`device:${device}`, COMMAND_EVENT, envelope, ms);
    if (connection.instance === undefined) return answer;
    const settledController = new AbortController();
    const { signal } = settledController;
    const settled = answer.then(
      () => settledController.abort(),
      () => settledController.abort(),
    );
    while (!signal.aborted && presence.getConnection(device)?.id === connection.id)
      await Promise.race([settled, presence.waitForChange(device, ms)]);
    if (signal.aborted) return answer;
    throw new Refusal('device.no_response', NO_ANSWER_MESSAGE);
  }

  /** Sends the command on the current connection, and on the next one if that breaks. */
  async function requestAnswer(
    device: { readonly id: number; readonly name: string },
    envelope: CommandEnvelope,
    pending: PendingCommand,
  ) {
    for (;;) {
      const { deadline } = pending;
      const remaining = deadline - timers.now();
      if (remaining <= 0) throw new Refusal('device.no_response', NO_ANSWER_MESSAGE);
      const connection = presence.getConnection(device.id);
      if (presence.getState(device.id) === 'Disconnected')
        throw new Refusal('device.not_connected', `${device.name} is not connected`);
      if (connection === undefined) {
        await presence.waitForChange(device.id, remaining);
        continue;
      }
      try {
        return await requestOver(connection, device.id, envelope, remaining);
      } catch (error) {
        // If the same connection is still open, the device is silent. After progress, the command is sent again.
        if (presence.getConnection(device.id)?.id === connection.id && pending.deadline === deadline) throw error;
      }
    }
  }

  function parseAnswer<C extends Command>(command: C, answer: unknown): CommandAnswerOf<C> {
    const reply = replySchema.safeParse(answer);
    if (reply.success && reply.data.message === COMMAND_TOO_LATE_MESSAGE)
      throw new Refusal('device.no_response', NO_ANSWER_MESSAGE);
    if (reply.success && reply.data.message !== 'ok')
      throw new Refusal(
        reply.data.code?.slice(0, MAX_CODE_LENGTH) ?? 'device.refused',
        reply.data.message.slice(0, MAX_MESSAGE_LENGTH),
      );
    const parsed = command.answer.safeParse(answer);
    if (reply.success && parsed.success) return parsed.data as CommandAnswerOf<C>;
    log.warn({ command: command.name }, 'device.answer.invalid');
    throw new Refusal('device.invalid_response', INVALID_ANSWER_MESSAGE);
  }

  /** Waits for the answer to a command that timed out, since the device may have run it all the same. */
  async function waitForLateAnswer<C extends Command>(
    device: Device,
    command: C,
    envelope: CommandEnvelope,
    onAnswer: (answer: CommandAnswerOf<C>) => void,
  ): Promise<void> {
    const deadline = timers.now() + LATE_ANSWER_TIMEOUT_MS;
    try {
      onAnswer(parseAnswer(command, await requestAnswer(device, envelope, { deadline, maxDeadline: deadline })));
    } catch (error) {
      if (!(error instanceof Refusal)) log.error({ err: error }, 'device.late_answer.failed');
    }
  }

  const send: DeviceLink['send'] = async (device, command, data, idOrOptions = randomUUID()) => {
    validateComputer(device);
    const { id, onLateAnswer } =
      typeof idOrOptions === 'string' ? { id: idOrOptions, onLateAnswer: undefined } : idOrOptions;
    const startedAt = timers.now();
    const pending = { deadline: startedAt + COMMAND_TIMEOUT_MS, maxDeadline: startedAt + MAX_COMMAND_DURATION_MS };
    const key = getCommandKey(device.id, id);
    const envelope = { id, name: command.name, sentAt: now().epochMilliseconds, data: command.request.parse(data) };
    presence.markUsed(device.id);
    const releaseSlot = await slots.acquire(device.id, COMMAND_TIMEOUT_MS);
    if (!releaseSlot) throw new Refusal('device.no_response', NO_ANSWER_MESSAGE);
    pendingCommands.set(key, pending);
    try {
      return parseAnswer(command, await requestAnswer(device, envelope, pending));
    } catch (error) {
      const isSilent = error instanceof Refusal && error.code === 'device.no_response';
      if (isSilent && onLateAnswer) void waitForLateAnswer(device, command, envelope, onLateAnswer);
      throw error;
    } finally {
      if (pendingCommands.get(key) === pending) pendingCommands.delete(key);
      releaseSlot();
    }
  };

  return {
    send,
    onProgress: (device, ids) =>
      ids.filter((id) => {
        const pending = pendingCommands.get(getCommandKey(device, id));
        if (pending) pending.deadline = Math.min(timers.now() + COMMAND_TIMEOUT_MS, pending.maxDeadline);
        return pending === undefined;
      }),
  };
}
