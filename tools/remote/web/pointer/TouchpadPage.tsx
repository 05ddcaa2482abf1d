import {
  IconAdjustmentsHorizontal,
  IconArrowLeft,
  IconArrowUp,
  IconMaximize,
  IconMinimize,
  IconArrowDown,
  IconArrowRight,
  IconBackspace,
} from '@tabler/icons-react';
import { useEffect, useRef, useState, useSyncExternalStore, useLayoutEffect, type ComponentType } from 'react';
import { useSelectedComputer, type Computer } from '#platform/web/app/computers.ts';
import { showError } from '#platform/web/app/failure.ts';
import { useNavigateTo } from '#platform/web/app/navigation.ts';
import { realtime, type ConnectionState } from '#platform/web/app/socket.ts';
import { useWakeLock } from '#platform/web/browser/useWakeLock.ts';
import { NoticeStack } from '#platform/web/page/NoticeStack.tsx';
import { DevicePicker } from '#platform/web/ui/DevicePicker.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { isModifier, type KeyName, type ModifierName } from '../../domain/keys.ts';
import { useComputers } from '../typing/deviceEvents.ts';
import { KeepToggle } from '../typing/KeepToggle.tsx';
import { PasswordHint } from '../typing/PasswordHint.tsx';
import { TextField } from '../typing/TextField.tsx';
import { useComposer, useSending } from '../typing/useComposer.ts';
import { usePresses } from '../typing/usePresses.ts';
import { useSoftKeyboardOpen } from '../typing/useSoftKeyboardOpen.ts';
import { PadKeys, TiltKeys } from './MouseKeys.tsx';
import { useMouseSettings, MouseSettings, MouseState } from './MouseSettings.tsx';
import { Pad, ScrollStrip } from './Pad.tsx';
import { usePointer } from './pointerStream.ts';
import { buzz } from './pressAndHold.ts';
import { SoundPanel } from './SoundPanel.tsx';
import { canTilt, useMotion } from './useMotion.ts';
import styles from './TouchpadPage.module.css';

const subscribe = (onChange: () => void): (() => void) => {
  document.addEventListener('fullscreenchange', onChange);
  return () => document.removeEventListener('fullscreenchange', onChange);
};
const isFullNow = (): boolean => document.fullscreenElement !== null;

/** Full screen mode of this page; iPhones do not support it. */
export function useFullScreen() {
  const isFull = useSyncExternalStore(subscribe, isFullNow);
  return {
    isAble: document.fullscreenEnabled,
    isFull,
    toggle: (): void => {
      const request = isFull ? document.exitFullscreen() : document.documentElement.requestFullscreen();
      request.catch(showError);
    },
  };
}

/** Connection state of the page's socket. */
export function useLine(): ConnectionState {
  return useSyncExternalStore(realtime.onConnectionStateChange, realtime.getConnectionState);
}

const icons: Readonly<Record<string, ComponentType<{ size: number; stroke: number }>>> = {
  Left: IconArrowLeft,
  Up: IconArrowUp,
  Down: IconArrowDown,
  Right: IconArrowRight,
  Backspace: IconBackspace,
};
const secondaryKeys: readonly KeyName[] = ['Esc', 'Tab', 'Ctrl', 'Gui', 'Alt', 'Shift', 'Del', 'Backspace'];
const primaryKeys: readonly KeyName[] = ['Left', 'Up', 'Down', 'Right', 'Space', 'Enter'];
const repeatingKeys = new Set<KeyName>(['Left', 'Up', 'Down', 'Right', 'Backspace', 'Del', 'Space']);
const REPEAT_DELAY_MS = 450;

interface KeyRowProps {
  readonly latched: readonly ModifierName[];
  readonly press: (key: KeyName) => Promise<void>;
}

interface KeyProps {
  readonly name: KeyName;
  readonly latched: boolean;
  readonly press: () => Promise<void>;
}

const sleep = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** One key. Arrows and deleting keys repeat while they are held, each time after the previous press is done. */
function Key({ name, latched, press }: KeyProps) {
  const holdCount = useRef(0);
  const hasRepeated = useRef(false);
  const latest = useRef(press);
  useLayoutEffect(() => {
    latest.current = press;
  });
  useEffect(() => () => void (holdCount.current += 1), []);
  const repeat = async (): Promise<void> => {
    holdCount.current += 1;
    const hold = holdCount.current;
    await sleep(REPEAT_DELAY_MS);
    while (holdCount.current === hold) {
      hasRepeated.current = true;
      await latest.current();
    }
  };
  const endHold = (): void => void (holdCount.current += 1);
  const Icon = icons[name];
  return (
    <button
      type="button"
      className={styles['key']}
      data-quiet={secondaryKeys.includes(name) || undefined}
      data-wide={name === 'Space' || name === 'Enter' || undefined}
      data-held={latched || undefined}
      aria-label={Icon ? name : undefined}
      aria-pressed={isModifier(name) ? latched : undefined}
      // Keeps the focus in the text field, so that a phone's soft keyboard does not open or close.
      onPointerDown={(event) => {
        event.preventDefault();
        hasRepeated.current = false;
        if (repeatingKeys.has(name)) void repeat();
      }}
      onPointerUp={endHold}
      onPointerCancel={endHold}
      onPointerLeave={endHold}
      onContextMenu={(event) => event.preventDefault()}
      onClick={() => {
        if (hasRepeated.current) return;
        buzz();
        void press();
      }}
    >
      {Icon ? <Icon size={18} stroke={1.75} /> : name}
    </button>
  );
}

