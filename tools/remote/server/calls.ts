import { Refusal } from '#platform/contract/refusal.ts';
import { NO_ROOM } from '#platform/server/disk.ts';
import { handle, type Ground, type Handler } from '#platform/server/tool.ts';
import {
  deletescript,
  fileupload,
  keyboardinput,
  remotehistory,
  returnfilenames,
  scripts,
  scripttext,
} from '../contract.ts';
import { checkSending } from '../domain/message.ts';
import { checkScriptText, scriptName } from '../domain/scriptName.ts';
import { historyStore } from './history.ts';
import { scriptStore } from './scripts.ts';
import type { Sending } from './sending.ts';

export const calls = ({ database, devices, disk, now }: Ground, sending: Sending): readonly Handler[] => {
  const files = scriptStore(database);
  const history = historyStore(database);
  return [
    handle(keyboardinput, async ({ content }, { account }) => {
      const { inputtype: type, inputValue: text, target, timesent } = content;
      checkSending(text, target);
      const device = await devices.owned(account, target);
      await sending.send({ account, device: device.id, type, text, timesent }, device);
      return {};
    }),
    handle(fileupload, async ({ content }, { account }) => {
      const name = scriptName(content.name);
      checkScriptText(content.text);
      if (!disk.mayKeepFiles()) throw new Refusal(NO_ROOM);
      await files.keep(account, name, content.text, now());
      return {};
    }),
    handle(returnfilenames, async (_, { account }) => ({
      names: (await files.list(account)).map(({ name }) => name),
    })),
    handle(scripts, async (_, { account }) => ({
      scripts: (await files.list(account)).map(({ name, bytes, changed }) => ({
        name,
        bytes,
        changed: changed.toString(),
      })),
    })),
    handle(scripttext, async ({ name }, { account }) => ({ text: await files.textOf(account, scriptName(name)) })),
    handle(deletescript, async ({ name }, { account }) => {
      await files.remove(account, scriptName(name));
      return {};
    }),
    handle(remotehistory, async ({ target }, { account }) => {
      const device = await devices.owned(account, target);
      const sent = await history.ofDevice(account, device.id);
      return {
        history: sent.map((one) => ({
          id: one.id,
          inputtype: one.type,
          inputValue: one.text,
          timesent: one.timesent,
          outcome: sending.outcomeNow(one),
        })),
      };
    }),
  ];
};
