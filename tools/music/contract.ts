export * from './contract/downloads.ts';
export * from './contract/files.ts';
export * from './contract/library.ts';
export * from './contract/limits.ts';
