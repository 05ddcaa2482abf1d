import type { RequestInputOf } from '#platform/contract/call.ts';
import type { modifyshoplist } from '#tools/shopping/contract.ts';

type Changes = RequestInputOf<typeof modifyshoplist>['changes'];
type Colour = readonly [red: number, green: number, blue: number];
/** Emoji, name, wanted amount and amount in the basket. */
type ItemRow = readonly [emoji: string, name: string, amount: number, bought?: number];

interface TypeTemplate {
  readonly name: string;
  readonly colour: Colour;
  readonly items: readonly ItemRow[];
}

interface ListTemplate {
  readonly name: string;
  readonly isShared?: boolean;
  readonly isArchived?: boolean;
  readonly types: readonly TypeTemplate[];
}

/** A shopping list as one batch of changes. */
export interface ShoppingList {
  readonly name: string;
  readonly isShared: boolean;
  readonly isArchived: boolean;
  readonly changes: Changes;
}

const GREEN: Colour = [46, 158, 91];
const BLUE: Colour = [59, 130, 196];
const AMBER: Colour = [183, 121, 31];
const RED: Colour = [201, 79, 79];
const VIOLET: Colour = [139, 92, 246];
const TEAL: Colour = [15, 143, 139];
const BROWN: Colour = [138, 90, 59];

const LISTS: readonly ListTemplate[] = [
  {
    name: 'Weekly shop',
    isShared: true,
    types: [
      {
        name: 'Fruit and vegetables',
        colour: GREEN,
        items: [
          ['🍎', 'Apples', 6, 6],
          ['🍌', 'Bananas', 5, 5],
          ['🥕', 'Carrots', 1],
          ['🥔', 'Potatoes', 2],
          ['🍅', 'Tomatoes', 8, 3],
          ['🧅', 'Onions', 1, 1],
          ['🥬', 'Spinach', 1],
        ],
      },
      {
        name: 'Bakery',
        colour: AMBER,
        items: [
          ['🍞', 'Rye bread', 1, 1],
          ['🥐', 'Croissants', 4],
        ],
      },
      {
        name: 'Dairy',
        colour: BLUE,
        items: [
          ['🥛', 'Milk', 3],
          ['🧀', 'Mountain cheese', 1],
          ['🥚', 'Eggs', 10],
          ['🥣', 'Yoghurt', 4, 2],
          ['🧈', 'Butter', 2],
        ],
      },
      {
        name: 'Pantry',
        colour: BROWN,
        items: [
          ['🍝', 'Spaghetti', 2],
          ['🍚', 'Rice', 1],
          ['🫒', 'Olive oil', 1],
          ['☕️', 'Coffee', 2],
          ['🍫', 'Dark chocolate', 2],
        ],
      },
      {
        name: 'Household',
        colour: TEAL,
        items: [
          ['🧻', 'Toilet paper', 1],
          ['🧼', 'Dish soap', 1],
          ['🐈', 'Cat food', 12],
        ],
      },
    ],
  },
  {
    name: 'Hardware store',
    types: [
      {
        name: 'Kitchen shelf',
        colour: AMBER,
        items: [
          ['🪵', 'Shelf board, 80 cm', 2],
          ['🔩', 'Brackets', 4],
          ['🪛', 'Wall plugs', 1, 1],
        ],
      },
      {
        name: 'Balcony',
        colour: GREEN,
        items: [
          ['🪴', 'Potting soil', 2],
          ['🌷', 'Tulip bulbs', 20],
        ],
      },
    ],
  },
  {
    name: 'Mia’s party',
    isShared: true,
    types: [
      {
        name: 'Table',
        colour: VIOLET,
        items: [
          ['🎂', 'Birthday candles', 9],
          ['🎈', 'Balloons', 20],
          ['🥤', 'Paper straws', 1],
        ],
      },
      {
        name: 'Food',
        colour: RED,
        items: [
          ['🍕', 'Pizza dough', 6],
          ['🧃', 'Apple juice', 5],
          ['🍓', 'Strawberries', 3],
        ],
      },
    ],
  },
  {
    name: 'Camping',
    isArchived: true,
    types: [
      {
        name: 'Tent',
        colour: TEAL,
        items: [
          ['⛺', 'Pegs', 8, 8],
          ['🔦', 'Batteries', 4, 4],
          ['🧴', 'Sun cream', 1, 1],
        ],
      },
    ],
  },
];

const formatColour = ([red, green, blue]: Colour): string => `rgba(${red},${green},${blue},1)`;
const darken = ([red, green, blue]: Colour): Colour => [red * 0.7, green * 0.7, blue * 0.7].map(Math.round) as never;

function toChanges({ name, types }: ListTemplate): Changes {
  // Ids of new things are 'new' and a number; items and types share the numbers.
  let count = 0;
  const createId = (): string => `new${(count += 1)}`;
  const changes = { name, items: {}, types: {}, links: {} } as {
    readonly name: string;
    readonly items: Record<string, object>;
    readonly types: Record<string, object>;
    readonly links: Record<string, readonly string[]>;
  };
  for (const [order, { name: typeName, colour, items }] of types.entries()) {
    const typeId = createId();
    const colours = [formatColour(colour), formatColour(darken(colour))];
    changes.types[typeId] = { name: typeName, colour: colours, visualised: true, userset: true, order: order + 1 };
    for (const [emoji, itemName, amount, bought = 0] of items) {
      const itemId = createId();
      changes.items[itemId] = {
        name: itemName,
        emoji,
        defaultquantity: amount,
        actualquantity: bought,
        state: 0,
      };
      changes.links[itemId] = [typeId];
    }
  }
  return changes as unknown as Changes;
}

/** Creates the shopping lists of the household. */
export function createShoppingLists(): readonly ShoppingList[] {
  return LISTS.map((template) => ({
    name: template.name,
    isShared: template.isShared ?? false,
    isArchived: template.isArchived ?? false,
    changes: toChanges(template),
  }));
}
