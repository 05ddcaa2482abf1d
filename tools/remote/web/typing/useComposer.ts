import { useState } from 'react';
import { useDraft } from '#platform/web/app/drafts.ts';
import { showError } from '#platform/web/app/failure.ts';
import { pressSpecialButton, type KeyName } from '../../domain/keys.ts';
import { useKeeping } from './useKeeping.ts';
import { checkMessage, type SendMessage } from './useSending.ts';

/** False, and a notice, where the rules refuse. */
const attempt = (act: () => void): boolean => {
  try {
    act();
    return true;
  } catch (error) {
    showError(error);
    return false;
  }
};

/** The text field: what it holds, how special buttons write into it, and sending it. */
export function useComposer(send: SendMessage, target: string | undefined) {
  const [isSending, setIsSending] = useState(false);
  const keeping = useKeeping();
  const { keep } = keeping;
  const [text, setText] = useDraft('remote.text', { isSecret: !keep });

  /** Sends any text. Gives false where the rules refused it. */
  const deliver = (value: string, whenFailed?: () => void): boolean => {
    if (!attempt(() => checkMessage(value, target))) return false;
    send(value, target, keep).catch((error: unknown) => {
      showError(error);
      whenFailed?.();
    });
    return true;
  };

  /** The text is nowhere else: it stays in the field until the device has done it. */
  const submitUnkept = async (): Promise<void> => {
    if (isSending || !attempt(() => checkMessage(text, target))) return;
    setIsSending(true);
    try {
      await send(text, target, false);
      // What was written meanwhile, on another page too, is another message, and the choice stays with it.
      let isSame = false;
      setText((typed) => {
        isSame = typed === text;
        return isSame ? '' : typed;
      });
      if (isSame) keeping.reset();
    } catch (error) {
      showError(error);
    } finally {
      setIsSending(false);
    }
  };

  /** Sends what the field holds and empties it; what was not done stands in it again, unless something else was typed. */
  const submit = (): void => {
    if (!keep) void submitUnkept();
    else if (deliver(text, () => setText((typed) => (typed === '' ? text : typed)))) {
      setText('');
      keeping.reset();
    }
  };

  /** Sends a line of the history again. What was not done stands in the field as well: it leaves it with this. */
  const sendAgain = (value: string): void => {
    if (value === text) submit();
    else deliver(value);
  };

  const press = (key: KeyName): boolean => attempt(() => setText(pressSpecialButton(text, key)));

  return { text, setText, deliver, submit, sendAgain, press, keeping, isSending };
}
