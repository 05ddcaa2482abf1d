import { createHash } from 'node:crypto';
import type { RequestOf } from '#platform/contract/call.ts';
import type { Device } from '#platform/server/devices/link.ts';
import { handle, type Ground, type Handler } from '#platform/server/tool.ts';
import { devicemessage, messageArrived, retrievemessages, sendmessage } from '../contract.ts';
import { checkDeviceText, checkSending, keepable, type InputType, type Message } from '../domain/message.ts';
import { messageStore, type KeptMessage } from './store.ts';

/** Messages of a conversation that are answered. */
const ANSWERED = 200;

/** What is the same makes the same key; a person's never equals one that a device gave. */
const personsKey = ({ type, text, timesent }: Message): string =>
  `person:${createHash('sha256')
    .update(JSON.stringify([type, text, timesent]))
    .digest('base64url')}`;

const details = ({ id, type, timesent }: KeptMessage) => ({ id, inputtype: type, timesent });

interface Wish {
  readonly inputtype: InputType;
  readonly inputValue: string;
  readonly target: string;
  readonly timesent: number;
}
/** The fields from either shape; the contract lets no request pass in which one is missing. */
const wishOf = ({ content, ...beside }: RequestOf<typeof sendmessage>): Wish => ({ ...beside, ...content }) as Wish;

export const calls = ({ database, devices, identity, realtime, now }: Ground): readonly Handler[] => {
  const messages = messageStore(database);

  const senders = async (account: number, device: Device): Promise<Readonly<Record<Message['sender'], string>>> => {
    const person = await identity.account(account);
    return { person: person?.name ?? '', device: device.name };
  };

  const keep = async (message: Message, key: string, device: Device): Promise<void> => {
    const kept = await messages.keep(message, key);
    if (!kept) return;
    const names = await senders(kept.account, device);
    const arrived = {
      target: String(kept.device),
      text: kept.text,
      sentby: names[kept.sender],
      details: details(kept),
    };
    realtime.send(`account:${kept.account}`, messageArrived, arrived);
    // The computer shows it; its own messages it knows.
    if (kept.sender === 'person') realtime.send(`device:${kept.device}`, messageArrived, arrived);
  };

  return [
    handle(sendmessage, async (request, { account }) => {
      const { inputtype, inputValue, target, timesent } = wishOf(request);
      checkSending(inputValue, target);
      const device = await devices.owned(account, target);
      const text = keepable(inputValue);
      const message: Message = { account, device: device.id, sender: 'person', type: inputtype, text, timesent };
      await keep(message, personsKey(message), device);
      return {};
    }),
    handle(retrievemessages, async ({ content, target }, { account }) => {
      const device = await devices.owned(account, content?.target ?? target ?? '');
      const names = await senders(account, device);
      const newest = await messages.newest(account, device.id, ANSWERED);
      return {
        messages: newest.map(({ text }) => text),
        sentby: newest.map(({ sender }) => names[sender]),
        details: newest.map(details),
      };
    }),
    handle(devicemessage, async ({ inputtype, text, key }, { account, device: id }) => {
      checkDeviceText(text);
      const device = await devices.owned(account, String(id));
      const timesent = now().epochMilliseconds / 1000;
      const message: Message = {
        account,
        device: device.id,
        sender: 'device',
        type: inputtype,
        text: keepable(text),
        timesent,
      };
      await keep(message, `device:${keepable(key)}`, device);
      return {};
    }),
  ];
};
