import { createHash } from 'node:crypto';
import type { AbilityName } from '#platform/contract/device.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import type { Device } from '#platform/server/devices/link.ts';
import type { Ground } from '#platform/server/tool.ts';
import { historyChanged, pressKeys, runScript, typeText } from '../contract.ts';
import { droppedSentence, wishOf, type Wish } from '../domain/message.ts';
import { historyStore, type Message, type SentMessage } from './history.ts';
import { scriptStore } from './scripts.ts';

/** What came of a message; `isDone` where the device has done it, if not wholly. */
interface Outcome {
  readonly message: string;
  readonly isDone: boolean;
}

/**
 * Names a message to the device, which does what bears one name once. It follows from the message alone, so it is the same
 * when the message comes again after a crash that left no row.
 */
const nameOf = ({ account, device, type, text, timesent }: Message): string =>
  createHash('sha256')
    .update(JSON.stringify([account, device, type, text, timesent]))
    .digest('base64url');

/** @throws Refusal at once for what the device has said it cannot do; one that has said nothing yet is asked. */
const checkAble = (device: Device, wish: Wish): void => {
  if (device.kind === 'browser') throw new Refusal(`${device.name} is a browser, it only takes messages`);
  const needed: AbilityName = wish.kind === 'script' ? 'scripts' : 'keyboard';
  const ability = device.abilities[needed];
  if (ability && !ability.able)
    throw new Refusal(ability.reason ?? `${device.name} does not allow ${needed === 'scripts' ? 'scripts' : 'typing'}`);
};

const outcomeOf = (asked: Promise<Outcome>): Promise<Outcome> =>
  asked.catch((error: unknown) => {
    if (error instanceof Refusal) return { message: keepable(error.message), isDone: false };
    throw error;
  });

/**
 * Sends messages to devices, each one once: the same message at the same time is done once and answered alike, one after
 * another, at once, and after a crash.
 */
export const makeSending = ({ database, devices, realtime }: Ground) => {
  const history = historyStore(database);
  const scripts = scriptStore(database);
  const underWay = new Map<string, Promise<string>>();

  const tell = ({ account, device, type, text, timesent }: Message, id: number, outcome: string): void =>
    realtime.send(`account:${account}`, historyChanged, {
      target: String(device),
      entry: { id, inputtype: type, inputValue: text, timesent, outcome },
    });

  /** What is to be asked of the device, as far as it can be known before. @throws Refusal for a script that there is not. */
  const prepare = async (device: Device, wish: Wish): Promise<(name: string) => Promise<Outcome>> => {
    switch (wish.kind) {
      case 'type':
        return async (name) => {
          const { dropped } = await devices.send(device, typeText, { text: wish.text }, name);
          return { message: dropped.length === 0 ? 'ok' : droppedSentence(dropped), isDone: true };
        };
      case 'press':
        return async (name) => {
          await devices.send(device, pressKeys, { keys: [...wish.keys] }, name);
          return { message: 'ok', isDone: true };
        };
      case 'script': {
        const text = await scripts.textOf(device.account, wish.name);
        return async (name) => {
          await devices.send(device, runScript, { name: wish.name, text }, name);
          return { message: 'ok', isDone: true };
        };
      }
    }
  };

  const begin = async (message: Message, already: SentMessage | undefined): Promise<number> => {
    const id = already?.id ?? (await history.begin(message));
    tell(message, id, '');
    return id;
  };

  const carryOut = async (message: Message, device: Device, name: string): Promise<string> => {
    const already = await history.find(message);
    if (already?.isDone) return already.outcome;
    const wish = wishOf(message.type, message.text);
    checkAble(device, wish);
    const ask = await prepare(device, wish);
    // Both at once: a disk may take longer than the device. Nothing is said before both are done, and a crash between them
    // does no harm, since the device knows the name.
    const [id, outcome] = await Promise.all([begin(message, already), outcomeOf(ask(name))]);
    await history.conclude(message.account, id, outcome.message, outcome.isDone);
    tell(message, id, outcome.message);
    return outcome.message;
  };

  /** @throws Refusal with the sentence that says why it was not done. */
  return async (message: Message, device: Device): Promise<void> => {
    const name = nameOf(message);
    let running = underWay.get(name);
    if (!running) {
      running = carryOut(message, device, name).finally(() => underWay.delete(name));
      underWay.set(name, running);
    }
    const outcome = await running;
    if (outcome !== 'ok') throw new Refusal(outcome);
  };
};

/** A device's sentence as every database takes it. */
const keepable = (sentence: string): string => sentence.replaceAll('\0', '').slice(0, 300).toWellFormed();
