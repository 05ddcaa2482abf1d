import { expect, test } from 'vitest';
import { startDevice } from '#testing/device.ts';
import { startServer } from '#testing/server.ts';
import { openSocket } from '#testing/socket.ts';
import { audioset, mixerargs, setvolumefront } from '../contract.ts';

const shown = (level: number, muted = false) => ({ level, muted, colour: '#4f86f7' });

test('what plays on the computer is told, and a level that is set reaches it and every page', async () => {
  await using server = await startServer();
  const anna = await server.account('anna');
  await using laptop = await startDevice(server, anna);
  await using first = await openSocket(server, anna);
  await using second = await openSocket(server, anna);
  laptop.drivers.play({
    sessions: [{ name: 'Film', ...shown(40) }],
    outputs: [{ name: 'Speakers', ...shown(70) }],
  });
  await second.next(setvolumefront);
  expect(await anna.call(mixerargs, { type: 'client' })).toEqual({
    data: { Film: shown(40) },
    outputs: { Speakers: shown(70) },
    target: laptop.target,
  });
  await first.ask(audioset, { audio: { Film: { level: 10, muted: true } } });
  expect(await second.next(setvolumefront)).toEqual({ Film: { level: 10, muted: true } });
});
