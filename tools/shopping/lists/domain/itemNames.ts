import { foldName } from '#platform/contract/fold.ts';
import { NEW_ITEM } from './list.ts';

/** Common things by kind, with emoji up to version 14, which fonts of 2022 contain. */
const CATALOGUE_TEXTS = {
  fruit: `🍎 Apples, 🍏 Green apples, 🍌 Bananas, 🍊 Oranges, 🍊 Clementines, 🍊 Satsumas, 🍋 Lemons, 🍋 Limes, 🍊 Grapefruit, 🍐 Pears,
    🍑 Peaches, 🍑 Nectarines, 🍑 Apricots, 🍑 Plums, 🍒 Cherries, 🍓 Strawberries, 🍓 Raspberries, 🫐 Blueberries, 🫐 Blackberries, 🍇 Grapes,
    🍉 Watermelon, 🍈 Melon, 🍍 Pineapple, 🥭 Mangoes, 🥝 Kiwi fruit, 🥥 Coconut, 🍇 Raisins, 🌴 Dates, 🫐 Frozen berries, 🌱 Rhubarb`,
  vegetables: `🥔 Potatoes, 🍠 Sweet potatoes, 🥔 Baking potatoes, 🥕 Carrots, 🧅 Onions, 🧅 Red onions, 🧅 Spring onions, 🧅 Shallots, 🧄 Garlic,
    🍅 Tomatoes, 🍅 Cherry tomatoes, 🥒 Cucumber, 🥒 Courgettes, 🍆 Aubergine, 🫑 Peppers, 🌶️ Chillies, 🥬 Lettuce, 🥗 Mixed salad, 🥬 Spinach,
    🥬 Kale, 🥬 Cabbage, 🥬 Pak choi, 🥬 Leeks, 🥬 Celery, 🥬 Brussels sprouts, 🥦 Broccoli, 🥦 Cauliflower, 🌽 Sweetcorn, 🍄 Mushrooms,
    🥑 Avocados, 🎃 Pumpkin, 🎃 Butternut squash, 🥕 Parsnips, 🍠 Beetroot, 🥕 Swede, 🥗 Radishes, 🥗 Rocket, 🌱 Asparagus, 🥬 Green beans,
    🌿 Basil, 🌿 Parsley, 🌿 Coriander, 🌿 Mint, 🌿 Rosemary, 🌿 Thyme, 🍠 Ginger, 🌱 Bean sprouts`,
  bakery: `🍞 Bread, 🍞 Brown bread, 🍞 White bread, 🍞 Sourdough, 🥖 Baguette, 🍞 Garlic bread, 🥯 Bagels, 🥐 Croissants, 🍔 Burger buns,
    🍞 Bread rolls, 🫓 Pitta bread, 🫓 Naan bread, 🫓 Wraps, 🌮 Taco shells, 🧁 Muffins, 🥯 Crumpets, 🥞 Pancakes, 🧇 Waffles, 🍩 Doughnuts,
    🍰 Cake, 🎂 Birthday cake, 🥧 Pie, 🧁 Cupcakes, 🍞 Scones`,
  dairy: `🥛 Milk, 🥛 Skimmed milk, 🥛 Whole milk, 🥛 Oat milk, 🥛 Soya milk, 🥛 Almond milk, 🥛 Cream, 🥛 Double cream, 🥛 Soured cream,
    🥛 Crème fraîche, 🥛 Buttermilk, 🧈 Butter, 🧈 Margarine, 🧀 Cheese, 🧀 Cheddar, 🧀 Mozzarella, 🧀 Parmesan, 🧀 Feta, 🧀 Halloumi,
    🧀 Cream cheese, 🧀 Cottage cheese, 🧀 Grated cheese, 🍶 Yoghurt, 🍶 Greek yoghurt, 🍮 Custard, 🥚 Eggs`,
  meat: `🍗 Chicken, 🍗 Chicken breasts, 🍗 Chicken thighs, 🍗 Chicken wings, 🥩 Beef, 🥩 Steak, 🥩 Minced beef, 🥩 Lamb, 🍖 Pork,
    🍖 Pork chops, 🍖 Spare ribs, 🦃 Turkey, 🦆 Duck, 🥓 Bacon, 🍖 Ham, 🌭 Sausages, 🌭 Hot dogs, 🍕 Salami, 🌭 Chorizo, 🍔 Burgers, 🥪 Pâté,
    🧆 Falafel, 🥢 Tofu, 🌱 Vegetarian mince`,
  fish: `🐟 Fish, 🐟 Salmon, 🐟 Smoked salmon, 🐟 Cod, 🐟 Haddock, 🐟 Mackerel, 🐟 Trout, 🥫 Tuna, 🥫 Sardines, 🥫 Anchovies, 🍤 Fish fingers,
    🍤 Prawns, 🦀 Crab, 🦑 Squid, 🦪 Mussels`,
  cupboard: `🍝 Pasta, 🍝 Spaghetti, 🍝 Lasagne sheets, 🍝 Macaroni, 🍜 Noodles, 🍚 Rice, 🍚 Basmati rice, 🍚 Couscous, 🌾 Quinoa, 🌾 Flour,
    🌾 Self-raising flour, 🌾 Bread flour, 🍚 Sugar, 🍚 Brown sugar, 🍚 Icing sugar, 🧁 Baking powder, 🧁 Bicarbonate of soda, 🍞 Yeast,
    🌽 Cornflour, 🌼 Vanilla extract, 🍫 Cocoa powder, 🥣 Porridge oats, 🥣 Cereal, 🥣 Cornflakes, 🥣 Muesli, 🥣 Granola, 🍯 Honey,
    🍓 Jam, 🍊 Marmalade, 🥜 Peanut butter, 🌰 Chocolate spread, 🍁 Maple syrup, 🍯 Golden syrup, 🍞 Breadcrumbs`,
  tins: `🫘 Baked beans, 🫘 Kidney beans, 🫘 Black beans, 🫘 Butter beans, 🫘 Chickpeas, 🫘 Lentils, 🥫 Chopped tomatoes, 🥫 Tomato purée,
    🥫 Tinned sweetcorn, 🥥 Coconut milk, 🥣 Soup, 🥣 Stock cubes, 🥫 Gravy granules, 🫒 Olives, 🥒 Gherkins, 🫙 Pickles, 🧆 Houmous,
    🫙 Pesto, 🫙 Pasta sauce, 🍛 Curry paste`,
  seasonings: `🧂 Salt, 🧂 Black pepper, 🌶️ Paprika, 🌶️ Chilli powder, 🍛 Curry powder, 🍛 Turmeric, 🍛 Cumin, 🌰 Nutmeg, 🍂 Cinnamon, 🌿 Oregano,
    🌿 Bay leaves, 🌿 Mixed herbs, 🫒 Olive oil, 🌻 Sunflower oil, 🌻 Vegetable oil, 🍶 Vinegar, 🍶 Balsamic vinegar, 🍶 Soy sauce,
    🍅 Ketchup, 🫙 Mayonnaise, 🌭 Mustard, 🍶 Brown sauce, 🌶️ Hot sauce, 🍶 Salad dressing, 🍶 Worcestershire sauce`,
  snacks: `🥔 Crisps, 🌽 Tortilla chips, 🍿 Popcorn, 🥨 Pretzels, 🥨 Breadsticks, 🍘 Rice cakes, 🍘 Crackers, 🥜 Nuts, 🥜 Peanuts, 🌰 Almonds,
    🥜 Cashews, 🌰 Walnuts, 🌻 Sunflower seeds, 🍫 Chocolate, 🍫 Dark chocolate, 🍬 Sweets, 🍬 Chewing gum, 🍪 Biscuits, 🍪 Cookies,
    🍫 Cereal bars, 🍡 Marshmallows, 🍮 Jelly`,
  frozen: `🍨 Ice cream, 🍦 Ice lollies, 🧊 Ice cubes, 🍕 Pizza, 🟢 Peas, 🍟 Chips, 🥦 Frozen vegetables, 🥟 Dumplings, 🥐 Puff pastry`,
  drinks: `💧 Water, 💧 Sparkling water, 🧃 Orange juice, 🧃 Apple juice, 🧃 Squash, 🥤 Cola, 🥤 Lemonade, 🥤 Tonic water, ☕ Coffee,
    ☕ Instant coffee, ☕ Coffee filters, 🫖 Tea bags, 🫖 Green tea, 🫖 Herbal tea, ☕ Hot chocolate, 🍺 Beer, 🍺 Lager, 🍎 Cider,
    🍷 Red wine, 🥂 White wine, 🍾 Sparkling wine, 🍸 Gin, 🥃 Whisky, 🍹 Rum, 🍸 Vodka`,
  household: `🧻 Toilet paper, 🧻 Kitchen roll, 🤧 Tissues, 🍽️ Washing-up liquid, 🍽️ Dishwasher tablets, 🧺 Washing powder, 🧺 Fabric softener,
    🧽 Sponges, 🧹 Cleaning cloths, 🧴 Bleach, 🧴 Surface cleaner, 🪟 Glass cleaner, 🚽 Toilet cleaner, 🚿 Limescale remover, 🧤 Rubber gloves,
    🗑️ Bin bags, 🥪 Sandwich bags, 🫙 Cling film, 🥡 Aluminium foil, 🧁 Baking paper, 🥤 Drinking straws, 🍽️ Paper plates, 💡 Light bulbs,
    🔋 Batteries, 🕯️ Candles, 🔥 Matches, 🔥 Charcoal, 🩹 Sticky tape, 🧹 Broom, 🪣 Bucket, 🌷 Flowers, 🪴 Potting compost, 🐜 Ant powder`,
  care: `🧼 Soap, 🧼 Hand soap, 🧴 Shampoo, 🧴 Conditioner, 🚿 Shower gel, 🪥 Toothbrush, 🪥 Toothpaste, 🦷 Dental floss, 🦷 Mouthwash,
    🧴 Deodorant, 🪒 Razors, 🪒 Shaving foam, 🧴 Hand cream, 🧴 Sun cream, 💄 Lip balm, 👂 Cotton buds, ☁️ Cotton wool, 🩸 Sanitary towels,
    🩸 Tampons, 🩹 Plasters, 💊 Painkillers, 💊 Vitamins, 🤧 Cough medicine, 👁️ Contact lens solution`,
  family: `👶 Nappies, 👶 Baby wipes, 🍼 Baby food, 🍼 Baby milk, 🐈 Cat food, 🐈 Cat litter, 🐕 Dog food, 🦴 Dog treats, 🐦 Bird seed,
    🐠 Fish food, 🐹 Hamster food`,
  stationery: `🖊️ Pens, ✏️ Pencils, 📓 Notebook, 🖨️ Printer paper, ✉️ Envelopes, 📮 Stamps, 🎁 Wrapping paper, 💌 Greetings card, 📎 Paper clips`,
} as const;

