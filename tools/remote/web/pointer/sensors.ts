import { useEffect } from 'react';
import { isSecureContext } from '#platform/web/browser/secureContext.ts';
import { accelerationOf, anglesOf, type Acceleration, type Angles } from '../../domain/orientation.ts';

/** iOS alone asks for leave, and its types are in no library. */
type PermissionRequester = { readonly requestPermission?: () => Promise<string> };

/** Whether the sensors may be read. iOS asks the person, and only within a touch. */
export const askForSensors = async (): Promise<'granted' | 'insecure' | 'refused' | 'no sensors'> => {
  if (!isSecureContext()) return 'insecure';
  if (typeof DeviceOrientationEvent === 'undefined') return 'no sensors';
  const { requestPermission } = DeviceOrientationEvent as PermissionRequester;
  if (requestPermission === undefined) return 'granted';
  const said = await requestPermission.call(DeviceOrientationEvent).catch(() => 'denied');
  return said === 'granted' ? 'granted' : 'refused';
};

/** Tells of each reading of the sensors while `running`. */
export const useSensors = (
  running: boolean,
  onAngles: (angles: Angles) => void,
  onAcceleration: (acceleration: Acceleration) => void,
): void => {
  useEffect(() => {
    if (!running) return undefined;
    const turned = (event: DeviceOrientationEvent) => {
      const angles = anglesOf(event);
      if (angles) onAngles(angles);
    };
    const moved = ({ acceleration }: DeviceMotionEvent) => {
      const scaled = acceleration === null ? undefined : accelerationOf(acceleration);
      if (scaled) onAcceleration(scaled);
    };
    window.addEventListener('deviceorientation', turned);
    window.addEventListener('devicemotion', moved);
    return () => {
      window.removeEventListener('deviceorientation', turned);
      window.removeEventListener('devicemotion', moved);
    };
  }, [running, onAngles, onAcceleration]);
};
