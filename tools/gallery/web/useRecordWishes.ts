import { useRecording, type OwnRecordings, type RecordableComputer } from './useGallery.ts';

/** What can be asked of a computer now: that it records its screen, or ends that. */
export interface RecordRequest extends RecordableComputer {
  readonly run: () => void;
}

export const useRecordWishes = (
  computers: readonly RecordableComputer[],
  own: Pick<OwnRecordings, 'recording'> | undefined,
): readonly RecordRequest[] => {
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
