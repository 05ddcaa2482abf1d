export { pairDevice } from './pairing.ts';
