/** Texts of the household, which need no generator. */

export const PASTES: readonly string[] = [
  'Wi-Fi for guests\n\nNetwork: pear tree\nPassword: it is on the fridge',
  'Pancakes for four\n\n250 g flour\n500 ml milk\n3 eggs\na pinch of salt\n\nRest for half an hour, then bake thin.',
  'const primes = [2, 3, 5, 7, 11, 13];\nconsole.log(primes.reduce((sum, prime) => sum + prime, 0));',
  'Train home\n\nSaturday 10:37, platform 4, car 12, seats 61 to 64',
];

export const VISITORS: readonly { readonly name: string; readonly text: string }[] = [
  { name: 'Clara', text: 'Your recipe page is lovely. Is the soup from last Sunday on it too?' },
  { name: 'Neighbour from the third floor', text: 'I have a parcel for you. Ring any evening after six.' },
];

/** A conversation with a computer, oldest first. */
export const MESSAGES: readonly { readonly from: 'person' | 'computer'; readonly text: string }[] = [
  { from: 'person', text: 'Backup of the photos finished?' },
  { from: 'computer', text: 'backup.sh ended: 1,284 files, 6.2 GB, no errors' },
  { from: 'person', text: 'Great. The printer needs paper before Monday' },
  { from: 'computer', text: 'Scan saved: tax-letter.pdf' },
  { from: 'person', text: 'https://example.org/tickets for Saturday, print two' },
];

/** Texts and keys that were sent to the computer before the visitor came. */
export const SENT_INPUT: readonly { readonly inputtype: 1 | 2; readonly inputValue: string }[] = [
  { inputtype: 1, inputValue: 'Dear Clara,' },
  { inputtype: 2, inputValue: '[[keys]]Enter' },
  { inputtype: 1, inputValue: 'thank you for the lovely evening! The children still talk about the soup.' },
  { inputtype: 2, inputValue: '[[keys]]Enter' },
  { inputtype: 1, inputValue: 'Your recipe is on the fridge now. Ben wants to try it with pears.' },
  { inputtype: 2, inputValue: '[[keys]]Enter' },
];

export const SCRIPTS: readonly { readonly name: string; readonly text: string }[] = [
  { name: 'backup.sh', text: '#!/bin/sh\nrsync --archive --delete ~/Pictures /mnt/backup\n' },
  { name: 'lights-off.sh', text: '#!/bin/sh\ncurl --silent http://lamp.home/off\n' },
];

export const AI_ANSWER =
  'This is a made-up answer: the demo has no AI, only a small program that sends these words.\n\n' +
  'With an **OpenAI-compatible server** of your own, answers arrive here word by word, like these:\n\n' +
  '1. Set `AI_BASE_URL` to its address\n2. Set `AI_MODEL` to the name of a model\n3. Restart Pegboard\n';
