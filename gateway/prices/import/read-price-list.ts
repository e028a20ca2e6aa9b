import { NewPrice } from '../../../shared/money/price.ts';
import { UserError } from '../../errors.ts';
import { MAX_PRICE_FILE } from '../uploads.ts';
import { readLiteLlm } from './litellm.ts';
import { readModelsDev } from './models-dev.ts';
import { readOwnCsv } from './own-csv.ts';
import { isOwnJson, readOwnJson } from './own-json.ts';
import { isObject, type JsonObject, type PriceList, type ReadOptions } from './price-list.ts';

const UNKNOWN_FILE =
  'This is no list of prices that Gatehouse reads: LiteLLM’s model_prices_and_context_window.json, api.json of models.dev, or a file that “prices export” wrote.';

/**
 * Reads a file of prices and finds out which kind it is: the JSON of LiteLLM, of models.dev or of Gatehouse, or CSV. @throws UserError
 * that says what is wrong and where
 */
export function readPriceList(text: string, options: ReadOptions): PriceList {
  if (Buffer.byteLength(text) > MAX_PRICE_FILE) {
    throw new UserError('This file is too large: a list of prices has at most 20 MiB.');
  }
  if (text.trim() === '') throw new UserError('This file is empty.');
  const list = /^\s*[[{]/u.test(text) ? readJson(text, options) : readOwnCsv(text, options);
  if (list.prices.length === 0) {
    throw new UserError(
      options.provider === null
        ? 'There is no price in this file.'
        : `There is no price of the provider "${options.provider}" in this file.`,
    );
  }
  list.prices.forEach((price) => checkPrice(price));
  return list;
}

function checkPrice(price: NewPrice): void {
  const checked = NewPrice.safeParse(price);
  if (checked.success) return;
  const [issue] = checked.error.issues;
  throw new UserError(`"${price.model}", ${issue?.path.join('.')}: ${issue?.message}`);
}

function readJson(text: string, options: ReadOptions): PriceList {
  const list = parseJson(text);
  if (!isObject(list)) throw new UserError(UNKNOWN_FILE);
  if (isOwnJson(list)) return readOwnJson(list, options);
  if (isModelsDev(list)) return readModelsDev(list, options);
  if (isLiteLlm(list)) return readLiteLlm(list, options);
  throw new UserError(UNKNOWN_FILE);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/u, ''));
  } catch (error) {
    const [, line, column] = /line (\d+) column (\d+)/u.exec(String(error)) ?? [];
    const place = line === undefined ? 'At its end' : `Line ${line}, column ${column}`;
    throw new UserError(`${place}: this is not JSON.`, null, { cause: error });
  }
}

function isModelsDev(list: JsonObject): boolean {
  return Object.values(list).some((entry) => isObject(entry) && isObject(entry['models']));
}

function isLiteLlm(list: JsonObject): boolean {
  return Object.values(list).some(
    (entry) => isObject(entry) && ('litellm_provider' in entry || 'input_cost_per_token' in entry),
  );
}
