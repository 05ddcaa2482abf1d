import type { SoundUse } from '../drivers.ts';
import { listAncestors, getProgramName } from '../processes.ts';
import type { AudioStreamInfo } from './pulseConnection.ts';
import { isEventSound, getSessionName } from './sessionLabels.ts';

/** What the desktop's own mixer listens with to show how loud things are. */
const METER = 'Peak detect';

/** PipeWire knows the process behind a sandbox itself; what the client says of itself is its number in there. */
const pidOf = ({ properties }: AudioStreamInfo): number | undefined => {
  const pid = Number(properties['pipewire.sec.pid'] ?? properties['application.process.id']);
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
};

const useOf = (stream: AudioStreamInfo): SoundUse => {
  const pid = pidOf(stream);
  return {
    kind: stream.kind,
    session: getSessionName(stream),
    lineage: listAncestors(pid),
    program: getProgramName(pid),
  };
};

const isKept = (stream: AudioStreamInfo): boolean =>
  !stream.corked && !isEventSound(stream) && stream.properties['media.name'] !== METER;

/** Keeps who plays and who records; a stream's process is looked up once. */
export const createSoundUseTracker = () => {
  const listeners: (() => void)[] = [];
  let known = new Map<string, SoundUse>();
  return {
    take: (streams: readonly AudioStreamInfo[]): void => {
      const before = known;
      known = new Map(
        streams.filter(isKept).map((stream) => {
          const key = `${stream.kind} ${stream.index}`;
          return [key, before.get(key) ?? useOf(stream)];
        }),
      );
      if (known.size === before.size && [...known.keys()].every((key) => before.has(key))) return;
      for (const then of listeners) then();
    },
    uses: (): readonly SoundUse[] => [...known.values()],
    onUse: (then: () => void): void => void listeners.push(then),
  };
};
