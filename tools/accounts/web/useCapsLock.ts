import { useState, type KeyboardEvent } from 'react';

/** Whether Caps Lock is on, as the keys typed into a field tell. */
export const useCapsLock = () => {
  const [on, setOn] = useState(false);
  const look = (event: KeyboardEvent): void => setOn(event.getModifierState('CapsLock'));
  return { on, listeners: { onKeyDown: look, onKeyUp: look, onBlur: () => setOn(false) } };
};
