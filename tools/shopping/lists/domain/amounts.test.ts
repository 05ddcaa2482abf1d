import { describe, expect, test } from 'vitest';
import { parseLines } from './pastedLines.ts';

/** 'name', or 'count of name' if the desired number is not one. */
const parseItems = (line: string): readonly string[] =>
  parseLines(line).items.map(({ name, desired }) => (desired === 1 ? name : `${desired} of ${name}`));

/** Lines, and the item that each of them becomes. */
const SPLIT_LINES = `
200 g/7 oz rice => rice (200 g/7 oz) | 200g/7oz rice => rice (200 g/7 oz)
250 mls cream => cream (250 mls) | 2 7 Up => 2 of 7 Up
2 400g tins chopped tomatoes => 2 of chopped tomatoes (400 g tins) | 2 x 400g tins chopped tomatoes => 2 of chopped tomatoes (400 g tins)
1 x 400g tin chopped tomatoes => chopped tomatoes (400 g tin) | 400g tin chopped tomatoes => chopped tomatoes (400 g tin)
chopped tomatoes 2 x 400g tins => 2 of chopped tomatoes (400 g tins) | chopped tomatoes (2 x 400g tins) => 2 of chopped tomatoes (400 g tins)
2 tins (400g) chopped tomatoes => 2 of chopped tomatoes (400 g tins) | 2 tins (400g each) chopped tomatoes => 2 of chopped tomatoes (400 g tins)
1 (400g) can beans => beans (400 g can) | 1 (15-ounce) can black beans => black beans (15-ounce can)
1 28 oz can whole tomatoes => whole tomatoes (28 oz can) | 2 (14.5 oz) cans diced tomatoes => 2 of diced tomatoes (14.5 oz cans)
28-ounce can tomatoes => tomatoes (28-ounce can) | .5 kg beef => beef (.5 kg)
1 doz eggs => 12 of eggs | 1 doz. eggs => 12 of eggs
2 dozen eggs => 24 of eggs | half a dozen eggs => 6 of eggs
half dozen eggs => 6 of eggs | 1/2 dozen eggs => 6 of eggs
dozen eggs => 12 of eggs | a dozen eggs => 12 of eggs
eggs x 1 dozen => 12 of eggs | eggs x1 dozen => 12 of eggs
eggs × 2 dozen => 24 of eggs | eggs (x 2 dozen) => 24 of eggs
eggs x dozen => 12 of eggs | eggs x ½ dozen => 6 of eggs
eggs x half a dozen => 6 of eggs | eggs x a dozen => 12 of eggs
2 x dozen eggs => 24 of eggs | 2 x 1 dozen eggs => 24 of eggs
2 dozen x eggs => 24 of eggs | Eier x 1 Dutzend => 12 of Eier
2 tins x 400g beans => 2 of beans (400 g tins) | 2 tins x 400 g of beans => 2 of beans (400 g tins)
400g x 2 tins beans => 2 of beans (400 g tins) | 400g x 2 tins of beans => 2 of beans (400 g tins)
400 g x 2 beans => 2 of beans (400 g) | beans 2 tins x 400g => 2 of beans (400 g tins)
beans 400g x 2 tins => 2 of beans (400 g tins) | beans (2 tins x 400g) => 2 of beans (400 g tins)
1.5 l x 6 water => 6 of water (1.5 l) | 500 ml × 4 cans cola => 4 of cola (500 ml cans)
2 Dosen x 400g Tomaten => 2 of Tomaten (400 g Dosen) | 2 x tins 400g beans => 2 of beans (400 g tins)
2 packs x 6 eggs => 2 of 6 eggs (packs) | 2 packs of 6 eggs => 2 of 6 eggs (packs)
eggs, 1 dozen => 12 of eggs | eggs (2 dozen) => 24 of eggs
1 1/2 dozen rolls => 18 of rolls | half a cucumber => cucumber (½)
half cucumber => cucumber (½) | half melon => melon (½)
half leg of lamb => leg of lamb (½)
2x tins beans => 2 of beans (tins) | 2 x tins of beans => 2 of beans (tins)
half baguette => baguette (½)
half an onion => onion (½) | half a pound of mince => mince (½ pound)
half pint milk => milk (½ pint) | a quarter of a melon => melon (¼)
3 EL Öl => Öl (3 EL) | 2 Pck. Backpulver => 2 of Backpulver (Pck.)
2 Dosen Tomaten => 2 of Tomaten (Dosen) | 1 Dose Mais => Mais (Dose)
1 Bund Petersilie => Petersilie (Bund) | 1 Prise Salz => Salz (1 Prise)
2 Zehen Knoblauch => Knoblauch (2 Zehen) | 3 Becher Sahne => 3 of Sahne (Becher)
1 Kasten Bier => Bier (Kasten) | 6 Stück Eier => 6 of Eier (Stück)
6 Stk. Eier => 6 of Eier (Stk.) | 1 Pfund Hackfleisch => Hackfleisch (1 Pfund)
2 TL Zucker => Zucker (2 TL) | 1 Tube Senf => Senf (Tube)
1 Würfel Hefe => Hefe (Würfel) | 3 Blatt Gelatine => Gelatine (3 Blatt)
1 Kopf Salat => Salat (Kopf) | 1 Liter Milch => Milch (1 Liter)
eine halbe Gurke => Gurke (½) | halbe Gurke => Gurke (½)
ein Dutzend Eier => 12 of Eier | zwei Gurken => 2 of Gurken
1 Glas Gurken => Gurken (Glas) | ½ Liter Sahne => Sahne (½ Liter)
1,5 l Cola => Cola (1,5 l) | 2 Flaschen à 1 l Wasser => 2 of Wasser (1 l Flaschen)
milk*2 => 2 of milk | 2*milk => 2 of milk
2 * milk => 2 of milk | milk * 2 => 2 of milk
* 2 milk => 2 of milk | milk ✕ 2 => 2 of milk
two lemons => 2 of lemons | three tins of tuna => 3 of tuna (tins)
a couple of lemons => 2 of lemons | a pint of milk => milk (1 pint)
a bunch of parsley => parsley (bunch) | a pinch of salt => salt (1 pinch)
a can opener => can opener | 3 cheese slices => 3 of cheese slices
1 and 1/2 cups flour => flour (1 and 1/2 cups) | 1-1/2 cups flour => flour (1-1/2 cups)
1 ½ cups milk => milk (1 ½ cups) | 1 lb 8 oz beef => beef (1 lb 8 oz)
1lb 2oz/500g flour => flour (1 lb 2 oz/500 g) | 1 cup (240 ml) milk => milk (1 cup/240 ml)
3 tbsp (45 ml) olive oil => olive oil (3 tbsp/45 ml) | 2 tbsp + 1 tsp sugar => sugar (2 tbsp + 1 tsp)
1 000 g flour => flour (1 000 g) | 1,000 g flour => flour (1,000 g)
approx. 500 g mince => mince (approx. 500 g) | ca. 500 g Hackfleisch => Hackfleisch (ca. 500 g)
2 to 3 onions => onions (2 to 3) | 2 or 3 lemons => lemons (2 or 3)
2 bis 3 Zwiebeln => Zwiebeln (2 bis 3) | ½ tin coconut milk => coconut milk (½ tin)
1/2 bunch parsley => parsley (1/2 bunch) | 2-3 tins tomatoes => tomatoes (2-3 tins)
1 jar pesto => pesto (jar) | 1 tin opener => tin opener
2 can openers => 2 of can openers | 1 bottle opener => bottle opener
1 tin foil => tin foil | 1 loaf bread => bread (loaf)
bread, 1 loaf => bread (loaf) | bread (1 loaf) => bread (loaf)
milk (2 bottles) => 2 of milk (bottles) | 6pcs eggs => 6 of eggs (pcs)
12 ct eggs => 12 of eggs (ct) | 12 330ml cola => 12 of cola (330 ml)
24 x 330ml cans cola => 24 of cola (330 ml cans) | 4 x 100g pots yogurt => 4 of yogurt (100 g pots)
2-litre bottle milk => milk (2-litre bottle) | 5g yeast => yeast (5 g)
500㎖ cream => cream (500 ㎖) | milk:2 => 2 of milk
milk,2 => 2 of milk | milk;2 => 2 of milk
napkins: 100 => 100 of napkins | napkins x 100 => 100 of napkins
100 napkins => 100 of napkins | eggs (x 12) => 12 of eggs
eggs [12] => 12 of eggs | Vitamin D 1000 IU => Vitamin D (1000 IU)
AA batteries 4 => 4 of AA batteries | 80 g A4 paper => A4 paper (80 g)
2 large eggs => 2 of large eggs | 1 large onion, chopped => large onion, chopped
200 g de farine => farine (200 g) | 2 boîtes de tomates => 2 of tomates (boîtes)
3 cuillères à soupe huile => huile (3 cuillères à soupe) | 500 g d'épinards => épinards (500 g)
2 latas de atún => 2 of atún (latas) | 1 botella de vino => vino (botella)
2 pairs socks => 2 of socks (pairs) | a pair of scissors => scissors (pair)
30 tablets paracetamol => 30 of paracetamol (tablets) | 2 rashers bacon => bacon (2 rashers)
１２ eggs => 12 of eggs | ５００ｇ flour => flour (500 g)
half a kilo of potatoes => potatoes (½ kilo) | a kilo of potatoes => potatoes (1 kilo)
one and a half kilos potatoes => potatoes (1½ kilos) | 2 lb. potatoes => potatoes (2 lb.)
2lbs. potatoes => potatoes (2 lbs.) | 1kg. flour => flour (1 kg.)
potatoes 2kg => potatoes (2 kg) | potatoes - 2 kg => potatoes (2 kg)
potatoes, 2kg => potatoes (2 kg) | flour (500 g) x2 => 2 of flour (500 g)
2 x flour (500 g) => 2 of flour (500 g) | Coke 330ml x 6 => 6 of Coke (330 ml)
2 EL Zucker => Zucker (2 EL) | 1/2 TL Salz => Salz (1/2 TL)
250 ml Milch => Milch (250 ml) | 1 Pck. Vanillezucker => Vanillezucker (Pck.)
1 Pkg. Vanillezucker => Vanillezucker (Pkg.) | 1 Päckchen Backpulver => Backpulver (Päckchen)
4 Scheiben Toast => Toast (4 Scheiben) | 2 Stangen Lauch => 2 of Lauch (Stangen)
10 Scheiben Käse => Käse (10 Scheiben) | 1 kg Kartoffeln => Kartoffeln (1 kg)
Kartoffeln 1kg => Kartoffeln (1 kg) | 3 Zwiebeln => 3 of Zwiebeln
1 Netz Orangen => Orangen (Netz) | 6 Flaschen Wasser => 6 of Wasser (Flaschen)
1 Sack Kartoffeln => Kartoffeln (Sack) | 2 Packungen Nudeln => 2 of Nudeln (Packungen)
Nudeln 500g => Nudeln (500 g) | Eier 10 Stück => 10 of Eier (Stück)
Eier, 10 Stk. => 10 of Eier (Stk.) | 1 Becher Schmand (200 g) => Schmand (200 g Becher)
1 Dose Tomaten (400 g) => Tomaten (400 g Dose) | 2 Dosen Tomaten à 400 g => 2 of Tomaten (400 g Dosen)
1 Bund Radieschen => Radieschen (Bund) | 1 Handvoll Spinat => Spinat (1 Handvoll)
100 ml Öl => Öl (100 ml) | 1 l Milch => Milch (1 l)
1L Milch => Milch (1 L) | 1 Ltr. Milch => Milch (1 Ltr.)
2 Tassen Reis => Reis (2 Tassen) | 1 Msp. Zimt => Zimt (1 Msp.)
1 Schuss Essig => Essig (1 Schuss) | ½ Zitrone => Zitrone (½)
1 ½ Zitronen => Zitronen (1 ½) | 3-4 Äpfel => Äpfel (3-4)
1 halbe Zitrone => Zitrone (½) | ein halber Kohlkopf => Kohlkopf (½)
ein Liter Milch => Milch (1 Liter) | eine Packung Nudeln => Nudeln (Packung)
drei Eier => 3 of Eier | 1 clove of garlic => garlic (1 clove)
2 cloves garlic, minced => garlic, minced (2 cloves) | 1 tablespoon olive oil => olive oil (1 tablespoon)
1 (14.5 ounce) can tomatoes => tomatoes (14.5 ounce can) | 1 14.5-oz. can tomatoes => tomatoes (14.5-oz. can)
1 package (8 ounces) cream cheese => cream cheese (8 ounces package) | 1 8-ounce package cream cheese => cream cheese (8-ounce package)
2 8 oz packages cream cheese => 2 of cream cheese (8 oz packages) | 1 can (15 oz) black beans => black beans (15 oz can)
2 cans (15 oz each) black beans => 2 of black beans (15 oz cans) | 1 stick butter => butter (1 stick)
3 sticks of butter => butter (3 sticks) | 1/3 cup sugar => sugar (1/3 cup)
1⁄2 cup sugar => sugar (1⁄2 cup) | 2 ¼ cups flour => flour (2 ¼ cups)
1 to 2 tablespoons water => water (1 to 2 tablespoons) | 10-12 prawns => prawns (10-12)
4 (6-ounce) salmon fillets => 4 of salmon fillets (6-ounce) | 1 whole chicken (about 3 lbs) => whole chicken (about 3 lbs)
1 (3 lb) chicken => chicken (3 lb) | 1 bunch of coriander => coriander (bunch)
1 head garlic => head garlic | 1 head of lettuce => lettuce (head)
2 heads broccoli => 2 of broccoli (heads) | 2 ears corn => 2 of ears corn
12 oz pasta => pasta (12 oz) | 12oz. pasta => pasta (12 oz.)
8 oz. cream cheese => cream cheese (8 oz.) | 1 pint cherry tomatoes => cherry tomatoes (1 pint)
1 qt milk => milk (1 qt) | 1 gal milk => milk (1 gal)
1 gallon of milk => milk (1 gallon) | milk 1 gal => milk (1 gal)
eggs x12 => 12 of eggs | bananas × 6 => 6 of bananas
6 bananas => 6 of bananas | bananas (6) => 6 of bananas
bananas, 6 => 6 of bananas | bananas - 6 => 6 of bananas
bananas 6x => 6 of bananas | Coke Zero 6x330ml => 6 of Coke Zero (330 ml)
6 x Coke Zero => 6 of Coke Zero | Coke Zero 2L => Coke Zero (2 L)
toilet paper (12 rolls) => 12 of toilet paper (rolls) | toilet paper 12 rolls => 12 of toilet paper (rolls)
kitchen roll x 2 => 2 of kitchen roll | AA batteries (4) => 4 of AA batteries
AAA batteries x8 => 8 of AAA batteries | 1 x 60W bulb => 60W bulb
3 x A4 paper => 3 of A4 paper | M8 bolts x 20 => 20 of M8 bolts
20 M8 bolts => 20 of M8 bolts | Nappies size 4 x 2 => 2 of Nappies size 4
2 x nappies size 4 => 2 of nappies size 4 | Nurofen 200mg => Nurofen (200 mg)
ibuprofen 400mg x 16 => 16 of ibuprofen (400 mg) | 2 x 6-pack beer => 2 of 6-pack beer
two 6-packs beer => 2 of 6-packs beer | 12 1st class stamps => 12 of 1st class stamps
10 x 1st class stamps => 10 of 1st class stamps | 2 x 9V batteries => 2 of 9V batteries
4 AA batteries => 4 of AA batteries | 4 x AA batteries => 4 of AA batteries
2 pint milk => milk (2 pint) | 2 pints milk => milk (2 pints)
milk, 4 pints => milk (4 pints) | milk 4pt => milk (4 pt)
4pt milk => milk (4 pt) | 1 ltr orange juice => orange juice (1 ltr)
orange juice 1ltr => orange juice (1 ltr) | orange juice 1 litre => orange juice (1 litre)
6 large free-range eggs => 6 of large free-range eggs | a dozen large eggs => 12 of large eggs
2doz eggs => 24 of eggs | half dozen rolls => 6 of rolls
one dozen eggs => 12 of eggs | two dozen eggs => 24 of eggs
1 pack of 6 eggs => 6 eggs (pack) | 1 box of tissues => tissues (box)
a tin of tuna => tuna (tin) | 1kg bag of rice => rice (1 kg bag)
1 kg bag rice => rice (1 kg bag) | rice 1kg bag => rice (1 kg bag)
rice (1kg bag) => rice (1 kg bag) | 500 g bread flour => bread flour (500 g)
100g dark chocolate (70%) => dark chocolate (70%) (100 g) | dark chocolate 70% 100g => dark chocolate 70% (100 g)
2 chocolate bars => 2 of chocolate bars | 2 bars chocolate => 2 of chocolate (bars)
1 bar of chocolate => chocolate (bar) | 1/4 watermelon => watermelon (1/4)
watermelon 1/4 => watermelon (1/4) | 1/4 of a watermelon => watermelon (1/4)
¼ of a watermelon => watermelon (¼) | 2 and a half onions => onions (2½)
2 1/2 onions => onions (2 1/2) | 2.5 onions => onions (2.5)
0.5 l cream => cream (0.5 l) | 0,5 l Sahne => Sahne (0,5 l)
0.75l wine => wine (0.75 l) | 75cl wine => wine (75 cl)
wine 75 cl => wine (75 cl) | 1 × 75 cl wine => wine (75 cl)
+ milk => milk | 2 milk (organic) => 2 of milk (organic)
2x milk (organic) => 2 of milk (organic) | 2 litres of semi-skimmed milk => semi-skimmed milk (2 litres)
2 ltrs milk => milk (2 ltrs) | 1 punnet strawberries => strawberries (punnet)
strawberries 400g punnet => strawberries (400 g punnet) | 3 peppers (red, yellow, green) => 3 of peppers (red, yellow, green)
3 tomatoes/peppers => 3 of tomatoes/peppers | 10 kg dog food => dog food (10 kg)
15kg dog food bag => dog food bag (15 kg) | 250 g / 9 oz butter => butter (250 g / 9 oz)
250g (9oz) butter => butter (250 g/9 oz) | butter 250g/9oz => butter (250 g/9 oz)
1 kg + 500 g flour => flour (1 kg + 500 g) | 1 kilo tomatoes => tomatoes (1 kilo)
1½ kg beef => beef (1½ kg) | 1½kg beef => beef (1½ kg)
1 & 1/2 cups sugar => sugar (1 & 1/2 cups) | ¾ cup sugar => sugar (¾ cup)
3/4 c sugar => sugar (3/4 c) | 1½ cups flour => flour (1½ cups)
tomatoes (2 tins) => 2 of tomatoes (tins) | 1 half cucumber => cucumber (½)
`
  .trim()
  .split(/ \| |\n/u)
  .map((pair) => pair.split(' => '));

