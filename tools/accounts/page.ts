import type { Page } from '#platform/contract/page.ts';

export const signupPage: Page = { path: '/signup', title: 'Sign up', needsLogin: false, frame: 'bare' };

export const loginPage: Page = { path: '/login', title: 'Log in', needsLogin: false, frame: 'bare' };

export const settingsPage: Page = { path: '/dashboard/settings', title: 'Settings', needsLogin: true };
