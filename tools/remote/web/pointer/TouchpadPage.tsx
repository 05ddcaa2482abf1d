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
import { useNavigateTo } from '#platform/web/app/navigation.ts';
import { realtime, type ConnectionState } from '#platform/web/app/realtime.ts';
import { showError } from '#platform/web/app/showError.ts';
import { useWakeLock } from '#platform/web/browser/useWakeLock.ts';
import { NoticeStack } from '#platform/web/page/NoticeStack.tsx';
import { DevicePicker } from '#platform/web/ui/DevicePicker.tsx';
import { Form } from '#platform/web/ui/Form.tsx';
import { IconButton } from '#platform/web/ui/IconButton.tsx';
import { isModifier, type KeyName } from '../../domain/keys.ts';
import { useComputers } from '../typing/deviceEvents.ts';
import { KeepToggle } from '../typing/KeepToggle.tsx';
import { PasswordHint } from '../typing/PasswordHint.tsx';
import { TextField } from '../typing/TextField.tsx';
import { useComposer, useSending } from '../typing/useComposer.ts';
import { usePresses } from '../typing/usePresses.ts';
import { useSoftKeyboardOpen } from '../typing/useSoftKeyboardOpen.ts';
import { PadKeys, TiltKeys } from './MouseKeys.tsx';
import { useMouseSettings, MouseSettings, MouseStatus } from './MouseSettings.tsx';
import { Pad, ScrollStrip } from './Pad.tsx';
import { usePointer } from './pointerStream.ts';
import { vibrate } from './pressAndHold.ts';
import { SoundPanel } from './SoundPanel.tsx';
import { canTilt, useMotion } from './useMotion.ts';
import '#platform/web/theme/parts.css';
import styles from './TouchpadPage.module.css';

function subscribeToFullScreen(onChange: () => void): () => void {
  document.addEventListener('fullscreenchange', onChange);
  return () => document.removeEventListener('fullscreenchange', onChange);
}
const getIsFullScreen = (): boolean => document.fullscreenElement !== null;

/** Full screen mode of this page; iPhones do not support it. */
function useFullScreen() {
  const isFullScreen = useSyncExternalStore(subscribeToFullScreen, getIsFullScreen);
  return {
    isSupported: document.fullscreenEnabled,
    isFullScreen,
    toggle: (): void => {
      const request = isFullScreen ? document.exitFullscreen() : document.documentElement.requestFullscreen();
      request.catch(showError);
    },
  };
}

/** Connection state of the page's socket. */
export function useConnectionState(): ConnectionState {
  return useSyncExternalStore(realtime.onConnectionStateChange, realtime.getConnectionState);
}

const iconByKey: Readonly<Record<string, ComponentType<{ size: number; stroke: number }>>> = {
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
  readonly latched: readonly KeyName[];
  readonly onPress: (key: KeyName) => Promise<void>;
}

interface KeyProps {
  readonly name: KeyName;
  readonly isLatched: boolean;
  readonly onPress: () => Promise<void>;
}

const sleep = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** A key. Arrows and deleting keys repeat while they are held, each time after the previous press is done. */
function Key({ name, isLatched, onPress }: KeyProps) {
  const holdCount = useRef(0);
  const hasRepeated = useRef(false);
  const onPressRef = useRef(onPress);
  useLayoutEffect(() => {
    onPressRef.current = onPress;
  });
  useEffect(() => () => void (holdCount.current += 1), []);
  async function repeat(): Promise<void> {
    holdCount.current += 1;
    const currentHold = holdCount.current;
    await sleep(REPEAT_DELAY_MS);
    while (holdCount.current === currentHold) {
      hasRepeated.current = true;
      await onPressRef.current();
    }
  }
  const endHold = (): void => void (holdCount.current += 1);
  const Icon = iconByKey[name];
  return (
    <button
      type="button"
      className={styles['key']}
      data-quiet={secondaryKeys.includes(name) || undefined}
      data-wide={name === 'Space' || name === 'Enter' || undefined}
      data-held={isLatched || undefined}
      aria-label={Icon ? name : undefined}
      aria-pressed={isModifier(name) ? isLatched : undefined}
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
        vibrate();
        void onPress();
      }}
    >
      {Icon ? <Icon size={18} stroke={1.75} /> : name}
    </button>
  );
}

/** Special keys that are sent immediately when they are pressed. */
function KeyRow({ latched, onPress }: KeyRowProps) {
  return (
    <section className={styles['keys']} aria-label="Special buttons">
      {[...secondaryKeys, ...primaryKeys].map((name) => (
        <Key key={name} name={name} isLatched={latched.includes(name)} onPress={() => onPress(name)} />
      ))}
    </section>
  );
}

/** Hints on the touchpad, by mode. */
const hints = {
  touchpad: (isLifted: boolean): string =>
    isLifted
      ? 'Lifted: the pointer does not move'
      : 'One finger moves, two scroll, three go back or forward. Tap to click, tap with two fingers to right-click, press and hold to drag',
  tilt: (isLifted: boolean): string =>
    isLifted
      ? 'Lifted: the pointer does not move when you turn the phone'
      : 'Hold the phone like a pointer and turn it to move the pointer. Hold Scroll to scroll',
};

