import { useRef } from 'react';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import type { DayStoryProps } from '../parts.ts';
import { Day } from './story/Day.tsx';

const WIDTH = 960;

/** Everything of a day, stretch by stretch, with correcting what is wrong. */
export function DayStory({ onClose, ...rest }: DayStoryProps) {
  const closeForm = useRef<() => void>(undefined);
  return (
    <Dialog
      title="The day's story"
      opened
      // What is typed into an open form is not lost with the dialog: the form closes first.
      onClose={() => (closeForm.current ?? onClose)()}
      width={WIDTH}
      lockScroll={false}
    >
      <Day
        key={rest.date}
        {...rest}
        onForm={(close) => {
          closeForm.current = close;
        }}
      />
    </Dialog>
  );
}
