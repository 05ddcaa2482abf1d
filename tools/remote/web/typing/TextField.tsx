import type { ComponentProps } from 'react';
import { TEXT_PLACEHOLDER } from '#platform/contract/message.ts';

interface TextFieldProps extends ComponentProps<'input'> {
  readonly text: string;
  readonly onTextChange: (text: string) => void;
}

/** The field for the text that the computer types, without any automatic corrections. */
export function TextField({ text, onTextChange, ...inputProps }: TextFieldProps) {
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
      onChange={(event) => onTextChange(event.currentTarget.value)}
      {...inputProps}
    />
  );
}
