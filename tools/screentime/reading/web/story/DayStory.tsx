import { useState } from 'react';
import { Dialog } from '#platform/web/ui/Dialog.tsx';
import type { DayStoryProps } from '../viewTypes.ts';
import { Day, type OpenForm } from './Day.tsx';

const WIDTH = 960;

/** Everything of a day, stretch by stretch, with correcting what is wrong. An open form closes before the dialog does. */
export function DayStory({ onClose, ...rest }: DayStoryProps) {
  const [form, setForm] = useState<OpenForm>();
  return (
    <Dialog
      title="The day's story"
      isOpen
      onClose={form?.close ?? onClose}
      hasUnsaved={form?.isChanged ?? false}
      width={WIDTH}
      lockScroll={false}
    >
      <Day key={rest.date} {...rest} onForm={setForm} />
    </Dialog>
  );
}
