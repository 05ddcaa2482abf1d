import { openConnection, type PulseConnection } from '#platform/agent/drivers/pulse/connection.ts';
import { levelOf } from '#platform/agent/drivers/pulse/volume.ts';
import type { Playing, Sound } from '../sound.ts';

/** Calls `then` with the stream's level whenever another client of the sound server than the one that sets it sees it. */
export const watchVolume = async (
  { env }: Sound,
  { index }: Playing,
  then: (level: number) => void,
): Promise<PulseConnection> => {
  const path = env['PULSE_SERVER']?.replace('unix:', '') ?? '';
  const look = async (): Promise<void> => {
    const { streams } = await client.read();
    const own = streams.find((stream) => stream.index === index);
    if (own) then(levelOf(own.volume));
  };
  const client = await openConnection({
    path,
    cookie: Buffer.alloc(256),
    onEvent: () => void look().catch(() => undefined), // closed at the end of the bench
    onLost: () => undefined,
  });
  return client;
};
