import type { KnownName } from './suggest.ts';

/** Kinds of things with their names behind an emoji each, apart by commas. Emoji up to version 14, which the fonts of 2022 have. */
const KINDS = {
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
  readonly kind: keyof typeof KINDS;
}

const entriesOf = ([kind, text]: [string, string]): readonly CatalogueItem[] =>
  text.split(',').map((entry) => {
    const [, emoji = '', name = ''] = /^\s*(\S+)\s+(.+?)\s*$/u.exec(entry) ?? [];
    // `Object.entries` knows its keys only as texts.
    return { name, emoji, kind: kind as keyof typeof KINDS };
  });

/** Names to choose from before anyone has typed one: common groceries and household things. */
export const CATALOGUE: readonly CatalogueItem[] = Object.entries(KINDS).flatMap(entriesOf);
