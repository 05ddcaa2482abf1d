import { createWriteStream, fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { createOwnerTimeoutRefusal, createTooLargeRefusal, MAX_CLIPBOARD_BYTES } from '../clipboardRefusals.ts';
import type { ClipboardDriver } from '../drivers.ts';
import { openLibc } from '../native/libc.ts';
import type { WaylandConnection, WaylandObject } from './connection.ts';

/** Types of text, the best first. */
const TEXT_TYPES = ['text/plain;charset=utf-8', 'UTF8_STRING', 'text/plain', 'TEXT', 'STRING'] as const;
/** A program that has not sent everything by then is not responding. */
const READ_TIMEOUT_MS = 4000;

/** Two protocols with different names and the same messages. */
type Offer = WaylandObject<'ext_data_control_offer_v1'> | WaylandObject<'zwlr_data_control_offer_v1'>;
type Kind = 'ext' | 'zwlr';

/**
 * Reads everything that comes out of a pipe. Pipes are used as sockets: the streams of files would block a thread of
 * Node for as long as the other program does nothing.
 */
async function readPipe(descriptor: number): Promise<string> {
  const pipe = new Socket({ fd: descriptor, readable: true, writable: false });
  const timeout = setTimeout(() => pipe.destroy(createOwnerTimeoutRefusal()), READ_TIMEOUT_MS);
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of pipe as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > MAX_CLIPBOARD_BYTES) throw createTooLargeRefusal();
    }
  } finally {
    clearTimeout(timeout);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Writes a text into what a program passed, usually a pipe, and closes it. The program may close its end early. */
export function writeDescriptor(descriptor: number, text: string): void {
  const stats = fstatSync(descriptor);
  const stream: Writable =
    stats.isFIFO() || stats.isSocket()
      ? new Socket({ fd: descriptor, readable: false, writable: true })
      : createWriteStream('', { fd: descriptor });
  stream.on('error', () => undefined).end(text);
}

/**
 * Opens the clipboard of a compositor that lets programs without a window use it.
 * @returns undefined if it does not.
 */
export async function openWaylandClipboard(
  connection: WaylandConnection,
  seat: WaylandObject<'wl_seat'>,
): Promise<ClipboardDriver | undefined> {
  const kind: Kind = connection.getVersion('ext_data_control_manager_v1') > 0 ? 'ext' : 'zwlr';
  // The messages are the same, so one of the types serves for both.
  const manager = connection.bind(`${kind}_data_control_manager_v1` as 'ext_data_control_manager_v1', 2);
  if (!manager) return undefined;
  const typesByOffer = new Map<number, string[]>();
  let selection: Offer | undefined;
  let ownText: string | undefined;

  const device = connection.create(`${kind}_data_control_device_v1` as 'ext_data_control_device_v1', {
    data_offer: (offer) => {
      const types: string[] = [];
      typesByOffer.set(offer.id, types);
      offer.listen({ offer: (type) => void types.push(type) });
    },
    selection: (offer) => {
      if (selection) {
        typesByOffer.delete(selection.id);
        selection.send('destroy');
      }
      selection = offer as Offer | undefined;
    },
    primary_selection: (offer) => {
      if (!offer) return;
      typesByOffer.delete(offer.id);
      (offer as Offer).send('destroy');
    },
  });
  manager.send('get_data_device', device, seat);
  await connection.sync();

  function write(text: string): void {
    const source = connection.create(`${kind}_data_control_source_v1` as 'ext_data_control_source_v1', {
      send: (_type, descriptor) => writeDescriptor(descriptor, text),
      cancelled: () => {
        source.send('destroy');
        if (ownSource === source) ownSource = undefined;
      },
    });
    manager?.send('create_data_source', source);
    for (const type of TEXT_TYPES) source.send('offer', type);
    device.send('set_selection', source);
    ownSource = source;
    ownText = text;
  }
  let ownSource: WaylandObject<'ext_data_control_source_v1'> | undefined;

  return {
    ability: { able: true },
    read: async () => {
      await connection.sync();
      if (ownSource) return ownText ?? '';
      const types = selection && typesByOffer.get(selection.id);
      const type = TEXT_TYPES.find((candidate) => types?.includes(candidate));
      if (!selection || type === undefined) return '';
      const { readEnd, writeEnd } = openLibc().createPipe();
      selection.send('receive', type, writeEnd);
      return readPipe(readEnd);
    },
    write: async (text) => {
      write(text);
      await connection.sync();
    },
  };
}
