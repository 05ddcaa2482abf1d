import { randomUUID } from 'node:crypto';
import { Refusal } from '#platform/contract/refusal.ts';
import { replaceUnstorable } from '#platform/contract/text.ts';
import { LOW_DISK_SPACE_MESSAGE } from '#platform/server/storage/diskSpace.ts';
import type { Retention } from '#platform/server/storage/retention.ts';
import { handle, type ServerContext, type Handler, type ServerSite } from '#platform/server/tool.ts';
import {
  clearhistory,
  deletehistoryentry,
  deletescript,
  fileupload,
  historyDeleted,
  historyretention,
  keyboardinput,
  passwordfocus,
  remotehistory,
  returnfilenames,
  scripts,
  scripttext,
  sethistoryretention,
} from '../contract.ts';
import { validateOutgoingMessage, validateScriptText, normalizeScriptName } from '../domain/outgoingMessage.ts';
import { createHistoryStore } from './historyStore.ts';
import { toHistoryEntry, type MessageSender } from './messageSender.ts';
import type { PasswordFocus } from './remoteEvents.ts';
import { createScriptStore } from './scriptStore.ts';

interface RemoteHandlersDeps {
  readonly messageSender: MessageSender;
  readonly retention: Retention;
  readonly site: Pick<ServerSite, 'deleteDeviceTexts'>;
  readonly passwordFocus: PasswordFocus;
}

export function createRemoteHandlers(
  { database, devices, disk, realtime, now }: ServerContext,
  { messageSender, retention, site, passwordFocus }: RemoteHandlersDeps,
): readonly Handler[] {
  const scriptStore = createScriptStore(database);
  const history = createHistoryStore(database);
  return [
    handle(keyboardinput, async ({ content }, { account }) => {
      const { inputtype: type, inputValue: text, target, timesent, keep = true, key = '' } = content;
      validateOutgoingMessage(text, target);
      const device = await devices.getOwned(account, target);
      // Texts are not stored, so without a key from the sender two requests at the same moment are two messages.
      const unstoredKey = keep ? undefined : replaceUnstorable(`key:${key || randomUUID()}`);
      await messageSender.send({ account, device: device.id, type, text, timesent, unstoredKey }, device);
    }),
    handle(passwordfocus, async ({ target }, { account }) => ({
      isFocused: passwordFocus.isFocused((await devices.getOwned(account, target)).id),
    })),
    handle(fileupload, async ({ content }, { account }) => {
      const name = normalizeScriptName(content.name);
      validateScriptText(content.text);
      if (!disk.canStoreFiles()) throw new Refusal('disk.low', LOW_DISK_SPACE_MESSAGE);
      await scriptStore.save(account, name, content.text, now());
    }),
    handle(returnfilenames, async (_, { account }) => ({
      names: (await scriptStore.list(account)).map(({ name }) => name),
    })),
    handle(scripts, async (_, { account }) => ({
      scripts: (await scriptStore.list(account)).map(({ name, bytes, changed }) => ({
        name,
        bytes,
        changed: changed.toString(),
      })),
    })),
    handle(scripttext, async ({ name }, { account }) => ({
      text: await scriptStore.getText(account, normalizeScriptName(name)),
    })),
    handle(deletescript, async ({ name }, { account }) => {
      await scriptStore.remove(account, normalizeScriptName(name));
    }),
    handle(remotehistory, async ({ target }, { account }) => {
      const device = await devices.getOwned(account, target);
      const sent = await history.listByDevice(account, device.id);
      return { history: sent.map((message) => toHistoryEntry(message, messageSender.getOutcome(message))) };
    }),
    handle(deletehistoryentry, async ({ target, id }, { account }) => {
      const device = await devices.getOwned(account, target);
      await history.remove(account, device.id, id);
      if (id > 0) realtime.send(`account:${account}`, historyDeleted, { target: String(device.id), ids: [id] });
    }),
    handle(clearhistory, async ({ target }, { account }) => {
      const device = await devices.getOwned(account, target);
      await database.transaction(async (work) => {
        await history.removeByDevice(work.tx, account, device.id);
        await site.deleteDeviceTexts(work, { account, device: device.id });
        work.afterCommit(() => realtime.send(`account:${account}`, historyDeleted, { target: String(device.id) }));
      });
      await database.eraseDeleted();
    }),
    handle(historyretention, async (_, { account }) => ({ period: await retention.get(account) })),
    handle(sethistoryretention, async ({ period }, { account }) => {
      await retention.set(account, period);
    }),
  ];
}
