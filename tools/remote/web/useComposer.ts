import { useState } from 'react';
import { showFailure } from '#platform/web/failure.ts';
import { pressSpecialButton, type KeyName } from '../domain/keys.ts';
import { checkMessage } from './useSending.ts';

type Send = (text: string, target: string | undefined) => Promise<void>;

/** False, and a notice, where the rules refuse. */
const attempt = (act: () => void): boolean => {
  try {
    act();
    return true;
  } catch (error) {
    showFailure(error);
    return false;
  }
};

/** The text field: what it holds, how special buttons write into it, and sending it. */
export const useComposer = (send: Send, target: string | undefined) => {
  const [text, setText] = useState('');

  /** Sends any text, such as a line of the history. Gives false where the rules refused it. */
  const deliver = (value: string, whenFailed?: () => void): boolean => {
    if (!attempt(() => checkMessage(value, target))) return false;
    send(value, target).catch((error: unknown) => {
      showFailure(error);
      whenFailed?.();
    });
    return true;
  };

  /** Sends what the field holds and empties it; what was not done stands in it again, unless something else was typed. */
  const submit = (): void => {
    if (!deliver(text, () => setText((typed) => (typed === '' ? text : typed)))) return;
    setText('');
  };

  const press = (key: KeyName): boolean => attempt(() => setText(pressSpecialButton(text, key)));

  return { text, setText, deliver, submit, press };
};
