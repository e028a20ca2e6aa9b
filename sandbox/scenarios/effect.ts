import type { Delivery } from '../http/delivery.ts';
import type { RefusalError } from '../http/errors.ts';
import type { JsonObject } from '../json.ts';

/** A way to misbehave, by its name. */
export interface ScenarioDefinition {
  readonly name: string;
  /** What happens, with N for the number. Shown in the README and, where it is one, as a model. */
  readonly description: string;
  /** N when none is given, and the smallest (0 unless said) and largest that are accepted. Without it no number is. */
  readonly number?: { readonly default: number; readonly min?: number; readonly max: number };
  readonly effect: (n: number) => Effect;
}

/** What a scenario may look at before it lets a request pass. */
export interface AdmissionInput {
  readonly body: JsonObject;
  readonly credential: string;
  /** Whether the protocol requires a token limit. */
  readonly limitRequired: boolean;
  /** How often this scenario has refused this caller already; see `Refusals`. */
  readonly refusedBefore: number;
}

/** Asks for an unusual length: so many tokens one by one, or so many MiB in large pieces. */
export type AnswerSize = { readonly tokens: number } | { readonly mebibytes: number };

/** What a scenario changes; what it leaves out stays as usual. */
export interface Effect {
  /** Turns the request down before any work is done. */
  readonly refuse?: (input: AdmissionInput) => RefusalError | undefined;
  readonly size?: AnswerSize;
  /** Says the last text of the user, word for word. */
  readonly echo?: true;
  /** So many pieces of reasoning before the text. */
  readonly reasoning?: number;
  /** Reasoning as the beginning of the text, between `<think>` and `</think>`. */
  readonly thinkTag?: true;
  /** Answers whole where a stream was asked for. */
  readonly ignoresStream?: true;
  /** The usage tells what the answer cost. */
  readonly usageCost?: true;
  readonly delivery?: Partial<Delivery>;
  /** Answers with a page for people, status 200. */
  readonly page?: true;
  /** Sends the usage of a chat stream in a chunk of its own without choices. */
  readonly usageApart?: true;
  /** The content of a video redirects to itself. */
  readonly redirectLoop?: true;
  /** Addresses in the answer to an upload, when not one. `several`: one of them gives the file back. `twins`: two do. */
  readonly addresses?: 'none' | 'several' | 'twins';
  /** An uploaded file is good for one order only. */
  readonly fileOnce?: true;
  readonly task?: TaskEffect;
}

/** How a video task misbehaves from its order to its end, whoever asks about it. */
export interface TaskEffect {
  readonly renderMs?: number;
  /** The order is taken and charged, but the answer does not say so. */
  readonly order?: 'error' | 'broken' | 'huge';
  /** What the answer to the order has for an id. `several`: a second one that is as good. `decoys`: others that are not. */
  readonly ids?: 'none' | 'several' | 'decoys';
  /** The id is a number of so many digits. */
  readonly idDigits?: number;
  readonly firstPolls?: {
    readonly are: 'error' | 'page' | 'broken' | 'huge';
    readonly times: number;
  };
  /** Polls get 429 for so long after the order. */
  readonly busyMs?: number;
  /** From this poll on the task is not there. */
  readonly forgottenFrom?: number;
  readonly ownWords?: true;
  /** Fails, and says why somewhere else. */
  readonly otherReason?: true;
  readonly progress?: true;
  readonly cost?: true;
  /** The content redirects to this port of 127.0.0.1. */
  readonly linkPort?: number;
  /** How long an address of the content works, and whether only once. */
  readonly linkMs?: number;
  readonly linkOnce?: true;
  readonly firstDownloads?: { readonly are: 'error' | 'page'; readonly times: number };
  readonly bytesPerSecond?: number;
  /** Bytes after which the connection of a download dies. */
  readonly cutAfter?: number;
  /** The content knows no ranges. */
  readonly wholeOnly?: true;
}
