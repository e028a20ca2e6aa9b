import { z } from 'zod';
import { ExchangeId } from './exchange/exchange.ts';

/** A model object of the service (spec section 2.1), kept complete: fields that the spec does not show stay as they are. */
export const Model = z.looseObject({ id: z.string().min(1) });
export type Model = z.infer<typeof Model>;

/** A model and its usage. Times in Unix milliseconds. */
export const ModelSummary = z.object({
  model: Model,
  lastUsedAt: z.number().int().nullable(),
  exchanges: z.number().int(),
  inputTokens: z.number(),
  outputTokens: z.number(),
});
export type ModelSummary = z.infer<typeof ModelSummary>;

/** The last known list. `problem` says why the last fetch failed, `omitted` which models of the service are left out. */
export const ModelList = z.object({
  models: z.array(ModelSummary),
  /** The model that answered each protocol of text whole the latest, at the service in use; `null` for none. */
  answered: z.object({
    chat: z.string().nullable(),
    responses: z.string().nullable(),
    messages: z.string().nullable(),
  }),
  fetchedAt: z.number().int().nullable(),
  problem: z.string().nullable(),
  omitted: z.string().nullable(),
});
export type ModelList = z.infer<typeof ModelList>;

/** The model that a typed name refers to. `one`: exactly this model is meant, though the name differs. */
export const ModelResolution = z.object({
  kind: z.enum(['exact', 'one', 'none']),
  id: z.string().nullable(),
  suggestions: z.array(z.string()),
  /** Message for people: what is wrong with the name and what to do. */
  sentence: z.string(),
});
export type ModelResolution = z.infer<typeof ModelResolution>;

/** Result of one cheap call. `text` is the beginning of the answer or the service's own error message. */
export const ModelTestReport = z.object({
  works: z.boolean(),
  status: z.number().int().nullable(),
  text: z.string(),
  durationMs: z.number(),
  exchangeId: ExchangeId.nullable(),
});
export type ModelTestReport = z.infer<typeof ModelTestReport>;
