import type { Delivery } from '../http/delivery.ts';
import type { RefusalError } from '../http/errors.ts';
import type { JsonObject } from '../json.ts';

/** A named scenario, in which the sandbox misbehaves. */
export interface ScenarioDefinition {
  readonly name: string;
  /** Description of the effect, with N for the number. Shown in the README, and as the title of a model. */
  readonly description: string;
  /** Default, minimum (0 by default) and maximum of N. Scenarios without it accept no number. */
  readonly number?: { readonly default: number; readonly min?: number; readonly max: number };
  readonly effect: (n: number) => Effect;
}

/** Input of a scenario's decision whether to refuse a request. */
export interface AdmissionInput {
  readonly body: JsonObject;
  readonly credential: string;
  /** Whether the protocol requires a token limit. */
  readonly limitRequired: boolean;
  /** How often this scenario has already refused this caller; see `Refusals`. */
  readonly refusedBefore: number;
}

/** An unusual length of an answer: a number of tokens sent one by one, or of MiB in large chunks. */
export type AnswerSize = { readonly tokens: number } | { readonly mebibytes: number };

/** The changes of a scenario; absent members mean the default behaviour. */
export interface Effect {
  /** Refuses the request before any work is done. */
  readonly refuse?: (input: AdmissionInput) => RefusalError | undefined;
  readonly size?: AnswerSize;
  /** Repeats the last text of the user verbatim. */
  readonly echo?: true;
  /** Number of reasoning chunks before the text. */
  readonly reasoning?: number;
  /** Puts the reasoning at the beginning of the text, between `<think>` and `</think>`. */
  readonly thinkTag?: true;
  /** Answers without a stream where one was requested. */
  readonly ignoresStream?: true;
  /** Percent of the input that are read from a cache, and as many that are written to it. */
  readonly cachesPercent?: number;
  /** Compares a request with the earlier one that it names, and answers why the cache missed. */
  readonly explainsCache?: true;
  /** Adds the cost of the answer to its usage. */
  readonly usageCost?: true;
  readonly delivery?: Partial<Delivery>;
  /** Number of a gate that the request opens. */
  readonly opens?: number;
  /** Answers with an HTML page, status 200. */
  readonly page?: true;
  /** Sends the usage of a chat stream in an extra chunk without choices. */
  readonly usageApart?: true;
  /** Redirects the content of a video to itself. */
  readonly redirectLoop?: true;
  /** URLs in the answer to an upload, if not one. `several`: only one of them returns the file. `twins`: both do. */
  readonly addresses?: 'none' | 'several' | 'twins';
  /** Makes an uploaded file valid for one order only. */
  readonly fileOnce?: true;
  readonly task?: TaskEffect;
}

/** The effect of scenarios on a video task, for its whole lifetime and for every caller. */
export interface TaskEffect {
  readonly renderMs?: number;
  /** Number of the gate at which the render waits. */
  readonly gate?: number;
  /** Accepts and charges the order, but sends an answer that does not say so. */
  readonly order?: 'error' | 'broken' | 'huge';
  /** Ids in the answer to the order. `several`: a second one that is valid too. `decoys`: others that are not. */
  readonly ids?: 'none' | 'several' | 'decoys';
  /** Makes the id a number with this many digits. */
  readonly idDigits?: number;
  readonly firstPolls?: {
    readonly kind: 'error' | 'page' | 'broken' | 'huge';
    readonly times: number;
  };
  /** Time after the order in which polls get 429, in milliseconds. */
  readonly busyMs?: number;
  /** Number of the first poll that gets 404. */
  readonly forgottenFrom?: number;
  readonly ownWords?: true;
  /** Fails, with the reason in another field. */
  readonly otherReason?: true;
  readonly progress?: true;
  readonly cost?: true;
  /** Redirects the content to this port of 127.0.0.1. */
  readonly linkPort?: number;
  /** Lifetime of a URL of the content in milliseconds, and whether it works only once. */
  readonly linkMs?: number;
  readonly linkOnce?: true;
  readonly firstDownloads?: { readonly kind: 'error' | 'page'; readonly times: number };
  readonly bytesPerSecond?: number;
  /** Number of bytes after which the connection of a download breaks. */
  readonly cutAfter?: number;
  /** Ignores range requests for the content. */
  readonly wholeOnly?: true;
}
