import { countCodePoints } from '#platform/contract/fields.ts';
import { Refusal } from '#platform/contract/refusal.ts';
import { VISITOR_NAME_LIMIT, VISITOR_TEXT_LIMIT } from '../contract.ts';

/** What a visitor writes into the public form. */
export interface Letter {
  readonly name: string;
  readonly text: string;
}

/** Says nothing to a reader: spaces, line ends, and characters without any width. */
const isBlank = (text: string): boolean => /^[\s\p{Cc}\p{Cf}]*$/u.test(text);

/** @throws Refusal for what the form does not take; the page and the server say the same. */
export const checkLetter = ({ name, text }: Letter): void => {
  if (isBlank(name)) throw new Refusal('Enter a name');
  if (isBlank(text)) throw new Refusal('Enter a message');
  refuseLonger('Name', name, VISITOR_NAME_LIMIT);
  refuseLonger('Message', text, VISITOR_TEXT_LIMIT);
};

const refuseLonger = (what: string, text: string, limit: number): void => {
  const length = countCodePoints(text);
  if (length > limit) throw new Refusal(`${what} is too long at ${length} characters, limit is ${limit} characters`);
};
