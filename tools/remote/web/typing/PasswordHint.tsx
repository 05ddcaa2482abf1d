import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '#platform/web/app/call.ts';
import type { Computer } from '#platform/web/app/computers.ts';
import { useConnectionStateChange, useRealtimeEvent } from '#platform/web/app/useRealtimeEvent.ts';
import { passwordFocusChanged, passwordfocus } from '../../contract.ts';
import type { RetentionControls } from './useComposer.ts';
import styles from './PasswordHint.module.css';

/** Returns whether a password field has the keyboard focus on the device, live. */
function usePasswordFocus(target: string | undefined): boolean {
  const queryClient = useQueryClient();
  const { data } = useQuery({
    queryKey: ['passwordfocus', target],
    enabled: target !== undefined,
    queryFn: async () => (await call(passwordfocus, { target: target ?? '' })).isFocused,
  });
  useRealtimeEvent(passwordFocusChanged, ({ target: device, isFocused }) => {
    const queryKey = ['passwordfocus', device];
    // A pending answer would be older.
    void queryClient.cancelQueries({ queryKey });
    queryClient.setQueryData(queryKey, isFocused);
  });
  useConnectionStateChange((state) => {
    if (state === 'connected') void queryClient.invalidateQueries({ queryKey: ['passwordfocus'] });
  });
  return data ?? false;
}

interface PasswordHintProps {
  readonly device: Computer | undefined;
  readonly retention: RetentionControls;
}

/** Suggests not to store the next message while a password field has the focus on the device. */
export function PasswordHint({ device, retention }: PasswordHintProps) {
  const isFocused = usePasswordFocus(device?.id);
  return (
    <div className={styles['hint']} role="status">
      {isFocused && retention.keep ? (
        <>
          <span>A password field is active on {device?.name}</span>
          {/* Keeps the focus in the text field, so that a phone's soft keyboard does not open or close. */}
          <button type="button" onPointerDown={(event) => event.preventDefault()} onClick={retention.toggle}>
            Don't store the next message
          </button>
        </>
      ) : null}
    </div>
  );
}