function describeProblem(device: Computer | undefined, isReconnecting: boolean): string | undefined {
  if (isReconnecting) return 'Reconnecting';
  if (device === undefined) return 'Choose a connected computer in the list above';
  if (device.state === 'Disconnected') return `${device.name} is not connected`;
  return undefined;
}

/** The touchpad, or the hint how to tilt, with the mouse buttons. */
function Mouse({ device, presses }: { readonly device: Computer | undefined; readonly presses: Presses }) {
  const target = device?.id;
  const settings = useMouseSettings();
  const motion = useMotion(target, settings.speed);
  const stream = usePointer(target);
  const [heldButtons, setHeldButtons] = useState({ left: false, right: false });
  const [isLifted, setIsLifted] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  const preferredMode = settings.mode ?? 'touchpad';
  const mode = preferredMode === 'tilt' && canTilt(motion.tilt) ? 'tilt' : 'touchpad';
  const isReconnecting = useConnectionState() === 'reconnecting';
  useWakeLock(true);
  const { latched } = presses;
  useEffect(() => stream.setModifiers(latched), [stream, latched]);
  function setButton(button: 'left' | 'right', isPressed: boolean): void {
    stream.setButton(button, isPressed);
    setHeldButtons((current) => ({ ...current, [button]: isPressed }));
  }
  const hint =
    describeProblem(device, isReconnecting) ??
    (mode === 'tilt' ? hints.tilt(motion.buttons.lift) : hints.touchpad(isLifted));
  return (
    <>
      <div className={styles['stage']}>
        {mode === 'touchpad' ? (
          <Pad stream={stream} speed={settings.speed} isLifted={isLifted} onSwipe={presses.swipe}>
            <p className={styles['tip']} role="status">
              {hint}
            </p>
          </Pad>
        ) : (
          <div className={`${styles['tilt']} holes`}>
            <p role="status">{hint}</p>
          </div>
        )}
        {mode === 'touchpad' ? <ScrollStrip stream={stream} /> : null}
        <div className={styles['bar']}>
          {preferredMode === 'tilt' ? <MouseStatus motion={motion} preferredMode={preferredMode} /> : null}
          <IconButton label="Mouse settings" bordered aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            <IconAdjustmentsHorizontal size={18} stroke={1.75} />
          </IconButton>
        </div>
        {isOpen ? (
          <div className={styles['settings']}>
            <MouseSettings settings={settings} mode={mode} />
          </div>
        ) : null}
      </div>
      <section className={styles['buttons']} aria-label="Mouse panel">
        {mode === 'touchpad' ? (
          <PadKeys
            heldButtons={heldButtons}
            onButtonChange={setButton}
            isLifted={isLifted}
            onToggle={() => setIsLifted(!isLifted)}
          />
        ) : (
          <TiltKeys
            motion={motion}
            rightButton={{ isHeld: heldButtons.right, onChange: (isPressed) => setButton('right', isPressed) }}
          />
        )}
      </section>
    </>
  );
}

type Presses = ReturnType<typeof usePresses>;

/** The phone as a touchpad and keyboard, full screen and without scrolling. */
export default function TouchpadPage() {
  const navigateTo = useNavigateTo();
  const fieldRef = useRef<HTMLInputElement>(null);
  const { computers } = useComputers();
  const { selectedComputer, selectComputer } = useSelectedComputer(computers);
  const target = selectedComputer?.id;
  const presses = usePresses(target);
  const { send } = useSending();
  const { text, setText, submit, retention, isSending } = useComposer(send, target);
  const isTyping = useSoftKeyboardOpen(fieldRef);
  const { isFullScreen, toggle, isSupported } = useFullScreen();
  const FullScreenIcon = isFullScreen ? IconMinimize : IconMaximize;
  return (
    <main className={styles['page']} data-typing={isTyping || undefined}>
      <header className={styles['header']}>
        <IconButton label="Back" size={44} onClick={() => navigateTo('/dashboard')}>
          <IconArrowLeft size={20} stroke={1.75} />
        </IconButton>
        <h1 className={styles['title']}>Touchpad</h1>
        <div className={styles['device']}>
          <DevicePicker computers={computers ?? []} selected={selectedComputer} onSelect={selectComputer} brief />
        </div>
        {isSupported ? (
          <IconButton label={isFullScreen ? 'Exit full screen' : 'Full screen'} size={44} onClick={toggle}>
            <FullScreenIcon size={20} stroke={1.75} />
          </IconButton>
        ) : null}
      </header>
      <Mouse key={target ?? ''} device={selectedComputer} presses={presses} />
      <KeyRow latched={presses.latched} onPress={presses.press} />
      <SoundPanel target={target} device={selectedComputer?.name} onKey={presses.press} />
      <Form className={styles['type']} onSubmit={submit}>
        <PasswordHint device={selectedComputer} retention={retention} />
        <TextField ref={fieldRef} text={text} onTextChange={setText} readOnly={isSending} />
        <KeepToggle retention={retention} />
        <button type="submit" aria-label="Send">
          <IconArrowUp size={20} stroke={1.75} />
        </button>
      </Form>
      <NoticeStack />
    </main>
  );
}