export interface CatalogueItem extends KnownName {
  readonly kind: keyof typeof CATALOGUE_TEXTS;
}

const parseKind = ([kind, text]: [string, string]): readonly CatalogueItem[] =>
  text.split(',').map((entry) => {
    const [, emoji = '', name = ''] = /^\s*(\S+)\s+(.+?)\s*$/u.exec(entry) ?? [];
    // `Object.entries` types keys as string.
    return { name, emoji, kind: kind as keyof typeof CATALOGUE_TEXTS };
  });

/** Names that are suggested before anyone has typed one: common groceries and household things. */
export const CATALOGUE: readonly CatalogueItem[] = Object.entries(CATALOGUE_TEXTS).flatMap(parseKind);

export { foldName as fold };

/** Normalizes a name so that case and extra spaces don't matter; accents do. */
export function normalizeName(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll(/\s+/gu, ' ').trim();
}

/** A name that can be suggested, as in `globalitems`. */
export interface KnownName {
  readonly name: string;
  readonly emoji: string;
}

/** docs/specification/shopping.md section 4.2. */
const MAX_SUGGESTIONS = 5;

/** Known names, indexed once for many keystrokes. */
export interface NameIndex<T extends KnownName> {
  readonly entries: readonly { readonly known: T; readonly folded: string; readonly normalized: string }[];
  readonly byNormalized: ReadonlyMap<string, T>;
  readonly byFolded: ReadonlyMap<string, T>;
}

