import { playOutages } from './testing/durability/outages.ts';
const r = await playOutages(3, (line) => console.log(line));
console.log(JSON.stringify(r));
process.exit(0);
