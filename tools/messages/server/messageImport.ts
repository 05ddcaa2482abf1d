import * as z from 'zod/mini';
import { inputType } from '#platform/contract/message.ts';
import { retentionPeriod } from '#platform/contract/retention.ts';
import {
  exportedText,
  exportedTime,
  iterateBatches,
  iterateParsed,
  readParsed,
} from '#platform/server/storage/importSource.ts';
import type { Retention } from '#platform/server/storage/retention.ts';
import type { AccountImport, ServerContext } from '#platform/server/tool.ts';
import { MAX_DEVICE_TEXT_LENGTH, MAX_VISITOR_NAME_LENGTH, MAX_VISITOR_TEXT_LENGTH } from '../contract.ts';
import { createMessageStore, MAX_STORED_MESSAGES } from './messageStore.ts';
import { createVisitorStore, MAX_STORED_VISITOR_MESSAGES } from './visitorStore.ts';

const exportedId = z.int().check(z.positive());
const exportedDevice = z.object({ id: exportedId, name: exportedText(200) });
const exportedMessage = z.object({
  device: exportedId,
  sender: z.enum(['person', 'device']),
  from: z.optional(exportedId),
  inputtype: inputType,
  text: exportedText(MAX_DEVICE_TEXT_LENGTH),
  timesent: z.number(),
  /** Missing in exports of earlier versions. */
  received: z.optional(exportedTime),
});
const exportedLetter = z.object({
  name: exportedText(MAX_VISITOR_NAME_LENGTH),
  text: exportedText(MAX_VISITOR_TEXT_LENGTH),
  received: exportedTime,
});

/** Creates the import of messages. Their devices are added again, as computers that never connect. */
export function createMessageImport(
  context: Pick<ServerContext, 'database' | 'devices' | 'identity' | 'now'>,
  retention: Pick<Retention, 'get' | 'set'>,
): AccountImport {
  const { database, devices, identity, now } = context;
  const messages = createMessageStore(database);
  const visitors = createVisitorStore(database);
  return {
    isEmpty: async (account) =>
      (await messages.listByAccount(account)).length + (await visitors.listByAccount(account)).length === 0,
    run: async (account, source) => {
      const names = new Map<number, string>();
      for await (const { id, name } of iterateParsed(source, 'devices', exportedDevice)) names.set(id, name);
      const isOwner = (await identity.findAccount(account))?.isOwner === true;
      const time = now().epochMilliseconds;
      const result = await database.transaction(async ({ tx }) => {
        const newIds = new Map<number, number>();
        const countByDevice = new Map<number, number>();
        async function getDevice(id: number): Promise<number> {
          const known = newIds.get(id);
          if (known !== undefined) return known;
          const device = await devices.findOrAddImported(tx, account, names.get(id) ?? `Imported device ${id}`);
          newIds.set(id, device.id);
          return device.id;
        }
        let messageCount = 0;
        for await (const batch of iterateBatches(iterateParsed(source, 'messages', exportedMessage))) {
          const rows = [];
          for (const { device, from, inputtype: type, received, ...message } of batch) {
            const count = (countByDevice.get(device) ?? 0) + 1;
            countByDevice.set(device, count);
            if (count > 2 * MAX_STORED_MESSAGES) continue;
            rows.push({
              ...message,
              account,
              type,
              device: await getDevice(device),
              from: from === undefined ? undefined : await getDevice(from),
              received: Math.min(time, received ?? message.timesent * 1000),
            });
          }
          await messages.insertAll(tx, rows);
          messageCount += rows.length;
        }
        let visitorCount = 0;
        let refusedCount = 0;
        for await (const batch of iterateBatches(iterateParsed(source, 'visitors', exportedLetter))) {
          const letters = batch
            .slice(0, Math.max(0, 2 * MAX_STORED_VISITOR_MESSAGES - visitorCount))
            .map((letter) => ({ ...letter, received: Temporal.Instant.fromEpochMilliseconds(letter.received) }));
          if (isOwner) await visitors.insertAll(tx, account, letters);
          else refusedCount += letters.length;
          visitorCount += isOwner ? letters.length : 0;
        }
        return { messageCount, visitorCount, refusedCount, deviceCount: newIds.size };
      });
      const period = await readParsed(source, 'retention', retentionPeriod);
      if (period !== undefined) await retention.set(account, period);
      const { messageCount, visitorCount, refusedCount, deviceCount } = result;
      return {
        counts: { messages: messageCount, ...(visitorCount === 0 ? {} : { 'messages of visitors': visitorCount }) },
        problems: [
          ...(deviceCount === 0
            ? []
            : [
                'The devices of these messages are listed as computers that never connect. Remove them to delete their messages',
              ]),
          ...(refusedCount === 0
            ? []
            : [`Not imported: messages of visitors (${refusedCount}). Only the owner of a server has them`]),
        ],
      };
    },
  };
}
