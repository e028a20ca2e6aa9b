/*
 * The parts of this module that most processes never need: files of prices and suggestions. They are imported when they are needed,
 * because they take time to load.
 */
export { writeOwnCsv } from './import/own-csv.ts';
export { writeOwnJson } from './import/own-json.ts';
export { readPriceList } from './import/read-price-list.ts';
export { suggestPrices } from './suggestions.ts';
