import type { SoundUse } from '../drivers.ts';
import { listAncestors, getProgramName } from '../processes.ts';
import type { AudioStreamInfo } from './pulseConnection.ts';
import { getSessionName, isEventSound } from './sessionLabels.ts';

/** Stream name with which the desktop's own volume control measures levels. */
const METER_NAME = 'Peak detect';

/** PipeWire knows the real process of a sandboxed client; the client itself reports its id inside the sandbox. */
function getPid({ properties }: AudioStreamInfo): number | undefined {
  const pid = Number(properties['pipewire.sec.pid'] ?? properties['application.process.id']);
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
}

function toSoundUse(stream: AudioStreamInfo): SoundUse {
  const pid = getPid(stream);
  return {
    kind: stream.kind,
    session: getSessionName(stream),
    lineage: listAncestors(pid),
    program: getProgramName(pid),
  };
}

const isTracked = (stream: AudioStreamInfo): boolean =>
  !stream.corked && !isEventSound(stream) && stream.properties['media.name'] !== METER_NAME;

/** Tracks who plays and who records. Looks up the process of each stream once. */
export function createSoundUseTracker() {
  const listeners: (() => void)[] = [];
  let useByKey = new Map<string, SoundUse>();
  return {
    update: (streams: readonly AudioStreamInfo[]): void => {
      const before = useByKey;
      useByKey = new Map(
        streams.filter(isTracked).map((stream) => {
          const key = `${stream.kind} ${stream.index}`;
          return [key, before.get(key) ?? toSoundUse(stream)];
        }),
      );
      if (useByKey.size === before.size && [...useByKey.keys()].every((key) => before.has(key))) return;
      for (const listener of listeners) listener();
    },
    list: (): readonly SoundUse[] => [...useByKey.values()],
    onChange: (listener: () => void): void => void listeners.push(listener),
  };
}