/** Indexes names, most recently used first. Of names that differ only in case, the first one counts. */
export function createNameIndex<T extends KnownName>(knownNames: readonly T[]): NameIndex<T> {
  const byNormalized = new Map<string, T>();
  const byFolded = new Map<string, T>();
  const entries: { known: T; folded: string; normalized: string }[] = [];
  for (const known of knownNames) {
    const [normalized, folded] = [normalizeName(known.name), foldName(known.name)];
    if (normalized === '' || byNormalized.has(normalized)) continue;
    byNormalized.set(normalized, known);
    if (!byFolded.has(folded)) byFolded.set(folded, known);
    entries.push({ known, folded, normalized });
  }
  return { entries, byNormalized, byFolded };
}

/** Finds the name that equals the input, ignoring case. Accents are ignored only if no name has those of the input. */
export function findExact<T extends KnownName>(names: NameIndex<T>, input: string): T | undefined {
  const normalized = normalizeName(input);
  if (normalized === '') return undefined;
  return names.byNormalized.get(normalized) ?? names.byFolded.get(foldName(input));
}

const WORD_CHARACTER = /[\p{L}\p{N}]/u;

/** Ranks a match: 0 for the whole name, 1 at the start of a word, 2 elsewhere, undefined for no match. */
function getRank(folded: string, part: string): 0 | 1 | 2 | undefined {
  if (folded === part) return 0;
  let index = folded.indexOf(part);
  if (index === -1) return undefined;
  for (; index !== -1; index = folded.indexOf(part, index + 1))
    if (index === 0 || !WORD_CHARACTER.test(folded[index - 1] ?? '')) return 1;
  return 2;
}

interface NameSets {
  readonly normalized: ReadonlySet<string>;
  readonly folded: ReadonlySet<string>;
}

