import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import type { AnswerOf } from '#platform/contract/call.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { call } from '#platform/web/app/call.ts';
import { Form } from '#platform/web/ui/Form.tsx';
import { pairdevice } from '../contract.ts';
import styles from './pairing.module.css';

export type PairedComputer = AnswerOf<typeof pairdevice>;

interface CodeFormProps {
  readonly onPaired: (computer: PairedComputer) => void;
  /** Shown below the field while there is no error. */
  readonly hint: string;
  readonly isSideBySide?: boolean;
  readonly onCodeChange?: ((code: string) => void) | undefined;
}

/** The form for the code that the computer shows. */
export function CodeForm({ onPaired, hint, isSideBySide = false, onCodeChange }: CodeFormProps) {
  const hintId = useId();
  const fieldRef = useRef<HTMLInputElement>(null);
  const [code, setCode] = useState('');
  const pairing = useMutation({
    mutationFn: async () => {
      if (code.trim() === '') throw new Refusal('device.pairing_code_empty', 'Enter the code that the computer shows');
      return call(pairdevice, { code: code.trim() });
    },
    onSuccess: (computer) => {
      setCode('');
      onPaired(computer);
    },
  });
  const { isError } = pairing;
  // The next typed code replaces the wrong one.
  useEffect(() => {
    if (!isError) return;
    fieldRef.current?.focus();
    fieldRef.current?.select();
  }, [isError]);
  return (
    <Form
      className={styles['form']}
      data-beside={isSideBySide || undefined}
      isBusy={pairing.isPending}
      onSubmit={() => pairing.mutate()}
    >
      <input
        ref={fieldRef}
        className={styles['code']}
        aria-label="Code"
        aria-describedby={hintId}
        aria-invalid={isError}
        placeholder="········"
        value={code}
        maxLength={16}
        autoComplete="off"
        autoCapitalize="characters"
        autoCorrect="off"
        spellCheck={false}
        onChange={(event) => {
          const typed = event.currentTarget.value.toUpperCase();
          setCode(typed);
          onCodeChange?.(typed);
          pairing.reset();
        }}
      />
      <Button type="submit" variant="primary" loading={pairing.isPending} className={styles['pair'] ?? ''}>
        Pair
      </Button>
      <p id={hintId} className={styles['hint']} role={isError ? 'alert' : 'status'} data-bad={isError || undefined}>
        {isError ? <IconAlertTriangle size={15} stroke={1.75} /> : null}
        {pairing.error?.message ?? hint}
      </p>
    </Form>
  );
}
