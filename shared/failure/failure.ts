/** Describes a kind of failure: what happened, what it means, what to do. */
export interface Failure {
  /** What happened, without a full stop. */
  readonly title: string;
  readonly meaning: string;
  /** What the request costs, as a sentence; left out for the sandbox. */
  readonly cost?: string;
  readonly advice: readonly string[];
  /** Where the failure can be fixed: a screen, or the limits of the client. */
  readonly place: 'models' | 'clients' | 'limits' | 'settings' | null;
}

export const SEND_AGAIN = 'Send the request again.';