/** Cached per list of names, as it is needed at every keystroke. */
const setsCache = new WeakMap<readonly string[], NameSets>();
function getNameSets(names: readonly string[]): NameSets {
  const sets = setsCache.get(names) ?? {
    normalized: new Set(names.map(normalizeName)),
    folded: new Set(names.map(foldName)),
  };
  setsCache.set(names, sets);
  return sets;
}

/**
 * Suggests at most five names that contain the input, ignoring case, accents and `usedNames`.
 * Order: whole name, start of a word, elsewhere; then most recently used. For an empty field, the most recent names.
 */
export function suggestNames<T extends KnownName>(
  names: NameIndex<T>,
  input: string,
  usedNames: readonly string[],
): readonly T[] {
  const part = foldName(input);
  const usedNormalized = getNameSets(usedNames).normalized;
  const matchesByRank: [T[], T[], T[]] = [[], [], []];
  for (const { known, folded, normalized } of names.entries) {
    const rank = getRank(folded, part);
    if (rank !== undefined && !usedNormalized.has(normalized)) matchesByRank[rank].push(known);
  }
  return matchesByRank.flat().slice(0, MAX_SUGGESTIONS);
}

/**
 * Returns the suggestion that Enter and Tab accept: the first one. Returns none for an empty field, which both keys
 * leave, and none for a whole name, known or in the list: 'Milk' does not mean 'Milk chocolate'.
 */
export function findAcceptedSuggestion<T extends KnownName>(
  names: NameIndex<T>,
  input: string,
  usedNames: readonly string[],
): T | undefined {
  const folded = foldName(input);
  if (normalizeName(input) === '') return undefined;
  const [first] = suggestNames(names, input, usedNames);
  const isWholeName = names.byFolded.has(folded) || getNameSets(usedNames).folded.has(folded);
  return isWholeName && (!first || foldName(first.name) !== folded) ? undefined : first;
}

/** A name to suggest. `from`: the lists that use it; 0 means built in. */
export interface GlobalItem {
  readonly name: string;
  readonly emoji: string;
  readonly from: readonly number[];
}

export interface UsedName {
  readonly name: string;
  readonly emoji: string;
  /** Time at which an item got this name, in epoch milliseconds. */
  readonly time: number;
}

/** Distinct names of one list, most recent first, by `normalizeName`. */
export interface ListNames {
  readonly list: number;
  readonly names: ReadonlyMap<string, UsedName>;
}

const MAX_USED_NAMES = 1000;

const IGNORED_NAMES: ReadonlySet<string> = new Set(['', normalizeName(NEW_ITEM.name)]);

/** Collects the distinct names of a list, except the default name. `usedNames`: most recent first. */
export function collectListNames(list: number, usedNames: readonly UsedName[]): ListNames {
  const names = new Map<string, UsedName>();
  for (const usedName of usedNames) {
    const key = normalizeName(usedName.name);
    if (!IGNORED_NAMES.has(key) && !names.has(key)) names.set(key, usedName);
  }
  return { list, names };
}

/** Merges the names of lists, most recent first. */
const iterateLatestFirst = function* (lists: readonly ListNames[]): Generator<readonly [string, UsedName], void> {
  const cursors = lists.flatMap(({ names }) => {
    const iterator = names.entries();
    const first = iterator.next();
    return first.done === true ? [] : [{ iterator, head: first.value }];
  });
  while (cursors.length > 0) {
    let latest = 0;
    for (let index = 1; index < cursors.length; index += 1)
      if ((cursors[index]?.head[1].time ?? 0) > (cursors[latest]?.head[1].time ?? 0)) latest = index;
    const cursor = cursors[latest];
    if (!cursor) return;
    yield cursor.head;
    const next = cursor.iterator.next();
    if (next.done === true) cursors.splice(latest, 1);
    else cursor.head = next.value;
  }
};

/** Lists the distinct used names, most recent first, then the other names of the catalogue. */
export function listGlobalItems(
  lists: readonly ListNames[],
  catalogue: readonly { readonly name: string; readonly emoji: string }[],
): readonly GlobalItem[] {
  const itemByName = new Map<string, GlobalItem>();
  for (const [key, { name, emoji }] of iterateLatestFirst(lists)) {
    if (itemByName.size === MAX_USED_NAMES) break;
    if (itemByName.has(key)) continue;
    const from = lists.filter(({ names }) => names.has(key)).map(({ list }) => list);
    itemByName.set(key, { name, emoji, from });
  }
  const builtIn = catalogue
    .filter(({ name }) => !itemByName.has(normalizeName(name)))
    .map(({ name, emoji }) => ({ name, emoji, from: [0] }));
  return [...itemByName.values(), ...builtIn];
}
