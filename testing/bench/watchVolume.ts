import { toLevel } from '#platform/agent/drivers/pulse/levelStore.ts';
import { openPulseConnection, type PulseConnection } from '#platform/agent/drivers/pulse/pulseConnection.ts';
import type { TestStream, TestSoundServer } from '../kits/desktop/sound.ts';

/** Calls `then` with the stream's level whenever a separate client of the sound server sees a change. */
export async function watchVolume(
  { env }: TestSoundServer,
  { index }: TestStream,
  onLevel: (level: number) => void,
): Promise<PulseConnection> {
  const path = env['PULSE_SERVER']?.replace('unix:', '') ?? '';
  async function readLevel(): Promise<void> {
    const { streams } = await client.read();
    const watched = streams.find((stream) => stream.index === index);
    if (watched) onLevel(toLevel(watched.volume));
  }
  const client = await openPulseConnection({
    path,
    cookie: Buffer.alloc(256),
    onEvent: () => void readLevel().catch(() => undefined), // Closed at the end of the bench.
    onLost: () => undefined,
  });
  return client;
}
