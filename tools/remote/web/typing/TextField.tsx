import type { ComponentProps } from 'react';
import { TEXT_PLACEHOLDER } from '#platform/contract/message.ts';

interface TextFieldProps extends ComponentProps<'input'> {
  readonly text: string;
  readonly setText: (text: string) => void;
}

/** The field for the text that the computer types, without any automatic corrections. */
export function TextField({ text, setText, ...rest }: TextFieldProps) {
  return (
    <input
      aria-label="Text to send"
      placeholder={TEXT_PLACEHOLDER}
      value={text}
      autoComplete="off"
      autoCapitalize="off"
      autoCorrect="off"
      spellCheck={false}
      enterKeyHint="send"
      dir="auto"
      onChange={(event) => setText(event.currentTarget.value)}
      {...rest}
    />
  );
}