/** Special keys that are sent immediately when they are pressed. */
export function KeyRow({ latched, press }: KeyRowProps) {
  const held: readonly KeyName[] = latched;
  return (
    <section className={styles['keys']} aria-label="Special buttons">
      {[...secondaryKeys, ...primaryKeys].map((name) => (
        <Key key={name} name={name} latched={held.includes(name)} press={() => press(name)} />
      ))}
    </section>
  );
}

/** Hints on the pad, by whether it is lifted. */
const tips = {
  touchpad: (lifted: boolean): string =>
    lifted
      ? 'Lifted: the pointer does not move'
      : 'One finger moves, two scroll, three go back or forward. Tap to click, tap with two fingers to right-click, press and hold to drag',
  tilt: (lifted: boolean): string =>
    lifted
      ? 'Lifted: the pointer does not move when you turn the phone'
      : 'Hold the phone like a pointer and turn it to move the pointer. Hold Scroll to scroll',
};

const describeProblem = (device: Computer | undefined, reconnecting: boolean): string | undefined => {
  if (reconnecting) return 'Reconnecting';
  if (device === undefined) return 'Choose a connected computer in the list above';
  if (device.state === 'Disconnected') return `${device.name} is not connected`;
  return undefined;
};

/** The pad, or the tilt hint in its place, with the mouse buttons. */
function Mouse({ device, presses }: { readonly device: Computer | undefined; readonly presses: Presses }) {
  const target = device?.id;
  const settings = useMouseSettings();
  const motion = useMotion(target, settings.speed);
  const stream = usePointer(target);
  const [held, setHeld] = useState({ left: false, right: false });
  const [lifted, setLifted] = useState(false);
  const [open, setOpen] = useState(false);
  const chosen = settings.mode ?? 'touchpad';
  const mode = chosen === 'tilt' && canTilt(motion.tilt) ? 'tilt' : 'touchpad';
  const reconnecting = useLine() === 'reconnecting';
  useWakeLock(true);
  const { latched } = presses;
  useEffect(() => stream.hold(latched), [stream, latched]);
  const set = (button: 'left' | 'right', down: boolean): void => {
    stream.turn(button, down);
    setHeld((before) => ({ ...before, [button]: down }));
  };
  const tip =
    describeProblem(device, reconnecting) ?? (mode === 'tilt' ? tips.tilt(motion.held.lift) : tips.touchpad(lifted));
  return (
    <>
      <div className={styles['stage']}>
        {mode === 'touchpad' ? (
          <Pad stream={stream} speed={settings.speed} lifted={lifted} swipe={presses.swipe}>
            <p className={styles['tip']} role="status">
              {tip}
            </p>
          </Pad>
        ) : (
          <div className={`${styles['tilt']} holes`}>
            <p role="status">{tip}</p>
          </div>
        )}
        {mode === 'touchpad' ? <ScrollStrip stream={stream} /> : null}
        <div className={styles['bar']}>
          {chosen === 'tilt' ? <MouseState motion={motion} chosen={chosen} /> : null}
          <IconButton label="Mouse settings" bordered aria-expanded={open} onClick={() => setOpen(!open)}>
            <IconAdjustmentsHorizontal size={18} stroke={1.75} />
          </IconButton>
        </div>
        {open ? (
          <div className={styles['settings']}>
            <MouseSettings settings={settings} mode={mode} />
          </div>
        ) : null}
      </div>
      <section className={styles['buttons']} aria-label="Mouse panel">
        {mode === 'touchpad' ? (
          <PadKeys held={held} set={set} lifted={lifted} toggle={() => setLifted(!lifted)} />
        ) : (
          <TiltKeys motion={motion} right={{ held: held.right, set: (down) => set('right', down) }} />
        )}
      </section>
    </>
  );
}

type Presses = ReturnType<typeof usePresses>;

/** The phone as a touchpad and keyboard, full screen and without scrolling. */
export default function TouchpadPage() {
  const go = useNavigateTo();
  const field = useRef<HTMLInputElement>(null);
  const { computers } = useComputers();
  const { chosen, choose } = useSelectedComputer(computers);
  const target = chosen?.id;
  const presses = usePresses(target);
  const { send } = useSending();
  const { text, setText, submit, keeping, isSending } = useComposer(send, target);
  const typing = useSoftKeyboardOpen(field);
  const { isFull, toggle, isAble } = useFullScreen();
  const FullIcon = isFull ? IconMinimize : IconMaximize;
  return (
    <main className={styles['page']} data-typing={typing || undefined}>
      <header className={styles['header']}>
        <IconButton label="Back" size={44} onClick={() => go('/dashboard')}>
          <IconArrowLeft size={20} stroke={1.75} />
        </IconButton>
        <h1 className={styles['title']}>Touchpad</h1>
        <div className={styles['device']}>
          <DevicePicker computers={computers ?? []} selected={chosen} onSelect={choose} brief />
        </div>
        {isAble ? (
          <IconButton label={isFull ? 'Exit full screen' : 'Full screen'} size={44} onClick={toggle}>
            <FullIcon size={20} stroke={1.75} />
          </IconButton>
        ) : null}
      </header>
      <Mouse key={target ?? ''} device={chosen} presses={presses} />
      <KeyRow latched={presses.latched} press={presses.press} />
      <SoundPanel target={target} device={chosen?.name} press={presses.press} />
      <form
        className={styles['type']}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <PasswordHint device={chosen} keeping={keeping} />
        <TextField ref={field} text={text} setText={setText} readOnly={isSending} />
        <KeepToggle keeping={keeping} />
        <button type="submit" aria-label="Send">
          <IconArrowUp size={20} stroke={1.75} />
        </button>
      </form>
      <NoticeStack />
    </main>
  );
}