/** Numbers that are not amounts. */
const UNSPLIT_LINES = `
Mehl 405 | Mehl Type 405 | Nutella 750 | Windows 11 | 7 Up
7up | seven up | half and half | half fat milk | half price bread | 2 dozen | 1 dozen
half-fat crème fraîche | quarter pounder burgers | one way ticket | six pack beer | three cheese pizza
3 bean salad | 4 cheese pizza | 5 spice powder | 7 grain bread | 6pk beer
6 pk beer | 5G router | paper 4:3 | napkins 100 | iPhone 15
Xbox 360 | PS 5 | SPF 30 | Pampers 4 | A4 paper 500
Milch 3,5 | Milch 3,5% | Joghurt 1.5 % | 0 eggs | 5 hour energy
60 W bulb | 4 star petrol | 10 percent vinegar | 10x10 tiles | 2x4 timber
4x4 tyres | 3M tape | WD 40 | Formula 1 magazine | Teil 2 Roman
100 % juice | 1 l bottle | Kartoffeln (1 kg) | 10er Eier | Milch 1,5%
Joghurt 3,8% | etwas Salz | Salz und Pfeffer | pinch of salt | salt to taste
lightbulb 60W | printer paper A4 500 | HDMI cable 2m | 2m HDMI cable | SD card 64GB
64 GB SD card | USB-C cable 1.5m | 5 m rope | 2 inch nails | 3/4 inch screws
vitamin B12 | Vitamin B 12 | Vitamin D3 | omega 3 | Omega-3
Q10 cream | Coenzyme Q 10 | E10 | Super E 10 | 95 octane
Chanel No. 5 | No 7 cream | 00 flour | '00' flour | 550 flour
Type 00 flour | flour 00 | Farine T55 | flour T 55 | Red Bull 4 pack
4 pack Red Bull | 4-pack Red Bull | beer 24-pack | 50% off cheese | 1st class stamps
2nd hand book | 24/7 magazine | Route 66 cap | Catch 22 | 1984
Blade Runner 2049 | Die Zauberflöte | 9V batteries | 3 phase cable | 2 stroke oil
4 seasons pizza | 3 pin plug | 6 inch pot | pack of 6 eggs | pack of 4 AA batteries
box of 12 eggs | box of tissues | tin of tuna | bag of rice | chocolate 85 %
bar of chocolate | 3 for 2 shampoo | shampoo 3 for 2 | 2 for £5 pizza | milk 1.20
milk! | milk? | milk (organic) | milk (2, organic) | 5 a day juice
butter (250 g / 9 oz) | A 4 envelopes | C 5 envelopes | DIN A4 Papier | 12 V Lampe
60 Watt Birne | 550 Mehl | 11/2 cups | 50/50 bread
`
  .trim()
  .split(/ \| |\n/u);

describe('real lines', () => {
  test.each(SPLIT_LINES)('%s becomes %s', (line, item) => expect(parseItems(line)).toEqual([item]));
  test.each(UNSPLIT_LINES)('%s is not split', (line) => expect(parseItems(line)).toEqual([line]));
});
