import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { motion } from '#tools/remote/contract.ts';
import { pairComputer, signUpOwner } from '../bench/account.ts';
import { getResidentMib, runPegboard } from '../bench/measure.ts';
import { createNumberedEvent, openPlainSocket, openStallingComputer } from './stalling.ts';

const STALLED = 20;
/** Shorter than the server's timeout for unresponsive connections, also on a busy machine. */
const STALL_MS = 5000;
/** Below the limit of a hundred events per second and socket. */
const GAP_MS = 12;
/** Maximum of unacknowledged events (docs/adr/0017-newest-wins-delivery.md). */
const WINDOW = 8;
/** Memory used while warming up does not count as growth. */
const WARM_UP = 200;

test('computers that stop reading cost no memory, get the newest event first, and delay no others', async () => {
  await using server = await runPegboard({ RATE_LIMITS: 'off' });
  const owner = await signUpOwner(server.origin);
  async function open() {
    const { token, target } = await pairComputer(server.origin, owner);
    const computer = await openStallingComputer(server.origin, token);
    const phone = openPlainSocket(server.origin, owner.token);
    return { ...computer, phone, target };
  }
  const slow = [];
  for (let at = 0; at < STALLED; at += 1) slow.push(await open());
  const reading = await open();
  const all = [...slow, reading];
  let number = 0;
  async function send(isOver: (sent: number) => boolean): Promise<void> {
    for (let sent = 0; !isOver(sent); sent += 1) {
      number += 1;
      // Waits for the acknowledgement, as the server drops what exceeds its rate.
      await Promise.all([
        sleep(GAP_MS),
        ...all.map(({ phone, target }) => phone.emitWithAck(motion.name, { ...createNumberedEvent(number), target })),
      ]);
    }
  }

  await send((sent) => sent === WARM_UP);
  const before = getResidentMib(server.child.pid ?? 0);
  for (const { stall, received } of slow) {
    stall();
    received.length = 0;
  }
  reading.received.length = 0;
  const stalled = performance.now();
  await send(() => performance.now() - stalled > STALL_MS);
  const newest = number;
  await expect.poll(() => reading.received.at(-1)?.number).toBe(newest);
  // It never stopped reading: only events that its ack window dropped on a busy machine may be missing.
  expect(reading.received.length).toBeGreaterThan((newest - WARM_UP) / 2);
  for (const { resume } of slow) resume();
  for (const { received } of slow) {
    await expect.poll(() => received.at(-1)?.number).toBe(newest);
    expect(received.length).toBeLessThanOrEqual(WINDOW + 1);
  }
  // Open sends are done, and garbage is collected with time.
  await expect.poll(() => getResidentMib(server.child.pid ?? 0) - before).toBeLessThan(20);
  for (const { socket, phone } of all) {
    socket.disconnect();
    phone.disconnect();
  }
});
