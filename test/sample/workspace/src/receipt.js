/** Prices are in cents. */
export function total(lines) {
  return lines.reduce((sum, { count, priceCents }) => sum + count * priceCents, 0);
}

export function receipt({ customer, lines }) {
  const rows = lines.map(
    ({ count, article, priceCents }) => `${count} × ${article.padEnd(20)} ${euros(count * priceCents)}`,
  );
  return [`For ${customer}`, ...rows, `Total${' '.repeat(20)} ${euros(total(lines))}`].join('\n');
}

function euros(cents) {
  return `${(cents / 100).toFixed(2).padStart(7)} €`;
}
