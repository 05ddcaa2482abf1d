import { useRecording, type Own, type RecordableComputer } from './useGallery.ts';

/** What can be asked of a computer now: that it records its screen, or ends that. */
export interface RecordWish extends RecordableComputer {
  readonly run: () => void;
}

export const useRecordWishes = (
  computers: readonly RecordableComputer[],
  own: Pick<Own, 'recording'> | undefined,
): readonly RecordWish[] => {
  const { record } = useRecording();
  return computers.map((computer) => {
    const isRecorded = own?.recording.some(({ target }) => target === computer.target) ?? false;
    return {
      ...computer,
      name: isRecorded ? `Stop recording ${computer.name}` : `Record the screen of ${computer.name}`,
      run: () => record(computer.target, isRecorded ? 'stop' : 'start'),
    };
  });
};
