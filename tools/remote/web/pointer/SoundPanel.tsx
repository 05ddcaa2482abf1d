import {
  IconPlayerPlay,
  IconPlayerTrackNext,
  IconPlayerTrackPrev,
  IconVolume,
  IconVolume2,
  IconVolumeOff,
} from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { realtime } from '#platform/web/app/realtime.ts';
import { showError } from '#platform/web/app/showError.ts';
import { useRealtimeEvent } from '#platform/web/app/useRealtimeEvent.ts';
import { Slider } from '#platform/web/ui/Slider.tsx';
import { audioset, mixerargs, setvolumefront } from '#tools/mixer/contract.ts';
import type { KeyName } from '../../domain/keys.ts';
import { vibrate } from './pressAndHold.ts';
import styles from './SoundPanel.module.css';

/** Formats 'Firefox', 'Firefox and mpv' or 'Firefox, mpv and VLC'. */
export function formatNames(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}

/** Defined by docs/specification/mixer.md section 6. */
const POLL_INTERVAL_MS = 5000;
/** Minimum time between two events while a slider is moved. */
const SEND_INTERVAL_MS = 30;

interface Level {
  readonly level: number;
  readonly muted: boolean;
  readonly device?: string | undefined;
}
type Levels = Readonly<Record<string, Level>>;
interface SoundLevels {
  readonly data: Levels;
  readonly outputs: Levels;
}
type SoundGroup = keyof SoundLevels;

const NO_SOUND: SoundLevels = { data: {}, outputs: {} };

/** Loads the levels of a computer; none if it does not report its sound. Its volume keys still work. */
async function fetchSound(target: string | undefined): Promise<SoundLevels> {
  try {
    return await call(mixerargs, { type: 'client', ...(target !== undefined && { target }) });
  } catch (error) {
    if (error instanceof Refusal) return NO_SOUND;
    throw error;
  }
}

const removeLevels = (levels: Levels, removed: readonly string[]): Levels =>
  Object.fromEntries(Object.entries(levels).filter(([name]) => !removed.includes(name)));

/** Applies changed levels; the others stay. */
const mergeLevels = (levels: Levels, changed: Levels): Levels => ({
  ...levels,
  ...Object.fromEntries(Object.entries(changed).map(([name, to]) => [name, { ...levels[name], ...to }])),
});

/** The sound of a computer: its first output is the master volume, and its sessions are the apps that play sound. */
function useSound(target: string | undefined) {
  const queryClient = useQueryClient();
  const key = ['mixerargs', 'touchpad', target ?? ''] as const;
  const { data: sound = NO_SOUND } = useQuery({
    queryKey: key,
    queryFn: () => fetchSound(target),
    refetchInterval: POLL_INTERVAL_MS,
    enabled: target !== undefined,
  });
  const updateSound = (update: (current: SoundLevels) => SoundLevels) =>
    queryClient.setQueryData<SoundLevels>(key, (current) => update(current ?? NO_SOUND));

  useRealtimeEvent(setvolumefront, (changed, about) => {
    if (about.target !== target) return;
    updateSound(({ data, outputs }) => ({
      data: removeLevels(mergeLevels(data, changed), about.gone.sessions),
      outputs: removeLevels(mergeLevels(outputs, about.outputs), about.gone.outputs),
    }));
  });

  const throttle = useRef<{ timer?: ReturnType<typeof setTimeout>; next?: () => void }>({});
  function set(group: SoundGroup, levels: Levels): void {
    // A pending answer would contain the previous level.
    void queryClient.cancelQueries({ queryKey: key });
    updateSound((current) => ({ ...current, [group]: mergeLevels(current[group], levels) }));
    function send(): void {
      const event = group === 'data' ? { audio: levels } : { audio: {}, outputs: levels };
      realtime.request(audioset, { ...event, ...(target !== undefined && { target }) }).catch(showError);
    }
    const pending = throttle.current;
    if (pending.timer !== undefined) {
      pending.next = send;
      return;
    }
    function sendNext(): void {
      const { next } = pending;
      delete pending.next;
      if (!next) return void delete pending.timer;
      next();
      pending.timer = setTimeout(sendNext, SEND_INTERVAL_MS);
    }
    send();
    pending.timer = setTimeout(sendNext, SEND_INTERVAL_MS);
  }

  const [master] = Object.entries(sound.outputs);
  return {
    master: master && { name: master[0], ...master[1] },
    playing: Object.entries(sound.data).map(([name, level]) => ({ name, ...level })),
    setMaster: (to: Level): void => {
      if (master) set('outputs', { [master[0]]: to });
    },
    /** Mutes or unmutes all sessions; each keeps its level. */
    muteAll: (muted: boolean): void =>
      set('data', Object.fromEntries(Object.entries(sound.data).map(([name, { level }]) => [name, { level, muted }]))),
  };
}

