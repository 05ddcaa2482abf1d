import { useCallback, useEffect, useMemo, useState } from 'react';
import { realtime } from '#platform/web/app/realtime.ts';
import { showError } from '#platform/web/app/showError.ts';
import { isSecureContext } from '#platform/web/browser/secureContext.ts';
import { motionInit } from '../../contract.ts';
import {
  NO_BUTTONS_DOWN,
  type Angles,
  type MouseAction,
  type MouseButtons,
  toAcceleration,
  toAngles,
  type Acceleration,
} from '../../domain/tilt.ts';
import { withToken } from '../typing/deviceEvents.ts';
import { createMotionStream } from './motionStream.ts';

/** Only iOS asks for permission, and no library has types for it. */
type PermissionRequester = { readonly requestPermission?: () => Promise<string> };

/** Requests access to the sensors. iOS asks the user, and only during a touch. */
export async function requestSensors(): Promise<'granted' | 'insecure' | 'refused' | 'no sensors'> {
  if (!isSecureContext()) return 'insecure';
  if (typeof DeviceOrientationEvent === 'undefined') return 'no sensors';
  const { requestPermission } = DeviceOrientationEvent as PermissionRequester;
  if (requestPermission === undefined) return 'granted';
  const response = await requestPermission.call(DeviceOrientationEvent).catch(() => 'denied');
  return response === 'granted' ? 'granted' : 'refused';
}

/** Reports each reading of the sensors. */
function useSensors(
  isEnabled: boolean,
  onAngles: (angles: Angles) => void,
  onAcceleration: (acceleration: Acceleration) => void,
): void {
  useEffect(() => {
    if (!isEnabled) return undefined;
    function handleOrientation(event: DeviceOrientationEvent) {
      const angles = toAngles(event);
      if (angles) onAngles(angles);
    }
    function handleMotion({ acceleration }: DeviceMotionEvent) {
      const scaled = acceleration === null ? undefined : toAcceleration(acceleration);
      if (scaled) onAcceleration(scaled);
    }
    window.addEventListener('deviceorientation', handleOrientation);
    window.addEventListener('devicemotion', handleMotion);
    return () => {
      window.removeEventListener('deviceorientation', handleOrientation);
      window.removeEventListener('devicemotion', handleMotion);
    };
  }, [isEnabled, onAngles, onAcceleration]);
}

/** Without a reading within this time, the device has no sensors. */
const SENSOR_TIMEOUT_MS = 1500;

/** `off` until it is started; the other values say why tilting does not move the pointer. */
export type TiltState = 'off' | 'asking' | 'running' | 'insecure' | 'refused' | 'no sensors';

/** Returns whether tilting moves the pointer, or can once it is started. */
export function canTilt(tilt: TiltState): boolean {
  return tilt === 'off' || tilt === 'asking' || tilt === 'running';
}

export interface Motion {
  readonly buttons: MouseButtons;
  readonly tilt: TiltState;
  readonly perform: (action: MouseAction) => void;
  readonly start: () => void;
  readonly stop: () => void;
  /** Makes the current orientation the new zero and moves the pointer to the middle. */
  readonly recenter: () => void;
}

/** Uses the phone as a mouse once it is started. */
export function useMotion(target: string | undefined, sensitivity: number): Motion {
  const [buttons, setButtons] = useState<MouseButtons>(NO_BUTTONS_DOWN);
  const [tilt, setTilt] = useState<TiltState>(() => (isSecureContext() ? 'off' : 'insecure'));
  const [isStarted, setIsStarted] = useState(false);
  const stream = useMemo(() => createMotionStream(), []);

  useEffect(() => stream.setAim({ target, sensitivity }), [stream, target, sensitivity]);
  const onAngles = useCallback(
    (angles: Angles) => {
      setTilt('running');
      stream.setAngles(angles);
    },
    [stream],
  );
  useSensors(isStarted, onAngles, stream.setAcceleration);

  async function start(): Promise<void> {
    setIsStarted(true);
    // Requested first, because iOS requires it during the touch.
    const permission = await requestSensors();
    setTilt((current) => {
      if (current === 'running') return current;
      return permission === 'granted' ? 'asking' : permission;
    });
    await realtime.request(motionInit, { ...(target !== undefined && { target }), ...withToken() }).catch(showError);
  }
  const stop = useCallback(() => {
    setButtons(stream.stop());
    setIsStarted(false);
    setTilt((current) => (canTilt(current) ? 'off' : current));
  }, [stream]);

  useEffect(() => {
    if (tilt !== 'asking') return undefined;
    const timeout = setTimeout(() => setTilt('no sensors'), SENSOR_TIMEOUT_MS);
    return () => clearTimeout(timeout);
  }, [tilt]);

  // Everything is released when the page is hidden or left.
  useEffect(() => {
    function handleVisibilityChange() {
      if (document.visibilityState === 'hidden') stop();
    }
    document.addEventListener('visibilitychange', handleVisibilityChange);
    return () => {
      stream.stop();
      document.removeEventListener('visibilitychange', handleVisibilityChange);
    };
  }, [stream, stop]);
  useEffect(() => {
    if (isStarted) stream.start();
  }, [isStarted, stream]);

  return {
    buttons,
    tilt,
    perform: (action) => setButtons(stream.perform(action)),
    start: () => void start(),
    stop,
    recenter: stream.recenter,
  };
}
