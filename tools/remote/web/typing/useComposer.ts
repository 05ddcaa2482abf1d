import { useState } from 'react';
import { useDraft } from '#platform/web/app/drafts.ts';
import { showError } from '#platform/web/app/failure.ts';
import { browserStorage, useBrowserStorage } from '#platform/web/browser/browserStorage.ts';
import { pressSpecialButton, type KeyName } from '../../domain/keys.ts';
import { checkMessage, type SendMessage } from './useSending.ts';

const MODE = 'dashboard.keep';
// A choice not to keep messages applies to all tabs.
browserStorage.followOtherTabs(MODE);

/**
 * Whether the next message is stored in the history: as set for this browser, unless the user chose otherwise for one
 * message.
 */
export function useKeeping() {
  const [mode, setMode] = useBrowserStorage(MODE);
  // Stored with the draft it applies to: both survive a change of the page and a login.
  const [nextMessageChoice, setOnce] = useDraft('remote.once', { isSecret: true });
  const isAlways = mode !== 'off';
  const keep = nextMessageChoice === '' ? isAlways : nextMessageChoice === 'keep';
  return {
    keep,
    /** Toggles for the next message only. */
    toggle: (): void => setOnce(keep ? 'not' : 'keep'),
    /** Call this when the message is done, as the choice applied to it alone. */
    reset: (): void => setOnce(''),
    /** The setting for all messages sent from this browser. */
    isAlways,
    setAlways: (always: boolean): void => {
      setOnce('');
      setMode(always ? 'on' : 'off');
    },
  };
}

export type RetentionControls = ReturnType<typeof useKeeping>;

/** Runs a check. Shows a refusal as a notice and returns false. */
const attempt = (act: () => void): boolean => {
  try {
    act();
    return true;
  } catch (error) {
    showError(error);
    return false;
  }
};

/** The text field: its content, the special buttons that write to it, and sending. */
export function useComposer(send: SendMessage, target: string | undefined) {
  const [isSending, setIsSending] = useState(false);
  const keeping = useKeeping();
  const { keep } = keeping;
  const [text, setText] = useDraft('remote.text', { isSecret: !keep });

  /** Sends a text. Returns false if it was refused. */
  const deliver = (value: string, onFailed?: () => void): boolean => {
    if (!attempt(() => checkMessage(value, target))) return false;
    send(value, target, keep).catch((error: unknown) => {
      showError(error);
      onFailed?.();
    });
    return true;
  };

  /** Sends a text that is stored nowhere else: it stays in the field until the device has done it. */
  const submitUnkept = async (): Promise<void> => {
    if (isSending || !attempt(() => checkMessage(text, target))) return;
    setIsSending(true);
    try {
      await send(text, target, false);
      // Text that was entered meanwhile, also on another page, is another message, and the option applies to it.
      let isSame = false;
      setText((current) => {
        isSame = current === text;
        return isSame ? '' : current;
      });
      if (isSame) keeping.reset();
    } catch (error) {
      showError(error);
    } finally {
      setIsSending(false);
    }
  };

  /**
   * Sends the content of the field and empties it. If it fails, the text is restored unless something else was typed.
   */
  const submit = (): void => {
    if (!keep) void submitUnkept();
    else if (deliver(text, () => setText((current) => (current === '' ? text : current)))) {
      setText('');
      keeping.reset();
    }
  };

  /** Sends a line of the history again. If the field still contains it after a failure, it is removed from there. */
  const sendAgain = (value: string): void => {
    if (value === text) submit();
    else deliver(value);
  };

  const press = (key: KeyName): boolean => attempt(() => setText(pressSpecialButton(text, key)));

  return { text, setText, deliver, submit, sendAgain, press, keeping, isSending };
}
