import { readFileSync } from 'node:fs';
import { receipt } from './receipt.js';

const file = process.argv[2];
if (!file) {
  console.error('usage: node src/till.js ORDERS.json');
  process.exit(2);
}
const orders = JSON.parse(readFileSync(file, 'utf8'));
console.log(orders.map((order) => receipt(order)).join('\n\n'));