const LEVEL_STEP = 5;

const withBuzz = (action: () => void) => () => {
  vibrate();
  action();
};

interface SoundPanelProps {
  readonly target: string | undefined;
  /** Name of the computer. */
  readonly device: string | undefined;
  readonly onKey: (key: KeyName) => Promise<void>;
}

/** Media keys and the master volume of the computer; without a known volume only the volume keys. */
export function SoundPanel({ target, device, onKey }: SoundPanelProps) {
  const { master, playing, setMaster, muteAll } = useSound(target);
  const names = playing.map(({ name }) => name);
  const isMuted = playing.every(({ muted }) => muted);
  const sessionNames = formatNames(names);
  const createKeyHandler = (name: KeyName) => withBuzz(() => void onKey(name));
  const setLevel = (level: number): void => setMaster({ level: Math.min(100, Math.max(0, level)), muted: level <= 0 });
  const createStepHandler = (by: number, name: KeyName) =>
    withBuzz(() => (master ? setLevel(master.level + by) : void onKey(name)));
  const shownLevel = master?.muted ? 0 : (master?.level ?? 0);
  return (
    <section className={styles['sound']} aria-label="Media keys">
      <div className={styles['row']}>
        <button type="button" aria-label="Previous" onClick={createKeyHandler('Previous')}>
          <IconPlayerTrackPrev size={20} stroke={1.75} />
        </button>
        <button type="button" className={styles['play']} aria-label="Play or pause" onClick={createKeyHandler('Play')}>
          <IconPlayerPlay size={20} stroke={1.75} />
        </button>
        <button type="button" aria-label="Next" onClick={createKeyHandler('Next')}>
          <IconPlayerTrackNext size={20} stroke={1.75} />
        </button>
        <span className={styles['details']} dir="auto">
          {playing.length > 0 ? (
            <>
              <b>{sessionNames}</b> on {device}
            </>
          ) : (
            device
          )}
        </span>
        {playing.length > 0 ? (
          <button
            type="button"
            aria-label={`${isMuted ? 'Unmute' : 'Mute'} ${sessionNames}`}
            data-on={isMuted || undefined}
            onClick={withBuzz(() => muteAll(!isMuted))}
          >
            <IconVolumeOff size={20} stroke={1.75} />
          </button>
        ) : (
          <button type="button" aria-label="Mute" onClick={createKeyHandler('Mute')}>
            <IconVolumeOff size={20} stroke={1.75} />
          </button>
        )}
      </div>
      <div className={styles['volume']}>
        <button type="button" aria-label="Volume down" onClick={createStepHandler(-LEVEL_STEP, 'VolumeDown')}>
          <IconVolume2 size={20} stroke={1.75} />
        </button>
        <Slider
          label="Master volume"
          value={shownLevel}
          disabled={!master}
          title={master?.device}
          aria-valuetext={`${shownLevel} percent`}
          onChange={setLevel}
        />
        <span className={`${styles['level']} num`}>{master ? shownLevel : ''}</span>
        <button type="button" aria-label="Volume up" onClick={createStepHandler(LEVEL_STEP, 'VolumeUp')}>
          <IconVolume size={20} stroke={1.75} />
        </button>
      </div>
    </section>
  );
}
