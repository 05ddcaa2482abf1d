export * from './contract/downloads.ts';
export * from './contract/playback.ts';
export * from './contract/library.ts';
export * from './contract/limits.ts';
