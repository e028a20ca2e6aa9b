import type { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type { Candidate, VideoQuestion, StatusMeaning } from '../../../shared/video/video.ts';
import type { JobData, TaskIdCandidate } from './job.ts';

/** The Unix time of an event in milliseconds, and a random number in [0, 1) that spreads deadlines. */
interface EventStamp {
  readonly at: number;
  readonly jitter: number;
}

/** Decisions of a person. `position` is the end of the queue, for a job that waits afterwards. */
type DecisionPayload =
  | ({ readonly kind: 'described' } & Pick<JobData, 'request' | 'image' | 'waitMinutes'>)
  | { readonly kind: 'confirm'; readonly position: number }
  | { readonly kind: 'submit-again'; readonly position: number }
  | { readonly kind: 'give-id'; readonly taskId: string }
  | { readonly kind: 'answer'; readonly value: string }
  | { readonly kind: 'explain'; readonly meaning: StatusMeaning }
  | { readonly kind: 'pick-reason'; readonly reason: string }
  | { readonly kind: 'extend'; readonly minutes: number }
  | { readonly kind: 'fetch-again' }
  | { readonly kind: 'cancel' };

/** A failed request: a message for people, and the delay that the service asks for. */
interface RequestFailure {
  readonly sentence: string;
  readonly retryAfterMs: number | null;
}

/** Outcomes of an upload and of an order. `order` is the number of the order. */
type SubmissionEvent =
  | { readonly kind: 'claimed'; readonly upload: string | null }
  /** The order is being sent, in this exchange. */
  | { readonly kind: 'sent'; readonly order: number; readonly exchangeId: ExchangeId }
  | { readonly kind: 'uploaded'; readonly url: string }
  | ({ readonly kind: 'upload-failed' } & RequestFailure)
  | { readonly kind: 'upload-refused'; readonly sentence: string }
  | { readonly kind: 'upload-unclear'; readonly question: VideoQuestion }
  | {
      readonly kind: 'accepted';
      readonly order: number;
      /** The id where the field map says; `null` when that is not known. */
      readonly taskId: string | null;
      readonly suspects: readonly TaskIdCandidate[];
      readonly answer: string;
    }
  | ({ readonly kind: 'not-ordered'; readonly order: number } & RequestFailure)
  | {
      readonly kind: 'refused';
      readonly order: number;
      readonly sentence: string;
      /** Whether the address of an upload may be the reason. */
      readonly maybeUpload: boolean;
    }
  | { readonly kind: 'lost'; readonly order: number; readonly sentence: string };

/** Outcomes of polling and downloading. `taskId` is the task that they are about. */
type PollingEvent =
  | {
      readonly kind: 'candidates-polled';
      readonly suspects: readonly TaskIdCandidate[];
      /** Why some candidates were not asked for; `null` when all were. */
      readonly problem: string | null;
    }
  | {
      readonly kind: 'polled';
      readonly taskId: string;
      readonly word: string;
      readonly meaning: StatusMeaning;
      readonly progress: number | null;
      readonly progressAt: string | null;
      readonly cost: string | null;
      readonly reason: string | null;
      readonly reasons: readonly Candidate[];
      /** Whether the file is downloaded when the task is completed. */
      readonly fetches: boolean;
    }
  | ({ readonly kind: 'poll-failed'; readonly taskId: string } & RequestFailure)
  | {
      readonly kind: 'downloaded';
      readonly taskId: string;
      readonly file: NonNullable<JobData['file']>;
    }
  | ({
      readonly kind: 'download-failed';
      readonly taskId: string;
      readonly how: 'retry-later' | 'address-expired' | 'not-a-video';
    } & RequestFailure);

/** Events of the system that concern the whole queue. */
type SystemEvent =
  /** The engine started and found the job in its present state. */
  | { readonly kind: 'engine-started' }
  /** The clock was set back, so plans are too far ahead. */
  | { readonly kind: 'clock-set-back' }
  /** The service is not configured any more, or has no key. */
  | { readonly kind: 'blocked'; readonly sentence: string }
  /** The reason for `blocked` may be gone. */
  | { readonly kind: 'unblocked' }
  /** An unexpected error. */
  | { readonly kind: 'internal-error'; readonly sentence: string };

/** An event of a job. */
export type VideoEvent = EventStamp &
  (DecisionPayload | SubmissionEvent | PollingEvent | SystemEvent);
export type VideoEventOf<Kind extends VideoEvent['kind']> = Extract<
  VideoEvent,
  { readonly kind: Kind }
>;

/** An event of one kind without its stamp. */
export type EventPayload<Kind extends VideoEvent['kind']> = Omit<
  VideoEventOf<Kind>,
  keyof EventStamp
>;

/** Any event without its stamp. */
export type AnyEventPayload = {
  readonly [Kind in VideoEvent['kind']]: EventPayload<Kind>;
}[VideoEvent['kind']];
