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
import type { LevelGroup } from '../domain/levels.ts';
import { describeSetting, stepLevel, type StripSetting, type Board, type StripView } from './mixerBoard.ts';
import styles from './MixerPage.module.css';

type IconRules = readonly (readonly [RegExp, Icon])[];

const outputIcons: IconRules = [
  [/head(phone|set)|ear(bud|phone)|bluetooth|airpod/i, IconHeadphones],
  [/hdmi|display ?port|monitor|\btv\b|television/i, IconDeviceTv],
];
const sessionIcons: IconRules = [
  [/firefox|chrom|browser|\bedge\b|safari|opera|brave|vivaldi|epiphany/i, IconWorld],
  [/spotify|music|rhythmbox|audacious|clementine|strawberry|tidal|deezer|\bmpd\b|amarok|lollypop/i, IconMusic],
  [/\bvlc\b|\bmpv\b|video|film|kodi|player|totem|celluloid|ffplay|netflix|youtube/i, IconVideo],
  [/discord|teamspeak|mumble|voice|chat|\bzoom\b|\bteams\b|skype|signal|telegram|jitsi/i, IconHeadset],
  [/system|notif|alert|event|bell/i, IconBell],
  [/steam|game|\bwine\b|minecraft|proton/i, IconDeviceGamepad2],
];

/** The icon of a strip, selected by words in its name. */
function StripIcon({ group, name }: { readonly group: LevelGroup; readonly name: string }) {
  const [rules, fallback] = group === 'outputs' ? [outputIcons, IconDeviceSpeaker] : [sessionIcons, IconAppWindow];
  return createElement(rules.find(([pattern]) => pattern.test(name))?.[1] ?? fallback, { size: 22, stroke: 1.75 });
}

interface StripProps {
  readonly view: StripView;
  readonly board: Board;
  /** The fader is vertical in wide windows. */
  readonly isVertical: boolean;
  /** Why no level can be changed now; undefined if it can. */
  readonly disabledReason: string | undefined;
}

const getMuteLabel = (name: string, { muted }: StripSetting): string => `${muted ? 'Unmute' : 'Mute'} ${name}`;
const getMuteTitle = (name: string, setting: StripSetting): string =>
  setting.level === 0 ? 'Muted at 0. Move the slider up to unmute' : getMuteLabel(name, setting);

/** Returns a function that holds the strip until the finger is lifted anywhere. */
function useHold(board: Board, key: string): () => void {
  const endHoldRef = useRef<() => void>(undefined);
  useEffect(() => () => endHoldRef.current?.(), []);
  return () => {
    endHoldRef.current?.();
    function endHold(): void {
      window.removeEventListener('pointerup', endHold);
      window.removeEventListener('pointercancel', endHold);
      endHoldRef.current = undefined;
      board.release(key);
    }
    window.addEventListener('pointerup', endHold);
    window.addEventListener('pointercancel', endHold);
    endHoldRef.current = endHold;
    board.hold(key);
  };
}

/** Updates the level in the page without React, because it can change in every frame. */
function usePaintedLevel(board: Board, { key, name }: StripView) {
  const stripRef = useRef<HTMLDivElement>(null);
  const faderRef = useRef<HTMLInputElement>(null);
  const levelRef = useRef<HTMLSpanElement>(null);
  const muteRef = useRef<HTMLButtonElement>(null);
  useLayoutEffect(
    () =>
      board.paint(key, (setting) => {
        const level = String(setting.level);
        stripRef.current?.toggleAttribute('data-muted', setting.muted);
        if (levelRef.current) levelRef.current.textContent = level;
        if (faderRef.current) {
          if (faderRef.current.value !== level) faderRef.current.value = level;
          faderRef.current.style.setProperty('--p', `${level}%`);
          faderRef.current.setAttribute('aria-valuetext', describeSetting(setting));
        }
        muteRef.current?.setAttribute('aria-label', getMuteLabel(name, setting));
        muteRef.current?.setAttribute('title', getMuteTitle(name, setting));
        muteRef.current?.setAttribute('aria-disabled', String(setting.level === 0));
      }),
    [board, key, name],
  );
  return { stripRef, faderRef, levelRef, muteRef };
}

const hasNoModifier = (event: KeyboardEvent): boolean => !event.ctrlKey && !event.metaKey && !event.altKey;

function Fader(props: StripProps & { readonly inputRef: RefObject<HTMLInputElement | null> }) {
  const { view, board, isVertical, disabledReason, inputRef } = props;
  const { key, name } = view;
  const hold = useHold(board, key);
  function handleKeyDown(event: KeyboardEvent): void {
    if (!hasNoModifier(event)) return;
    const level = stepLevel(event.key, board.getSetting(key).level);
    if (level !== undefined) {
      board.hold(key);
      board.move(key, level);
    } else if (event.key.toLowerCase() !== 'm') return;
    else if (!event.repeat) board.toggle(key);
    event.preventDefault();
  }
  return (
    <input
      ref={inputRef}
      className={styles['fader']}
      type="range"
      min={0}
      max={100}
      step={1}
      aria-label={`${name} volume`}
      aria-orientation={isVertical ? 'vertical' : 'horizontal'}
      disabled={disabledReason !== undefined}
      title={disabledReason}
      onPointerDown={hold}
      onInput={(event) => board.move(key, event.currentTarget.valueAsNumber)}
      onKeyDown={handleKeyDown}
      onKeyUp={() => board.release(key)}
      onBlur={() => board.release(key)}
    />
  );
}

/** One strip: icon, name, fader, level, mute button. */
export const FaderStrip = memo(function FaderStrip(props: StripProps) {
  const { view, board, disabledReason } = props;
  const { key, group, name, colour, device } = view;
  const { stripRef, faderRef, levelRef, muteRef } = usePaintedLevel(board, view);
  // The agent reports the colour, so it may be invalid.
  const colourStyle = CSS.supports('color', colour) ? { '--own': colour } : {};
  return (
    <div
      ref={stripRef}
      className={styles['strip']}
      role="group"
      aria-label={name}
      data-strip={key}
      style={colourStyle as CSSProperties}
    >
      <span className={styles['picture']}>
        <StripIcon group={group} name={name} />
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
      <Fader {...props} inputRef={faderRef} />
      <span ref={levelRef} className={`${styles['level']} num`} aria-hidden />
      <IconButton
        ref={muteRef}
        className={styles['mute']}
        label={getMuteLabel(name, board.getSetting(key))}
        size={44}
        bordered
        disabled={disabledReason !== undefined}
        onClick={() => board.toggle(key)}
      >
        <IconVolume className={styles['volumeIcon']} size={20} stroke={1.75} />
        <IconVolumeOff className={styles['silent']} size={20} stroke={1.75} />
      </IconButton>
    </div>
  );
});
