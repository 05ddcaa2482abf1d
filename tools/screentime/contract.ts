export * from './contract/applications.ts';
export * from './contract/categories.ts';
export * from './contract/days.ts';
export * from './contract/device.ts';
export * from './contract/goals.ts';
export * from './contract/limits.ts';
