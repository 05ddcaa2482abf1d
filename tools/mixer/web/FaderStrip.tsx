import {
  IconVolume,
  IconVolumeOff,
  IconAppWindow,
  IconBell,
  IconDeviceGamepad2,
  IconDeviceSpeaker,
  IconDeviceTv,
  IconHeadphones,
  IconHeadset,
  IconMusic,
  IconVideo,
  IconWorld,
} from '@tabler/icons-react';
import {
  memo,
  useEffect,
  useLayoutEffect,
  useRef,
  type CSSProperties,
  type KeyboardEvent,
  type RefObject,
  createElement,
} from 'react';
import type { Icon } from '#platform/web/tool.ts';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { describeSetting, stepLevel, type StripSetting, type Board, type StripView, type Group } from './mixerBoard.ts';
import styles from './MixerPage.module.css';

type IconRules = readonly (readonly [RegExp, Icon])[];

const outputs: IconRules = [
  [/head(phone|set)|ear(bud|phone)|bluetooth|airpod/i, IconHeadphones],
  [/hdmi|display ?port|monitor|\btv\b|television/i, IconDeviceTv],
];
const sessions: IconRules = [
  [/firefox|chrom|browser|\bedge\b|safari|opera|brave|vivaldi|epiphany/i, IconWorld],
  [/spotify|music|rhythmbox|audacious|clementine|strawberry|tidal|deezer|\bmpd\b|amarok|lollypop/i, IconMusic],
  [/\bvlc\b|\bmpv\b|video|film|kodi|player|totem|celluloid|ffplay|netflix|youtube/i, IconVideo],
  [/discord|teamspeak|mumble|voice|chat|\bzoom\b|\bteams\b|skype|signal|telegram|jitsi/i, IconHeadset],
  [/system|notif|alert|event|bell/i, IconBell],
  [/steam|game|\bwine\b|minecraft|proton/i, IconDeviceGamepad2],
];

/** The icon of a strip, chosen by words in its name. */
export function Picture({ group, name }: { readonly group: Group; readonly name: string }) {
  const [rules, fallback] = group === 'outputs' ? [outputs, IconDeviceSpeaker] : [sessions, IconAppWindow];
  return createElement(rules.find(([words]) => words.test(name))?.[1] ?? fallback, { size: 22, stroke: 1.75 });
}

interface StripProps {
  readonly view: StripView;
  readonly board: Board;
  /** Whether the fader is vertical, on wide windows. */
  readonly upright: boolean;
  /** Why no level can be changed now. */
  readonly why: string | undefined;
}

const muteName = (name: string, { muted }: StripSetting): string => `${muted ? 'Unmute' : 'Mute'} ${name}`;
const muteTitle = (name: string, setting: StripSetting): string =>
  setting.level === 0 ? 'Muted at 0. Move the slider up to unmute' : muteName(name, setting);

/** Holds the strip from the touch until the finger is lifted, wherever that is. */
const useHold = (board: Board, key: string): (() => void) => {
  const stop = useRef<() => void>(undefined);
  useEffect(() => () => stop.current?.(), []);
  return () => {
    stop.current?.();
    const end = (): void => {
      window.removeEventListener('pointerup', end);
      window.removeEventListener('pointercancel', end);
      stop.current = undefined;
      board.release(key);
    };
    window.addEventListener('pointerup', end);
    window.addEventListener('pointercancel', end);
    stop.current = end;
    board.hold(key);
  };
};

/** Updates the level in the page without React, because it can change in every frame. */
const usePaintedLevel = (board: Board, { key, name }: StripView) => {
  const strip = useRef<HTMLDivElement>(null);
  const fader = useRef<HTMLInputElement>(null);
  const number = useRef<HTMLSpanElement>(null);
  const mute = useRef<HTMLButtonElement>(null);
  useLayoutEffect(
    () =>
      board.paint(key, (setting) => {
        const level = String(setting.level);
        strip.current?.toggleAttribute('data-muted', setting.muted);
        if (number.current) number.current.textContent = level;
        if (fader.current) {
          if (fader.current.value !== level) fader.current.value = level;
          fader.current.style.setProperty('--p', `${level}%`);
          fader.current.setAttribute('aria-valuetext', describeSetting(setting));
        }
        mute.current?.setAttribute('aria-label', muteName(name, setting));
        mute.current?.setAttribute('title', muteTitle(name, setting));
        mute.current?.setAttribute('aria-disabled', String(setting.level === 0));
      }),
    [board, key, name],
  );
  return { strip, fader, number, mute };
};

const isPlain = (event: KeyboardEvent): boolean => !event.ctrlKey && !event.metaKey && !event.altKey;

function Fader({
  view,
  board,
  upright,
  why,
  input,
}: StripProps & { readonly input: RefObject<HTMLInputElement | null> }) {
  const { key, name } = view;
  const hold = useHold(board, key);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isPlain(event)) return;
    const to = stepLevel(event.key, board.read(key).level);
    if (to !== undefined) {
      board.hold(key);
      board.move(key, to);
    } else if (event.key.toLowerCase() !== 'm') return;
    else if (!event.repeat) board.toggle(key);
    event.preventDefault();
  };
  return (
    <input
      ref={input}
      className={styles['fader']}
      type="range"
      min={0}
      max={100}
      step={1}
      aria-label={`${name} volume`}
      aria-orientation={upright ? 'vertical' : 'horizontal'}
      disabled={why !== undefined}
      title={why}
      onPointerDown={hold}
      onInput={(event) => board.move(key, event.currentTarget.valueAsNumber)}
      onKeyDown={onKeyDown}
      onKeyUp={() => board.release(key)}
      onBlur={() => board.release(key)}
    />
  );
}

/** One strip: icon, name, fader, level, mute button. */
export const FaderStrip = memo(function FaderStrip(props: StripProps) {
  const { view, board, why } = props;
  const { key, group, name, colour, device } = view;
  const { strip, fader, number, mute } = usePaintedLevel(board, view);
  // The agent reports the colour; an invalid one is replaced by the neutral colour.
  const colourStyle = CSS.supports('color', colour) ? { '--own': colour } : {};
  return (
    <div
      ref={strip}
      className={styles['strip']}
      role="group"
      aria-label={name}
      data-strip={key}
      style={colourStyle as CSSProperties}
    >
      <span className={styles['picture']}>
        <Picture group={group} name={name} />
      </span>
      <span className={styles['details']}>
        <span className={`${styles['name']} ellipsis`} dir="auto" title={name}>
          {name}
        </span>
        {device === undefined ? null : (
          <span className={styles['device']} dir="auto" title={device}>
            {device}
          </span>
        )}
      </span>
      <Fader {...props} input={fader} />
      <span ref={number} className={`${styles['level']} num`} aria-hidden />
      <IconButton
        ref={mute}
        className={styles['mute']}
        label={muteName(name, board.read(key))}
        size={44}
        bordered
        disabled={why !== undefined}
        onClick={() => board.toggle(key)}
      >
        <IconVolume className={styles['volumeIcon']} size={20} stroke={1.75} />
        <IconVolumeOff className={styles['silent']} size={20} stroke={1.75} />
      </IconButton>
    </div>
  );
});
