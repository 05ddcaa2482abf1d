import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { AnswerOf, Call, RequestInputOf } from '#platform/contract/call.ts';
import { deviceChanged } from '#platform/contract/device.ts';
import { HOUR_MS } from '#platform/contract/duration.ts';
import { call } from '#platform/web/app/call.ts';
import { showError } from '#platform/web/app/failure.ts';
import { useSession } from '#platform/web/app/session.ts';
import { realtime } from '#platform/web/app/socket.ts';
import { devicedetails } from '#tools/devices/contract.ts';
import { changevideo, cwlt, forgetbroken, galleryChanged, publishvideos, recordscreen } from '../contract.ts';

const GALLERY = ['gallery'] as const;
const RECORDERS = ['gallery', 'recorders'] as const;
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
  readonly whyNot: string | undefined;
}

/** Loads all visible sessions, and reloads them when something changes. */
export function useGallery() {
  const queries = useQueryClient();
  const signedIn = useSession() !== undefined;
  const { data, error, refetch } = useQuery({
    queryKey: GALLERY,
    queryFn: () => call(cwlt, {}),
    staleTime: 0,
    refetchInterval: REFETCH_INTERVAL_MS,
  });
  useEffect(() => {
    if (!signedIn) return undefined;
    const reload = () => void queries.invalidateQueries({ queryKey: GALLERY, exact: true });
    const stops = [realtime.on(galleryChanged, reload), realtime.onConnectionStateChange(reload)];
    return () => stops.forEach((stop) => stop());
  }, [queries, signedIn]);
  return { gallery: data, error, again: () => void refetch() };
}

/** The account's computers, and whether their screens can be recorded. */
export function useRecorders(): readonly RecordableComputer[] {
  const queries = useQueryClient();
  const signedIn = useSession() !== undefined;
  const { data } = useQuery({
    queryKey: RECORDERS,
    queryFn: () => call(devicedetails, {}),
    enabled: signedIn,
  });
  useEffect(() => {
    if (!signedIn) return undefined;
    const reload = () => void queries.invalidateQueries({ queryKey: RECORDERS });
    const stops = [realtime.on(deviceChanged, reload), realtime.onConnectionStateChange(reload)];
    return () => stops.forEach((stop) => stop());
  }, [queries, signedIn]);
  return (
    (data?.devices ?? [])
      // A computer without a version was imported; no agent ever ran on it, so it can't record.
      .filter(({ kind, version }) => kind === 'computer' && version !== '')
      .map(({ id, name, state, abilities: { capture } }) => ({
        target: String(id),
        name,
        whyNot: state === 'Connected' ? (capture?.able === false ? capture.reason : undefined) : state,
      }))
  );
}

const useGalleryMutation = <C extends Call>(contract: C) => {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: RequestInputOf<C>) => call(contract, input),
    onError: showError,
    onSettled: () => queries.invalidateQueries({ queryKey: GALLERY, exact: true }),
  });
};

/** Actions of an owner on recordings. */
export function useActs() {
  const change = useGalleryMutation(changevideo);
  const publish = useGalleryMutation(publishvideos);
  const forget = useGalleryMutation(forgetbroken);
  return {
    rename: (file: string, title: string) => change.mutate({ file, title }),
    remove: (file: string) => change.mutate({ file, remove: true }),
    publish: (files: readonly string[] | 'new', isPublic: boolean) =>
      publish.mutate({ files: files === 'new' ? files : [...files], public: isPublic }),
    forgetBroken: (id: number) => forget.mutate({ id }),
  };
}
export type GalleryActions = ReturnType<typeof useActs>;

export function useRecording() {
  const { mutate, isPending } = useGalleryMutation(recordscreen);
  return { record: (target: string, to: 'start' | 'stop') => mutate({ target, to }), isPending };
}

/** What can be requested of a computer now: to record its screen, or to stop. */
export interface RecordRequest extends RecordableComputer {
  readonly run: () => void;
}

export function useRecordCommands(
  computers: readonly RecordableComputer[],
  own: Pick<OwnRecordings, 'recording'> | undefined,
): readonly RecordRequest[] {
  const { record } = useRecording();
  return computers.map((computer) => {
    const isRecorded = own?.recording.some(({ target }) => target === computer.target) ?? false;
    return {
      ...computer,
      name: isRecorded ? `Stop recording ${computer.name}` : `Record the screen of ${computer.name}`,
      run: () => record(computer.target, isRecorded ? 'stop' : 'start'),
    };
  });
}
