import { eventIterator } from '@orpc/contract';
import { z } from 'zod';
import { procedure } from '../procedure.ts';
import { NewPrice, Price } from './price.ts';
import { RecostProgress } from './recost.ts';

/** A model without a price. `exchanges`: how many of its exchanges have no cost for that. */
export const UnpricedModel = z.object({
  service: z.string().nullable(),
  model: z.string(),
  exchanges: z.number().int(),
  /** A price of a public list; a person decides whether it is used. */
  suggestion: NewPrice.nullable(),
  /** The price that it has, which lacks one for the videos that it made; `null` when it has none at all. */
  lacksVideos: Price.nullable(),
});
export type UnpricedModel = z.infer<typeof UnpricedModel>;

/** Which prices are listed: those whose model or origin has this text. */
const PriceFilter = z.object({
  text: z.string().trim().max(200),
  limit: z.number().int().min(1).max(1_000),
});

/** The prices that match, by model; `total`: how many there are in all. `play`: those of the sandbox, the first that matches a model. */
const PriceList = z.object({
  prices: z.array(Price),
  matches: z.number().int(),
  total: z.number().int(),
  play: z.array(Price),
});

/** A file of prices that was sent in pieces, and what is taken from it. */
export const PriceImport = z.object({
  upload: z.string().max(64),
  /** Takes only the prices of this provider of a public list. */
  provider: z.string().trim().max(100).nullable(),
  /** Unix time in milliseconds from which prices without a date hold. */
  validFrom: z.number().int().nonnegative(),
});
export type PriceImport = z.infer<typeof PriceImport>;

/** The content of a file of prices. */
export const PricePreview = z.object({
  format: z.enum(['litellm', 'models.dev', 'csv', 'gatehouse']),
  /** The currency of its amounts; `null` when it does not say. Nothing is converted. */
  currency: z.string().nullable(),
  count: z.number().int(),
  /** Number of its models without a price that Gatehouse knows. */
  skipped: z.number().int(),
  /** Number of prices of the book that it replaces. */
  replaced: z.number().int(),
  /** The first ones. */
  first: z.array(NewPrice),
});
export type PricePreview = z.infer<typeof PricePreview>;

/** The most characters of a piece of a file. */
export const MAX_PRICE_PIECE = 256 * 1024;

/** The calls for prices. */
export const pricesContract = {
  list: procedure.input(PriceFilter).output(PriceList),
  /** Returns models without a price, or without one for videos that they made: of the history, those with the most exchanges first, then of the list of the service in use. */
  unpriced: procedure.output(z.array(UnpricedModel)),
  /** Returns the present price of a model at a service, its stable id, or an empty text for no known one; at the one in use where none is given; `null` when it has none. */
  find: procedure
    .input(
      z.object({ model: z.string().min(1).max(256), service: z.string().max(2_048).optional() }),
    )
    .output(Price.nullable()),
  /** Adds prices, all or none; each replaces one for the same service, model and date. */
  add: procedure.input(z.object({ prices: z.array(NewPrice).min(1).max(500) })),
  /**
   * Sets a price unless another one than `replaces` is in use for the same service, model and date. Returns that one then, and `null`
   * when the price is set.
   */
  set: procedure
    .input(z.object({ price: NewPrice, replaces: z.number().int().nullable() }))
    .output(Price.nullable()),
  /** Removes a price; costs that it decided keep their amount. */
  remove: procedure.input(z.object({ id: z.number().int() })),
  import: {
    begin: procedure.output(z.object({ upload: z.string() })),
    /** Appends the next piece of the file. */
    append: procedure.input(
      z.object({ upload: z.string().max(64), text: z.string().max(MAX_PRICE_PIECE) }),
    ),
    /** Says what the file has. Changes nothing. */
    preview: procedure.input(PriceImport).output(PricePreview),
    /** Adds the prices of the file, and forgets the file. */
    adopt: procedure.input(PriceImport).output(z.object({ added: z.number().int() })),
  },
  /** Writes the prices as a file that can be imported. */
  export: procedure.input(z.object({ format: z.enum(['csv', 'json']) })).output(z.string()),
  /**
   * Computes the costs of exchanges since a Unix time in milliseconds again, or only says what would change. Ending the stream ends it;
   * what was changed stays changed.
   */
  recost: procedure
    .input(z.object({ since: z.number().int().nonnegative(), dryRun: z.boolean() }))
    .output(eventIterator(RecostProgress)),
};
