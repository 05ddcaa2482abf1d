export { pairDevice, type PairingOptions } from './pairing.ts';
