import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AnswerOf, Call, RequestInputOf } from '#platform/contract/call.ts';
import { deviceChanged } from '#platform/contract/device.ts';
import { HOUR_MS } from '#platform/contract/duration.ts';
import { call } from '#platform/web/app/call.ts';
import { useSession } from '#platform/web/app/session.ts';
import { showError } from '#platform/web/app/showError.ts';
import { useConnectionStateChange, useRealtimeEvent } from '#platform/web/app/useRealtimeEvent.ts';
import { devicedetails } from '#tools/devices/contract.ts';
import { changevideo, cwlt, forgetbroken, galleryChanged, publishvideos, recordscreen } from '../contract.ts';

const GALLERY_KEY = ['gallery'] as const;
const COMPUTERS_KEY = ['gallery', 'recorders'] as const;
/** Signed addresses of private recordings are valid for at least six hours. */
const REFETCH_INTERVAL_MS = HOUR_MS;

export type Gallery = AnswerOf<typeof cwlt>;
export type Session = Gallery['files'][number];
export type Video = Session['videos'][number];
export type OwnRecordings = NonNullable<Gallery['own']>;

/** A computer of the account. */
export interface RecordableComputer {
  readonly target: string;
  readonly name: string;
  /** Why its screen can't be recorded now; undefined if it can. */
  readonly problem: string | undefined;
}

/** Loads all visible sessions, and reloads them when something changes. */
export function useGallery() {
  const queryClient = useQueryClient();
  const isLoggedIn = useSession() !== undefined;
  const { data, error, refetch } = useQuery({
    queryKey: GALLERY_KEY,
    queryFn: () => call(cwlt, {}),
    staleTime: 0,
    refetchInterval: REFETCH_INTERVAL_MS,
  });
  const reload = () => void queryClient.invalidateQueries({ queryKey: GALLERY_KEY, exact: true });
  useRealtimeEvent(galleryChanged, reload, isLoggedIn);
  useConnectionStateChange(reload, isLoggedIn);
  return { gallery: data, error, retry: () => void refetch() };
}

/** The account's computers, and whether their screens can be recorded. */
export function useRecordableComputers(): readonly RecordableComputer[] {
  const queryClient = useQueryClient();
  const isLoggedIn = useSession() !== undefined;
  const { data } = useQuery({
    queryKey: COMPUTERS_KEY,
    queryFn: () => call(devicedetails, {}),
    enabled: isLoggedIn,
  });
  const reload = () => void queryClient.invalidateQueries({ queryKey: COMPUTERS_KEY });
  useRealtimeEvent(deviceChanged, reload, isLoggedIn);
  useConnectionStateChange(reload, isLoggedIn);
  return (
    (data?.devices ?? [])
      // A computer without a version was imported and never had an agent, so it can't record.
      .filter(({ kind, version }) => kind === 'computer' && version !== '')
      .map(({ id, name, state, abilities: { capture } }) => ({
        target: String(id),
        name,
        problem: state === 'Connected' ? (capture?.able === false ? capture.reason : undefined) : state,
      }))
  );
}

function useGalleryMutation<C extends Call>(contract: C) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (input: RequestInputOf<C>) => call(contract, input),
    onError: showError,
    onSettled: () => queryClient.invalidateQueries({ queryKey: GALLERY_KEY, exact: true }),
  });
}

/** Returns the actions on the account's recordings. */
export function useGalleryActions() {
  const change = useGalleryMutation(changevideo);
  const publish = useGalleryMutation(publishvideos);
  const removeBrokenMutation = useGalleryMutation(forgetbroken);
  return {
    rename: (file: string, title: string) => change.mutate({ file, title }),
    remove: (file: string) => change.mutate({ file, remove: true }),
    publish: (files: readonly string[] | 'new', isPublic: boolean) =>
      publish.mutate({ files: files === 'new' ? files : [...files], public: isPublic }),
    removeBroken: (id: number) => removeBrokenMutation.mutate({ id }),
  };
}
export type GalleryActions = ReturnType<typeof useGalleryActions>;

export function useRecordScreen() {
  const { mutate, isPending } = useGalleryMutation(recordscreen);
  return { record: (target: string, to: 'start' | 'stop') => mutate({ target, to }), isPending };
}

/** Starts or stops a recording on a computer. */
export interface RecordCommand extends RecordableComputer {
  readonly run: () => void;
}

export function useRecordCommands(
  computers: readonly RecordableComputer[],
  own: Pick<OwnRecordings, 'recording'> | undefined,
): readonly RecordCommand[] {
  const { record } = useRecordScreen();
  return computers.map((computer) => {
    const isRecorded = own?.recording.some(({ target }) => target === computer.target) ?? false;
    return {
      ...computer,
      name: isRecorded ? `Stop recording ${computer.name}` : `Record the screen of ${computer.name}`,
      run: () => record(computer.target, isRecorded ? 'stop' : 'start'),
    };
  });
}
